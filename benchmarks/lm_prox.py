"""The section on proximal steps: Fig.

2 (c) and Fig. 3 of Nelakanti et al. (2013), parameters and seconds by order and size of text, and
solvers.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.lm_texts import Sentences, penn, piece
from benchmarks.page import table
from benchmarks.problems import spams_tree
from benchmarks.solvers import spams_tree_prox
from benchmarks.timing import interleaved
from laconic import _core
from laconic.core.report import Event
from laconic.core.solvers.base import Solver
from laconic.lm.accelerated import Accelerated
from laconic.lm.contexts import Contexts, Text
from laconic.lm.kneser_ney import KneserNey
from laconic.lm.log_linear import ContextWeights, LogLinear, nested_weights
from laconic.lm.nested import NestedPenalty, NestedRidge, NestedTerms
from laconic.lm.nested_tree import NestedTree
from laconic.lm.problem import NestedProblem
from laconic.lm.scaled import ScaledFista

Float64 = NDArray[np.float64]
ORDERS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
FITTED_ORDERS = (2, 3, 5, 8, 12)
SIZES = (10_000, 30_000, 100_000, 300_000, 887_521)
LARGE_ORDER = 9  # of the steps by size of text
WORDS, SOLVER_WORDS, SOLVER_ORDER = 100_000, 30_000, 5
STRENGTH = 0.7  # of norms that are fitted
STEP_STRENGTH = 0.1  # of the timed steps
TOLERANCE, PASSES = 2e-3, 120
TURNS, LONG, PATIENCE = (
    5,
    2.0,
    60.0,
)  # turns of steps below LONG seconds; beyond PATIENCE larger ones are left out
SHOWN = (1, 2, 5, 10, 20, 50, 100, 200)


def tree(norm: Any) -> NestedTree:
    """Return norms of trees alone, the same at every depth, under which trees collapse."""
    return NestedTree(STRENGTH, 1.0, norm, ridge=0.0, roots=1.0)


SOLVED: dict[str, NestedPenalty] = {
    "weighted square": NestedRidge(0.1, 2.5),
    "tree, infinity": tree("inf"),
}
PIVOTS, PIVOTS_TREE, HEAPS, HEAPS_TREE = (
    "pivots, trie",
    "pivots, tree",
    "heaps, trie",
    "heaps, tree",
)
SPAMS, SPAMS_TWO, OURS_TWO = "SPAMS, trie", "SPAMS, 2-norm", "ours, 2-norm"
COMPETITORS = (PIVOTS, PIVOTS_TREE, HEAPS, HEAPS_TREE, SPAMS, OURS_TWO, SPAMS_TWO)


def section(data: Path, quick: bool = False) -> str:
    """The section of the page."""
    text = penn(data)
    words = 2000 if quick else WORDS
    orders, fitted_orders = ((2, 4), (2, 4)) if quick else (ORDERS, FITTED_ORDERS)
    sizes, solver_words = ((1000, 2000), 1000) if quick else (SIZES, SOLVER_WORDS)
    stochastic = Accelerated()
    with ProcessPoolExecutor(1, get_context("spawn")) as peer:
        by_order = order_table(first_words(text, words), orders, peer)
        by_size = size_table(text, sizes, peer)
    parts = [
        "## Proximal steps and solvers",
        f"The first {words:,} words of the Penn Treebank text (words seen once unknown).",
        "### Parameters by order",
        f"""\
`trie`: n-grams up to the order, a weight each; a Kneser-Ney model has as many probabilities. \
`tree`: nodes once contexts share one that always come together. Then
what fits of tree-structured norms (strength {STRENGTH:g} at every depth, duality gap \
{TOLERANCE:g} or {PASSES} passes) leave of them: weights that are not zero, and of the
infinity norm, on the tree, those that differ from the weight of the context one shorter.""",
        parameter_table(first_words(text, words), orders, fitted_orders),
        "### Milliseconds of one step by order",
        f"""\
The proximal step of the infinity norm (strength {STEP_STRENGTH:g}) after the first gradient step, \
and of the 2-norm, which has no collapsed tree. Weights are numbered tree by tree. CPU time of one \
core, the best of {TURNS}
turns (one where it takes more than {LONG:g} seconds); all ways give the same weights to 1e-9. \
SPAMS (`proximalTree`, for one curvature alone) is handed its
tree with every call. Pivots look at all weights below every node: in these trees, which are no \
deeper than the order, that is at most the order times the number of nodes.""",
        by_order,
        "### Milliseconds of one step by size of text",
        f"Order {LARGE_ORDER}. The last row is the exponent of a fit of milliseconds = a "
        "words^exponent.",
        by_size,
        "### Solvers",
        f"""\
How far the objective is above its minimum, relative to it, after passes over the first \
{solver_words:,} words at order {SOLVER_ORDER}, and CPU seconds of all passes shown. `Accelerated` \
is Algorithm 1 of the
paper, mini-batches of {stochastic.batch} (L = {stochastic.lipschitz:g}, mu = {stochastic.mu:g}, \
relative to how often a weight occurs); `one step for all` is full-batch FISTA with one step size, \
which follows the local curvature;
`ScaledFista` has a step for every weight.""",
        solver_table(first_words(text, solver_words), SHOWN[:3] if quick else SHOWN),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def first_words(text: Sentences, n_words: int) -> Text:
    """The first sentences."""
    return piece(text, 0, n_words, 0).train


def parameter_table(text: Text, orders: tuple[int, ...], fitted_orders: tuple[int, ...]) -> str:
    """Fig. 2 (c)."""
    rows, start = [], None
    for order in orders:
        trie, collapsed = (
            len(Contexts.build(text, order, collapse).target) for collapse in (False, True)
        )
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # of discounts of high orders, whose n-grams nearly all occur once
            smoothed = len(KneserNey().learn(text, order).model.target)
        row: list[Any] = [f"{order}", trie, smoothed, collapsed]
        if order in fitted_orders:
            two = LogLinear(tree(2), TOLERANCE, PASSES).fit(text, order, start)
            highest = LogLinear(
                NestedTree(STRENGTH, 1.0, "inf", ridge=0.0, roots=1.0), TOLERANCE, PASSES
            ).fit(text, order)
            row += [
                int(np.count_nonzero(two.weights)),
                int(np.count_nonzero(highest.weights)),
                levels(highest),
            ]
            start = two
        rows.append(row + [None] * (7 - len(row)))
    return table(
        [
            "order",
            "trie",
            "Kneser-Ney",
            "tree",
            "2-norm, not zero",
            "infinity norm, not zero",
            "different",
        ],
        rows,
    )


def levels(fitted: ContextWeights) -> int:
    """Weights that are neither zero nor that of the shorter context."""
    above = np.where(fitted.contexts.shorter < 0, 0.0, fitted.weights[fitted.contexts.shorter])
    return int(np.count_nonzero((fitted.weights > 0) & (np.abs(fitted.weights - above) > 1e-12)))


class Step(NamedTuple):
    """One proximal step on a trie or tree: where from, and the penalty.

    Weights go tree by tree, depth first, which all ways are faster with.
    """

    contexts: Contexts
    order: NDArray[np.intp]
    parent: NDArray[np.int64]
    curvature: Float64
    rates: Float64
    point: Float64

    @classmethod
    def first(cls, text: Text, order: int, collapse: bool) -> Step:
        """After a gradient step from zero, a step for every weight: the same for all weights that a
        node stands for.
        """
        contexts = Contexts.build(text, order, collapse)
        gradient = np.empty(len(contexts.target))
        contexts.kernel.loss(np.zeros(len(gradient)), gradient)
        by_word = np.argsort(
            contexts.target, kind="stable"
        )  # contexts are numbered depth first, so trees are too
        weights = nested_weights(contexts).trees(by_word)
        lengths = weights.length.astype(np.float64)
        point = -gradient[by_word] / np.maximum(weights.count, 0.5)
        return cls(contexts, by_word, weights.parent, lengths, STEP_STRENGTH * lengths, point)

    def by_context(self, values: Float64) -> Float64:
        """Values in the order of contexts."""
        out = np.empty(len(values))
        out[self.order] = values
        return out

    def heaps(self, norm: _core.Norm = _core.Norm.infinity) -> Callable[[], Float64]:
        """Our kernel for forests."""
        n = len(self.rates)
        forest = _core.Forest(self.parent, np.arange(n + 1), np.arange(n), self.rates, n)
        return self._run(lambda out: forest.prox_curved(self.point, self.curvature, norm, out))

    def pivots(self) -> Callable[[], Float64]:
        """Random pivots."""
        forest = _core.PivotForest(self.parent, self.rates)
        return self._run(lambda out: forest.prox(self.point, self.curvature, 0, out))

    def _run(self, kernel: Callable[[Float64], None]) -> Callable[[], Float64]:
        out = np.empty(len(self.rates))

        def run() -> Float64:
            kernel(out)
            return out

        return run

    def by_spams(self, norm: str, peer: Executor) -> tuple[float, Float64] | None:
        """Seconds and weights of SPAMS, in a process of its own, which it ends where it does not
        like a tree; None if it did, or is not installed.
        """
        parent = np.concatenate(
            [[-1], self.parent + 1]
        )  # a root that costs nothing joins the trees
        rates, point = (
            np.concatenate([[0.0], values]) for values in (self.rates, np.maximum(self.point, 0))
        )
        try:
            seconds, found = peer.submit(spams_turns, parent, rates, point, norm).result()
        except (ImportError, RuntimeError):
            return None
        return seconds, found[1:]


def spams_turns(
    parent: NDArray[np.int64], rates: Float64, point: Float64, norm: str
) -> tuple[float, Float64]:
    """The best of a few turns, and what they gave."""
    tree = spams_tree(parent, rates)
    turns = [_cpu(lambda: spams_tree_prox(point, tree, 1.0, norm))]
    while len(turns) < TURNS and turns[0][0] < LONG:
        turns.append(_cpu(lambda: spams_tree_prox(point, tree, 1.0, norm)))
    return min(turns, key=lambda turn: turn[0])


def _cpu(call: Callable[[], Float64]) -> tuple[float, Float64]:
    began = time.process_time()
    found = call()
    return time.process_time() - began, found


def race(text: Text, order: int, wanted: tuple[str, ...], peer: Executor) -> dict[str, float]:
    """Milliseconds of a step by each of the wanted ways; those that could not run are missing.

    Raises if two ways disagree.
    """
    trie, tree = Step.first(text, order, False), Step.first(text, order, True)
    runs = {
        PIVOTS: trie.pivots(),
        PIVOTS_TREE: tree.pivots(),
        HEAPS: trie.heaps(),
        HEAPS_TREE: tree.heaps(),
        OURS_TWO: trie.heaps(_core.Norm.two),
    }
    runs = {name: run for name, run in runs.items() if name in wanted}
    once = {name: _cpu(run) for name, run in runs.items()}
    quick = {name: run for name, run in runs.items() if once[name][0] < LONG}
    times = {name: seconds for name, (seconds, _) in once.items()}
    times.update(
        {
            name: turns.best
            for name, turns in interleaved(quick, TURNS, False, time.thread_time).items()
        }
    )
    reference, reference_two = (
        trie.by_context(trie.heaps()()),
        trie.by_context(trie.heaps(_core.Norm.two)()),
    )
    lengths = tree.contexts.lengths()
    node = np.repeat(
        np.arange(len(lengths)), lengths
    )  # of each context of the trie: contexts of a node follow each other
    wide = np.arange(len(reference)) - np.repeat(
        trie.contexts.ptr[:-1] - tree.contexts.ptr[node], np.diff(trie.contexts.ptr)
    )
    on_tree = (PIVOTS_TREE, HEAPS_TREE)
    found = {
        name: tree.by_context(step)[wide] if name in on_tree else trie.by_context(step)
        for name, (_, step) in once.items()
    }
    for name, norm in ((SPAMS, "linf"), (SPAMS_TWO, "l2")):
        if name in wanted and (theirs := trie.by_spams(norm, peer)) is not None:
            times[name], found[name] = theirs[0], trie.by_context(theirs[1])
    for name, step in found.items():
        apart = float(
            np.abs(step - (reference_two if name in (OURS_TWO, SPAMS_TWO) else reference)).max()
        )
        if not apart < 1e-9:
            raise AssertionError(
                f"{name} at order {order} is {apart:.1e} away from the step by heaps"
            )
    return {name: 1000 * seconds for name, seconds in times.items()}


def order_table(text: Text, orders: tuple[int, ...], peer: Executor) -> str:
    """Fig. 3 (a)."""
    rows = []
    for order in orders:
        times = race(text, order, COMPETITORS, peer)
        rows.append([f"{order}", *(times.get(name) for name in COMPETITORS)])
    return table(["order", *COMPETITORS], rows)


def size_table(text: Sentences, sizes: tuple[int, ...], peer: Executor) -> str:
    """Fig. 3 (b)."""
    rows: list[list[Any]] = []
    wanted, found = COMPETITORS, []
    for size in sizes:
        part = first_words(text, size)
        times = race(part, LARGE_ORDER, wanted, peer)
        nodes = [
            len(Contexts.build(part, LARGE_ORDER, collapse).target) for collapse in (False, True)
        ]
        rows.append([f"{size:,}", *nodes, *(times.get(name) for name in COMPETITORS)])
        found.append(times)
        # Three times as many words take at most nine times as long.
        wanted = tuple(
            name for name in wanted if name in times and 9 * times[name] < 1000 * PATIENCE
        )
    exponents = []
    for name in COMPETITORS:
        known = [
            (size, times[name]) for size, times in zip(sizes, found, strict=True) if name in times
        ]
        fit = np.polyfit(*np.log(np.array(known)).T, 1)[0] if len(known) > 1 else np.nan
        exponents.append(float(fit))
    rows.append(
        ["exponent", "", "", *(f"{value:.2f}" if value == value else "–" for value in exponents)]
    )
    return table(["words", "nodes, trie", "nodes, tree", *COMPETITORS], rows)


def solver_table(text: Text, shown: tuple[int, ...]) -> str:
    """Objective above its minimum by passes."""
    rows, gaps = [], []
    for name, penalty in SOLVED.items():
        contexts = Contexts.build(text, SOLVER_ORDER, penalty.collapses)
        trees = nested_weights(contexts)
        never = shown[-1] + 1
        solvers: dict[str, tuple[Solver, NestedTerms]] = {
            "Accelerated": (Accelerated(1e-12, shown[-1], check_every=never), penalty.on(trees)),
            "one step for all": (
                ScaledFista(1e-12, shown[-1], never),
                one_scale(penalty.on(trees)),
            ),
            "ScaledFista": (ScaledFista(1e-12, shown[-1], never), penalty.on(trees)),
        }
        best = ScaledFista(1e-6, 10 * shown[-1], 50).run(
            NestedProblem(contexts.kernel, penalty.on(trees))
        )
        least = best.trace[-1].value
        for solver_name, (solver, terms) in solvers.items():
            began = time.process_time()
            trace: list[Event] = solver.run(NestedProblem(contexts.kernel, terms)).trace
            seconds = time.process_time() - began
            above = [trace[at - 1].value / least - 1 if at <= len(trace) else None for at in shown]
            rows.append(
                [
                    f"{name}: {solver_name}",
                    *(None if a is None else f"{a:.1e}" for a in above),
                    seconds,
                ]
            )
        gaps.append(f"{name} {best.error:.0e}")
    found = table(["problem and solver", *map(str, shown), "CPU s"], rows)
    return found + f"\nRelative duality gaps of what stands for the minimum: {', '.join(gaps)}.\n"


def one_scale(terms: NestedTerms) -> NestedTerms:
    """The same penalty with the largest scale for all."""
    terms.scale = np.full(len(terms.scale), terms.scale.max())
    return terms
