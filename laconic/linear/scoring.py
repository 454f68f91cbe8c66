"""How good a fitted model is on held-out rows: its own loss, or scores as scikit-learn has them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from sklearn.metrics import get_scorer

from laconic.linear.base import SparseLinear
from laconic.linear.rows import RowData

ScoreFunction: TypeAlias = Callable[..., float]
Scoring: TypeAlias = (
    "str | ScoreFunction | list[str] | tuple[str, ...] | Mapping[str, str | ScoreFunction] | None"
)
LOSS = "neg_loss"


class Metric(NamedTuple):
    """A score of a fitted model on data, the higher the better."""

    name: str
    measure: Callable[[SparseLinear, RowData], float]


def as_metrics(scoring: Scoring) -> list[Metric]:
    """Return the metrics that a parameter `scoring` names; the first one decides."""
    if scoring is None:
        return [Metric(LOSS, _negative_loss)]
    if isinstance(scoring, str):
        return [_metric(scoring, scoring)]
    if isinstance(scoring, Mapping):
        found = [_metric(name, scorer) for name, scorer in scoring.items()]
    elif callable(scoring):
        found = [_metric("score", scoring)]
    else:
        found = [_metric(name, name) for name in scoring]
    if not found:
        raise ValueError("scoring names no score: give a name, a function, or several of them")
    return found


def _negative_loss(model: SparseLinear, data: RowData) -> float:
    return -model.mean_loss(data.X, data.y, data.weight, data.offset)


def _metric(name: str, scorer: str | ScoreFunction) -> Metric:
    if name == LOSS and isinstance(scorer, str):
        return Metric(LOSS, _negative_loss)
    function: ScoreFunction = get_scorer(scorer) if isinstance(scorer, str) else scorer
    if not callable(function):
        raise ValueError(
            f"a score is the name of one or a function of (model, X, y), got {scorer!r}"
        )
    weighted = _takes_weights(function)

    def measure(model: SparseLinear, data: RowData) -> float:
        if data.offset is not None:
            raise ValueError(
                f"the score {name!r} predicts without offsets: use scoring=None, the model's loss"
            )
        if data.weight is not None and weighted:
            return float(function(model, data.X, data.y, sample_weight=data.weight))
        return float(function(model, data.X, data.y))

    return Metric(name, measure)


def _takes_weights(scorer: Callable[..., object]) -> bool:
    """Return whether a scorer, or the metric inside one, has a parameter sample_weight."""
    inner = getattr(scorer, "_score_func", scorer)
    try:
        return "sample_weight" in inspect.signature(inner).parameters
    except (TypeError, ValueError):  # compiled functions may have no signature
        return False
