"""Small parts: the largest weights of each, in steps of half the smallest that is kept.

    w  ->  0 where |w| < t,  else the multiple of t / 2 next to w

t is the quantile of |w| of which a given share is above. Most weights of an averaged perceptron
belong to features seen once, and are small.
"""

from __future__ import annotations

import copy
import math
from typing import TypeVar

import numpy as np

from laconic.core.arrays import Array
from laconic.models.discrete.forms import rounded, weights_of
from laconic.parse.compact import CompactParser
from laconic.parse.labels import labeler_of
from laconic.parse.model import Parser
from laconic.parse.scorer import Scorer
from laconic.pipeline.predict import PipelinePart
from laconic.tag.compact import CompactTagger
from laconic.tag.model import Tagger

Trimmable = TypeVar("Trimmable", Tagger, Parser, Scorer)


def trimmed(part: PipelinePart, keep: float) -> PipelinePart:
    """Return a part with a share of its weights; a parser's pruner and labeler are trimmed too.

    That is `keep` of a parser, and its square root of a tagger, which has fewer weights and whose
    mistakes go on to later parts. With `keep` 1 a part stays as it is.
    """
    if keep == 1:
        return part
    assert not isinstance(part, CompactTagger | CompactParser)
    if isinstance(part, Tagger):
        return _trimmed(part, math.sqrt(keep))
    found = copy.copy(_trimmed(part, keep))
    if isinstance(found.pruner_, Scorer):
        found.pruner_ = _trimmed(found.pruner_, keep)
    if found.labeler_ is not None and isinstance(found.labeler_.tagger_, Tagger):
        found.labeler_ = labeler_of(_trimmed(found.labeler_.tagger_, keep))
    return found


def _trimmed(model: Trimmable, keep: float) -> Trimmable:
    sizes = np.abs(weights_of(model))
    least = float(np.quantile(sizes, 1 - keep)) if len(sizes) else 0.0
    if least == 0:
        return model

    def change(weights: Array) -> Array:
        steps = np.round(weights * (2 / least)) * (least / 2)
        return np.where(np.abs(weights) < least, 0, steps).astype(weights.dtype)

    found: Trimmable = rounded(model, change)
    return found
