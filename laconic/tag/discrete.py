"""Few weight values for taggers."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Array
from laconic.core.penalties import L1, ElasticNet
from laconic.core.penalties.elastic import elastic_rates, of_rates
from laconic.core.report import FitReport, in_one_line
from laconic.core.solvers.base import Result
from laconic.core.solvers.online import Sentences
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
from laconic.models.features import kept_templates, narrow
from laconic.tag.crf import Crf
from laconic.tag.learn import TrainingData
from laconic.tag.model import Tagger
from laconic.tag.predict import TokenSentences
from laconic.tag.training import flat_labels
from laconic.tag.weights import TagWeights
from laconic.text.labels import convert_labels
from laconic.text.sequences import SequenceEncoder, TokenColumns


@rounded.register
def _(model: Tagger, change: Change) -> Tagger:
    check_is_fitted(model)
    found = model.weights_
    edge, start = change(found.edge), change(found.start)
    weights = found._replace(
        weights=[change(part) for part in found.weights], edge=edge, start=start
    )
    # What certified the old weights says nothing of the new ones.
    report = replace(model.report_, objective=np.nan, certificate=np.nan, converged=False)
    return _tagger(model, weights, report)


@weights_of.register
def _(model: Tagger) -> Array:
    every = (*model.weights_.weights, model.weights_.edge, model.weights_.start)
    return np.concatenate([part[part != 0] for part in every]).astype(np.float64)


@rounding_power.register
def _(model: Tagger) -> float:
    learner = model.learner  # of a file it is text
    text = learner if isinstance(learner, str) else in_one_line(learner)
    return 0.0 if text.lower().startswith("crf") else 1.0


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


@posed.register
def _(
    model: Tagger,
    X: TokenSentences,
    y: Sequence[Sequence[str]],
    penalty: ElasticNet | None = None,
    features: str = "model",
) -> Posed:
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
    keeps = keeps_features(features)
    encoder = model.encoder_ if keeps else model.encoder_.thawed()
    data = Sentences(*(encoder.encode(tokens) if keeps else encoder.grow(tokens)), gold)
    stated = model.learner.stated_penalty() if isinstance(model.learner, Crf) else None
    rates = None if stated is None else elastic_rates(stated)
    crf = Crf("lasso", LASSO) if rates is None else clone(model.learner)
    # Any set will do: twins must not share weights, and the set of a solution comes later.
    crf.set_params(values=(1.0,))
    training = TrainingData(
        model.templates_, encoder, data, len(number), model._n_threads(), start=model.weights_
    )
    at = crf.pose(training, keeps)
    problem = at.problem
    own = L1(LASSO) if rates is None else of_rates(rates)
    problem.penalty = (own if penalty is None else penalty).check()

    def adopt(result: Result) -> Tagger:
        weights = at.weights(result.x)
        report = replace(
            model.report_,
            objective=problem.value(result.x),
            certificate=result.error,
            n_iter=result.n_iter,
            converged=result.converged,
            interrupted=result.interrupted,
        )
        return _tagger(model, weights, report, encoder)

    return Posed(problem, at.x if at.x is not None else problem.start(), adopt)
