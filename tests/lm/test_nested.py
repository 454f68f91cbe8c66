"""Penalties on nested contexts: proximal steps, collapsed trees, and bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from laconic import _core
from laconic.core.report import FitReport
from laconic.lm.checks import check_nested_penalty
from laconic.lm.contexts import Contexts, Text
from laconic.lm.log_linear import ContextWeights, LogLinear, expanded, nested_weights
from laconic.lm.nested import NestedLasso, NestedPenalty, NestedRidge, discounts
from laconic.lm.nested_groups import NestedGroups, repeated
from laconic.lm.nested_tree import NestedTree
from laconic.lm.problem import NestedProblem
from laconic.lm.scaled import ScaledFista

ALL = [
    NestedRidge(0.3, 2.0),
    NestedRidge(0.3),
    NestedLasso(0.2, 1.5),
    NestedLasso(0.2),
    NestedTree(0.3, 0.8, ridge=0.0, roots=1.0),
    NestedTree(0.3, 1.2, "inf", ridge=0.0, roots=1.0),
    NestedTree(0.3, 0.7, "inf", ridge=0.0, roots=1.0),
    NestedTree(0.3, 1.0, "inf", fade=0.8, ridge=0.0, roots=1.0),
    NestedTree(0.3, 0.9, fade=1.2, ridge=0.0, roots=1.0),
    NestedTree(0.2, 0.9, ridge=0.1, roots=1.0, ridge_growth=2.0),
    NestedTree(0.2, 0.9, "inf", 0.8, 0.1, 2.0, roots=0.0),
    NestedTree(0.3, 0.9, "inf", roots=2.0, ridge=0.0),
    NestedTree(),
    NestedTree(norm="inf"),
    NestedGroups(0.4, 1.3),
    NestedGroups(0.4, 1.3, extensions=0.0),
    NestedGroups(0.4, 1.3, extensions=1.0),
]


def random_text(seed: int, n_sentences: int = 30, n_words: int = 6) -> Text:
    """Return sentences in which words repeat; the last word of each is its end."""
    random = np.random.default_rng(seed)
    sentences = [
        np.append(random.integers(1, n_words, random.integers(1, 8)), 0) for _ in range(n_sentences)
    ]
    return Text(
        np.concatenate(sentences).astype(np.int32), np.cumsum([0, *map(len, sentences)]), n_words
    )


@settings(max_examples=60)
@given(seed=st.integers(0, 2**31), which=st.integers(0, len(ALL) - 1), collapse=st.booleans())
def test_laws(seed: int, which: int, collapse: bool) -> None:
    contexts = Contexts.build(random_text(seed, 8), 4, collapse and ALL[which].collapses)
    check_nested_penalty(ALL[which], nested_weights(contexts), np.random.default_rng(seed))


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**31),
    growth=st.sampled_from([1.0, 0.8]),
    kind=st.sampled_from(["ridge", "lasso", "tree"]),
)
def test_a_collapsed_tree_steps_as_its_trie_does(seed: int, growth: float, kind: str) -> None:
    """Propositions 1 and 2 of Nelakanti et al. (2013): equal weights on a path stay equal."""
    penalty: NestedPenalty = {
        "ridge": NestedRidge(0.3, 1.0),
        "lasso": NestedLasso(0.2, 1.0),
        "tree": NestedTree(0.3, growth, "inf", ridge=0.0, roots=1.0),
    }[kind]
    assert penalty.collapses
    random = np.random.default_rng(seed)
    text = random_text(seed, 6)
    tree = Contexts.build(text, 6, collapse=True)
    w = random.normal(size=len(tree.target))
    nothing = FitReport()
    trie, wide = expanded(ContextWeights(tree, w, nothing), text)
    small, large = penalty.on(nested_weights(tree)), penalty.on(nested_weights(trie))
    curvature = random.uniform(0.5, 2)
    step = small.prox(w, np.full(len(w), curvature))
    expected = large.prox(wide, np.full(len(wide), curvature))
    np.testing.assert_allclose(
        expanded(ContextWeights(tree, step, nothing), text)[1], expected, atol=1e-12
    )
    assert small.value(step) == pytest.approx(large.value(expected))


@pytest.mark.parametrize("penalty", ALL, ids=repr)
def test_fits_end_with_a_small_gap_that_is_a_bound(penalty: NestedPenalty) -> None:
    text = random_text(3, 60)
    fitted = LogLinear(penalty, tol=1e-7, max_iter=3000).fit(text, 4)
    assert fitted.report.certificate < 1e-4
    problem = NestedProblem(fitted.contexts.kernel, penalty.on(nested_weights(fitted.contexts)))
    best = problem.value(fitted.weights)
    random = np.random.default_rng(0)
    for scale in (0.0, 0.5, 0.9, 1.0):
        point = fitted.weights * scale + 0.05 * random.random(len(fitted.weights))
        value, gap = problem.value(point), problem.certificate(point)
        assert value >= best * (1 - 1e-4)
        assert value * (1 - gap) <= best * (1 + 1e-9), (
            "the gap must be an upper bound of the distance to the optimum"
        )


def test_collapsed_and_whole_fits_agree() -> None:
    text = random_text(5, 40)
    for penalty in (NestedTree(0.3, 0.9, "inf", ridge=0.0, roots=1.0), NestedRidge(0.2, 1.0)):
        fitted = LogLinear(penalty, tol=1e-8, max_iter=4000).fit(text, 5)
        trie, weights = expanded(fitted, text)
        assert len(trie.target) > len(fitted.weights)
        problem = NestedProblem(trie.kernel, penalty.on(nested_weights(trie)))
        assert problem.certificate(weights) == pytest.approx(fitted.report.certificate, abs=1e-6)


def test_strengths_follow_the_discounts_of_n_grams() -> None:
    weights = nested_weights(Contexts.build(random_text(2, 40), 4))
    found = discounts(weights)
    for depth in range(4):
        counts = weights.count[weights.depth == depth]
        twice = np.count_nonzero(counts == 2) + 1
        once = max(np.count_nonzero(counts == 1) + 1, twice)
        assert found[depth] == pytest.approx(once / (once + 2 * twice))
    assert found.min() == pytest.approx(
        1 / 3
    )  # of single words, of which most occur more often than once
    rates = NestedGroups(0.5, repeats=0.0).on(weights).rates
    np.testing.assert_allclose(rates, 0.5 * found[weights.depth])
    odds = found / (1 - found)
    for penalty, factors in ((NestedRidge(0.3), odds**1.25), (NestedLasso(0.3), found**1.5)):
        expected = np.append(penalty.roots, 0.3 * factors[1:])
        np.testing.assert_allclose(penalty.on(weights).rates, expected[weights.depth])
    tree = NestedTree(0.3, ridge=0.1).on(weights)
    np.testing.assert_allclose(tree.rates, (0.3 * np.append(0, found[1:]))[weights.depth])
    assert tree.ridge is not None
    np.testing.assert_allclose(tree.ridge, np.append(0.012, 0.1 * odds[1:])[weights.depth])


@settings(max_examples=30)
@given(seed=st.integers(0, 2**31), order=st.integers(1, 6))
def test_contexts_are_repeated_as_far_as_shorter_ones_occur_as_often(seed: int, order: int) -> None:
    contexts = Contexts.build(random_text(seed, 4), order)
    total = [
        contexts.count[a:b].sum() for a, b in zip(contexts.ptr[:-1], contexts.ptr[1:], strict=True)
    ]
    expected = []
    for context in range(len(total)):
        words, up = 0, contexts.parent[context]
        while up >= 0 and total[up] == total[context]:
            words, up = words + 1, contexts.parent[up]
        expected.append(words)
    weights = nested_weights(contexts)
    np.testing.assert_array_equal(repeated(weights), contexts.of_pairs(np.array(expected)))
    dearer, plain = (NestedGroups(repeats=repeats).on(weights).rates for repeats in (0.5, 0.0))
    np.testing.assert_allclose(dearer, plain * (1 + 0.5 * repeated(weights)))


def test_roots_are_the_strength_of_whole_trees() -> None:
    weights = nested_weights(Contexts.build(random_text(1), 4))
    w = np.random.default_rng(0).random(len(weights.parent))
    free, dear = (
        NestedTree(0.3, 0.9, "inf", roots=roots, ridge=0.0).on(weights).value(w)
        for roots in (0.0, 2.0)
    )
    trees = [w[weights.roots() == root].max() for root in np.flatnonzero(weights.parent < 0)]
    assert dear - free == pytest.approx(2 * 0.3 * sum(trees))


def test_bad_parameters_are_refused() -> None:
    for penalty in (
        NestedRidge(-1),
        NestedLasso(1, 0),
        NestedTree(1, 1, 3, ridge=0.0, roots=1.0),
        NestedTree(1, 1, 2, ridge=-1, roots=1.0),
        NestedTree(1, 1, 2, 0),
        NestedGroups(1, 1, 0),
        NestedGroups(np.nan),
        NestedGroups(extensions=1.5),
        NestedGroups(repeats=-1),
        NestedGroups(growth=0),
        NestedTree(ridge_growth=0.0),
        NestedRidge(roots=-1),
        NestedLasso(roots=np.nan),
        NestedTree(1, 1, 2, roots=-1, ridge=0.0),
    ):
        with pytest.raises(ValueError, match="must"):
            penalty.check()
    forest = _core.Forest(np.array([-1, 0]), np.array([0, 1, 2]), np.array([0, 1]), np.ones(2), 2)
    for w, d in (
        (np.ones(3), np.ones(2)),
        (np.ones(2), np.zeros(2)),
        (np.full(2, np.nan), np.ones(2)),
    ):
        with pytest.raises(ValueError, match="must"):
            forest.prox_curved(w, d, _core.Norm.two, np.empty(2), 1)


@pytest.mark.parametrize(
    "penalty",
    [
        NestedLasso(0.2),
        NestedRidge(0.1),
        NestedTree(0.3, ridge=0.0, roots=1.0),
        NestedTree(0.2, norm="inf", ridge=0.0, roots=1.0),
        NestedTree(0.2, norm="inf", fade=0.8, ridge=0.0, roots=1.0),
        NestedGroups(),
        NestedGroups(0.3, extensions=0.0),
    ],
    ids=repr,
)
def test_certificates_are_bounds_on_the_way_and_become_small(penalty: NestedPenalty) -> None:
    contexts = Contexts.build(random_text(5, n_sentences=60, n_words=12), 3, penalty.collapses)
    terms = penalty.check().on(nested_weights(contexts))
    problem = NestedProblem(contexts.kernel, terms)
    best = ScaledFista(1e-11, 3000).run(problem)
    lowest = problem.value(best.x)
    for passes in (1, 3, 10, 30, 100, 300):
        problem = NestedProblem(contexts.kernel, terms)  # without the bounds of other runs
        result = ScaledFista(1e-12, passes, check_every=5000).run(problem)
        value = problem.value(result.x)
        assert (value - lowest) / value <= result.error + 1e-10
    assert result.error < 2e-3


def test_a_fit_that_stops_early_warns_and_says_so() -> None:
    text = random_text(1)
    with pytest.warns(ConvergenceWarning, match="stopped after 1 passes with a certificate"):
        fitted = LogLinear(NestedGroups(), max_iter=1).fit(text, 3)
    assert not fitted.report.converged
    assert LogLinear(NestedGroups()).fit(text, 3).report.converged


def test_what_a_ridge_beside_a_tree_takes_is_least_and_stays_in_the_box() -> None:
    contexts = Contexts.build(random_text(2), 4, False)
    random = np.random.default_rng(0)
    for norm in ("inf", 2):
        terms = NestedTree(0.3, 0.9, norm, ridge=0.05, ridge_growth=1.5).on(
            nested_weights(contexts)
        )
        assert terms.ridge is not None
        slope, most = random.normal(size=len(terms.ridge)), 1e3
        # The maximum of <slope, v> - Omega(v) - ridge v^2 / 2, by many proximal steps.
        step = np.full(len(slope), float(terms.ridge.max()))
        v = np.zeros(len(slope))
        for _ in range(2000):
            v = terms.prox(v - (terms.ridge * v - slope) / step, step)
        best = float(slope @ v) - terms.value(v) - 0.5 * float((terms.ridge * v) @ v)
        assert best > 0 and v.max() < most
        far = terms.bound(slope, np.zeros(len(v)), most)
        near = terms.bound(slope, v, most)
        assert best * (1 - 1e-9) <= near <= best * (1 + 1e-6) and near <= far * (1 + 1e-9)
        if norm == "inf":  # wherever it is asked
            assert far <= best * (1 + 1e-6)
        assert terms.bound(1e6 * slope, v, most) <= 1e6 * most * float(np.maximum(slope, 0).sum())
