"""What a worker does with its rows: scores, sums of losses and gradients, models of second order.

A block keeps its rows, the scores at the last point and the dual point made of them. All of it can
be made again from the rows, so that a block that was lost, or written to disk and read again,
answers the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.core.arrays import Array, Ints, MatrixLike
from laconic.core.designs.rows import Rows
from laconic.core.losses import Gold, Loss
from laconic.core.problem.balance import Balance, Sides, class_weights
from laconic.distributed.untyped import Given

DENSE = 0.3  # share of entries that are not zero, from which on a vector is sent as it is


class Sent(NamedTuple):
    """A vector on its way to workers: entries that are not zero, or all of them."""

    key: str  # equal keys mean equal vectors
    entries: Ints | None
    values: Array
    size: int

    @classmethod
    def of(cls, key: str, vector: Array) -> Sent:
        """Return a vector as it is sent."""
        index = np.flatnonzero(vector)
        if len(index) >= DENSE * len(vector):
            return cls(key, None, np.array(vector), len(vector))
        return cls(key, index, vector[index], len(vector))

    def whole(self) -> Array:
        """Return the vector."""
        if self.entries is None:
            return np.ascontiguousarray(self.values)
        vector = np.zeros(self.size)
        vector[self.entries] = self.values
        return vector

    @property
    def n_bytes(self) -> int:
        """Number of bytes."""
        return self.values.nbytes + (0 if self.entries is None else self.entries.nbytes)


class RowBlock:
    """Some rows with their targets and weights, and sums over them at points that are sent."""

    def __init__(
        self,
        X: MatrixLike,
        gold: Gold,
        loss: Loss,
        intercept: bool,
        offset: Array | None = None,
    ):
        self._parts = (X, gold, loss, intercept, offset)
        self._pose()

    def _pose(self) -> None:
        X, self.gold, self.loss, intercept, offset = self._parts
        self.design = Rows(X, self.gold.n_outputs, intercept)
        self.design.offset = offset
        self.bound = self.loss.bind(self.gold)
        # The last point: its key, its weights, their products with the rows, and the tail.
        self._at: tuple[str, Array, Array, Array] | None = None
        self._dual: tuple[str, Array] | None = None  # key of point and balance, and residuals

    def __getstate__(self) -> tuple[Any, ...]:
        return self._parts

    def __setstate__(self, parts: tuple[Any, ...]) -> None:
        self._parts = parts
        self._pose()

    def total_weight(self) -> tuple[float]:
        """Return the sum of the weights of the rows."""
        return (float(self.gold.weight.sum()),)

    def class_weights(self) -> tuple[Array]:
        """Return the sum of the weights of each class, for the multinomial loss."""
        return (class_weights(self.gold),)

    def _scores(self, point: Sent) -> Array:
        """Return the scores at a point; products of the rows are kept from the last weights.

        The intercept is added to them each time, so that what is kept changes no digit.
        """
        if self._at is None or self._at[0] != point.key:
            x, n = point.whole(), self.design.n_penalised
            kept = self._at is not None and np.array_equal(self._at[1], x[:n])
            products = self._at[2] if kept and self._at else self._products(x[:n])
            self._at = point.key, x[:n], products, x[n:]
        _, _, products, tail = self._at
        table = products.reshape(-1, self.gold.n_outputs) + (tail if len(tail) else 0.0)
        return np.ascontiguousarray(table).ravel()

    def _products(self, weights: Array) -> Array:
        n = self.design.n_weights - self.design.n_penalised
        return self.design.score(np.concatenate([weights, np.zeros(n)]))

    def loss_value(self, point: Sent) -> tuple[float]:
        """Return the summed loss, from new scores: kept ones have rounding errors."""
        return (self.bound.value_residual(self.design.score(point.whole()))[0],)

    def smooth(self, point: Sent) -> tuple[float, Array]:
        """Return the summed loss and its gradient."""
        value, residual = self.bound.value_residual(self._scores(point))
        return value, self.design.pull(residual)

    def tail(self, point: Sent) -> tuple[float, Array, Array]:
        """Return the loss and its derivatives by the intercept, first (K,) and second (K, K)."""
        scores, K = self._scores(point), self.gold.n_outputs
        value, residual = self.bound.value_residual(scores)
        bend = self.bound.curvature(scores).reshape(-1, K)
        second = np.diag(bend.sum(axis=0))
        if self.loss.coupled:
            second -= (bend * self._coupling()[:, None]).T @ bend
        return value, residual.reshape(-1, K).sum(axis=0), second

    def sides(self, point: Sent) -> tuple[float, Array, Array]:
        """Return the loss, and the sums of positive and of negative residuals per output."""
        value, residual = self.bound.value_residual(self._scores(point))
        return (value, *Sides.of(residual, self.gold.n_outputs))

    def _residual(self, point: Sent, key: str, balance: Balance | None) -> Array:
        key = f"{point.key} {key}"
        if self._dual is None or self._dual[0] != key:
            residual = self.bound.value_residual(self._scores(point))[1]
            if balance is not None:
                residual = balance.apply(residual, self.gold)
            self._dual = key, residual
        return self._dual[1]

    def pull(self, point: Sent, key: str, balance: Balance | None) -> tuple[Array]:
        """Return the gradient of the balanced residuals."""
        return (self.design.pull(self._residual(point, key, balance)),)

    def conjugate(
        self, point: Sent, key: str, balance: Balance | None, scale: float
    ) -> tuple[float]:
        """Return the conjugate of the loss at `scale` times the balanced residuals."""
        residual = self._residual(point, key, balance)
        value = self.bound.conjugate(residual, scale)
        if self.design.offset is not None:
            value -= scale * float(residual @ self.design.offset)
        return (value,)

    def diagonal(self, point: Sent) -> tuple[Array]:
        """Return the diagonal of the Hessian, or an upper bound, over the penalised weights."""
        return (self.design.curvature(self.bound.curvature(self._scores(point))),)

    def model(self, point: Sent, columns: Ints, whole: bool) -> tuple[Array, Array, Array]:
        """Return the Hessian over some weights, (q, q), by the intercept (q, K) and of it (K, K).

        `columns` are numbers of penalised weights. Not `whole`: outputs are taken apart, with an
        upper bound of the second derivatives of each where the loss couples them.
        """
        K = self.gold.n_outputs
        bend = self.bound.curvature(self._scores(point)).reshape(-1, K)
        feature, output = columns // K, columns % K
        chosen = [np.flatnonzero(output == k) for k in range(K)]
        tables = [self._columns(feature[part]) for part in chosen]
        q = len(columns)
        second, mixed, tail = np.zeros((q, q)), np.zeros((q, K)), np.diag(bend.sum(axis=0))
        for k, (part, table) in enumerate(zip(chosen, tables, strict=True)):
            weighted = _scaled(table, bend[:, k])
            second[np.ix_(part, part)] = _dense(table.T @ weighted)
            mixed[part, k] = np.asarray(weighted.sum(axis=0)).ravel()
        if whole and self.loss.coupled:
            pulled = self._coupling()[:, None] * bend
            tail -= pulled.T @ bend
            for k, part in enumerate(chosen):
                mixed[part] -= np.asarray(tables[k].T @ (pulled * bend[:, [k]]))
                for j in range(K):
                    crossed = _scaled(tables[j], pulled[:, k] * bend[:, j])
                    second[np.ix_(part, chosen[j])] -= _dense(tables[k].T @ crossed)
        return second, mixed, tail

    def _columns(self, features: Ints) -> Given:
        X: Given = self._parts[0]
        if not sp.issparse(X):
            return np.asarray(X)[:, features].astype(np.float64, copy=False)
        return X.tocsc()[:, features].tocsr() if X.format != "csr" else X[:, features]

    def _coupling(self) -> Array:
        weight = self.gold.weight
        return np.divide(1.0, weight, out=np.zeros_like(weight), where=weight > 0)

    def line(self, point: Sent, direction: Sent, lengths: Array) -> tuple[Array]:
        """Return the loss at point + t direction for several t."""
        scores, change = self._scores(point), self.design.move(direction.whole())
        found = [self.bound.value_residual(scores + t * change)[0] for t in lengths]
        return (np.array(found),)

    def reach(self, direction: Sent) -> tuple[float]:
        """Return the largest change of a score along a direction."""
        return (float(np.max(np.abs(self.design.move(direction.whole())), initial=0.0)),)


def _scaled(table: Given, factors: Array) -> Given:
    return sp.diags(factors) @ table if sp.issparse(table) else factors[:, None] * table


def _dense(table: Given) -> Array:
    found: Array = table.toarray() if sp.issparse(table) else table
    return found
