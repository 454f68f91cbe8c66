"""Random problems of the certificate campaign: one number draws one problem, the same every time.

A problem is a penalty x loss x kind of data x format x sample weights x intercept x share of the
largest strength. Sizes are small, so that an outside solver can check every one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from benchmarks.linear_formulas import Draw, Rng
from benchmarks.linear_losses import LOSSES, LossFormula
from benchmarks.linear_penalties import PENALTIES
from laconic import SparseClassifier, SparseRegressor
from laconic.core.arrays import Array
from laconic.linear.base import SparseLinear

SHARES = (2.0, 1.0, 0.5, 0.1, 0.01, 1e-4)  # of the strength from which on all weights are zero


class Case(NamedTuple):
    """A problem as a user poses it, and what it was drawn from."""

    seed: int
    penalty_name: str
    loss_name: str
    data: str
    form: str
    weights: str
    intercept: bool
    share: float
    X: Any  # in the form that the estimator gets
    y: Array
    sample_weight: Array | None
    drawn: Draw

    @property
    def formula(self) -> LossFormula:
        """The loss's formula."""
        return LOSSES[self.loss_name]

    @property
    def dense(self) -> Array:
        """X in float64."""
        return np.asarray(self.X.toarray() if sp.issparse(self.X) else self.X, dtype=np.float64)

    @property
    def weight(self) -> Array:
        """Sample weights, ones where there are none."""
        return np.ones(len(self.y)) if self.sample_weight is None else self.sample_weight

    def estimator(self, strength: float = 1.0, **options: Any) -> SparseLinear:
        """Return an estimator of defaults but for penalty, loss and intercept."""
        kind = SparseClassifier if self.formula.n_classes else SparseRegressor
        return kind(
            self.drawn.penalty.replace(strength=strength),
            loss=self.formula.loss,
            fit_intercept=self.intercept,
            **options,
        )

    def strength(self) -> float:
        """Return the share of the largest strength.

        Where no strength makes all weights zero (ridge), or any does, it is the share of the mean
        curvature of the squared loss.
        """
        problem = self.estimator().build_problem(self.X, self.y, self.sample_weight)
        largest = problem.strength_max()
        if not 0 < largest < np.inf:
            largest = float(np.mean(self.weight @ self.dense**2)) or 1.0
        return self.share * largest

    def __str__(self) -> str:
        words = (self.penalty_name, self.loss_name, self.data, self.form, f"weights {self.weights}")
        ending = "" if self.intercept else ", no intercept"
        return f"{self.seed}: {' | '.join(words)} | {self.share:g} of the largest{ending}"


Maker: TypeAlias = "Callable[[Rng, int], Array]"  # rng, fewest rows -> X


def normal(n: int, p: int) -> Maker:
    """Independent normal columns."""
    return lambda rng, least: rng.normal(size=(max(n, least), p))


def changed(change: Callable[[Rng, Array], None]) -> Maker:
    """24 x 10 normal columns of which `change` spoils some in place."""

    def make(rng: Rng, least: int) -> Array:
        X = rng.normal(size=(max(24, least), 10))
        change(rng, X)
        return X

    return make


def _duplicates(rng: Rng, X: Array) -> None:
    X[:, 5:8] = X[:, :3]


def _constants(rng: Rng, X: Array) -> None:
    X[:, 3], X[:, 7] = 1.0, -5.0


def _zeros(rng: Rng, X: Array) -> None:
    X[:, [0, 4, 9]] = 0.0


def _mixed(rng: Rng, X: Array) -> None:
    X *= 10.0 ** rng.uniform(-4, 4, size=X.shape[1])


DATA: dict[str, Maker] = {
    "plain": normal(24, 10),
    "counts": lambda rng, least: rng.poisson(0.4, size=(max(30, least), 12)).astype(float),
    "tall": normal(50, 5),
    "wide": normal(12, 24),
    "one row": lambda rng, least: rng.normal(size=(least, 6)),  # one of each class
    "one column": normal(20, 1),
    "duplicate columns": changed(_duplicates),
    "constant columns": changed(_constants),
    "zero columns": changed(_zeros),
    "mixed scales": changed(_mixed),
    "x 1e8": lambda rng, least: 1e8 * rng.normal(size=(max(24, least), 10)),
    "x 1e-8": lambda rng, least: 1e-8 * rng.normal(size=(max(24, least), 10)),
    "separable": normal(24, 10),
    "unbalanced": normal(40, 8),
}
FORMS: dict[str, Callable[[Array], Any]] = {
    "dense": lambda X: X,
    "dense, by columns": np.asfortranarray,
    "dense, float32": lambda X: X.astype(np.float32),
    "CSR": sp.csr_matrix,
    "CSC": sp.csc_matrix,
    "CSR, float32": lambda X: sp.csr_matrix(X.astype(np.float32)),
    "CSC, float32": lambda X: sp.csc_matrix(X.astype(np.float32)),
    "CSR, int64 indices": lambda X: _wide_indices(sp.csr_matrix(X)),
    "CSC, int64 indices": lambda X: _wide_indices(sp.csc_matrix(X)),
}
WEIGHTS: dict[str, Callable[[Rng, int], Array | None]] = {
    "none": lambda rng, n: None,
    "random": lambda rng, n: rng.uniform(0.1, 2.0, size=n),
    "zeros": lambda rng, n: rng.uniform(0.5, 2.0, size=n) * (rng.random(n) < 0.7),
    "1e-8": lambda rng, n: 1e-8 * rng.uniform(0.5, 2.0, size=n),
    "1e8": lambda rng, n: 1e8 * rng.uniform(0.5, 2.0, size=n),
}


def _wide_indices(X: Any) -> Any:
    X.indptr, X.indices = X.indptr.astype(np.int64), X.indices.astype(np.int64)
    return X


def draw(seed: int, **fixed: Any) -> Case:
    """Return the problem of a number; `fixed` names entries of the tables not to be drawn.

    They are penalty, loss, data, form, weights, intercept, share.
    """
    rng = np.random.default_rng(seed)
    tables: dict[str, list[Any]] = {
        "penalty": list(PENALTIES),
        "loss": list(LOSSES),
        "data": list(DATA),
        "form": list(FORMS),
        "weights": list(WEIGHTS),
        "intercept": [True, True, False],
        "share": list(SHARES),
    }
    chosen = {name: table[rng.integers(len(table))] for name, table in tables.items()} | fixed
    formula = LOSSES[chosen["loss"]]
    X = DATA[chosen["data"]](rng, max(1, formula.n_classes))
    y = targets(rng, X, formula, chosen["data"])
    weight = WEIGHTS[chosen["weights"]](rng, len(y))
    if weight is not None and formula.n_classes:  # a class without weight has no optimum
        first = np.unique(y, return_index=True)[1]
        weight[first] = np.maximum(weight[first], 0.5 * (weight.max() or 1.0))
    elif weight is not None:
        weight[0] = max(weight[0], 0.5 * (weight.max() or 1.0))
    return Case(
        seed,
        chosen["penalty"],
        chosen["loss"],
        chosen["data"],
        chosen["form"],
        chosen["weights"],
        bool(chosen["intercept"]),
        chosen["share"],
        FORMS[chosen["form"]](X),
        y,
        weight,
        PENALTIES[chosen["penalty"]](rng, X.shape[1]),
    )


def targets(rng: Rng, X: Array, formula: LossFormula, data: str) -> Array:
    """Return classes, counts, amounts or reals that depend on a few columns, and on noise.

    Every class is there. "separable" has no noise, "unbalanced" one class, or zero, nearly always.
    """
    n, p = X.shape
    size = np.sqrt(np.mean(X * X, axis=0))
    Z = X / np.where(size > 0, size, 1.0)
    K = max(2, formula.n_classes)
    true = rng.normal(size=(p, K)) * (rng.random((p, 1)) < 0.5)
    scores = Z @ true + (0.0 if data == "separable" else 1.0) * rng.normal(size=(n, K))
    if data == "unbalanced":
        scores[:, 0] += 3.0
    if formula.n_classes:
        y = scores.argmax(axis=1).astype(float)
        y[rng.permutation(n)[:K]] = np.arange(K)
        return y
    if formula.targets == "real":
        return np.asarray(scores[:, 0])
    mean = np.exp(np.clip(scores[:, 1], -4, 3))
    if formula.targets == "positive":
        return mean
    y = rng.poisson(mean).astype(float) * (mean if formula.targets == "amounts" else 1.0)
    y[0] += 1  # of zeros alone the best intercept is minus infinity
    return y
