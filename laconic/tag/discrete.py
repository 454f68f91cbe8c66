"""Few weight values for taggers."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Array
from laconic.core.penalties import L1, ElasticNet
from laconic.core.penalties.elastic import elastic_rates, of_rates
from laconic.core.penalties.value_sets import GivenValues
from laconic.core.report import Callback, FitReport
from laconic.core.solvers.base import Result
from laconic.core.solvers.discrete import DiscreteAdmm
from laconic.core.solvers.online import Mira, Sentences
from laconic.core.solvers.online_discrete import OnlineDiscrete
from laconic.models.discrete.forms import (
    LASSO,
    Change,
    Posed,
    keeps_features,
    posed,
    rounded,
    rounding_power,
    weights_of,
)
from laconic.models.discrete.values import relearner, solve_posed
from laconic.models.features import kept_templates, narrow
from laconic.tag.crf import Crf
from laconic.tag.learn import TrainingData
from laconic.tag.model import Tagger
from laconic.tag.predict import TokenSentences
from laconic.tag.refit import REFIT
from laconic.tag.training import flat_labels
from laconic.tag.weights import TagWeights
from laconic.text.labels import convert_labels
from laconic.text.sequences import SequenceEncoder
from laconic.text.token_columns import TokenColumns

PASSES = 10
KNOWN_LASSO = re.compile(r"Crf\((?:.*, )?penalty='lasso', strength=([0-9.e+-]+)[,)]")


@rounded.register
def _(model: Tagger, change: Change) -> Tagger:
    check_is_fitted(model)
    found = model.weights_
    edge, start = change(found.edge), change(found.start)
    weights = found._replace(
        weights=[change(part) for part in found.weights], edge=edge, start=start
    )
    # What certified the old weights says nothing of the new ones.
    report = replace(
        model.report_, objective=np.nan, certificate=np.nan, certificate_kind="", converged=False
    )
    return _tagger(model, weights, report)


@weights_of.register
def _(model: Tagger) -> Array:
    every = (*model.weights_.weights, model.weights_.edge, model.weights_.start)
    return np.concatenate([part[part != 0] for part in every]).astype(np.float64)


@rounding_power.register
def _(model: Tagger) -> float:
    return 0.0 if _last_learner(model).startswith("Crf(") else 1.0


def _last_learner(model: Tagger) -> str:
    """Return what made the weights, in one line."""
    return model.report_.learner.rpartition(REFIT)[2]


def _known_lasso(model: Tagger) -> float:
    """Return the strength of the lasso that made the weights; of a file it is in the text."""
    found = KNOWN_LASSO.match(_last_learner(model))
    return LASSO if found is None else float(found[1])


def _tagger(
    model: Tagger, weights: TagWeights, report: FitReport, encoder: SequenceEncoder | None = None
) -> Tagger:
    """Return a copy of a tagger with other weights, without features that have none any more."""
    # Narrowing renumbers atoms in place, and they may be those of the model: hence the copies.
    templates, found = kept_templates(
        model.templates_, weights._replace(atoms=[part.copy() for part in weights.atoms])
    )
    return copy.copy(model)._adopt(
        templates, *narrow(templates, model.encoder_ if encoder is None else encoder, found), report
    )


def _training(
    model: Tagger, X: TokenSentences, y: Sequence[Sequence[str]], keeps: bool
) -> TrainingData:
    """Return encoded sentences; with `keeps`, over the features of the model alone."""
    check_is_fitted(model)
    tokens = TokenColumns.of(X, model.columns_)
    labels = flat_labels(tokens, y)
    if model.scheme_ != "plain":
        labels = convert_labels(labels, tokens.ptr, model.scheme_)
    number = {label: k for k, label in enumerate(model.classes_.tolist())}
    unknown = next((label for label in labels if label not in number), None)
    if unknown is not None:
        raise ValueError(f"the label {unknown!r} is not one of the model's")
    gold = np.fromiter(map(number.__getitem__, labels), np.int32, len(labels))
    encoder = model.encoder_ if keeps else model.encoder_.thawed()
    data = Sentences(*(encoder.encode(tokens) if keeps else encoder.grow(tokens)), gold)
    return TrainingData(
        model.templates_, encoder, data, len(number), model._n_threads(), start=model.weights_
    )


@relearner.register
def _(
    model: Tagger,
    X: TokenSentences,
    y: Sequence[Sequence[str]],
    penalty: ElasticNet | None = None,
    features: str = "model",
) -> Callable[..., Tagger]:
    """Learn again as the weights were learned: by DC-ADMM, or by passes of MIRA within it."""
    keeps = keeps_features(features)
    if rounding_power(model) == 0:
        at = posed(model, X, y, penalty=penalty, features=features)
        return lambda values, callback=None, solver=None: solve_posed(at, values, solver, callback)
    training = _training(model, X, y, keeps)

    def learn(
        values: GivenValues, callback: Callback | None = None, solver: DiscreteAdmm | None = None
    ) -> Tagger:
        if solver is not None:
            raise ValueError(f"{_last_learner(model)} learns by passes, which take no solver")
        lasso = 0.0 if penalty is None else penalty.strength * penalty._ratio()
        learner = OnlineDiscrete(values, Mira(1), PASSES, rho=0.02, growth=1.7, lasso=lasso)
        given = training._replace(callback=callback, start=training.start if keeps else None)
        weights, report = learner.learn(given)
        found = replace(report, features_total=model.report_.features_total)
        return _tagger(model, weights, found, training.encoder)

    return learn


@posed.register
def _(
    model: Tagger,
    X: TokenSentences,
    y: Sequence[Sequence[str]],
    penalty: ElasticNet | None = None,
    features: str = "model",
) -> Posed:
    keeps = keeps_features(features)
    training = _training(model, X, y, keeps)
    stated = model.learner.stated_penalty() if isinstance(model.learner, Crf) else None
    rates = None if stated is None else elastic_rates(stated)
    crf = Crf("lasso", _known_lasso(model)) if rates is None else clone(model.learner)
    # Any set will do: twins must not share weights, and the set of a solution comes later.
    crf.set_params(values=(1.0,))
    at = crf.pose(training, keeps)
    problem = at.problem
    own = L1(_known_lasso(model)) if rates is None else of_rates(rates)
    problem.penalty = (own if penalty is None else penalty).check()

    def adopt(result: Result) -> Tagger:
        weights = at.weights(result.x)
        report = replace(
            model.report_,
            objective=problem.value(result.x),
            certificate=result.error,
            certificate_kind=result.certificate_kind,
            n_iter=result.n_iter,
            converged=result.converged,
            interrupted=result.interrupted,
        )
        return _tagger(model, weights, report, training.encoder)

    return Posed(problem, at.x if at.x is not None else problem.start(), adopt)
