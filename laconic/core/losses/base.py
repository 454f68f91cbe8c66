"""What every loss is: a summed value, residual = predicted - gold, and if it is smooth curvatures.

Scores are (n, K), stored flat by rows. A loss is parameters alone; with its gold it is a BoundLoss,
which problems and kernels evaluate.
"""

from __future__ import annotations

from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.losses.bound import BoundLoss, Gold, KernelLoss, PythonLoss
from laconic.core.parameters import HasParameters

LossT = TypeVar("LossT", bound="Loss")
COMPUTED = {"value_residual", "curvature", "conjugate", "bind"}
SMALLEST = 5e-324  # probability whose logarithm is finite


def log_other(log_probability: Array) -> Array:
    """Return log(1 - p) from log p, finite also where p is 1."""
    return np.asarray(np.log(np.maximum(-np.expm1(log_probability), SMALLEST)))


def log_normalized(scores: Array) -> Array:
    """Return s - log sum_k exp(s_k) of every row."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    found: Array = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found


class Loss(HasParameters):
    """sum_i s_i loss(y_i, scores_i), convex and not negative.

    A loss of your own is a subclass with `value_residual` and, if it is smooth, `curvature`. Gold
    then has one target and one weight per score, so that K outputs need no thought. A loss without
    `curvature` has kinks: it is smoothed by `prox`, or without one by its residuals. A loss of
    classes gives classifiers probabilities by `log_probabilities`.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import Loss, Ridge, SparseRegressor
    >>> class LogCosh(Loss):
    ...     classifies = False
    ...
    ...     def value_residual(self, scores, gold):
    ...         off = scores - gold.target
    ...         value = np.logaddexp(off, -off) - np.log(2)
    ...         return gold.weight @ value, gold.weight * np.tanh(off)
    ...
    ...     def curvature(self, scores, gold):
    ...         return gold.weight / np.cosh(scores - gold.target) ** 2
    >>> X, y = np.arange(9.0)[:, None], [0.0, 1.0, 2.0, 3.0, 40.0, 5.0, 6.0, 7.0, 8.0]
    >>> SparseRegressor(Ridge(0.01), loss=LogCosh()).fit(X, y).coef_.round(1).tolist()
    [1.0]
    """

    # The kernel that computes the loss, and its one parameter if it has any.
    kind: ClassVar[_core.LossKind | None] = None
    classifies: ClassVar[bool] = True
    per_score: ClassVar[bool] = True  # whether gold is given with one target per score
    multi_output: ClassVar[bool] = True  # whether a row may have several real targets
    coupled: ClassVar[bool] = False  # whether the Hessian of a row is diag(h) - h h' / s
    by_rows: ClassVar[bool] = True  # whether the loss is a sum over rows
    takes_intercept: ClassVar[bool] = True  # whether a constant of all scores changes the loss

    def kernel(self) -> _core.LossKind | None:
        """Return the kernel that computes the loss, or None where a subclass does so in Python."""
        for one in type(self).__mro__:
            if "kind" in vars(one):
                return one.kind  # type: ignore[no-any-return,attr-defined]
            if COMPUTED & vars(one).keys():
                return None
        return None

    @property
    def parameter(self) -> float:
        """The parameter of the kernel."""
        return 0.0

    @property
    def smooth(self) -> bool:
        """Whether the loss has curvatures."""
        return self.kind is not None or type(self).curvature is not Loss.curvature

    @property
    def knows_conjugate(self) -> bool:
        """Whether there is a formula of the conjugate."""
        return self.kind is not None or type(self).conjugate is not Loss.conjugate

    def check(self: LossT) -> LossT:
        """Return the loss, or raise a ValueError that names a parameter that cannot be used."""
        return self

    def n_outputs(self, n_classes: int) -> int:
        """Return the number of scores per row for this number of classes."""
        return 1 if not self.classifies or n_classes <= 2 else n_classes

    @property
    def knows_probabilities(self) -> bool:
        """Whether scores mean probabilities."""
        return type(self).log_probabilities is not Loss.log_probabilities

    def log_probabilities(self, scores: Array) -> Array:
        """Return the logarithm of the probability of what each score is about, (n, K)."""
        raise ValueError(
            f"{type(self).__name__} has no log_probabilities(scores), which probabilities and "
            "choices on held-out data need"
        )

    def log_proba(self, scores: Array, several: bool = False) -> Array:
        """Return log-probabilities of classes, (n, 2) of scores (n, 1) and (n, K) of (n, K).

        They add up to 1 per row, unless a row may have several classes, each with its own.
        """
        found = self.log_probabilities(scores)
        if several:
            return found
        if found.shape[1] > 1:
            return log_normalized(found)
        return np.hstack([log_other(found), found])

    def settled(self, intercept: Array) -> Array:
        """Return the one intercept that stands for all that have the same loss everywhere."""
        return intercept.copy()

    def encode(self, y: ArrayLike) -> ArrayLike:
        """Return the targets of a regression as numbers, (n,) or (n, K)."""
        return y

    def response(self, scores: Array) -> Array:
        """Return the mean of a real target at scores: the scores, unless the link is another."""
        return scores

    def bind(self, gold: Gold, threads: int = 1) -> BoundLoss:
        """Return the loss with what it is compared with, checked."""
        kind = self.check().kernel()
        if kind is not None:
            return KernelLoss(kind, self.parameter, gold, threads)
        return PythonLoss(self, gold)

    def _by_kernel(self, gold: Gold) -> BoundLoss:
        if self.kind is None:
            raise TypeError(
                f"{type(self).__name__} must define value_residual(scores, gold) and, if it is "
                "smooth, curvature(scores, gold)"
            )
        return KernelLoss(self.kind, self.parameter, gold)

    def value_residual(self, scores: Array, gold: Gold) -> tuple[float, Array]:
        """Return the summed loss and its derivative with respect to each score, (n K,)."""
        return self._by_kernel(gold).value_residual(scores)

    def curvature(self, scores: Array, gold: Gold) -> Array:
        """Return the second derivatives by each score (n K,), or upper bounds of them.

        diag(curvature) lies above the Hessian of the summed loss.
        """
        return self._by_kernel(gold).curvature(scores)

    def conjugate(self, residual: Array, gold: Gold) -> float:
        """Return sup_s <residual, s> - loss(s), which makes a duality gap tight.

        A loss that cannot tell has a bound that holds at its own residuals, see PythonLoss.
        """
        return self._by_kernel(gold).conjugate(residual)

    def prox(self, scores: Array, gold: Gold, step: float) -> Array:
        """Return argmin_t |t - s|^2 / 2 + step loss(t) per score, without weights.

        By default by bisection on the residuals: the root t of t - s + step residual(t) = 0 lies
        between s - step residual(s) and s.
        """
        alone = gold._replace(weight=np.ones(len(gold.weight)))
        ends = scores - step * self.value_residual(scores, alone)[1]
        low, high = np.minimum(ends, scores), np.maximum(ends, scores)
        for _ in range(60):
            middle = 0.5 * (low + high)
            above = middle - scores + step * self.value_residual(middle, alone)[1] > 0
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return np.asarray(0.5 * (low + high))
