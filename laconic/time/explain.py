"""What a model that moves over time has learned: rising and falling features, autocorrelations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Array, Ints
from laconic.time.base import TemporalLinear


class Mover(NamedTuple):
    """A feature, its weight at two steps, the change, and its mean autocorrelation."""

    name: str
    first: float
    last: float
    change: float
    alpha: float | None


class Movers(NamedTuple):
    """The features that rose and that fell most, the strongest first."""

    rising: list[Mover]
    falling: list[Mover]


class AutocorrelationCounts(NamedTuple):
    """Number of features with E[alpha] between two edges, from -1/2 to 0 (the form of Fig. 3.2)."""

    edges: Array
    counts: Ints


def trajectories_of(model: TemporalLinear, output: int = 0) -> Array:
    """Return the trajectories (p, T) of one output; two classes have one, that of the second."""
    check_is_fitted(model)
    table = model.trajectories_
    if table.ndim == 2:
        return table
    if not 0 <= output < table.shape[2]:
        raise ValueError(f"the model has outputs 0 to {table.shape[2] - 1}, got {output!r}")
    return table[:, :, output]


def output_of(model: TemporalLinear, label: object = None) -> int:
    """Return the number of a label's output, by default the first."""
    labels = [str(one) for one in model.classes_.tolist()] if model.trajectories_.ndim == 3 else []
    if label is None:
        return 0
    if str(label) not in labels:
        known = (
            f"the labels are {', '.join(labels)}"
            if labels
            else "only models of more than two labels have trajectories for each"
        )
        raise ValueError(f"there are no trajectories of the label {label!r}: {known}")
    return labels.index(str(label))


def movers(
    model: TemporalLinear,
    names: Sequence[str],
    n: int = 10,
    since: object = None,
    output: int = 0,
) -> Movers:
    """Return the n features whose weight changed most from step `since` to the last.

    By default changes are counted from the first step. Features that did not move are left out.
    """
    table, start = _compared(model, names, since, output)
    return moved(table, names, n, start, _alpha(model, output))


def moved(table: Array, names: Sequence[str], n: int, start: int, alpha: Array | None) -> Movers:
    """Return the n trajectories of a table (p, T) that changed most from step `start` on."""
    change = table[:, -1] - table[:, start]
    order = np.argsort(change, kind="stable")
    rising = [feature for feature in order[::-1][:n].tolist() if change[feature] > 0]
    falling = [feature for feature in order[:n].tolist() if change[feature] < 0]
    return Movers(*(_rows(names, table, start, some, alpha) for some in (rising, falling)))


def strongest(
    model: TemporalLinear,
    names: Sequence[str],
    n: int = 10,
    since: object = None,
    output: int = 0,
) -> list[Mover]:
    """Return the n features with the largest weights at the last step, positive or negative."""
    table, start = _compared(model, names, since, output)
    order = np.argsort(-np.abs(table[:, -1]), kind="stable")[:n]
    kept = [feature for feature in order.tolist() if table[feature, -1] != 0]
    return _rows(names, table, start, kept, _alpha(model, output))


def _compared(
    model: TemporalLinear, names: Sequence[str], since: object, output: int
) -> tuple[Array, int]:
    """Return trajectories, and the step that the last one is compared with."""
    table = trajectories_of(model, output)
    if len(names) != len(table):
        raise ValueError(f"the model has {len(table)} features, but there are {len(names)} names")
    return table, 0 if since is None or table.shape[1] == 1 else model.clock_.find(since)


def _alpha(model: TemporalLinear, output: int) -> Array | None:
    alpha: Array | None = getattr(model, "alpha_", None)
    return alpha[:, output] if alpha is not None and alpha.ndim == 2 else alpha


def _rows(
    names: Sequence[str], table: Array, start: int, features: Sequence[int], alpha: Array | None
) -> list[Mover]:
    return [
        Mover(
            names[feature],
            float(table[feature, start]),
            float(table[feature, -1]),
            float(table[feature, -1] - table[feature, start]),
            None if alpha is None else float(alpha[feature]),
        )
        for feature in features
    ]


def autocorrelations(
    model: TemporalLinear, bins: int = 20, strongest: int | None = None
) -> AutocorrelationCounts:
    """Return a histogram of E[alpha_i] over all features, or over the `strongest` ones.

    The strongest have the largest weights in their trajectories. The E[alpha] of a trajectory that
    is almost zero is that of the prior: it is not learned from the data.
    """
    check_is_fitted(model)
    if not hasattr(model, "alpha_"):
        raise ValueError(
            "autocorrelations are learned by AdaptivePrior, "
            f"and this model has {type(model.penalty_).__name__}"
        )
    alpha = model.alpha_.reshape(len(model.trajectories_), -1)
    if strongest is not None:
        size = np.abs(model.trajectories_.reshape(len(alpha), -1)).max(axis=1)
        alpha = alpha[np.argsort(-size, kind="stable")[:strongest]]
    counts, edges = np.histogram(alpha, bins=bins, range=(-0.5, 0.0))
    return AutocorrelationCounts(edges, counts.astype(np.int64))
