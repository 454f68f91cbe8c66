"""SparseClassifier and SparseRegressor: small linear models of a matrix, with a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from laconic.core.arrays import AnyArray, Array, MatrixLike
from laconic.core.losses import Cox, Logistic, Loss, Multinomial, Squared, as_loss
from laconic.core.losses.cox import AtRisk
from laconic.core.penalties import Penalty
from laconic.core.problem import Problem, RowSum
from laconic.core.solvers.base import Result, Solver
from laconic.linear.base import LinearT, SparseLinear, available
from laconic.linear.labels import Labels, read_labels
from laconic.linear.survival import concordance, survival_curves


def _is_survival(estimator: SparseLinear) -> bool:
    return estimator.loss == "cox" or isinstance(estimator.loss, Cox)


class SparseRegressor(RegressorMixin, SparseLinear):
    """min_{w, b} sum_i s_i (x_i w + b - y_i)^2 / 2 + penalty(w), or counts with loss=Poisson().

    Parameters
    ----------
    penalty : Penalty, str or None, default=None
        Penalty of the weights, or its name, such as "l1" or "elastic"; None is "l1".
    loss : Loss, str or None, default=None
        Loss of a real target, or its name: "squared", "huber", "quantile", "poisson", "tweedie",
        "cox" (y of times and events); None is "squared".
    solver : Solver or None, default=None
        Solver of the problem; None chooses one that suits the penalty.
    fit_intercept : bool, default=True
        Whether there is an intercept, which is never penalised.
    tol : float, default=1e-4
        Certificate (relative duality gap) to reach when `solver` is None.
    max_iter : int or None, default=None
        Number of steps, at most, when `solver` is None.
    warm_start : bool, default=False
        Whether `fit` starts from the weights of the last fit.
    n_jobs : int or None, default=None
        Number of threads; -1 uses all processors.
    strength : float or None, default=None
        Strength of the penalty; None keeps the penalty's own, which is 1 unless given.
    standardize : bool, default=False
        Whether the penalty sees features divided by their standard deviations. Nothing is centred,
        so sparse input stays sparse; an intercept has the same effect. Weights are those of the
        features as given.
    relax : float, default=0.0
        Share of a refit without the penalty on the features that it selected, from 0 (none) to 1
        (the refit alone).

    Attributes
    ----------
    coef_ : array of shape (p,)
        Weight of each feature.
    intercept_ : float
        Intercept b.
    report_ : FitReport
        Objective, certificate, number of steps and features of the fit; objective_, certificate_,
        n_iter_ and converged_ are parts of it.
    result_ : Result
        Result of the solver.
    n_selected_ : int
        Number of features with a weight that is not zero.

    Examples
    --------
    >>> from laconic import L1, SparseRegressor
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, 0.1, 2.1]
    >>> model = SparseRegressor(L1(0.2)).fit(X, y)
    >>> model.coef_.round(2).tolist(), model.n_selected_
    ([1.65, 0.0], 1)
    >>> model.predict([[2.0, 0.0]]).round(2).tolist()
    [3.6]
    """

    _numeric = True

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    _single = True  # whether a row has one target, so that coef_ is a vector

    def _loss(self) -> Loss:
        loss = as_loss(self.loss, Squared())
        if loss.classifies:
            raise ValueError(
                "SparseRegressor takes a loss of a real target, such as Squared, Huber, Quantile, "
                f"Poisson or Cox, got {type(loss).__name__}"
            )
        return loss

    def _read_targets(self, y: ArrayLike) -> ArrayLike:
        return self._loss().encode(y.toarray() if isinstance(y, sp.spmatrix | sp.sparray) else y)

    def _several(self, y: ArrayLike) -> bool:
        return True

    def _encode(self, y: AnyArray, weight: Array) -> tuple[Loss, Array, int, Array]:
        loss = self._loss()
        several = loss.multi_output and y.ndim == 2
        self._single = not several
        target: Array = np.ascontiguousarray(y, dtype=np.float64).ravel()
        return loss, target, y.shape[1] if several else 1, weight

    def _targets(self, y: ArrayLike) -> Array:
        return np.ascontiguousarray(self.loss_.encode(np.asarray(y)), dtype=np.float64).ravel()

    def adopt(self: LinearT, problem: RowSum, result: Result) -> LinearT:
        """See SparseLinear; coef_ is (p,), intercept_ a number, unless y is (n, K)."""
        SparseLinear.adopt(self, problem, result)
        if self._single:
            self.coef_ = self.coef_.ravel()
            self.intercept_ = float(np.ravel(self.intercept_)[0])
        if isinstance(problem, Problem) and isinstance(problem.bound, AtRisk):
            self.baseline_ = problem.bound.baseline(problem.design.score(result.x))
        return self

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return R^2, or the concordance of the Cox loss: the share of pairs in the right order."""
        if not _is_survival(self):
            return float(super().score(X, y, sample_weight))
        return concordance(self._scores(X), np.asarray(self.loss_.encode(y), dtype=np.float64))

    @available(_is_survival)
    def predict_survival(self, X: MatrixLike, times: ArrayLike) -> Array:
        """Return the probability of each row that its event comes after each time, (n, times)."""
        scores = self._scores(X)
        return survival_curves(self.baseline_, scores, np.asarray(times, dtype=np.float64))

    def predict(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        """Return X w + b + offset, or exp of it with the Poisson loss."""
        scores = self._scores(X, offset)
        return self.loss_.response(scores)


def _has_probabilities(estimator: SparseLinear) -> bool:
    return as_loss(estimator.loss, Logistic()).knows_probabilities


class SparseClassifier(ClassifierMixin, SparseLinear):
    """min_{W, b} sum_i s_i loss(y_i, x_i W + b) + penalty(W): a sparse linear classifier.

    Parameters
    ----------
    penalty : Penalty, str or None, default=None
        Penalty of the weights, or its name, such as "l1" or "elastic"; None is "l1".
    loss : Loss, str or None, default=None
        Classification loss, or its name: "logistic", "multinomial", "squared_hinge"; None is
        Logistic for two classes and for several labels per row, and Multinomial for more classes.
    solver : Solver or None, default=None
        Solver of the problem; None chooses one that suits the penalty.
    fit_intercept : bool, default=True
        Whether there is an intercept, which is never penalised.
    tol : float, default=1e-4
        Certificate (relative duality gap) to reach when `solver` is None.
    max_iter : int or None, default=None
        Number of steps, at most, when `solver` is None.
    warm_start : bool, default=False
        Whether `fit` starts from the weights of the last fit.
    n_jobs : int or None, default=None
        Number of threads; -1 uses all processors.
    class_weight : dict, "balanced" or None, default=None
        Weight of the examples of each class; "balanced" weights classes alike.
    strength : float or None, default=None
        Strength of the penalty; None keeps the penalty's own, which is 1 unless given.
    standardize : bool, default=False
        Whether the penalty sees features divided by their standard deviations. Nothing is centred,
        so sparse input stays sparse; an intercept has the same effect. Weights are those of the
        features as given.
    relax : float, default=0.0
        Share of a refit without the penalty on the features that it selected, from 0 (none) to 1
        (the refit alone).

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes.
    coef_ : array of shape (K, p)
        Weights: one row for two classes (none with Multinomial), otherwise one row per class.
    intercept_ : array of shape (K,)
        Intercepts b.
    report_ : FitReport
        Objective, certificate, number of steps and features of the fit; objective_, certificate_,
        n_iter_ and converged_ are parts of it.
    result_ : Result
        Result of the solver.
    n_selected_ : int
        Number of features with a weight that is not zero.

    Examples
    --------
    >>> from laconic import L1, SparseClassifier
    >>> X = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0]]
    >>> model = SparseClassifier(L1(0.1)).fit(X, ["yes", "no", "yes", "no"])
    >>> model.predict([[1.0, 0.0, 0.0]]).tolist(), model.n_selected_, model.converged_
    (['yes'], 1, True)
    """

    labels_: Labels | None = None

    def __init__(
        self,
        penalty: Penalty | str | None = None,
        loss: Loss | str | None = None,
        solver: Solver | None = None,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        strength: float | None = None,
        standardize: bool = False,
        relax: float = 0.0,
    ):
        super().__init__(
            penalty,
            loss,
            solver,
            fit_intercept,
            tol,
            max_iter,
            warm_start,
            n_jobs,
            strength,
            standardize,
            relax,
        )
        self.class_weight = class_weight

    def _encode(self, y: AnyArray, weight: Array) -> tuple[Loss, Array, int, Array]:
        if self.labels_ is not None:
            return self._encode_labels(self.labels_, weight)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "a classifier needs at least two classes, but the labels hold only one class: "
                f"{self.classes_[0]!r}"
            )
        loss = self._loss(Logistic() if len(self.classes_) == 2 else Multinomial())
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, y)
        return loss, codes.astype(np.float64), loss.n_outputs(len(self.classes_)), weight

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _read_targets(self, y: ArrayLike) -> ArrayLike:
        self.labels_ = read_labels(y)
        return y if self.labels_ is None else self.labels_.indicator

    def _several(self, y: ArrayLike) -> bool:
        return self.labels_ is not None

    def _loss(self, default: Loss) -> Loss:
        loss = as_loss(self.loss, default)
        if not loss.classifies:
            raise ValueError(
                f"SparseClassifier takes a classification loss, got {type(loss).__name__}"
            )
        return loss

    def _encode_labels(self, given: Labels, weight: Array) -> tuple[Loss, Array, int, Array]:
        """Return what `_encode` does where a row may have several labels: one output per label."""
        loss = self._loss(Logistic())
        if not loss.per_score:
            raise ValueError(
                f"{type(loss).__name__} has one class per row: use Logistic for several labels"
            )
        if self.class_weight is not None:
            raise ValueError("class_weight is for one class per row: use sample_weight")
        self.classes_ = given.labels
        self.labels_ = given._replace(indicator=np.zeros((0, len(given.labels))))
        return loss, given.indicator.ravel(), len(given.labels), weight

    def _targets(self, y: ArrayLike) -> Array:
        if self.labels_ is not None:
            found = read_labels(y, self.classes_)
            if found is None or found.indicator.shape[1] != len(self.classes_):
                raise ValueError(f"expected {len(self.classes_)} labels per row, as in training")
            return found.indicator.ravel()
        labels = np.asarray(y)
        codes = np.clip(np.searchsorted(self.classes_, labels), 0, len(self.classes_) - 1)
        unknown = self.classes_[codes] != labels
        if np.any(unknown):
            raise ValueError(
                f"the label {labels[unknown][0]!r} is not among those of the training data, which "
                "leaves it without a probability"
            )
        return codes.astype(np.float64)

    def decision_function(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        """Return scores: (n,) for the second of two classes, (n, K) otherwise and for labels."""
        scores = self._scores(X, offset)
        if self.labels_ is not None:
            return scores
        if scores.shape[1] == 1:
            return scores.ravel()
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: MatrixLike, offset: ArrayLike | None = None) -> AnyArray:
        """Return the class with the highest score of each row, or all labels it has.

        Labels are an indicator matrix, or lists where `fit` was given lists.
        """
        scores = self.decision_function(X, offset)
        if self.labels_ is not None:
            found: AnyArray = self.labels_.like_given(scores > 0)
            return found
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        classes: AnyArray = self.classes_[best]
        return classes

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy; of several labels the share of rows where all are right."""
        if getattr(self, "labels_", None) is None:
            return float(super().score(X, y, sample_weight))
        right = self._targets(y).reshape(-1, len(self.classes_)) == (self._scores(X) > 0)
        return float(np.average(right.all(axis=1), weights=cast("Array | None", sample_weight)))

    @available(_has_probabilities)
    def predict_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        """Return the probabilities of the classes, or of each label, (n, K)."""
        return np.exp(self.predict_log_proba(X, offset))

    @available(_has_probabilities)
    def predict_log_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        """Return the logarithms of predict_proba."""
        scores = self._scores(X, offset)
        return self.loss_.log_proba(scores, self.labels_ is not None)
