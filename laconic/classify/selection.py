"""What a classifier selected, as results of the command line show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier


def selection(model: TextClassifier, n: int, as_json: bool) -> dict[str, Any]:
    """Return the n strongest words of each label, and n kept and n dropped groups per penalty."""
    from laconic.classify.explain import top_words

    words = {
        str(label): [word._asdict() for word in strongest]
        for label, strongest in top_words(model, n).items()
    }
    groups = {
        name: {
            "total": s.total,
            "selected": s.selected,
            "kept": s.kept[:n],
            "dropped": s.dropped[:n],
        }
        for name, s in model.groups_.items()
    }
    return {"words": words, "groups": groups} if as_json else _for_people(words, groups)


def _for_people(
    words: dict[str, list[dict[str, Any]]], groups: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return the words of a label in one line, and one line per example of a group."""
    shown: dict[str, Any] = {}
    for name, group in groups.items():
        shown[f"{name} groups"] = (
            f"{group['selected']} of {group['total']} hold a word with a weight"
        )
    shown["words"] = [
        {
            "label": label,
            "strongest first": "  ".join(
                f"{entry['word']} {entry['weight']:.2f}" for entry in entries
            ),
        }
        for label, entries in words.items()
    ]
    for name, group in groups.items():
        for fate in ("kept", "dropped"):
            if group[fate]:
                shown[f"{name} groups {fate}, for example"] = [{name: text} for text in group[fate]]
    return shown
