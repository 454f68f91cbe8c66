"""Few weight values for parsers, and for their pruner, labeler and tagger."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties import L1, ElasticNet
from laconic.core.penalties.discrete import Values
from laconic.core.report import Callback
from laconic.core.solvers.online import Mira
from laconic.core.solvers.online_discrete import OnlineDiscrete
from laconic.models.discrete.forms import Change, Posed, posed, rounded, weights_of
from laconic.models.discrete.values import relearner, tune_values
from laconic.parse.labels import labeler_of
from laconic.parse.model import Parser
from laconic.parse.scorer import PRUNER, Scorer
from laconic.parse.tags import word_tagger_of
from laconic.parse.trees import GivenTree, ParseSentences
from laconic.text.treebanks import Treebank

PARSER_PASSES = 10


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

    def learn(values: Values, callback: Callback | None = None) -> Parser:
        lasso = 0.0 if penalty is None else float(penalty.strength)
        learner = OnlineDiscrete(
            values, Mira(1), epochs=PARSER_PASSES, rho=0.02, growth=1.7, lasso=lasso
        )
        return model.relearned(learner, X, y, callback)

    return learn


def round_parts(model: Parser, zeta: int, bank: Treebank | None = None) -> Parser:
    """Return a copy whose pruner, labeler and tagger of words are rounded to 2 zeta values each.

    The values are those of least squares; with a treebank, those of the labeler are the ones with
    its best score on gold trees.
    """
    found = copy.copy(model)
    if model.pruner_ is not None:
        found.pruner_, _ = tune_values(model.pruner_, None, None, zeta)
    if model.labeler_ is not None:
        dev = None if bank is None else model.relations(bank)
        found.labeler_ = labeler_of(tune_values(model.labeler_.tagger_, None, dev, zeta)[0])
    if model.tagger_ is not None:
        found.tagger_ = word_tagger_of(tune_values(model.tagger_.tagger_, None, None, zeta)[0])
    return found
