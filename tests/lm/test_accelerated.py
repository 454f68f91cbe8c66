"""Steps on mini-batches: exact gradients of parts of a text, and the optimum of full batches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.lm.accelerated import Accelerated, periods, tokens_of
from laconic.lm.contexts import Contexts, Text
from laconic.lm.log_linear import LogLinear, nested_weights
from laconic.lm.nested import NestedLasso, NestedPenalty, NestedRidge
from laconic.lm.nested_groups import NestedGroups
from laconic.lm.nested_tree import NestedTree

PENALTIES = [  # with mu, and how near many passes of small batches come
    (NestedRidge(0.3, 2.0), 0.02, 3e-3),
    (NestedLasso(0.2, 1.5), 0.02, 8e-3),
    (NestedTree(0.3, 0.8, ridge=0.0, roots=1.0), 0.001, 6e-3),
    (NestedTree(0.3, 0.7, "inf", ridge=0.0, roots=1.0), 0.02, 6e-3),
    (NestedTree(0.2, 0.9, ridge=0.1, roots=1.0, ridge_growth=2.0), 0.02, 6e-4),
    (NestedTree(0.2, 0.9, fade=0.8, ridge=0.1, roots=1.0, ridge_growth=2.0), 0.005, 3e-3),
]


def random_text(seed: int, n_sentences: int, n_words: int = 6) -> Text:
    """Return sentences in which words repeat; the last word of each is its end."""
    random = np.random.default_rng(seed)
    sentences = [
        np.append(random.integers(1, n_words, random.integers(1, 8)), 0) for _ in range(n_sentences)
    ]
    return Text(
        np.concatenate(sentences).astype(np.int32), np.cumsum([0, *map(len, sentences)]), n_words
    )


@settings(max_examples=40)
@given(seed=st.integers(0, 2**31), order=st.integers(1, 6), collapse=st.booleans())
def test_parts_of_a_text_add_up_to_it(seed: int, order: int, collapse: bool) -> None:
    random = np.random.default_rng(seed)
    contexts = Contexts.build(random_text(seed, 20), order, collapse)
    tokens = random.permutation(tokens_of(nested_weights(contexts)))
    w = random.random(len(contexts.target)) * (random.random(len(contexts.target)) < 0.7)
    whole, parts = np.empty(len(w)), np.zeros(len(w))
    loss = contexts.kernel.loss(w, whole)
    found = sum(contexts.kernel.batch_loss(part, w, parts) for part in np.array_split(tokens, 7))
    assert found == pytest.approx(loss)
    np.testing.assert_allclose(parts, whole, atol=1e-9)


def test_a_batch_changes_only_its_own_paths() -> None:
    contexts = Contexts.build(random_text(1, 40, 30), 4)
    tokens = tokens_of(nested_weights(contexts))
    gradient = np.zeros(len(contexts.target))
    context = contexts.of_pairs(np.arange(len(contexts.parent)))
    contexts.kernel.batch_loss(tokens[:1], np.zeros(len(gradient)), gradient)
    path, c = set(), context[tokens[0]]
    while c >= 0:
        path.add(int(c))
        c = contexts.parent[c]
    assert set(context[gradient != 0]) == path


@pytest.mark.slow
@pytest.mark.parametrize("case", PENALTIES, ids=repr)
def test_small_batches_reach_the_optimum_of_full_ones(
    case: tuple[NestedPenalty, float, float],
) -> None:
    penalty, mu, near = case
    text = random_text(3, 120)
    best = LogLinear(penalty, tol=1e-7, max_iter=3000).fit(text, 4).report.trace[-1].value
    solver = Accelerated(1e-9, 300, batch=40, mu=mu, check_every=1000)
    trace = LogLinear(penalty, solver=solver).fit(text, 4).report.trace
    early, late = trace[49].value / best - 1, trace[-1].value / best - 1
    assert late < near
    assert late < 0.6 * early, "averages keep approaching the optimum"


@pytest.mark.slow
@pytest.mark.parametrize("case", PENALTIES, ids=repr)
def test_a_batch_of_all_tokens_is_accelerated_gradient(
    case: tuple[NestedPenalty, float, float],
) -> None:
    text = random_text(3, 120)
    best = LogLinear(case[0], tol=1e-7, max_iter=3000).fit(text, 4).report.trace[-1].value
    fitted = LogLinear(
        case[0], solver=Accelerated(1e-9, 400, batch=10**6, mu=0.001, check_every=400)
    ).fit(text, 4)
    assert fitted.report.trace[-1].value < best * (1 + 5e-4)
    assert (fitted.weights >= 0).all() and fitted.report.certificate < 0.01


def test_runs_repeat_and_stop() -> None:
    text = random_text(4, 60)
    first, again, other = (
        LogLinear(NestedLasso(), solver=Accelerated(max_iter=3, batch=20, random_state=seed))
        .fit(text, 3)
        .weights
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    solver = Accelerated(tol=0.05, max_iter=500, batch=100, check_every=5)
    result = LogLinear(NestedRidge(), solver=solver).fit(text, 3).report
    assert result.converged and result.n_iter < 500


def test_frequent_words_step_more_often() -> None:
    text = Text(
        np.repeat(np.arange(1, 9, dtype=np.int32), 2 ** np.arange(8)), np.array([0, 255]), 9
    )
    weights = nested_weights(Contexts.build(text, 2))
    found = periods(weights, 255, 8)
    assert ((found & (found - 1)) == 0).all() and found.max() <= 32
    assert found[8] < found[2] <= found[0], "a word that never occurs steps once per pass"
    np.testing.assert_array_equal(found, found[weights.roots()])


def test_impossible_requests_are_refused() -> None:
    text = random_text(5, 20)
    with pytest.raises(ValueError, match="tree by tree"):
        LogLinear(NestedGroups(), solver=Accelerated()).fit(text, 3)
    for solver in (Accelerated(batch=0), Accelerated(lipschitz=0), Accelerated(mu=-1)):
        with pytest.raises(ValueError, match="must be"):
            LogLinear(NestedRidge(), solver=solver).fit(text, 3)
    contexts = Contexts.build(text, 3)
    w, tokens = np.zeros(len(contexts.target)), tokens_of(nested_weights(contexts))
    for bad, pairs, match in (
        (w[1:], tokens, "one entry per pair"),
        (w - 1, tokens, "from 0 to 1000"),
        (w, np.array([0], np.int32), "without longer"),
        (w, np.array([-1], np.int32), "outside"),
    ):
        with pytest.raises(ValueError, match=match):
            contexts.kernel.batch_loss(pairs, bad, w.copy())
