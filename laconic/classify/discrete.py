"""Few weight values for classifiers of documents."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.classify.model import TextClassifier
from laconic.classify.penalty import stated_penalty
from laconic.classify.preparation import DocumentLabels
from laconic.core.arrays import Array
from laconic.core.penalties import L1, ElasticNet, PenaltySum
from laconic.core.penalties.elastic import ElasticRates, elastic_rates, of_rates
from laconic.core.solvers.base import Result
from laconic.linear.model import SparseClassifier
from laconic.models.discrete.forms import LASSO, Change, Posed, posed, rounded
from laconic.text.documents import DocumentLike


@rounded.register
def _(model: TextClassifier, change: Change) -> TextClassifier:
    check_is_fitted(model, "coef_")
    return _with_weights(model, change(model.coef_))


def _with_weights(model: TextClassifier, coef: Array) -> TextClassifier:
    """Return a copy with these weights, and with their number in its report."""
    found = copy.copy(model)
    found.coef_ = coef
    kept = int(np.count_nonzero(np.any(coef != 0, axis=0)))
    found.report_ = replace(model.report_, features_kept=kept)
    return found


@posed.register
def _(
    model: TextClassifier,
    X: Sequence[DocumentLike],
    y: DocumentLabels,
    penalty: ElasticNet | None = None,
    features: str = "model",
) -> Posed:
    check_is_fitted(model, "coef_")
    inner = SparseClassifier(
        penalty if penalty is not None else _own_penalty(model),
        model.loss_,
        class_weight=model.class_weight,
        n_jobs=model.n_jobs,
    )
    inner.coef_, inner.intercept_, inner.classes_ = model.coef_, model.intercept_, model.classes_
    if model.thresholds_ is not None or model.columns_.names:
        raise ValueError(
            "few values are for models of words with one label per document: this one has "
            + ("several labels" if model.thresholds_ is not None else "columns beside the text")
        )
    rows = model.vectorize(X)
    inner.n_features_in_ = rows.shape[1]
    pose = posed(inner, rows, np.asarray(y), features=features)

    def adopt(result: Result) -> TextClassifier:
        solved = pose.model(result)
        found = _with_weights(model, solved.coef_)
        found.intercept_ = solved.intercept_
        found.report_ = replace(
            found.report_,
            objective=solved.objective_,
            certificate=solved.certificate_,
            certificate_kind=solved.report_.certificate_kind,
            converged=solved.converged_,
            n_iter=solved.n_iter_,
            interrupted=result.interrupted,
        )
        return found

    return Posed(pose.problem, pose.x, adopt)


def _own_penalty(model: TextClassifier) -> ElasticNet:
    """Return the lasso and ridge of the model, or the lasso beside its groups."""
    penalty = stated_penalty(model.stated())
    terms = penalty.scaled() if isinstance(penalty, PenaltySum) else [penalty]
    known = [rates for rates in map(elastic_rates, terms) if rates is not None]
    lasso, ridge = sum(one.lasso for one in known), sum(one.ridge for one in known)
    return of_rates(ElasticRates(lasso, ridge)) if known else L1(LASSO)
