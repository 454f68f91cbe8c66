"""What a model that moves over time has learned: features that rise and fall, and how far autocorrelations lie from each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Array


class Mover(NamedTuple):
    """A feature, its weight at the first and last step that are compared, how far it went, and the mean of its autocorrelation."""

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
    """How many features have a mean autocorrelation E[alpha] between two edges (the form of Fig. 3.2); edges from -1/2 to 0."""

    edges: Array
    counts: NDArray[np.int64]


def trajectories_of(model: Any, output: int = 0) -> Array:
    """(p, T): trajectories of one output; of two classes those of the second, of which there is one alone."""
    check_is_fitted(model)
    table = model.trajectories_
    if table.ndim == 2:
        return table
    if not 0 <= output < table.shape[2]:
        raise ValueError(f"the model has outputs 0 to {table.shape[2] - 1}, got {output!r}")
    return table[:, :, output]


def output_of(model: Any, label: Any = None) -> int:
    """The number of a label's output, the first if none is given; two labels, and numbers, have one output."""
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
    model: Any, names: Sequence[str], n: int = 10, since: Any = None, output: int = 0
) -> Movers:
    """The n features whose weight changed most from step `since` (default the first) to the last; features that did not move are left out."""
    table, start = _compared(model, names, since, output)
    return moved(table, names, n, start, _alpha(model, output))


def moved(table: Array, names: Sequence[str], n: int, start: int, alpha: Array | None) -> Movers:
    """The n trajectories of a table (p, T) that changed most from a step on."""
    change = table[:, -1] - table[:, start]
    order = np.argsort(change, kind="stable")
    rising = [feature for feature in order[::-1][:n].tolist() if change[feature] > 0]
    falling = [feature for feature in order[:n].tolist() if change[feature] < 0]
    return Movers(*(_told(names, table, start, some, alpha) for some in (rising, falling)))


def strongest(
    model: Any, names: Sequence[str], n: int = 10, since: Any = None, output: int = 0
) -> list[Mover]:
    """The n features with the largest weights at the last step, positive or negative."""
    table, start = _compared(model, names, since, output)
    order = np.argsort(-np.abs(table[:, -1]), kind="stable")[:n]
    kept = [feature for feature in order.tolist() if table[feature, -1] != 0]
    return _told(names, table, start, kept, _alpha(model, output))


def _compared(model: Any, names: Sequence[str], since: Any, output: int) -> tuple[Array, int]:
    """Trajectories, and the step that the last one is compared with."""
    table = trajectories_of(model, output)
    if len(names) != len(table):
        raise ValueError(f"the model has {len(table)} features, but there are {len(names)} names")
    return table, 0 if since is None or table.shape[1] == 1 else model.clock_.find(since)


def _alpha(model: Any, output: int) -> Array | None:
    alpha = getattr(model, "alpha_", None)
    return alpha[:, output] if alpha is not None and alpha.ndim == 2 else alpha


def _told(
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
    model: Any, bins: int = 20, strongest: int | None = None
) -> AutocorrelationCounts:
    """A histogram of E[alpha_i] over features, of all or of the `strongest` by the largest weight of their trajectories.

    A trajectory that is as good as zero tells nothing of its own: its E[alpha] is that of the prior.
    """
    check_is_fitted(model)
    if not hasattr(model, "alpha_"):
        raise ValueError(
            f"autocorrelations are learned by AdaptivePrior, and this model has {type(model.penalty_).__name__}"
        )
    alpha = model.alpha_.reshape(len(model.trajectories_), -1)
    if strongest is not None:
        size = np.abs(model.trajectories_.reshape(len(alpha), -1)).max(axis=1)
        alpha = alpha[np.argsort(-size, kind="stable")[:strongest]]
    counts, edges = np.histogram(alpha, bins=bins, range=(-0.5, 0.0))
    return AutocorrelationCounts(edges, counts.astype(np.int64))
