"""Descent of the multinomial loss over single weights, one class at a time.

With the scores of all other classes fixed, the loss is logistic in those of class k,

    log sum_l exp(s_l) - s_y  =  log(1 + exp(u)) - [y = k] u + constant,
    u = s_k - log sum_(l != k) exp(s_l)

so that each class is a lasso logistic regression with an offset (Friedman, Hastie and Tibshirani
2010 take the same turns). A step of one weight then costs the entries of its column, not these
times the number of classes.
"""

from __future__ import annotations

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Ints
from laconic.core.losses import Gold

NEAR = 0.3  # of the strength, so that the support will hardly change
STALLED = 0.8  # of the violation five turns before: Newton steps gain more than further turns
FAR = 20.0  # from the largest score that a row's parts are relative to


class ClassDescent:
    """The `descend` of `_core.Descent` for the multinomial loss and blocks of one weight."""

    def __init__(self, matrix: _core.Matrix, gold: Gold, mass: Array):
        self.n_classes = gold.n_outputs
        n = matrix.n_cols
        # The kernels keep a reference to their blocks.
        singles = np.arange(n + 1, dtype=np.int64)
        self._blocks = _core.Blocks(singles, singles[:-1], n)
        self._parts = [
            _core.Descent(
                matrix,
                _rows(_core.LossKind.logistic, gold, (gold.target == k).astype(np.float64), 1),
                self._blocks,
                np.ascontiguousarray(mass.reshape(n, -1)[:, k]),
            )
            for k in range(self.n_classes)
        ]
        self._matrix = matrix
        every = np.arange(n * self.n_classes + 1, dtype=np.int64)
        self._every = _core.Blocks(every, every[:-1], n * self.n_classes)
        self._joint = _core.Descent(
            matrix,
            _rows(_core.LossKind.multinomial, gold, gold.target, self.n_classes),
            self._every,
            np.ascontiguousarray(mass),
        )
        self._weights = np.zeros(n)

    def descend(
        self,
        working: Ints,
        terms: _core.SeparableTerms,
        weights: Array,
        intercept: Array,
        scores: Array,
        limits: _core.DescentLimits,
    ) -> tuple[int, float, float]:
        """See `_core.Descent.descend`; a round is one turn of every class.

        Rounds end at a violation of NEAR already: from there on `polish` is faster.
        """
        K = self.n_classes
        of_class = [working[working % K == k] // K for k in range(K)]
        seen = np.unique(working // K)
        table = np.ascontiguousarray(scores.reshape(-1, K).T)  # a class is a row: read in order
        softmax = Softmax(table)
        worst = np.inf
        found: list[float] = []
        # Other classes move before the next turn: one Newton round per turn is enough.
        turn = _core.DescentLimits(
            tolerance=limits.tolerance,
            max_rounds=1,
            max_passes=limits.max_passes,
            damped=limits.damped,
        )
        enough = max(limits.tolerance, NEAR)
        while len(found) < limits.max_rounds and worst > enough and not _stalled(found):
            worst = 0.0
            for k, features in enumerate(of_class):
                if len(features) == 0 and len(intercept) == 0:
                    continue
                others = softmax.others(k)
                own = table[k] - others
                self._weights[features] = weights[features * K + k]
                violation = self._parts[k].descend(
                    features,
                    _of_class(terms, k, K),
                    self._weights,
                    intercept[k : k + 1],
                    own,
                    turn,
                )[1]
                weights[features * K + k] = self._weights[features]
                table[k] = own + others
                softmax.moved(k)
                worst = max(worst, violation)
            self._centre(seen, terms, weights, softmax)
            found.append(worst)
        scores.reshape(-1, K)[:] = table.T
        # Classes that moved later have changed the gradient of those before them.
        return len(found), np.inf, np.nan

    def polish(
        self,
        terms: _core.SeparableTerms,
        weights: Array,
        intercept: Array,
        scores: Array,
        limits: _core.DescentLimits,
    ) -> float:
        """See `_core.Descent.polish`."""
        violation: float = self._joint.polish(terms, weights, intercept, scores, limits)
        return violation

    def _centre(
        self, features: Ints, terms: _core.SeparableTerms, weights: Array, softmax: Softmax
    ) -> None:
        """Shift all weights of a feature alike where that makes the penalty smaller.

        The loss does not notice, and turns of single classes hardly move along this direction: a
        frequent word would drift for thousands of rounds. Where more than half of the weights are
        zero the least sum of sizes is where it is.
        """
        rows = weights.reshape(-1, self.n_classes)
        dense = features[2 * np.count_nonzero(rows[features], axis=1) >= self.n_classes]
        if len(dense) == 0 or terms.positive:
            return
        lasso, ridge = (
            np.broadcast_to(values.reshape(-1, len(values) and self.n_classes), rows.shape)[dense]
            if len(values) > 1
            else np.full((len(dense), self.n_classes), values[0])
            for values in (terms.lasso, terms.ridge)
        )
        if np.any(ridge > 0):
            return
        shift = _weighted_medians(rows[dense], lasso)
        rows[dense] -= shift[:, None]
        by_feature = np.zeros(len(rows))
        by_feature[dense] = shift
        moved = np.empty(len(softmax.top))
        self._matrix.score(by_feature, moved, 1, 1)
        softmax.table -= moved
        softmax.top -= moved


def _rows(kind: _core.LossKind, gold: Gold, target: Array, n_outputs: int) -> _core.LossRows:
    return _core.LossRows(kind, target, gold.weight, n_outputs, 0.0)


def _stalled(violations: list[float]) -> bool:
    """Return whether turns near the solution have stopped to gain."""
    return len(violations) > 5 and 1.0 > violations[-1] > STALLED * violations[-6]


def _weighted_medians(values: Array, weights: Array) -> Array:
    """Return the point of every row with the least weighted sum of distances to its values."""
    order = np.argsort(values, axis=1, kind="stable")
    share = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    half = np.argmax(share >= 0.5 * share[:, -1:], axis=1)
    return np.asarray(np.take_along_axis(values, order, axis=1)[np.arange(len(values)), half])


def _of_class(terms: _core.SeparableTerms, k: int, n_classes: int) -> _core.SeparableTerms:
    """Return the terms of the weights of one class."""

    def own(values: Array) -> Array:
        return values if len(values) == 1 else np.ascontiguousarray(values[k::n_classes])

    return _core.SeparableTerms(
        lasso=own(terms.lasso),
        ridge=own(terms.ridge),
        centre=own(terms.centre),
        positive=terms.positive,
    )


class Softmax:
    """exp(s - top) of scores, (K, n), and its sums over classes, while single classes move."""

    def __init__(self, table: Array):
        self.table = table
        self._refresh()

    def _refresh(self) -> None:
        self.top = self.table.max(axis=0)
        self.parts = np.exp(self.table - self.top)
        self.total = self.parts.sum(axis=0)

    def others(self, k: int) -> Array:
        """Return log sum_(l != k) exp(s_l) of every row."""
        rest = self.total - self.parts[k]
        # Where class k has nearly all, the difference has lost its digits.
        lost = np.flatnonzero(rest < 1e-4 * self.total)
        if len(lost):
            rows = np.delete(self.table[:, lost], k, axis=0)
            top = rows.max(axis=0)
            exact = np.log(np.exp(rows - top).sum(axis=0)) + top
            rest[lost] = 1.0
        found: Array = np.log(rest) + self.top
        if len(lost):
            found[lost] = exact
        return found

    def moved(self, k: int) -> None:
        """Take notice of new scores of class k."""
        above = self.table[k] - self.top
        part = np.exp(np.minimum(above, FAR))
        self.total += part - self.parts[k]
        self.parts[k] = part
        # Sums that have grown or shrunk far from 1 lose digits.
        if above.max(initial=0.0) >= FAR or self.total.min(initial=1.0) < np.exp(-FAR):
            self._refresh()
