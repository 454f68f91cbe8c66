"""SLOPE, the sorted lasso (Bogdan et al. 2015), and OSCAR (Bondell and Reich 2008).

Both charge the k-th largest weight by the k-th number of a falling sequence: large weights cost
more each, and weights of correlated features are drawn to the same size.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from laconic.core.arrays import Array
from laconic.core.penalties.base import Penalty


class SortedLasso(Penalty):
    """strength sum_k c_k |w|_(k), |w|_(1) >= |w|_(2) >= .., c falling; over w >= 0 if positive."""

    positive: bool

    @abstractmethod
    def rank_costs(self, n_weights: int) -> Array:
        """Return c_1 >= c_2 >= .. >= 0, one per rank."""

    def _sizes(self, w: Array) -> Array:
        return np.maximum(w, 0.0) if self.positive else np.abs(w)

    def value(self, w: Array) -> float:
        """See Penalty."""
        if self.positive and np.any(w < 0):
            return np.inf
        return float(self.strength * (np.sort(np.abs(w))[::-1] @ self.rank_costs(len(w))))

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Return the nearest falling sequence to the sorted sizes less their costs, not below 0.

        That is isotonic regression: linear in time by pooling adjacent violators, after sorting.
        """
        from sklearn.isotonic import isotonic_regression  # not needed to predict

        sizes = self._sizes(w)
        order = np.argsort(-sizes, kind="stable")
        left = sizes[order] - step * self.strength * self.rank_costs(len(w))
        # Behind the last positive entry all blocks are negative: they become zero.
        alive = len(left) - int(np.argmax(left[::-1] > 0)) if np.any(left > 0) else 0
        out = np.zeros(len(w))
        if alive:
            pooled = isotonic_regression(left[:alive], increasing=False)
            out[order[:alive]] = np.maximum(pooled, 0.0)
        return out if self.positive else np.copysign(out, w)

    def gauge(self, gradient: Array) -> float:
        """Return max_k sum_{j <= k} |gradient|_(j) / (strength sum_{j <= k} c_j)."""
        sums = np.cumsum(np.sort(self._sizes(-gradient))[::-1])
        allowed = self.strength * np.cumsum(self.rank_costs(len(gradient)))
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.where(sums > 0, sums / allowed, 0.0).max(initial=0.0))


class Slope(SortedLasso):
    """strength sum_k c_k |w|_(k): the sorted lasso, by default with costs that control discoveries.

    |w|_(k) is the k-th largest weight. The default costs are quantiles of the normal distribution,
    c_k = z(1 - q k / (2 n)) / z(1 - q / (2 n)) for n weights, as in the procedure of Benjamini and
    Hochberg: among independent features about a share q of those selected is there by chance.

    Parameters
    ----------
    strength : float, default=1.0
        Cost of the largest weight, against the summed loss.
    q : float, default=0.1
        Share of false discoveries that the default costs aim at, between 0 and 1.
    costs : array of shape (n_features,) or None, default=None
        Costs of the ranks, falling and not negative, instead of those that follow from q.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import Slope
    >>> penalty = Slope(strength=1.0, costs=[1.0, 0.5, 0.0])
    >>> penalty.value(np.array([1.0, -4.0, 2.0])), penalty.prox(np.array([3.0, -2.9, 0.5])).tolist()
    (5.0, [2.2, -2.2, 0.5])
    """

    def __init__(
        self,
        strength: float = 1.0,
        q: float = 0.1,
        costs: ArrayLike | None = None,
        positive: bool = False,
    ):
        self.strength = strength
        self.q = q
        self.costs = costs
        self.positive = positive

    def check(self) -> Penalty:
        """See Penalty."""
        if not 0 < self.q < 1:
            raise ValueError(f"q must lie between 0 and 1, got {self.q!r}")
        if self.costs is not None:
            costs = np.asarray(self.costs, dtype=np.float64)
            fall = costs.ndim == 1 and np.all(np.diff(costs) <= 0)
            if not fall or not np.all(np.isfinite(costs)) or np.any(costs < 0):
                raise ValueError("costs must be a falling sequence of finite numbers >= 0")
        return super().check()

    def rank_costs(self, n_weights: int) -> Array:
        """See SortedLasso."""
        if self.costs is None:
            quantiles = ndtri(1 - self.q * np.arange(1, n_weights + 1) / (2 * n_weights))
            return np.asarray(quantiles / quantiles[:1])
        costs = np.asarray(self.costs, dtype=np.float64)
        if len(costs) != n_weights:
            raise ValueError(f"there are costs of {len(costs)} ranks, but {n_weights} weights")
        return costs

    def spread(self, n_outputs: int) -> Penalty:
        """Return the sorted lasso over all weights; given costs hold for n_outputs ranks each."""
        if self.costs is None:
            return self.replace()
        return self.replace(costs=np.repeat(np.asarray(self.costs), n_outputs))


class Oscar(SortedLasso):
    """strength (sum_i |w_i| + pairs sum_{i < j} max(|w_i|, |w_j|)): correlated weights are equal.

    It is the sorted lasso with costs that fall by the same amount from rank to rank.

    Parameters
    ----------
    strength : float, default=1.0
        Weight of the penalty against the summed loss.
    pairs : float, default=0.001
        Weight of the larger one of each pair, against that of single weights.
    positive : bool, default=False
        Whether weights must not be negative.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import Oscar
    >>> Oscar(strength=1.0, pairs=0.5).prox(np.array([3.0, -2.9, 0.5])).round(2).tolist()
    [1.2, -1.2, 0.0]
    """

    def __init__(self, strength: float = 1.0, pairs: float = 0.001, positive: bool = False):
        self.strength = strength
        self.pairs = pairs
        self.positive = positive

    def check(self) -> Penalty:
        """See Penalty."""
        if not 0 <= self.pairs < np.inf:
            raise ValueError(f"pairs must be a number that is not negative, got {self.pairs!r}")
        return super().check()

    def rank_costs(self, n_weights: int) -> Array:
        """Return 1 + pairs (n - k): rank k is the larger one of n - k pairs."""
        return 1.0 + self.pairs * np.arange(n_weights - 1, -1, -1.0)

    def spread(self, n_outputs: int) -> Penalty:
        """Return the same penalty: pairs are those of all weights."""
        return self.replace()
