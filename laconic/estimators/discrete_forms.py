"""What a kind of model registers to have few weight values (laconic.estimators.discrete):

    posed(model, X, y, penalty, features)      its problem on training data, the point at which it stands, the way back from a point to a model
    rounded(model, change)                     a copy with all weights changed
    weights_of(model)                          its weights that are not zero; only where they are not in coef_

Classifiers, regressors, taggers and parsers do it here. A model of an online learner without a batch problem registers the last two, and its
kernel the weights it has (laconic.solvers.online_discrete: read, write).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from laconic.estimators.features import kept_templates, narrow
from laconic.estimators.linear import SparseClassifier, SparseLinear, SparseRegressor
from laconic.estimators.parse import Parser
from laconic.estimators.parse_scorer import PRUNER, Scorer
from laconic.estimators.tag import Tagger
from laconic.estimators.tag_batch import Crf
from laconic.estimators.tag_learning import Learned, Lesson
from laconic.estimators.tag_model import TagWeights
from laconic.estimators.tag_predicting import flat_labels
from laconic.estimators.text import TextClassifier
from laconic.penalties import L1, ElasticNet
from laconic.problem import Objective
from laconic.solvers import Result
from laconic.solvers.online import Sentences
from laconic.text.labels import convert_labels
from laconic.text.sequences import SequenceEncoder, TokenColumns

Array = NDArray[np.float64]
LASSO = 0.5  # of a refit, where a model does not say with which lasso it was learned
FEATURES = ("model", "data")
Change = Callable[[NDArray[Any]], NDArray[Any]]


class Posed(NamedTuple):
    """The problem of a fitted model, where the model stands, and the model of a result."""

    problem: Objective
    x: Array
    model: Callable[[Result], Any]


@singledispatch
def posed(model: Any, X: Any, y: Any, penalty: ElasticNet | None = None, features: str = "model") -> Posed:
    """The problem of a fitted model on training data; the penalty is that of the model, if none is given.

    features: those that have weights in the "model", or all that its templates, columns or words have in the "data".
    """
    raise ValueError(f"a model of type {type(model).__name__} has no discrete form; expected a classifier, regressor or tagger")


@singledispatch
def rounded(model: Any, change: Change) -> Any:
    """A copy of a fitted model with all weights changed."""
    raise ValueError(f"a model of type {type(model).__name__} has no discrete form; expected a classifier, regressor or tagger")


@singledispatch
def weights_of(model: Any) -> Array:
    """All weights of a fitted model that are not zero; intercepts are none."""
    return model.coef_[model.coef_ != 0]


@rounded.register
def _(model: SparseLinear, change: Change) -> SparseLinear:
    check_is_fitted(model)
    found = copy.copy(model)
    found.coef_ = change(model.coef_)
    return found


@rounded.register
def _(model: TextClassifier, change: Change) -> TextClassifier:
    check_is_fitted(model, "coef_")
    return _counted(copy.copy(model), change(model.coef_))


def _counted(model: TextClassifier, coef: Array) -> TextClassifier:
    model.coef_ = coef
    model.n_features_selected_ = int(np.count_nonzero(np.any(coef != 0, axis=0)))
    return model


@rounded.register
def _(model: Tagger, change: Change) -> Tagger:
    check_is_fitted(model)
    found = model.weights_
    edge, start = change(found.edge), change(found.start)
    weights = found._replace(weights=[change(part) for part in found.weights], edge=edge, start=start)
    return _tagger(model, weights, Learned(weights, 0, [], model.interrupted_))


@weights_of.register
def _(model: Tagger) -> Array:
    every = (*model.weights_.weights, model.weights_.edge, model.weights_.start)
    return np.concatenate([part[part != 0] for part in every]).astype(np.float64)


@rounded.register
def _(model: Parser, change: Change) -> Parser:
    found = model.weights_
    return model.with_weights(found._replace(weights=[change(part) for part in found.weights]))


@weights_of.register
def _(model: Parser) -> Array:
    return weights_of(model.scorer_)


@rounded.register
def _(pruner: Scorer, change: Change) -> Scorer:
    found = pruner.weights
    return pruner.with_weights(found._replace(weights=[change(part) for part in found.weights]), PRUNER)


@weights_of.register
def _(scorer: Scorer) -> Array:
    return np.concatenate([np.zeros(0), *(part[part != 0] for part in scorer.weights.weights)])


@posed.register
def _(model: Parser, X: Any, y: Any, penalty: ElasticNet | None = None, features: str = "model") -> Posed:
    raise ValueError(
        "a parser is learned sentence by sentence: use discretize, or model.relearned(OnlineDiscrete(values), treebank)"
    )


def _tagger(model: Tagger, weights: TagWeights, last: Learned, encoder: SequenceEncoder | None = None) -> Tagger:
    """A copy of a tagger with other weights, and without what has none any more."""
    # Atoms are copied because narrowing renumbers them in place, and the model's own may be among them.
    templates, found = kept_templates(model.templates_, weights._replace(atoms=[part.copy() for part in weights.atoms]))
    return copy.copy(model)._adopt(templates, *narrow(templates, model.encoder_ if encoder is None else encoder, found), last)


def _keeps(features: str) -> bool:
    """Whether only the model's features take part."""
    if features not in FEATURES:
        raise ValueError(f"features must be 'model' or 'data', got {features!r}")
    return features == "model"


@posed.register
def _(model: SparseLinear, X: Any, y: Any, penalty: ElasticNet | None = None, features: str = "model") -> Posed:
    check_is_fitted(model)
    coef = np.atleast_2d(model.coef_)
    alive = np.any(coef != 0, axis=0) if _keeps(features) else np.ones(coef.shape[1], dtype=bool)
    inner = copy.copy(model).set_params(penalty=penalty if penalty is not None else (model.penalty or L1()))
    problem = inner.build_problem(X[:, alive], y)
    _same_classes(model, inner)
    x = np.concatenate([coef[:, alive].T.ravel(), np.atleast_1d(model.intercept_) if model.fit_intercept else []])

    def adopt(result: Result) -> SparseLinear:
        found = inner.adopt(problem, result)
        found.coef_ = _widened(np.atleast_2d(found.coef_), alive).reshape(model.coef_.shape)
        found.n_features_in_ = model.n_features_in_
        return found

    return Posed(problem, x, adopt)


def _widened(coef: Array, alive: NDArray[np.bool_]) -> Array:
    """Weights of some features among zeros for the others."""
    wide = np.zeros((len(coef), len(alive)))
    wide[:, alive] = coef
    return wide


def _same_classes(model: Any, inner: Any) -> None:
    if isinstance(inner, SparseRegressor):
        return
    given, known = inner.classes_.tolist(), model.classes_.tolist()
    if given != known:
        raise ValueError(f"the model has the labels {known}, but the data has {given}")


@posed.register
def _(model: TextClassifier, X: Any, y: Any, penalty: ElasticNet | None = None, features: str = "model") -> Posed:
    check_is_fitted(model, "coef_")
    strength = model.strength if isinstance(model.strength, (int, float)) else LASSO
    own: dict[str, ElasticNet] = {
        "lasso": L1(strength),
        "ridge": ElasticNet(strength, 0.0),
        "elastic": ElasticNet(strength + model.lasso, model.lasso / max(strength + model.lasso, 1e-300)),
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
        found.intercept_, found.objective_, found.certificate_ = solved.intercept_, solved.objective_, solved.certificate_
        found.converged_, found.n_iter_, found.interrupted_ = solved.converged_, solved.n_iter_, result.interrupted
        return found

    return Posed(at.problem, at.x, adopt)


def _share(crf: Crf) -> float:
    """The lasso's part of a Crf's lasso and ridge."""
    return crf.lasso / (crf.ridge + crf.lasso) if crf.lasso else 0.0


@posed.register
def _(model: Tagger, X: Any, y: Any, penalty: ElasticNet | None = None, features: str = "model") -> Posed:
    check_is_fitted(model)
    tokens = X if isinstance(X, TokenColumns) else TokenColumns.from_sentences(X, model.columns)
    labels = flat_labels(tokens, y)
    if model.scheme_ != "plain":
        labels = convert_labels(labels, tokens.ptr, model.scheme_)
    number = {label: k for k, label in enumerate(model.classes_.tolist())}
    unknown = next((label for label in labels if label not in number), None)
    if unknown is not None:
        raise ValueError(f"the label {unknown!r} is not one of the model's")
    gold = np.fromiter(map(number.__getitem__, labels), np.int32, len(labels))
    keeps = _keeps(features)
    encoder = model.encoder_ if keeps else model.encoder_.thawed()
    data = Sentences(*(encoder.encode(tokens) if keeps else encoder.grow(tokens)), gold)
    known = isinstance(model.learner, Crf) and not model.learner.group
    crf = clone(model.learner) if known else Crf(ridge=0.0, lasso=LASSO)
    crf.set_params(values=(1.0,))  # any set: twins must not share weights, and the set of a solution comes later
    lesson = Lesson(model.templates_, encoder, data, len(number), model._n_threads(), start=model.weights_)
    at = crf.pose(lesson, keeps)
    problem = at.problem
    problem.penalty = (ElasticNet(crf.ridge + crf.lasso, _share(crf)) if penalty is None else penalty).check()

    def adopt(result: Result) -> Tagger:
        weights = at.weights(result.x)
        last = Learned(weights, 0, [], result.interrupted, problem.value(result.x), result.error)
        return _tagger(model, weights, last, encoder)

    return Posed(problem, at.x if at.x is not None else problem.start(), adopt)
