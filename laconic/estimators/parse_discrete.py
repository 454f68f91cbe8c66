"""Few weight values for what stands beside a parser's own weights: the model that prunes its arcs, its labeler and its tagger."""

from __future__ import annotations

import copy

from laconic.estimators.discrete import tune_values
from laconic.estimators.parse import Parser
from laconic.estimators.parse_labels import labeler_of
from laconic.estimators.parse_tags import word_tagger_of
from laconic.text.treebanks import Treebank


def round_parts(model: Parser, zeta: int, bank: Treebank | None = None) -> Parser:
    """A copy whose pruner, labeler and tagger of words have 2 zeta weight values each, of sizes of their own, rounded.

    Sizes are those of least squares; with a treebank, the labeler's are those of its best score on gold trees.
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
