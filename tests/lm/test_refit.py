"""N-grams that were kept, learned anew: which they are, and that they fit better."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from made_sentences import sentences

from laconic.lm.contexts import Contexts
from laconic.lm.log_linear import LogLinear, nested_weights
from laconic.lm.model import LanguageModel
from laconic.lm.nested_groups import NestedGroups
from laconic.lm.nested_tree import NestedTree
from laconic.lm.pruning import weights_of_pairs
from laconic.lm.refit import KeptTerms, pairs_in, refitted


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return LanguageModel(3, LogLinear(tol=1e-5, max_iter=1000)).fit(sentences(200))


def test_weights_learned_anew_fit_better(model: LanguageModel) -> None:
    text = model.encoder_.encode(sentences(200))
    size = 150
    pruned = model.prune(size, text)
    learner = LogLinear(tol=1e-4, max_iter=1000)
    again = model.prune(size, text, refit=learner)
    assert sum(again.n_ngrams_) <= size
    assert again.perplexity(text) < pruned.perplexity(text)
    state = again.score(again.start(), "the")[0]
    assert np.exp(again._kernel.distribution(state)).sum() == pytest.approx(1, abs=1e-5)
    with pytest.raises(ValueError, match="give X"):
        model.prune(size, refit=learner)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.prune(size, text, refit=LogLinear(max_iter=1))
    assert any("certificate" in str(one.message) for one in caught)


def test_all_n_grams_learned_anew_are_the_model(model: LanguageModel) -> None:
    text = model.encoder_.encode(sentences(200))
    same = refitted(LogLinear(tol=1e-6, max_iter=1000), model.model_, text)
    contexts = Contexts.build(text, 3)
    pairs = pairs_in(contexts, same)
    assert (pairs >= 0).all() and len(set(pairs.tolist())) == len(pairs)
    np.testing.assert_array_equal(contexts.target[pairs], same.target)
    before = pairs_in(contexts, model.model_)
    w, v = np.zeros(len(contexts.target)), np.zeros(len(contexts.target))
    w[before], v[pairs] = weights_of_pairs(model.model_), weights_of_pairs(same)
    np.testing.assert_allclose(w, v, atol=0.05)


def test_n_grams_that_a_text_lacks_are_left_out(model: LanguageModel) -> None:
    few = model.encoder_.encode(sentences(5))
    found = pairs_in(Contexts.build(few, 3), model.model_)
    assert (found[: model.model_.n_words] >= 0).all() and (found < 0).any()


@pytest.mark.parametrize("penalty", [NestedGroups(), NestedTree(), NestedTree(norm="inf")])
def test_bounds_hold_for_the_weights_that_are_kept(penalty: NestedGroups | NestedTree) -> None:
    random = np.random.default_rng(0)
    encoder_text = LanguageModel(2, LogLinear(max_iter=500)).fit(sentences(40))
    contexts = Contexts.build(encoder_text.encoder_.encode(sentences(40)), 3)
    kept = random.random(len(contexts.target)) < 0.5
    terms = KeptTerms(penalty.on(nested_weights(contexts)), kept)
    slope = random.normal(size=len(kept)) * 3
    bound = terms.bound(slope, np.abs(random.normal(size=len(kept))), 5.0)
    square = np.zeros(1) if terms.ridge is None else terms.ridge
    for scale in (0.0, 0.1, 1.0, 5.0):
        v = np.where(kept, np.minimum(scale * random.random(len(kept)), 5.0), 0.0)
        assert slope @ v - terms.value(v) - 0.5 * (square * v) @ v <= bound + 1e-6
    step = terms.prox(random.normal(size=len(kept)) + 1, terms.curvature(1.0))
    assert (step[~kept] == 0).all() and (step[kept] > 0).any()
