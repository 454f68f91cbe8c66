"""Chain design, losses and problem: enumeration, finite differences, adjoint, solvers, CRFsuite."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from laconic import _core
from laconic.core.checks.law import near
from laconic.core.designs.chain import Chain, Tokens
from laconic.core.losses import ChainHinge, ChainLog, ChainLoss, ChainPerceptron
from laconic.core.penalties import L1, ElasticNet, GroupLasso, Ridge, SparseGroupLasso
from laconic.core.solvers.fista import Fista
from laconic.core.solvers.owlqn import Owlqn
from laconic.tag.problem import ChainProblem


def draw(
    rng: np.random.Generator,
    lengths: list[int],
    sizes: tuple[int, ...] = (4, 1, 30),
    n_labels: int = 3,
    silent: float = 0.2,
) -> Tokens:
    """Random features, the first of a template more often; some do not fire at some tokens."""
    ptr = np.cumsum([0, *lengths])
    n = int(ptr[-1])
    first = np.cumsum([0, *sizes])[:-1]
    ids = first + np.minimum(
        rng.integers(0, sizes, (n, len(sizes))), rng.integers(0, sizes, (n, len(sizes)))
    )
    ids[rng.random(ids.shape) < silent] = -1
    return Tokens(
        ids.astype(np.int32),
        np.array(sizes),
        ptr,
        rng.integers(0, n_labels, n).astype(np.int32),
        n_labels,
    )


def by_enumeration(
    design: Chain, tokens: Tokens, loss: ChainLoss, w: np.ndarray
) -> tuple[float, np.ndarray]:
    """Loss and gradient from all label sequences, with dictionaries (feature, label) -> weight."""
    place = {}
    label = design.weight_label
    for f, (begin, end) in enumerate(pairwise(design.unit_ptr)):
        for k in range(begin, end):
            place[f, int(label[k])] = k
    n, L = design.n_penalised, design.n_labels

    def parts(begin: int, path: tuple[int, ...]) -> np.ndarray:
        counts = np.zeros(design.n_weights)
        for t, y in enumerate(path):
            for f in tokens.ids[begin + t]:
                if (f, y) in place:
                    counts[place[f, y]] += 1
            if t:
                counts[n + path[t - 1] * L + y] += 1
            elif design.start:
                counts[n + L * L + y] += 1
        return counts

    value, gradient = 0.0, np.zeros(design.n_weights)
    for begin, end in pairwise(tokens.ptr):
        gold = tuple(tokens.gold[begin:end])
        paths = list(product(range(L), repeat=end - begin))
        counts = np.array([parts(begin, path) for path in paths])
        scores = counts @ w + loss.cost * np.array(
            [sum(a != b for a, b in zip(path, gold, strict=True)) for path in paths]
        )
        if isinstance(loss, ChainLog):
            top = scores.max()
            p = np.exp(scores - top)
            predicted, level = p @ counts / p.sum(), top + np.log(p.sum())
        else:
            predicted, level = counts[scores.argmax()], scores.max()
        gold_counts = parts(begin, gold)
        value += level - gold_counts @ w
        gradient += predicted - gold_counts
    return value, gradient


@pytest.mark.slow
@pytest.mark.parametrize("loss", [ChainLog(), ChainHinge(0.7), ChainPerceptron()])
@pytest.mark.parametrize("support", ["observed", "all"])
@pytest.mark.parametrize("start", [True, False])
@pytest.mark.parametrize("n_labels", [2, 5])
def test_losses_equal_enumeration(loss, support, start, n_labels):
    rng = np.random.default_rng(n_labels)
    tokens = draw(rng, [3, 0, 1, 4, 5, 2, 4, 4, 3], n_labels=n_labels)
    design = Chain(tokens, support, start)
    for size in (0.0, 0.5, 400.0):
        if size == 0.0 and not isinstance(loss, ChainLog):
            continue  # all paths tie: any of them is a subgradient
        w = size * rng.normal(size=design.n_weights)
        value, gradient = design.loss_gradient(loss.kind, loss.cost, w)
        expected, expected_gradient = by_enumeration(design, tokens, loss, w)
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-9)
        assert near(gradient, expected_gradient, 1e-8)
        assert design.loss(loss.kind, loss.cost, w) == value


def test_support_and_layout():
    rng = np.random.default_rng(0)
    tokens = draw(rng, [5, 7, 9], n_labels=4)
    observed, everything = Chain(tokens), Chain(tokens, "all")
    pairs = {(f, y) for row, y in zip(tokens.ids, tokens.gold, strict=True) for f in row if f >= 0}
    assert observed.n_penalised == len(pairs)
    assert everything.n_penalised == 4 * len({f for f, _ in pairs})
    feature = np.repeat(np.arange(len(observed.unit_ptr) - 1), np.diff(observed.unit_ptr))
    assert set(zip(feature, observed.weight_label, strict=True)) == pairs
    assert np.all(np.diff(feature * 4 + observed.weight_label) > 0)
    groups = observed.by_template()
    assert [len(groups.members(m)) for m in range(3)] == [
        sum(1 for f, _ in pairs if low <= f < high)
        for low, high in pairwise(np.cumsum([0, *tokens.sizes]))
    ]


@pytest.mark.parametrize("support", ["observed", "all"])
@pytest.mark.parametrize("n_labels", [3, 22, 70])
def test_adjoint_and_threads(support, n_labels):
    """<A w, r> = <w, A' r>, with frequent and rare features; the same for any number of threads."""
    rng = np.random.default_rng(n_labels)
    tokens = draw(rng, [40, 1, 0, 300, 160], sizes=(3, 1, 200, 500, 9), n_labels=n_labels)
    design = Chain(tokens, support)
    w = rng.normal(size=design.n_weights)
    unary, edge, start = (
        rng.normal(size=(501, n_labels)),
        rng.normal(size=(n_labels, n_labels)),
        rng.normal(size=n_labels),
    )
    transitions, starts = design.tail(w)
    scored = np.sum(design.score(w) * unary) + np.sum(transitions * edge) + starts @ start
    assert near(scored, w @ design.pull(unary, edge, start))
    for threads in (2, 5):
        other = Chain(tokens, support, threads=threads)
        assert np.array_equal(other.score(w), design.score(w))
        for loss in (ChainLog(), ChainHinge()):
            value, gradient = design.loss_gradient(loss.kind, loss.cost, w)
            again, gradient_again = other.loss_gradient(loss.kind, loss.cost, w)
            assert value == again and np.array_equal(gradient, gradient_again)


def test_finite_differences():
    rng = np.random.default_rng(5)
    design = Chain(draw(rng, [30, 25, 1], n_labels=22, sizes=(2, 40)))
    w, along = rng.normal(size=(2, design.n_weights))
    gradient = design.loss_gradient(0, 0.0, w)[1]
    width = 1e-5
    change = design.loss(0, 0.0, w + width * along) - design.loss(0, 0.0, w - width * along)
    assert change / (2 * width) == pytest.approx(gradient @ along, rel=1e-7)


def small(n_labels: int = 4, start: bool = True) -> Chain:
    tokens = draw(
        np.random.default_rng(3), [6, 9, 4, 12, 7, 10], sizes=(5, 12, 3), n_labels=n_labels
    )
    return Chain(tokens, start=start)


@pytest.mark.parametrize("penalty", [Ridge(0.5), L1(0.6), ElasticNet(0.5, 0.5)])
def test_two_solvers_one_optimum(penalty):
    problem = ChainProblem(small(), ChainLog(), penalty, tail_ridge=0.1)
    quick = Owlqn(tol=1e-9, max_iter=3000).run(problem)
    slow = Fista(tol=1e-9, max_iter=20000).run(problem)
    assert quick.converged and slow.converged
    assert problem.value(quick.x) == pytest.approx(problem.value(slow.x), rel=1e-10)
    assert problem.certificate(quick.x) <= 1e-9


def test_group_lasso_drops_templates():
    design = small()
    problem = ChainProblem(design, ChainLog(), GroupLasso(design.by_template(), 1.0), 0.1)
    top = problem.strength_max()
    for factor, selected in ((1.001, 0), (0.6, 1)):
        problem = ChainProblem(
            design, ChainLog(), GroupLasso(design.by_template(), factor * top), 0.1
        )
        result = Fista(tol=1e-6).run(problem)
        kept = sum(bool(result.x[a:b].any()) for a, b in pairwise(design.template_ptr))
        assert result.converged
        assert (kept > 0) == (selected > 0)
    mixed = ChainProblem(
        design, ChainLog(), SparseGroupLasso(design.by_template(), 0.3, l1_ratio=0.5), 0.1
    )
    assert Fista(tol=1e-6).run(mixed).converged


def test_line_search_spends_one_evaluation_a_step():
    """From the second step on quasi-Newton steps are taken as they are; evaluations are reused."""
    design = small(n_labels=6)
    calls = []
    plain = design.loss_gradient

    def counted(*arguments: Any) -> Any:
        calls.append(1)
        return plain(*arguments)

    design.loss_gradient = counted  # type: ignore[method-assign]
    result = Owlqn(tol=1e-7).run(ChainProblem(design, ChainLog(), Ridge(1.0)))
    assert result.converged
    assert len(calls) <= 1.2 * result.n_iter + 3


def test_bad_arrays_are_refused():
    tokens = draw(np.random.default_rng(0), [4, 3])
    for bad in (
        tokens._replace(ids=tokens.ids[:-1]),
        tokens._replace(ids=tokens.ids + 40),
        tokens._replace(ids=tokens.ids[:, ::-1]),
        tokens._replace(gold=tokens.gold + 3),
        tokens._replace(ptr=np.array([0, 8])),
        tokens._replace(sizes=np.array([4, -1, 30])),
        tokens._replace(n_labels=0),
    ):
        with pytest.raises(ValueError):
            Chain(bad)
    with pytest.raises(ValueError, match="support"):
        Chain(tokens, "some")
    design = Chain(tokens)
    with pytest.raises(ValueError, match="n_weights"):
        design.loss(_core.StructuredLoss.log, 0.0, np.zeros(3))
    with pytest.raises(TypeError, match="StructuredLoss"):
        design.loss(7, 0.0, np.zeros(design.n_weights))  # type: ignore[arg-type]


def crfsuite_weights(
    design: Chain, tokens: Tokens, path: str, options: dict[str, Any]
) -> np.ndarray:
    """Weights that CRFsuite learns from the same features, in the design's order."""
    pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed")
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params=options, verbose=False)
    for begin, end in pairwise(tokens.ptr):
        if begin < end:
            features = [[str(f) for f in row if f >= 0] for row in tokens.ids[begin:end]]
            trainer.append(features, [str(y) for y in tokens.gold[begin:end]])
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    info = tagger.info()
    w = np.zeros(design.n_weights)
    label = design.weight_label
    for f, (begin, end) in enumerate(pairwise(design.unit_ptr)):
        for k in range(begin, end):
            w[k] = info.state_features.get((str(f), str(label[k])), 0.0)
    transitions = design.tail(w)[0]
    for (i, j), weight in info.transitions.items():
        transitions[int(i), int(j)] = weight
    return w


class EveryWeight:
    """CRFsuite penalises transitions too, and fixes bigrams at 0 that it has never seen."""

    def __init__(self, design: Chain, tokens: Tokens):
        self.kind = design
        self.counts = design.counts
        self.n_weights = self.n_penalised = design.n_weights
        self.free = np.ones(design.n_weights, dtype=bool)
        seen = np.zeros((design.n_labels, design.n_labels), dtype=bool)
        for begin, end in pairwise(tokens.ptr):
            seen[tokens.gold[begin : end - 1], tokens.gold[begin + 1 : end]] = True
        self.free[design.n_penalised :] = seen.ravel()

    def loss(self, kind: int, cost: float, w: np.ndarray) -> float:
        return self.kind.loss(kind, cost, w * self.free)

    def loss_gradient(
        self, kind: int, cost: float, w: np.ndarray, out: np.ndarray
    ) -> tuple[float, np.ndarray]:
        value, gradient = self.kind.loss_gradient(kind, cost, w * self.free, out)
        gradient *= self.free
        return value, gradient


@pytest.mark.parametrize("c1, c2", [(0.0, 0.5), (0.0, 0.05), (0.4, 0.0), (0.3, 0.2)])
def test_crfsuite_reaches_the_same_optimum(tmp_path, c1, c2):
    """CRFsuite minimises -log likelihood + c1 |w|_1 + c2 |w|^2 and has no starts."""
    tokens = draw(
        np.random.default_rng(11), [6, 9, 4, 12, 7, 10, 8], sizes=(5, 12, 3), n_labels=4, silent=0.1
    )
    design = Chain(tokens, start=False)
    options = {
        "c1": c1,
        "c2": c2,
        "max_iterations": 5000,
        "epsilon": 1e-9,
        "delta": 1e-14,
        "period": 50,
    }
    theirs = crfsuite_weights(design, tokens, str(tmp_path / "model"), options)
    total = c1 + 2 * c2
    problem = ChainProblem(
        EveryWeight(design, tokens), ChainLog(), ElasticNet(total, l1_ratio=c1 / total)
    )  # type: ignore[arg-type]
    ours = Owlqn(tol=1e-9, max_iter=5000).run(problem)
    assert ours.converged
    assert problem.value(theirs) == pytest.approx(problem.value(ours.x), rel=1e-8)
    if (
        c2
    ):  # the lasso alone can have many optima: adding to all labels of a feature may cost nothing
        assert near(theirs, ours.x, 1e-3)
