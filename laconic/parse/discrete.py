"""Few weight values for parsers, and for their pruner, labeler and tagger."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties import L1, ElasticNet
from laconic.core.penalties.value_sets import GivenValues
from laconic.core.report import Callback
from laconic.core.solvers.online import Mira
from laconic.core.solvers.online_discrete import OnlineDiscrete
from laconic.models.discrete.forms import Change, Posed, posed, rounded, rounding_power, weights_of
from laconic.models.discrete.tuning import tune_values
from laconic.models.discrete.values import quantize, relearner
from laconic.parse.labels import labeler_of
from laconic.parse.model import Parser
from laconic.parse.scorer import Scorer
from laconic.parse.tags import word_tagger_of
from laconic.parse.trees import GivenTree, ParseSentences
from laconic.parse.weights import PRUNER
from laconic.text.treebanks import Treebank

PARSER_PASSES = 10
PRUNER_VALUES = 64  # an arc that the pruner loses is lost, and its codes take few bits of the file


@rounded.register
def _(model: Parser, change: Change) -> Parser:
    found = model.weights_
    return model.with_weights(found._replace(weights=[change(part) for part in found.weights]))


@weights_of.register
def _(model: Parser) -> Array:
    weights: Array = weights_of(model.scorer_)
    return weights


@rounded.register
def _(pruner: Scorer, change: Change) -> Scorer:
    found = pruner.weights
    return pruner.with_weights(
        found._replace(weights=[change(part) for part in found.weights]), PRUNER
    )


@weights_of.register
def _(scorer: Scorer) -> Array:
    return np.concatenate([np.zeros(0), *(part[part != 0] for part in scorer.weights.weights)])


@rounding_power.register
def _(model: Parser) -> float:
    return 1.0


@rounding_power.register
def _(pruner: Scorer) -> float:
    return 1.0


@posed.register
def _(
    model: Parser,
    X: object,
    y: object,
    penalty: ElasticNet | None = None,
    features: str = "model",
) -> Posed:
    raise ValueError(
        "a parser is learned sentence by sentence: "
        "use discretize, or model.relearned(OnlineDiscrete(values), treebank)"
    )


@relearner.register
def _(
    model: Parser,
    X: ParseSentences,
    y: Sequence[GivenTree] | None = None,
    penalty: L1 | None = None,
    features: str = "model",
) -> Callable[..., Parser]:
    if features != "model":
        raise ValueError(
            f"a parser is learned again over the features of the 'model', not of {features!r}"
        )

    def learn(values: GivenValues, callback: Callback | None = None) -> Parser:
        lasso = 0.0 if penalty is None else float(penalty.strength)
        learner = OnlineDiscrete(
            values, Mira(1), epochs=PARSER_PASSES, rho=0.02, growth=1.7, lasso=lasso
        )
        return model.relearned(learner, X, y, callback)

    return learn


def round_parts(model: Parser, n_values: int, bank: Treebank | None = None) -> Parser:
    """Return a copy whose labeler and tagger of words are rounded to n values each.

    The pruner has at least PRUNER_VALUES. Values are learned from the weights; with a treebank,
    those of the labeler are the ones with the best score on gold trees.
    """
    found = copy.copy(model)
    if model.pruner_ is not None:
        found.pruner_ = quantize(model.pruner_, max(n_values, PRUNER_VALUES))
    if model.labeler_ is not None:
        labeler = model.labeler_.tagger_
        dev = None if bank is None else model.relations(bank)
        found.labeler_ = labeler_of(
            quantize(labeler, n_values)
            if dev is None
            else tune_values(labeler, None, dev, n_values // 2)[0]
        )
    if model.tagger_ is not None:
        found.tagger_ = word_tagger_of(quantize(model.tagger_.tagger_, n_values))
    return found
