"""Few weight values for linear models of matrices."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import AnyArray, Array, Bools
from laconic.core.penalties import ElasticNet
from laconic.core.solvers.base import Result
from laconic.linear.base import SparseLinear
from laconic.linear.model import SparseClassifier
from laconic.models.discrete.forms import Change, Posed, keeps_features, posed, rounded


@rounded.register
def _(model: SparseLinear, change: Change) -> SparseLinear:
    check_is_fitted(model)
    found = copy.copy(model)
    found.coef_ = change(model.coef_)
    found.report_ = replace(model.report_, features_kept=found.n_selected_)
    return found


@posed.register
def _(
    model: SparseLinear,
    X: AnyArray | sp.csr_matrix,
    y: ArrayLike,
    penalty: ElasticNet | None = None,
    features: str = "model",
) -> Posed:
    check_is_fitted(model)
    coef = np.atleast_2d(model.coef_)
    kept = (
        np.any(coef != 0, axis=0)
        if keeps_features(features)
        else np.ones(coef.shape[1], dtype=bool)
    )
    inner: SparseLinear = copy.copy(model).set_params(
        penalty=penalty if penalty is not None else model.chosen_penalty(), strength=None
    )
    problem = inner.build_problem(X[:, kept], y)
    _same_classes(model, inner)
    x = np.concatenate(
        [coef[:, kept].T.ravel(), np.atleast_1d(model.intercept_) if model.fit_intercept else []]
    )

    def adopt(result: Result) -> SparseLinear:
        found = inner.adopt(problem, result)
        found.coef_ = _widened(np.atleast_2d(found.coef_), kept).reshape(model.coef_.shape)
        found.n_features_in_ = model.n_features_in_
        return found

    return Posed(problem, x, adopt)


def _widened(coef: Array, kept: Bools) -> Array:
    """Return the weights of kept features among zeros for the others."""
    wide = np.zeros((len(coef), len(kept)))
    wide[:, kept] = coef
    return wide


def _same_classes(model: SparseLinear, inner: SparseLinear) -> None:
    if not (isinstance(model, SparseClassifier) and isinstance(inner, SparseClassifier)):
        return
    given, known = inner.classes_.tolist(), model.classes_.tolist()
    if given != known:
        raise ValueError(f"the model has the labels {known}, but the data has {given}")
