"""`laconic inspect`: what a model selected, what it threw away, and how good a solution it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from laconic.cli.console import guard, print_result
from laconic.cli.options import AsJson, ModelPath

if TYPE_CHECKING:
    from laconic.estimators.text import TextClassifier


@guard()
def inspect(
    model_path: ModelPath,
    n: Annotated[int, typer.Option("-n", min=0, help="Words a label, and kept and dropped groups a regularizer.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what a model selected and what it threw away."""
    from laconic.estimators.storage import load_model

    model = load_model(model_path)
    result = {
        "model": model_path,
        "bytes": Path(model_path).stat().st_size,
        "regularizer": model.regularizer,
        "strength": model.strength,
        "lasso": model.lasso,
        "weighting": model.weighting,
        "ngrams": model.ngrams,
        "labels": model.classes_.tolist(),
        "features_total": model.n_features_total_,
        "features_nonzero": model.n_features_selected_,
        "objective": model.objective_,
        "certificate": model.certificate_,
        "converged": model.converged_,
        "interrupted": model.interrupted_,
    }
    print_result({**result, **selection(model, n, as_json)}, as_json)


def selection(model: TextClassifier, n: int, as_json: bool) -> dict[str, Any]:
    """The n strongest words of each label, and n kept and n dropped groups of each regularizer."""
    from laconic.estimators.explain import top_words

    words = {str(label): [word._asdict() for word in strongest] for label, strongest in top_words(model, n).items()}
    groups = {
        name: {"total": s.total, "selected": s.selected, "kept": s.kept[:n], "dropped": s.dropped[:n]}
        for name, s in model.groups_.items()
    }
    return {"words": words, "groups": groups} if as_json else _for_people(words, groups)


def _for_people(words: dict[str, list[dict[str, Any]]], groups: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Words on one line a label, examples of groups on one line each."""
    shown: dict[str, Any] = {}
    for name, group in groups.items():
        shown[f"{name} groups"] = f"{group['selected']} of {group['total']} hold a word with a weight"
    shown["words"] = [
        {"label": label, "strongest first": "  ".join(f"{entry['word']} {entry['weight']:.2f}" for entry in entries)}
        for label, entries in words.items()
    ]
    for name, group in groups.items():
        for fate in ("kept", "dropped"):
            if group[fate]:
                shown[f"{name} groups {fate}, for example"] = [{name: text} for text in group[fate]]
    return shown
