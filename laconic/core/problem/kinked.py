"""Problems whose loss has kinks, and their smoothed twins.

    min_{w, b}  sum_i s_i loss(y_i, x_i w + b) + penalty(w)

The residuals of the loss itself say little at a kink, where any slope between its two sides is
right. Those of the smoothed loss (see laconic.core.losses.smoothed) are slopes of the loss that
balance: their duality gap, with the value of the loss that is not smoothed, is the certificate.
"""

from __future__ import annotations

import numpy as np

from laconic.core.arrays import Array
from laconic.core.designs.rows import Rows
from laconic.core.losses import Gold, Loss
from laconic.core.losses.bound import PythonLoss
from laconic.core.losses.smoothed import Smoothed
from laconic.core.penalties import Penalty
from laconic.core.problem.rows import Problem
from laconic.core.report import DUALITY_GAP

WIDTHS = (1.0, 0.1, 0.01, 1e-3, 1e-4)  # of the smoothing, where a certificate has no other


class Kinked(Problem):
    """A problem with a loss that has kinks; its gradients are subgradients."""

    smooth_loss = False
    bound: PythonLoss

    def smoothed(self, mu: float, slopes: Array | None = None) -> Problem:
        """Return the problem with the loss smoothed by mu, under the penalty of now."""
        twin = Problem(self.design, self.loss, self.gold, self.penalty)
        twin.bound = Smoothed(self.bound, mu, slopes)
        return twin

    def natural_width(self, x: Array, slopes: Array) -> float:
        """Return a smoothing around slopes u under which loss and penalty are of one size.

        With mu = |A w| / |u| the change |A w|^2 / mu of the smooth loss is like u'A w, which at the
        optimum is the penalty of a norm. Without weights as `width`, with these slopes.
        """
        weightless = x.copy()
        self.parts(weightless)[1][:] = 0.0
        moved = self.bound.inside(self.design.score(weightless))
        weight = self.bound.score_weight
        size = float(weight @ (slopes * slopes))
        if size <= 0:
            return self.width(x)
        across = float(np.sqrt(weight @ (moved * moved) / size))
        return max(across, 0.2 * self.loss_value(x) / size) or self.width(x)

    def slopes(self, x: Array, twin: Problem) -> Array:
        """Return the residuals of a smoothed twin per unit of weight at x, its intercept fitted."""
        assert isinstance(twin.bound, Smoothed)
        there = x.copy()
        twin.fit_tail(there)
        return twin.bound.slopes(self.design.score(there))

    def width(self, x: Array) -> float:
        """Return a smoothing that changes the loss at x by about a tenth.

        By mu the loss falls by mu u^2 / 2 per row, u its slope.
        """
        value, residual = self.loss_at(x)
        inside = self.bound.inside(residual)
        slopes = float(np.sum(inside * inside / np.maximum(self.bound.score_weight, 1e-300)))
        return 0.2 * value / slopes if value > 0 and slopes > 0 else 1e-9

    def fit_intercept(self, x: Array, scores: Array) -> None:
        """Move the intercept to its optimum, where the residuals change their sign, by bisection.

        One column of scores at a time; a loss that couples outputs takes turns.
        """
        if not self.design.intercept:
            return
        intercept = self.parts(x)[1]
        table = scores.reshape(-1, len(intercept))
        value, residual = self.residuals(scores)
        size = float(np.abs(residual).sum())
        first = value / size if size > 0 and value > 0 else 1.0
        slopes = residual.reshape(table.shape).sum(axis=0)
        low, high = np.zeros(len(slopes)), np.zeros(len(slopes))
        start = slopes.copy()

        def slopes_at(shift: Array) -> Array:
            found = self.residuals((table + shift).ravel())[1]
            return np.asarray(found.reshape(table.shape).sum(axis=0))

        for _ in range(200):  # away from the start until the slope changes its sign
            open_ends = (start * slopes > 0) & (np.abs(low) + np.abs(high) < 1e300)
            if not open_ends.any():
                break
            span = np.maximum(2 * np.maximum(-low, high), first)
            low = np.where(open_ends & (start > 0), -span, low)
            high = np.where(open_ends & (start < 0), span, high)
            slopes = slopes_at(np.where(start > 0, low, high))
        for _ in range(80):
            middle = 0.5 * (low + high)
            slopes = slopes_at(middle)
            low, high = np.where(slopes > 0, low, middle), np.where(slopes > 0, middle, high)
        ends = np.stack([low, high, 0.5 * (low + high), np.zeros(len(low))])
        values = [self.residuals((table + end).ravel())[0] for end in ends]
        shift = ends[int(np.argmin(values))]
        intercept += shift
        table += shift

    def strength_max(self) -> float:
        """See GapProblem; up to the width of the smoothing, which is small."""
        start = self.start()
        return self.smoothed(1e-3 * self.width(start)).strength_max()

    def certificate(self, x: Array) -> float:
        """Return the relative duality gap at x with the best of some widths of the smoothing."""
        width = self.width(x)
        found = []
        for share in WIDTHS:
            error = self.certified(x, self.smoothed(share * width))
            found.append((error, self.certificate_kind))
        error, self.certificate_kind = min(found)
        return error

    def certified(self, x: Array, twin: Problem, error: float | None = None) -> float:
        """Return the relative duality gap at x, with the residuals of a smoothed twin there.

        The smoothed loss, but for a constant, lies below the loss: what it is below, and the
        certificate `error` of the twin (by default measured), bound the distance from the optimum
        too. That is a worse bound, but there may be no other, as with overlapping groups.
        """
        loss = self.fitted_loss(x.copy())
        there = x.copy()
        assert isinstance(twin.bound, Smoothed)
        added = twin.bound.added
        changed = loss - (twin.fitted_loss(there) - added)
        residual = twin.residuals(self.design.score(there))[1]
        gradient, off = self.parts(self.design.pull(residual))
        penalty = self.penalty.value(self.parts(x)[0])
        found, self.certificate_kind = np.inf, DUALITY_GAP
        if self.penalty.convex:
            # Residuals that do not sum to zero are not dual feasible: what that can cost.
            cost = float(np.abs(off) @ np.abs(self.parts(x)[1])) if len(off) else 0.0
            gap = self.gap(loss, residual, gradient, penalty)
            found = self.relative(gap + cost, loss + penalty)
        if error is None:
            error = twin.certificate(x) if not np.isfinite(found) else np.inf
        # The certificate of the twin is relative to an objective with the constant.
        of_twin = max(0.0, loss + penalty - changed) + added
        other = self.relative(abs(changed) + error * of_twin, loss + penalty)
        if np.isfinite(other) and not found <= other:
            self.certificate_kind = twin.certificate_kind
            return other
        return found if np.isfinite(found) else np.inf


def pose(design: Rows, loss: Loss, gold: Gold, penalty: Penalty) -> Problem:
    """Return the problem of a loss, with kinks or without."""
    return (Problem if loss.smooth else Kinked)(design, loss, gold, penalty)
