"""Templates of pairs of labels: enumeration, finite differences, adjoint, threads, solvers."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from laconic.core.checks.law import near
from laconic.core.designs.chain import Chain, Tokens
from laconic.core.losses import ChainHinge, ChainLog, ChainLoss, ChainPerceptron
from laconic.core.penalties import ElasticNet, GroupLasso
from laconic.core.solvers.fista import Fista
from laconic.core.solvers.owlqn import Owlqn
from laconic.tag.problem import ChainProblem

SIZES = (4, 20, 1, 3, 30)
N_PAIRS = 3


def draw(
    rng: np.random.Generator,
    lengths: list[int],
    n_labels: int,
    sizes: tuple[int, ...] = SIZES,
    n_pairs: int = N_PAIRS,
) -> Tokens:
    """Random features, those of the last templates of pairs of labels; some do not always fire."""
    ptr = np.cumsum([0, *lengths])
    ids = np.cumsum([0, *sizes])[:-1] + rng.integers(0, sizes, (ptr[-1], len(sizes)))
    ids[rng.random(ids.shape) < 0.2] = -1
    gold = rng.integers(0, n_labels, ptr[-1]).astype(np.int32)
    return Tokens(ids.astype(np.int32), np.array(sizes), ptr, gold, n_labels, n_pairs)


def by_enumeration(
    design: Chain, tokens: Tokens, loss: ChainLoss, w: np.ndarray
) -> tuple[float, np.ndarray]:
    """Loss and gradient from all label sequences, with weights looked up one by one."""
    label, first_pair, L = (
        design.weight_label,
        sum(tokens.sizes[: -tokens.n_pairs]),
        design.n_labels,
    )
    place = {
        (f, int(label[k])): k
        for f, (begin, end) in enumerate(pairwise(design.unit_ptr))
        for k in range(begin, end)
    }

    def parts(begin: int, path: tuple[int, ...]) -> np.ndarray:
        counts = np.zeros(design.n_weights)
        for t, y in enumerate(path):
            pair = path[t - 1] * L + y if t else None
            for f in tokens.ids[begin + t]:
                at = place.get((f, y if f < first_pair else pair))
                if at is not None:
                    counts[at] += 1
            if pair is not None:
                counts[design.n_state + pair] += 1
            elif design.start:
                counts[design.n_state + L * L + y] += 1
        return counts

    value, gradient = 0.0, np.zeros(design.n_weights)
    for begin, end in pairwise(tokens.ptr):
        gold = tuple(tokens.gold[begin:end].tolist())
        paths = list(product(range(L), repeat=end - begin))
        counts = np.array([parts(begin, path) for path in paths])
        scores = counts @ w + loss.cost * np.array(
            [sum(a != b for a, b in zip(path, gold, strict=True)) for path in paths]
        )
        p = np.exp(scores - scores.max())
        if isinstance(loss, ChainLog):
            predicted, level = p @ counts / p.sum(), scores.max() + np.log(p.sum())
        else:
            predicted, level = counts[scores.argmax()], scores.max()
        value += level - parts(begin, gold) @ w
        gradient += predicted - parts(begin, gold)
    return value, gradient


@pytest.mark.slow
@pytest.mark.parametrize("loss", [ChainLog(), ChainHinge(0.7), ChainPerceptron()])
@pytest.mark.parametrize("support", ["observed", "all"])
@pytest.mark.parametrize(("n_labels", "start"), [(2, True), (5, False)])
def test_losses_equal_enumeration(
    loss: ChainLoss, support: str, n_labels: int, start: bool
) -> None:
    rng = np.random.default_rng(n_labels)
    tokens = draw(rng, [3, 0, 1, 4, 5, 2, 4, 4, 3], n_labels)
    design = Chain(tokens, support, start)
    for size in (0.5, 400.0):
        w = size * rng.normal(size=design.n_weights)
        value, gradient = design.loss_gradient(loss.kind, loss.cost, w)
        expected, expected_gradient = by_enumeration(design, tokens, loss, w)
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-9)
        assert near(gradient, expected_gradient, 1e-8)
        assert design.loss(loss.kind, loss.cost, w) == value


def test_support_is_what_was_seen() -> None:
    """Features have weights for the pairs of labels before and at their tokens."""
    tokens = draw(np.random.default_rng(0), [5, 7, 9, 1], 4)
    observed, everything = Chain(tokens), Chain(tokens, "all")
    first_pair = sum(SIZES[:-N_PAIRS])
    inner = np.setdiff1d(np.arange(22), tokens.ptr)
    seen = {
        (f, tokens.gold[t - 1] * 4 + tokens.gold[t])
        for t in inner
        for f in tokens.ids[t]
        if f >= first_pair
    }
    feature = np.repeat(np.arange(sum(SIZES)), np.diff(observed.unit_ptr))
    of_pairs = feature >= first_pair
    assert set(zip(feature[of_pairs], observed.weight_label[of_pairs], strict=True)) == seen
    assert observed.template_ptr[-1] - observed.template_ptr[-1 - N_PAIRS] == len(seen)
    assert everything.template_ptr[-1] - everything.template_ptr[-1 - N_PAIRS] == 16 * len(
        {f for f, _ in seen}
    )


@pytest.mark.slow
@pytest.mark.parametrize("support", ["observed", "all"])
@pytest.mark.parametrize(("n_labels", "n_pairs"), [(3, 3), (11, 2), (60, 1), (9, 5)])
def test_adjoint_and_threads(support: str, n_labels: int, n_pairs: int) -> None:
    """<A w, r> = <w, A' r>, in several batches; the same to the last bit for any threads."""
    rng = np.random.default_rng(n_labels)
    tokens = draw(rng, [40, 1, 0, 300, 160, *[29] * 40], n_labels, n_pairs=n_pairs)
    design = Chain(tokens, support)
    w = rng.normal(size=design.n_weights)
    unary, pairs = (
        rng.normal(size=(design.n_tokens, n_labels)),
        rng.normal(size=(design.n_tokens, n_labels, n_labels)),
    )
    edge, start = rng.normal(size=(n_labels, n_labels)), rng.normal(size=n_labels)
    transitions, starts = design.tail(w)
    scored = (
        np.sum(design.score(w) * unary)
        + np.sum(design.score_pairs(w) * pairs)
        + np.sum(transitions * edge)
        + starts @ start
    )
    assert near(scored, w @ design.pull(unary, edge, start, pairs))
    other = Chain(tokens, support, threads=3)
    assert np.array_equal(other.score_pairs(w), design.score_pairs(w))
    for loss in (ChainLog(), ChainHinge()):
        value, gradient = design.loss_gradient(loss.kind, loss.cost, w)
        again, gradient_again = other.loss_gradient(loss.kind, loss.cost, w)
        assert value == again and np.array_equal(gradient, gradient_again)


@pytest.mark.parametrize(
    ("n_labels", "lengths"), [(22, [30, 25, 1]), (60, [300, 0, *[29] * 40])]
)  # one batch, several
def test_finite_differences(n_labels: int, lengths: list[int]) -> None:
    rng = np.random.default_rng(5)
    design = Chain(draw(rng, lengths, n_labels))
    w, along = rng.normal(size=(2, design.n_weights))
    gradient = design.loss_gradient(0, 0.0, w)[1]
    change = design.loss(0, 0.0, w + 1e-5 * along) - design.loss(0, 0.0, w - 1e-5 * along)
    assert change / 2e-5 == pytest.approx(gradient @ along, rel=1e-7)


def test_twins_share_weights() -> None:
    """Merged or not, the same scores, loss, and gradients whose sums over twins are equal."""
    rng = np.random.default_rng(2)
    tokens = draw(rng, [9, 12, 1, 7], 3, sizes=(40, 5, 60, 60), n_pairs=2)
    apart, merged = Chain(tokens), Chain(tokens, merge_twins=True)
    assert merged.n_state < 0.9 * apart.n_state
    shared = rng.normal(size=merged.n_weights)
    roots = np.concatenate([merged.roots(), np.ones(12)])
    ptr = merged.unit_ptr
    owner = np.concatenate(
        [
            *(np.arange(ptr[u], ptr[u + 1]) for u in merged.feature_unit),
            np.arange(merged.n_state, len(shared)),
        ]
    )
    w = (shared / roots)[owner]
    assert near(merged.score_pairs(shared), apart.score_pairs(w), 1e-12)
    (value, gradient), (shared_value, shared_gradient) = (
        apart.loss_gradient(0, 0.0, w),
        merged.loss_gradient(0, 0.0, shared),
    )
    assert shared_value == pytest.approx(value, rel=1e-12)
    assert near(np.bincount(owner, gradient, len(shared)), shared_gradient * roots, 1e-10)
    for m in range(4):
        (features, rows), (others, other_rows) = merged.rows(shared, m), apart.rows(w, m)
        assert np.array_equal(features, others) and near(rows, other_rows, 1e-6)
        assert rows.shape == (len(features), 3 if m < 2 else 9)


def test_solvers_reach_one_optimum() -> None:
    design = Chain(draw(np.random.default_rng(3), [6, 9, 4, 12, 7, 10], 3))
    problem = ChainProblem(design, ChainLog(), ElasticNet(0.5, 0.5), tail_ridge=0.1)
    quick, slow = (
        Owlqn(tol=1e-8, max_iter=3000).run(problem),
        Fista(tol=1e-8, max_iter=20000).run(problem),
    )
    assert quick.converged and slow.converged
    assert problem.value(quick.x) == pytest.approx(problem.value(slow.x), rel=1e-10)
    grouped = ChainProblem(design, ChainLog(), GroupLasso(design.by_template(), 2.0), 0.1)
    assert Fista(tol=1e-6, max_iter=20000).run(grouped).converged


def test_bad_arrays_are_refused() -> None:
    tokens = draw(np.random.default_rng(0), [4, 3], 3)
    for bad in (
        tokens._replace(n_pairs=6),
        tokens._replace(n_pairs=-1),
        tokens._replace(ids=tokens.ids + 40),
        tokens._replace(ids=tokens.ids[:, ::-1]),
        tokens._replace(ids=np.full_like(tokens.ids, np.iinfo(np.int32).min)),
        tokens._replace(ptr=np.array([0, 5, 4, 7])),
        tokens._replace(ptr=np.array([0, 900])),
        tokens._replace(sizes=np.array([-4, 20, 1, 3, 30])),
    ):
        with pytest.raises(ValueError):
            Chain(bad)
    with pytest.raises(ValueError, match="181 labels"):
        Chain(tokens._replace(n_labels=182))
    design = Chain(tokens)
    with pytest.raises(ValueError, match="all of labels or all of pairs"):
        design.kernel.feature_rows(np.zeros(design.n_weights), np.array([0, 30], np.int32))
