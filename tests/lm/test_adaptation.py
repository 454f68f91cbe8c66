"""Adapted models: the prior where nothing is learned, a convex problem, probabilities of sum 1."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from made_sentences import sentences

from laconic import (
    ClassMixture,
    KneserNey,
    LanguageModel,
    LogLinear,
    NestedGroups,
    NestedLasso,
    adapted,
)
from laconic.lm.beside import BesideModel, tilted
from laconic.lm.contexts import Contexts
from laconic.lm.interpolation import known_numbers
from laconic.lm.log_linear import nested_weights
from laconic.lm.problem import NestedProblem
from laconic.lm.products import over_words
from laconic.lm.running import SentenceEncoder
from laconic.lm.scaled import ScaledFista

GENERAL = sentences(150)
DOMAIN = [each.replace("the", "ye").replace("n1", "whale") for each in sentences(120, 1)]


@pytest.fixture(scope="module", params=["kneser-ney", "log-linear"])
def general(request: pytest.FixtureRequest) -> LanguageModel:
    learner = KneserNey() if request.param == "kneser-ney" else LogLinear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LanguageModel(3, learner).fit(GENERAL)


def sums(model: LanguageModel) -> list[float]:
    states = [
        model.state(words) for words in ("", "the", "ye", "ye whale", "the n2", "unseen unseen")
    ]
    return [float(np.exp(model._kernel.distribution(state)).sum()) for state in states]


def test_a_model_learns_its_domain(general: LanguageModel) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = LanguageModel(3, LogLinear(), vocabulary=["zebra"]).fit(DOMAIN)
        words, whole = adapted(general, DOMAIN, LogLinear()), adapted(general, DOMAIN)
    assert not words.others_ and len(alone.encoder_) < len(words.encoder_)
    assert {"whale", "n1"} <= words.encoder_.numbers.keys()
    for model in (words, whole):
        assert sums(model) == pytest.approx([1.0] * 6, abs=1e-5)
        assert model.report_.learner.startswith("adapted(") and model.report_.converged
        assert model.perplexity(DOMAIN) < 0.5 * general.perplexity(DOMAIN)
        assert model.perplexity(GENERAL) < 10 * general.perplexity(GENERAL)
        assert model.report_.features_kept <= model.report_.features_total


def test_where_nothing_is_learned_the_model_is_the_prior(general: LanguageModel) -> None:
    steep = LogLinear(NestedLasso(strength=1e6, roots=1e6))
    same, text = adapted(general, GENERAL[:9], steep), [*sentences(40, 2), "unseen the unseen"]
    assert same.n_ngrams_ == general.n_ngrams_
    np.testing.assert_allclose(
        np.concatenate(same.log_probs(text)), np.concatenate(general.log_probs(text)), atol=1e-5
    )


def problem_of(model: LanguageModel) -> tuple[NestedProblem, BesideModel, Contexts]:
    encoder = SentenceEncoder(
        dict.fromkeys([*model.encoder_.words, *SentenceEncoder.learn(DOMAIN)[0].words])
    )
    prior = over_words(model.model_, known_numbers(model, encoder), len(encoder))
    contexts = Contexts.build(encoder.encode(DOMAIN), 3)
    beside = BesideModel(contexts, prior)
    terms = tilted(NestedGroups().on(nested_weights(contexts)))
    return NestedProblem(beside, terms), beside, contexts


def test_gradients_are_those_of_finite_differences(general: LanguageModel) -> None:
    problem, beside, contexts = problem_of(general)
    rng = np.random.default_rng(0)
    w = rng.random(len(contexts.target))
    gradient = np.empty(len(w))
    beside.loss(w, gradient)
    for i in rng.choice(len(w), 20, replace=False):
        step = np.zeros(len(w))
        step[i] = 1e-5
        up, down = (beside.loss(w + sign * step, np.empty(0)) for sign in (1, -1))
        assert (up - down) / 2e-5 == pytest.approx(gradient[i], abs=1e-5)
    assert problem.value(w) >= problem.loss_value(w)


def test_certificates_bound_the_distance_to_the_best(general: LanguageModel) -> None:
    problem, _, _ = problem_of(general)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rough, fine = (ScaledFista(1e-12, n).run(problem) for n in (3, 400))
    for result in (rough, fine):
        value = problem.value(result.x)
        assert value * (1 - problem.certificate(result.x)) <= problem.value(fine.x) + 1e-9
    assert problem.certificate(fine.x) < 1e-3 < problem.certificate(rough.x)


def test_what_cannot_be_adapted_is_refused(general: LanguageModel) -> None:
    with pytest.raises(ValueError, match="must be log-linear"):
        adapted(general, DOMAIN, ClassMixture(KneserNey()))
    with pytest.raises(ValueError, match="at least one sentence"):
        adapted(general, [])
    with pytest.raises(ValueError, match="got one string"):
        adapted(general, "the n1")


def test_offsets_are_checked_at_the_door(general: LanguageModel) -> None:
    contexts = Contexts.build(general.encoder_.encode(GENERAL), 3)
    n, kernel = len(contexts.parent), contexts.kernel
    ptr, none = np.zeros(n + 1, np.int64), np.zeros(0, np.int32)
    assert len(kernel.beside(ptr, none, none.astype(float)).own()) == len(contexts.target)
    ends = ptr.copy()
    ends[-1] = 1
    absent = next(
        v for v in range(contexts.n_words) if v not in contexts.target[contexts.ptr[-2] :]
    )
    for target, offset, what in (
        ([10**6], [0.0], "target"),
        ([absent], [1e4], "offsets must be"),
        ([absent], [], "one entry per pair"),
    ):
        with pytest.raises(ValueError, match=what):
            kernel.beside(ends, np.array(target, np.int32), np.array(offset, float))
    two = ptr.copy()
    two[1:] = 2
    with pytest.raises(ValueError, match="must rise"):
        kernel.beside(two, np.array([3, 3], np.int32), np.zeros(2))
    with pytest.raises(ValueError, match="an entry more"):
        kernel.beside(ptr[:-1], none, none.astype(float))
    longest = int(np.flatnonzero(contexts.depth == 2)[0])
    one = ptr.copy()
    one[longest + 1 :] = 1
    above = contexts.parent[longest]
    here = contexts.target[contexts.ptr[above] : contexts.ptr[above + 1]]
    missing = np.setdiff1d(np.arange(contexts.n_words), here)[:1].astype(np.int32)
    with pytest.raises(ValueError, match="next shorter context"):
        kernel.beside(one, missing, np.zeros(1))
    tree = Contexts.build(general.encoder_.encode(GENERAL), 3, collapse=True)
    if (tree.lengths() > 1).any():
        with pytest.raises(ValueError, match="collapsed"):
            tree.kernel.beside(np.zeros(len(tree.parent) + 1, np.int64), none, np.zeros(0))
