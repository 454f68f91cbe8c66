"""The problem over the rows of a matrix: min_{w, b} sum_i s_i loss(y_i, A_i(w, b)) + penalty(w)."""

from __future__ import annotations

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Ints
from laconic.core.designs.rows import Rows
from laconic.core.losses import Gold, Loss, Multinomial
from laconic.core.losses.bound import KernelLoss
from laconic.core.penalties import Penalty, Terms
from laconic.core.problem.balance import Balance, Sides, class_weights
from laconic.core.problem.by_class import ClassDescent
from laconic.core.problem.row_sum import RowSum

NONE = np.zeros(0)


class Problem(RowSum):
    """Design, loss, gold and penalty over the design's flat weights.

    The last weights, the intercept, are not penalised. The dual of a point is its residuals.
    """

    design: Rows
    fits_tail = True

    def __init__(self, design: Rows, loss: Loss, gold: Gold, penalty: Penalty):
        self.design = design
        self.loss = loss
        self.gold = gold
        self.penalty = penalty.check()
        self.bound = loss.bind(gold, design.threads)
        self._intercept_only: _core.Descent | None = None
        self._sparse: tuple[Ints, Ints, _core.Descent] | None = None
        self._fitted: Array | None = None  # the last scores with a fitted intercept
        self._scored: tuple[Array, Array] | None = None  # the last point, and its scores
        self._pulled: tuple[Array, Array] | None = None  # the last residuals, and their gradient

    def over(self, design: Rows, penalty: Penalty) -> Problem:
        """Return the problem of the same loss, smoothed if it is, over another design."""
        posed = Problem(design, self.loss, self.gold, penalty)
        posed.bound = self.bound
        return posed

    def under(self, penalty: Penalty) -> Problem:
        """See RowSum."""
        return type(self)(self.design, self.loss, self.gold, penalty)

    def reach(self, along: Array) -> float:
        """See RowSum."""
        return float(np.max(np.abs(self.design.move(along)), initial=0.0))

    def loss_at(self, x: Array) -> tuple[float, Array]:
        """Return the summed loss and the residuals at x."""
        return self.residuals(self.scores(x))

    def scores(self, x: Array) -> Array:
        """Return the scores at x: those that were kept, or new ones."""
        if self.on_path and self._scored is not None and np.array_equal(self._scored[0], x):
            return self._scored[1].copy()
        scores = self.design.score(x)
        self.keep_scores(x, scores)
        return scores

    def keep_scores(self, x: Array, scores: Array) -> None:
        """Keep the scores at x: a path asks for those of its solutions several times."""
        if self.on_path:
            self._scored = x.copy(), scores.copy()

    def pull(self, residual: Array) -> Array:
        """Return the gradient of residuals: that of the last ones, or a new one; not to change."""
        if not self.on_path:
            return self.design.pull(residual)
        if self._pulled is None or not np.array_equal(self._pulled[0], residual):
            self._pulled = residual.copy(), self.design.pull(residual)
        return self._pulled[1]

    def residuals(self, scores: Array) -> tuple[float, Array]:
        """Return the summed loss and the residuals at given scores."""
        return self.bound.value_residual(scores)

    def loss_value(self, x: Array) -> float:
        """See Objective; from new scores: kept ones have rounding errors of the way to x."""
        return self.residuals(self.design.score(x))[0]

    def smooth(self, x: Array) -> tuple[float, Array]:
        """See Objective."""
        value, residual = self.loss_at(x)
        return value, self.design.pull(residual)

    def fit_tail(self, x: Array) -> None:
        """Move the intercept to its optimum."""
        if self.design.intercept:
            scores = self.scores(x)
            self.fit_intercept(x, scores)
            self.keep_scores(x, scores)

    def _fitted_loss_at(self, x: Array) -> tuple[float, Array]:
        self.fit_tail(x)
        return self.loss_at(x)

    def fitted_loss(self, x: Array) -> float:
        """See Objective."""
        return self._fitted_loss_at(x)[0]

    def fitted_smooth(self, x: Array) -> tuple[float, Array]:
        """See Objective; the gradient of a fitted intercept is zero."""
        loss, residual = self._fitted_loss_at(x)
        gradient = self.design.pull(residual)
        self.parts(gradient)[1][:] = 0.0
        return loss, gradient

    def sparse_descent(self, terms: Terms) -> _core.Descent | ClassDescent:
        """Return the kernel that suits sparse solutions: class by class where that is faster.

        Along a path it is the same one, which remembers what it found out about the blocks.
        """
        ptr, index, mass = terms.ptr, terms.index, np.ascontiguousarray(terms.mass)
        if isinstance(self.loss, Multinomial) and _all_single(ptr, index, self.design.n_penalised):
            return ClassDescent(self.design.matrix, self.gold, mass)
        if (
            self.on_path
            and self._sparse is not None
            and np.array_equal(self._sparse[0], ptr)
            and np.array_equal(self._sparse[1], index)
        ):
            self._sparse[2].reweigh(mass)
        else:
            blocks = terms.blocks or _core.Blocks(ptr, index, self.design.n_penalised)
            rows = self.bound.rows()
            self._sparse = ptr, index, _core.Descent(self.design.matrix, rows, blocks, mass)
        return self._sparse[2]

    def descent(self, ptr: Ints, index: Ints, mass: Array) -> _core.Descent:
        """Return the coordinate descent kernel over given blocks of weights."""
        return _core.Descent(
            self.design.matrix,
            self.bound.rows(),
            _core.Blocks(ptr, index, self.design.n_penalised),
            np.ascontiguousarray(mass),
        )

    def fit_intercept(self, x: Array, scores: Array) -> None:
        """Move the intercept of x, and the scores with it, to its optimum.

        There the residuals of each output sum to zero.
        """
        if not self.design.intercept:
            return
        if self.on_path and self._fitted is not None and np.array_equal(scores, self._fitted):
            return
        if self._intercept_only is None:
            nothing = np.zeros(0, np.int64)
            self._intercept_only = self.descent(np.zeros(1, np.int64), nothing, np.zeros(0))
        weights, intercept = self.parts(x)
        zero = np.zeros(1)
        self._intercept_only.descend(
            np.zeros(0, np.int64),
            _core.SeparableTerms(lasso=zero, ridge=zero, centre=zero),
            weights,
            intercept,
            scores,
            _core.DescentLimits(tolerance=1e-9, max_rounds=100),
        )
        self._fitted = scores.copy() if self.on_path else None

    @property
    def has_kernel(self) -> bool:
        """Whether the loss is computed by a kernel, and not in Python."""
        return isinstance(self.bound, KernelLoss)

    def descend_by_feature(
        self, tree: _core.OutputTree, strength: float, x: Array, scores: Array
    ) -> None:
        """Move x and its scores by sweeps over features, under a tree over the outputs."""
        if not isinstance(self.bound, KernelLoss):
            raise TypeError(f"{type(self.loss).__name__} is computed in Python: use Growing")
        weights, intercept = self.parts(x)
        every = np.arange(self.design.n_penalised // self.design.n_outputs)
        tree.descend(
            self.design.matrix,
            self.bound.data,
            strength,
            every,
            weights,
            intercept,
            scores,
        )

    @property
    def repairs_residuals(self) -> bool:
        """Whether `feasible` makes dual points of any residuals, not only at a fitted intercept."""
        return isinstance(self.bound, KernelLoss)

    def feasible(self, residual: Array) -> Array:
        """Return residuals whose sums per output are zero, see laconic.core.problem.balance.

        A loss in Python may know its conjugate at its own residuals only, which stay.
        """
        if not self.design.intercept or not self.repairs_residuals:
            return residual
        classes = class_weights(self.gold) if isinstance(self.loss, Multinomial) else NONE
        sides = Sides.of(residual, self.gold.n_outputs)
        return Balance.for_loss(self.loss, sides, classes).apply(residual, self.gold)

    def loss_conjugate(self, dual: Array, scale: float) -> float:
        """See GapProblem; `dual` are the residuals, whose sums per output are zero.

        With an offset o of the scores, f(s + o) has the conjugate f*(r) - <r, o>.
        """
        value = self.bound.conjugate(dual, scale)
        offset = self.design.offset
        return value if offset is None else value - scale * float(dual @ offset)

    def diagonal(self, x: Array) -> Array:
        """See GapProblem."""
        return self.design.curvature(self.bound.curvature(self.design.score(x)))

    @property
    def total_weight(self) -> float:
        """Sum of the weights of all rows."""
        return float(self.gold.weight.sum())

    def bend(self, x: Array, along: Array) -> Array:
        """See GapProblem; for the multinomial loss an upper bound."""
        rows = self.bound.curvature(self.design.score(x))
        return self.design.curve(rows, np.zeros(0), along)

    def certificate(self, x: Array) -> float:
        """Return the relative duality gap at x, or the prox residual where there is no gap."""
        x = x.copy()
        loss, residual = self._fitted_loss_at(x)
        dual = self.feasible(residual)
        return self.judge(x, loss, dual, self.parts(self.design.pull(dual))[0])


def _all_single(ptr: Ints, index: Ints, n_weights: int) -> bool:
    """Return whether block i is weight i alone, for all weights."""
    everything = np.arange(n_weights + 1)
    return np.array_equal(ptr, everything) and np.array_equal(index, everything[:-1])
