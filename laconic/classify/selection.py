"""What a classifier selected, as results of the command line show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.classify.structure import LATENT

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier


def settings_facts(model: TextClassifier) -> dict[str, Any]:
    """Return what the model states or chose, without what it does not use."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in model.settings_.items()
        if value
    }


def tried_facts(model: TextClassifier, as_json: bool) -> dict[str, Any]:
    """Return what was tried for a model and how it did on held-out documents, if anything was.

    For people: the best strength of each candidate, then all strengths of the chosen one.
    """
    rows = [row._asdict() for row in model.tried_]
    if not rows or as_json:
        return {"tried": rows} if rows else {}
    last = model.tried_[-1]
    return {
        "tried": [_line(row) for row in rows],
        "held-out accuracy": last.accuracy,
        "held-out log-loss": last.log_loss,
    }


def _line(row: dict[str, Any]) -> dict[str, Any]:
    """Return one trial as a line of a table of few columns."""
    read = row["weighting"]
    read += f", up to {row['ngrams']}-grams" if row["ngrams"] > 1 else ""
    read += "".join(f", prefixes of {length}" for length in row["prefixes"])
    cost = "".join(f", {name} {row[name]:g}" for name in ("contrast", "frequency") if row[name])
    return {
        "words": read,
        "penalty": row["penalty"] + cost,
        "share": row["share"],
        "refit": row["refit"],
        "kept": row["words"],
        "log-loss": row["log_loss"],
        "accuracy": row["accuracy"],
        "folds": row["folds"],
        "": "chosen" if row["chosen"] else "",
    }


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
    found = {"words": words, "groups": groups} if as_json else _for_people(words, groups)
    return found | branch_facts(model, n, as_json) | column_facts(model)


def branch_facts(model: TextClassifier, n: int, as_json: bool) -> dict[str, Any]:
    """Return the n words of each group of labels that speak most for all of its labels.

    The weight of a word is the least that it has for a label of the group.
    """
    if model.taxonomy_ is None:
        return {}
    import numpy as np

    from laconic.classify.label_tree import branches_of

    branches, names = branches_of(model.taxonomy_, model.classes_), model.get_feature_names_out()
    found: dict[str, list[dict[str, Any]]] = {}
    for name, members in zip(branches.names, branches.members, strict=True):
        least = model.coef_[members].min(axis=0)
        order = [k for k in np.argsort(-least, kind="stable")[:n].tolist() if least[k] > 0]
        found[name] = [{"word": names[k], "weight": float(least[k])} for k in order]
    if as_json:
        return {"branches": found}
    shown = [
        {"group of labels": name, "words": "  ".join(str(row["word"]) for row in rows)}
        for name, rows in found.items()
    ]
    return {"words of groups of labels": shown} if shown else {}


def column_facts(model: TextClassifier) -> dict[str, Any]:
    """Return the weights of columns beside the text per label, and thresholds, if there are any."""
    labels = [str(label) for label in model.classes_.tolist()]
    found: dict[str, Any] = {}
    if model.column_weights_ is not None and model.columns_.names:
        shown = labels[1:] if model.one_score else labels
        found["columns"] = [
            {"column": name, **dict(zip(shown, row, strict=True))}
            for name, row in zip(
                model.columns_.names, model.column_weights_.T.tolist(), strict=True
            )
        ]
    if model.thresholds_ is not None:
        found["thresholds"] = dict(zip(labels, model.thresholds_.tolist(), strict=True))
    return found


def _for_people(
    words: dict[str, list[dict[str, Any]]], groups: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return the words of a label in one line, and one line per example of a group."""
    shown: dict[str, Any] = {}
    for name, group in groups.items():
        what = "are chosen" if name in LATENT else "hold a word with a weight"
        shown[f"{name} groups"] = f"{group['selected']} of {group['total']} {what}"
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
            if group[fate] and not (name in LATENT and fate == "dropped"):
                shown[f"{name} groups {fate}, for example"] = [{name: text} for text in group[fate]]
    return shown
