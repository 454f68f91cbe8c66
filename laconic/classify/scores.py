"""What `evaluate` says of predicted labels: one per document, several, or leaves of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from laconic.classify.label_tree import PathScores, branches_of, path_scores
from laconic.classify.multilabel import label_set_scores
from laconic.core.arrays import AnyArray
from laconic.text import metrics

if TYPE_CHECKING:
    from laconic.classify.predict import TextPredictor


class Scores(NamedTuple):
    """Scores of all documents, and one row per label."""

    overall: dict[str, float]
    by_label: list[dict[str, Any]]


def scores(model: TextPredictor, gold: Sequence[Any], predicted: AnyArray) -> Scores:
    """Return the scores of a model's predictions; labels are compared as text."""
    if model.thresholds_ is not None:
        found = label_set_scores(
            [list(map(str, row)) for row in gold],
            [list(map(str, row)) for row in predicted.tolist()],
        )
        overall = {
            "micro_f1": found.micro_f1,
            "macro_f1": found.macro_f1,
            "subset_accuracy": found.subset_accuracy,
        }
        columns = (found.labels, found.precision, found.recall, found.f1, found.support)
        return Scores(overall, _rows(columns))
    labels, texts = [str(one) for one in gold], [str(one) for one in predicted.tolist()]
    by_label = metrics.label_scores(labels, texts)
    overall = {
        "accuracy": metrics.accuracy(labels, texts),
        "macro_f1": float(by_label.f1.mean()),
    }
    if model.taxonomy_ is not None:
        overall["hierarchical_f1"] = tree_scores(model, labels, texts).f1
    return Scores(overall, _rows(by_label))


def tree_scores(model: TextPredictor, gold: Sequence[str], predicted: Sequence[str]) -> PathScores:
    """Return how far the paths of predicted labels agree with those of gold ones.

    The path of a label that the model does not know is the label alone.
    """
    assert model.taxonomy_ is not None
    branches = branches_of(model.taxonomy_, model.classes_)
    names = [str(label) for label in model.classes_.tolist()]
    paths = {name: branches.path(k, name) for k, name in enumerate(names)}
    pairs = zip(gold, predicted, strict=True)
    return path_scores([(paths.get(a, (a,)), paths.get(b, (b,))) for a, b in pairs])


def _rows(columns: Sequence[AnyArray]) -> list[dict[str, Any]]:
    names = ("label", *metrics.LabelScores._fields[1:])
    values = zip(*(column.tolist() for column in columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in values]
