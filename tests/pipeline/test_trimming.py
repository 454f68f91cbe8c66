"""What is kept of the weights of a part: the largest ones, in steps."""

from __future__ import annotations

import numpy as np
import pytest
from pipeline_treebanks import treebank

from laconic import Pipeline
from laconic.models.discrete.forms import weights_of
from laconic.pipeline.predict import parts_of
from laconic.pipeline.trimming import trimmed


@pytest.fixture(scope="module")
def whole():
    return dict(parts_of(Pipeline(keep=1).fit(treebank(40))))


@pytest.mark.parametrize("name", ["segment", "upos", "parse"])
def test_the_largest_weights_stay_in_steps_of_half_the_smallest(whole, name):
    keep = 0.25
    before, after = weights_of(whole[name]), weights_of(trimmed(whole[name], keep))
    share = keep if name == "parse" else np.sqrt(keep)
    least = np.quantile(np.abs(before), 1 - share)
    assert len(after) == np.sum(np.abs(before) >= least)
    steps = after / (least / 2)
    assert np.allclose(steps, np.round(steps), atol=1e-3)
    assert np.abs(np.sort(np.abs(before))[-len(after) :] - np.sort(np.abs(after))).max() <= least


def test_all_may_be_kept(whole):
    assert all(trimmed(part, 1) is part for part in whole.values())


def test_the_parts_of_a_parser_are_trimmed_too(whole):
    before, after = whole["parse"], trimmed(whole["parse"], 0.5)
    assert after.pruner_.weights.n_nonzero < before.pruner_.weights.n_nonzero
    found, given = after.labeler_.tagger_, before.labeler_.tagger_
    assert found.weights_.n_nonzero < given.weights_.n_nonzero


@pytest.mark.parametrize("keep", [0, -1, 1.5])
def test_impossible_shares_are_refused(keep):
    with pytest.raises(ValueError, match="keep must be"):
        Pipeline(keep=keep).fit(treebank(3))
