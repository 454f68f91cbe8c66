"""Sets of values that weights may take: those of Suzuki and Nagata (2013), or learned from weights.

    S = {+-(eta kappa^x + delta) : x = 0 .. zeta - 1} and 0                       value_set
    S = argmin over S of sum_i |w_i|^p min over s in S of (w_i - s)^2,  0 in S    learned_values

The second one by Lloyd's steps (k-means in one dimension): every weight goes to its nearest value,
and every value but 0 to the mean of its weights. Of dense averages of online learners p = 1 loses
least: large weights belong to frequent features, and most small ones are noise. Of the weights of
a lasso p = 0 does, where what is small but not zero is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array

Values: TypeAlias = tuple[float, ...]
GivenValues: TypeAlias = Iterable[float] | int  # a set, or the number of values of one to learn
MOST_STEPS = 200


def value_set(
    eta: float, zeta: int, kappa: float | None = None, delta: float | None = None
) -> Values:
    """S = {+-(eta kappa^x + delta) : x = 0 .. zeta - 1} and 0: few large and many small values.

    A model over S has at most 2 zeta degrees of freedom.

    Parameters
    ----------
    eta : float
        Scale of the values.
    zeta : int
        Number of different sizes, 0 left out.
    kappa : float or None, default=None
        Ratio of one size to the next; None is 4, or 2 from zeta = 5 on.
    delta : float or None, default=None
        Number added to every size; None is eta / 2.

    Returns
    -------
    tuple of float
        The values, sorted.

    Examples
    --------
    >>> from laconic import value_set
    >>> value_set(eta=0.5, zeta=2)
    (-2.25, -0.75, 0.0, 0.75, 2.25)
    """
    kappa = (4.0 if zeta < 5 else 2.0) if kappa is None else kappa
    delta = eta / 2 if delta is None else delta
    if not (zeta >= 1 and 0 < eta < np.inf and 0 < kappa < np.inf and 0 <= delta < np.inf):
        raise ValueError(
            "zeta must be at least 1, eta and kappa positive and delta not negative, "
            f"got zeta={zeta!r}, eta={eta!r}, kappa={kappa!r} and delta={delta!r}"
        )
    return check_values(sign * (eta * kappa**x + delta) for x in range(zeta) for sign in (-1, 1))


def learned_values(weights: ArrayLike, n_values: int, power: float = 0.0) -> Values:
    """S = argmin sum_i |w_i|^power min over s in S of (w_i - s)^2, with 0 and n_values others in S.

    Lloyd's steps from values that share the importance of their side of 0 equally: a local optimum.

    Parameters
    ----------
    weights : array-like of float
        The weights that will be rounded.
    n_values : int
        Number of values besides 0, at most.
    power : float, default=0.0
        How much more an error in a large weight counts: 0 not at all, 1 in proportion.

    Returns
    -------
    tuple of float
        The values, sorted.

    Examples
    --------
    >>> from laconic import learned_values
    >>> learned_values([-2.0, -2.0, 0.5, 1.0, 1.5], 2)
    (-2.0, 0.0, 1.0)
    """
    w = np.sort(np.asarray(weights, dtype=np.float64).ravel())
    w = w[w != 0]
    m = np.abs(w) ** power
    return _lloyd(w, m, _first_values(w, m, check_number(n_values)))


def moved_values(values: Values, weights: Array, power: float = 0.0) -> Values:
    """Return the values after Lloyd's steps from where they are."""
    w = np.sort(weights)
    return _lloyd(w, np.abs(w) ** power, np.asarray(values))


def _first_values(w: Array, m: Array, n: int) -> Array:
    """Return values that share the importance of their side of 0 equally, 0 among them.

    A side without weights leaves its values to the other one. Where values coincide, the weights
    with the largest errors are taken instead. w is sorted.
    """
    negative, positive = (m * (w < 0)).sum(), (m * (w > 0)).sum()
    shares = {-1: (n + (negative > positive)) // 2 if positive > 0 else n}
    shares[1] = n - shares[-1] if negative > 0 else n
    values = [0.0]
    for sign, share in shares.items():
        side, mass = w[sign * w > 0], np.cumsum(m[sign * w > 0])
        if len(side):
            places = np.searchsorted(mass, mass[-1] * (np.arange(share) + 0.5) / share)
            values += side[np.minimum(places, len(side) - 1)].tolist()
    found = np.unique(values)
    while len(found) <= n:
        errors = m * (w - nearest(tuple(found.tolist()), w)) ** 2
        if not errors.any():
            break
        found = np.unique(np.append(found, w[np.argmax(errors)]))
    return found


def _lloyd(w: Array, m: Array, values: Array) -> Values:
    """Return values after Lloyd's steps; w is sorted, and values without weights stay."""
    mass, moment = (np.concatenate([[0.0], np.cumsum(part)]) for part in (m, m * w))
    for _ in range(MOST_STEPS):
        bounds = np.searchsorted(w, 0.5 * (values[1:] + values[:-1]))
        ends = np.concatenate([[0], bounds, [len(w)]])
        of_value = np.diff(mass[ends])
        there = (of_value > 0) & (values != 0)
        moved = values.copy()
        moved[there] = np.diff(moment[ends])[there] / of_value[there]
        moved = np.unique(moved)
        if len(moved) == len(values) and np.allclose(moved, values, rtol=1e-6, atol=0):
            break
        values = moved
    return tuple(values.tolist())


def check_values(values: Iterable[float]) -> Values:
    """Return the values sorted, each once, with 0 among them.

    A ValueError unless all are finite and one of them is not 0.
    """
    if isinstance(values, (str, bytes)) or np.ndim(np.asarray(found := list(values))) != 1:
        raise ValueError(f"values must be a list of numbers, got {values!r}")
    sorted_values = np.unique(np.append(np.asarray(found, dtype=np.float64), 0.0))
    if not np.all(np.isfinite(sorted_values)) or len(sorted_values) < 2:
        raise ValueError(f"values must be finite numbers, one of them not 0, got {found!r}")
    return tuple(sorted_values.tolist())


def check_number(n_values: object) -> int:
    """Return the number of values of a set to learn, or raise a ValueError."""
    if not isinstance(n_values, Integral) or isinstance(n_values, bool) or n_values < 1:
        raise ValueError(f"the number of values must be at least 1, got {n_values!r}")
    return int(n_values)


def fixed_values(values: GivenValues) -> Values | None:
    """Return the values that are given; None for a number of values, which must be learned."""
    if isinstance(values, Iterable):
        return check_values(values)
    check_number(values)
    return None


def values_for(values: GivenValues, weights: Array, power: float = 0.0) -> Values:
    """Return the values that are given, or as many as are asked for, learned from weights."""
    if isinstance(values, Iterable):
        return check_values(values)
    return learned_values(weights, values, power)


def nearest(values: Values, w: Array) -> Array:
    """Return the value nearest to every weight, by binary search among the midpoints of values."""
    allowed = np.asarray(values)
    return allowed[np.searchsorted(0.5 * (allowed[1:] + allowed[:-1]), w)]
