"""The problem over blocks of rows on workers: its loss, gradients and conjugate are sums of theirs.

    min_{w, b}  sum_blocks sum_{i in block} s_i loss(y_i, x_i w + b) + penalty(w)

The duality gap is exact: loss and conjugate are sums over rows, and a dual point that an intercept
allows (see laconic.core.problem.balance) needs a few sums per output.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array, Ints
from laconic.core.losses import Loss
from laconic.core.penalties import Penalty, Ridge
from laconic.core.problem.balance import Balance, Sides
from laconic.core.problem.row_sum import RowSum
from laconic.distributed.blocks import Sent
from laconic.distributed.cluster import Cluster
from laconic.distributed.overlap import OverlapBound
from laconic.distributed.untyped import Future, Message

MODEL_NEWTON = "laconic.distributed.newton:ModelNewton"
TAIL_STEPS = 100  # Newton steps of an intercept, at most
TAIL_TOL = 1e-9  # sum of its residuals, relative to the sum of their sizes


class BlockShape(NamedTuple):
    """How many rows, features and outputs there are, and how their weights lie."""

    n_rows: int
    n_features: int
    n_outputs: int
    intercept: bool

    @property
    def n_penalised(self) -> int:
        """Number of penalised weights."""
        return self.n_features * self.n_outputs

    @property
    def n_weights(self) -> int:
        """Number of all weights."""
        return self.n_penalised + (self.n_outputs if self.intercept else 0)


class BlockProblem(RowSum):
    """A loss over blocks on workers, and a penalty here."""

    design: BlockShape
    fits_tail = True

    def __init__(
        self,
        cluster: Cluster,
        blocks: Sequence[Future],
        shape: BlockShape,
        loss: Loss,
        penalty: Penalty,
        classes: Array,
        total_weight: float,
        repairs: bool,
    ):
        self.cluster, self.blocks, self.design = cluster, blocks, shape
        self.loss, self.penalty = loss, penalty.check()
        self.smooth_loss = loss.smooth
        self._classes, self._total_weight, self._repairs = classes, total_weight, repairs
        self._dual: tuple[Sent, str, Balance | None] | None = None
        # Of the penalty of now; none where it has no overlapping groups.
        self._overlap: tuple[Penalty, list[OverlapBound]] | None = None

    @property
    def solver(self) -> str:
        """See RowSum: L-BFGS where all weights are in use, models of second order elsewhere."""
        dense = isinstance(self.penalty, Ridge) and not self.penalty.positive
        return "laconic.core.solvers.owlqn:Owlqn" if dense else MODEL_NEWTON

    @property
    def total_weight(self) -> float:
        """See RowSum."""
        return self._total_weight

    def under(self, penalty: Penalty) -> BlockProblem:
        """See RowSum; the blocks are the same."""
        return BlockProblem(
            self.cluster,
            self.blocks,
            self.design,
            self.loss,
            penalty,
            self._classes,
            self._total_weight,
            self._repairs,
        )

    def sent(self, vector: Array) -> Sent:
        """Return a vector as it is sent, under a key of its bytes."""
        return Sent.of(blake2b(vector.tobytes(), digest_size=16).hexdigest(), vector)

    def total(self, method: str, *message: Message) -> tuple[Message, ...]:
        """Return the sums over blocks of what a method says."""
        return self.cluster.total(self.blocks, method, *message)

    def loss_value(self, x: Array) -> float:
        """See Objective."""
        return float(self.total("loss_value", self.sent(x))[0])

    def loss_at(self, x: Array) -> tuple[float, Array]:
        """See RowSum; residuals stay on the workers, an empty array stands for them."""
        return float(self.total("sides", self.sent(x))[0]), np.zeros(0)

    def smooth(self, x: Array) -> tuple[float, Array]:
        """See Objective."""
        value, gradient = self.total("smooth", self.sent(x))
        return float(value), gradient

    def reach(self, along: Array) -> float:
        """See RowSum."""
        found = self.cluster.each(self.blocks, "reach", self.sent(along))
        return float(max(one[0] for one in found))

    def fit_tail(self, x: Array) -> None:
        """Move the intercept to its optimum: Newton steps, halved until the loss falls."""
        if not self.design.intercept:
            return
        tail = self.parts(x)[1]
        value, first, second = self.total("tail", self.sent(x))
        scale = 1e-300
        for _ in range(TAIL_STEPS):
            scale = max(scale, float(np.abs(np.diag(second)).max()), float(np.abs(first).max()))
            if np.abs(first).max() <= TAIL_TOL * scale:
                return
            step = -np.linalg.lstsq(second, first, rcond=1e-12)[0]
            if not np.any(step):
                return
            before, t = tail.copy(), 1.0
            slope = float(first @ step)
            while True:
                tail[:] = before + t * step
                moved = self.total("tail", self.sent(x))
                # Over many rows values differ by rounding alone near the optimum: there the sums
                # of residuals tell better from worse.
                closer = np.abs(moved[1]).max() <= 0.5 * np.abs(first).max()
                if closer or moved[0] <= value + 1e-4 * t * slope:
                    break
                t *= 0.5
                if t < 1e-10:
                    tail[:] = before
                    return
            value, first, second = moved

    def fitted_smooth(self, x: Array) -> tuple[float, Array]:
        """See Objective; the gradient of a fitted intercept is zero."""
        value, gradient = super().fitted_smooth(x)
        self.parts(gradient)[1][:] = 0.0
        return value, gradient

    def measure(self, x: Array) -> tuple[float, Array, float]:
        """Fit the intercept of x; return the loss, the gradient of a dual point, the certificate.

        The dual point are the residuals, changed so that their sums per output are zero.
        """
        self.fit_tail(x)
        point = self.sent(x)
        loss, up, down = self.total("sides", point)
        key, balance = "as they are", None
        if self.design.intercept and self._repairs:
            balance = Balance.for_loss(self.loss, Sides(up, down), self._classes)
            key = blake2b(b"".join(part.tobytes() for part in balance[:2])).hexdigest()
        self._dual = point, key, balance
        gradient = self.parts(self.total("pull", point, key, balance)[0])[0]
        return float(loss), gradient, self.judge(x, float(loss), np.zeros(0), gradient)

    def judge(self, x: Array, loss: float, dual: Array, gradient: Array) -> float:
        """See GapProblem; overlapping groups share the gradient, as on one machine."""
        if self._overlap is None or self._overlap[0] is not self.penalty:
            self._overlap = self.penalty, OverlapBound.of(self)
        if not self._overlap[1]:
            return super().judge(x, loss, dual, gradient)
        value = loss + self.penalty.value(self.parts(x)[0])
        bound = self._overlap[1][0].at(self.parts(x)[0], dual, gradient)
        return self.relative_gap(max(0.0, value - bound), value)

    def certificate(self, x: Array) -> float:
        """See Objective."""
        return self.measure(x.copy())[2]

    def loss_conjugate(self, dual: Array, scale: float) -> float:
        """See GapProblem; of the dual point that was made last, which stays on the workers."""
        assert self._dual is not None  # measure
        return float(self.total("conjugate", *self._dual, scale)[0])

    def diagonal(self, x: Array) -> Array:
        """See GapProblem."""
        found: Array = self.total("diagonal", self.sent(x))[0]
        return found

    def model(self, x: Array, columns: Ints, whole: bool) -> tuple[Array, Array, Array]:
        """Return the Hessian of the loss over some weights and the intercept, see RowBlock."""
        found: tuple[Array, Array, Array] = self.total("model", self.sent(x), columns, whole)
        return found

    def line(self, x: Array, direction: Array, lengths: Array) -> Array:
        """Return the loss at x + t direction for several t."""
        found: Array = self.total("line", self.sent(x), self.sent(direction), lengths)[0]
        return found
