"""Few weight values for classifiers of documents."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.classify.model import TextClassifier
from laconic.core.arrays import Array
from laconic.core.penalties import L1, ElasticNet
from laconic.core.solvers.base import Result
from laconic.linear.model import SparseClassifier
from laconic.models.discrete.forms import LASSO, Change, Posed, posed, rounded


@rounded.register
def _(model: TextClassifier, change: Change) -> TextClassifier:
    check_is_fitted(model, "coef_")
    return _counted(copy.copy(model), change(model.coef_))


def _counted(model: TextClassifier, coef: Array) -> TextClassifier:
    model.coef_ = coef
    model.n_features_selected_ = int(np.count_nonzero(np.any(coef != 0, axis=0)))
    return model


@posed.register
def _(
    model: TextClassifier,
    X: Any,
    y: Any,
    penalty: ElasticNet | None = None,
    features: str = "model",
) -> Posed:
    check_is_fitted(model, "coef_")
    strength = model.strength if isinstance(model.strength, (int, float)) else LASSO
    own: dict[str, ElasticNet] = {
        "lasso": L1(strength),
        "ridge": ElasticNet(strength, 0.0),
        "elastic": ElasticNet(
            strength + model.lasso, model.lasso / max(strength + model.lasso, 1e-300)
        ),
    }
    chosen = penalty if penalty is not None else own.get(model.regularizer, L1(model.lasso))
    inner = SparseClassifier(chosen, class_weight=model.class_weight, n_jobs=model.n_jobs)
    inner.coef_, inner.intercept_, inner.classes_ = model.coef_, model.intercept_, model.classes_
    rows = model.vectorize(X)
    inner.n_features_in_ = rows.shape[1]
    at = posed(inner, rows, np.asarray(y), features=features)

    def adopt(result: Result) -> TextClassifier:
        solved = at.model(result)
        found = _counted(copy.copy(model), solved.coef_)
        found.intercept_, found.objective_, found.certificate_ = (
            solved.intercept_,
            solved.objective_,
            solved.certificate_,
        )
        found.converged_, found.n_iter_, found.interrupted_ = (
            solved.converged_,
            solved.n_iter_,
            result.interrupted,
        )
        return found

    return Posed(at.problem, at.x, adopt)
