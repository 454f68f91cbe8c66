"""Scores of a tagger on labelled sentences, and how much of its features it keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.core.report import Event, in_one_line
from laconic.errors import InputError
from laconic.text.io import name_of
from laconic.text.token_columns import TokenColumns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from laconic.tag.model import Tagger
    from laconic.text.metrics import LabelScores


def scores(model: Tagger, gold: TokenColumns, path: str) -> dict[str, Any]:
    """Return precision, recall and F1 of chunks, or of labels that mark none.

    Chunks are counted as conlleval does, overall and by type; tokens and whole sentences too.
    """
    from laconic.text import metrics

    labels, predicted = gold.values[-1], model.predict_flat(gold)
    counts = {"sentences": len(gold), "tokens": len(labels)}
    if model.given_scheme_ == "plain":
        of_labels = metrics.label_scores(labels, predicted)
        whole = {
            "accuracy": metrics.accuracy(labels, predicted),
            "complete": metrics.complete(labels, predicted, gold.ptr),
        }
        return {**counts, **whole, "labels": _table("label", of_labels)}
    try:
        found = metrics.chunk_scores(labels, predicted, gold.ptr)
    except ValueError as error:
        raise InputError(f"{name_of(path)}: {error}.") from None
    counts |= {
        "chunks_gold": found.n_gold,
        "chunks_predicted": found.n_predicted,
        "chunks_right": found.n_right,
    }
    ratios = {
        name: getattr(found, name) for name in ("precision", "recall", "f1", "accuracy", "complete")
    }
    return {**counts, **ratios, "types": _table("type", found.by_type)}


def _table(name: str, scores: LabelScores) -> list[dict[str, Any]]:
    names = (name, *scores._fields[1:])
    return [
        dict(zip(names, row, strict=True))
        for row in zip(*(column.tolist() for column in scores), strict=True)
    ]


def most_held(trace: Iterable[Event]) -> int | None:
    """Return the largest number of weights that passes over the sentences held in memory."""
    from laconic.core.report import passes_of

    return max((held for one in passes_of(trace) for _, held in one.held), default=None)


def refit_text(refit: object) -> str | None:
    """Return a second learner in one line; of a model from a file it is text already."""
    return refit if refit is None or isinstance(refit, str) else in_one_line(refit)
