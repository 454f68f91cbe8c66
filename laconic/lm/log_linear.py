"""p(v | x) = exp(sum of w(c, v) over the suffixes c of x) / Z(x): log-linear language models.

    min_w  - sum over the text of log p(v | x) + penalty(w),    w >= 0

on the suffix trie of a text (Nelakanti, Archambeau, Mairal, Bach and Bouchard 2013). There is a
weight w(c, v) for every context c after which v was seen: a word has the weights of all suffixes of
its context. The penalty limits how many of them are used.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from laconic.core.arrays import Array
from laconic.core.parameters import HasParameters
from laconic.core.penalties import Penalty
from laconic.core.report import Callback, Event, FitReport, in_one_line
from laconic.core.solvers.base import Result, Solver
from laconic.lm.any_penalty import nested_penalty
from laconic.lm.beside import BesideModel, tilted
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Contexts, Text
from laconic.lm.learn import LearnedNgrams
from laconic.lm.nested import NestedTerms, NestedWeights
from laconic.lm.problem import NestedProblem, TextLikelihood
from laconic.lm.pruning import condensed
from laconic.lm.scaled import ScaledFista


class ContextWeights(NamedTuple):
    """Contexts, their weights, and the fit report; its certificate is the relative duality gap."""

    contexts: Contexts
    weights: Array
    report: FitReport


class LogLinear(HasParameters):
    """min_w -log-likelihood(w) + penalty(w), w >= 0: one weight per n-gram of the text.

    Parameters
    ----------
    penalty : Penalty, str or None, default=None
        Penalty of the weights; None means "nested-groups", `NestedGroups()`. Names are
        nested-groups, nested-ridge, nested-lasso, nested-tree, nested-tree-inf, which know how
        contexts are nested, and those of all penalties, such as l1, ridge or slope, and sums of
        them.
    tol : float, default=1e-3
        Relative duality gap at which to stop.
    max_iter : int, default=200
        Maximal number of passes over the text.
    n_jobs : int, default=1
        Number of threads. They change no digit of the result.
    solver : Solver or None, default=None
        Solver to use instead of full-batch steps, with its own tol and max_iter. For instance
        `laconic.lm.accelerated.Accelerated` steps on mini-batches of tokens.
    strength : float, dict or None, default=None
        Strength of the penalty; a dict names one per term of a sum, None is the penalty's own.

    Examples
    --------
    >>> from laconic import LanguageModel, LogLinear, NestedLasso
    >>> learner = LogLinear(NestedLasso(strength=0.1, growth=1.0))
    >>> model = LanguageModel(order=2, learner=learner).fit(["a b a b a", "b a b", "a c"])
    >>> model.complete("a", k=1)[0][0], bool(model.certificate_ < 1e-3)
    ('b', True)
    """

    def __init__(
        self,
        penalty: Penalty | str | None = None,
        tol: float = 1e-3,
        max_iter: int = 200,
        n_jobs: int = 1,
        solver: Solver | None = None,
        strength: float | Mapping[str, float] | None = None,
    ):
        self.penalty = penalty
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.solver = solver
        self.strength = strength

    def learn(self, text: Text, order: int, callback: Callback | None = None) -> LearnedNgrams:
        """Return the model of contexts of up to order - 1 words.

        The callback receives an event after every pass; one that returns True stops the fit.
        """
        fitted = self.fit(text, order, callback=callback)
        return LearnedNgrams(model_of(fitted, text), fitted.report)

    def fit(
        self,
        text: Text,
        order: int,
        start: ContextWeights | None = None,
        callback: Callback | None = None,
        prior: ContextModel | None = None,
    ) -> ContextWeights:
        """Learn the weights of contexts.

        `start` is what the same text gave with the same order or a smaller one: where to start.
        `prior` is a model over the same words, of this order at most, whose scores are added.
        """
        penalty = nested_penalty(self.penalty, self.strength)
        contexts = Contexts.build(text, order, penalty.collapses and prior is None)
        kernel = contexts.kernel if prior is None else BesideModel(contexts, prior)
        trees = nested_weights(contexts)
        terms = penalty.on(trees)
        easier = penalty.before(trees) if self.solver is None else iter(())
        x = None if start is None else extended(start, contexts)
        if prior is not None:
            terms = tilted(terms)
        # Threads of BLAS wait actively between the short products of a step and slow down the rest.
        with threadpool_limits(limits=1, user_api="blas"):
            result, n_before, trace = self._before(kernel, easier, x, callback)
            x = x if result is None else result.x
            left = 1 if result and result.interrupted else max(1, self.max_iter - n_before)
            result = (self.solver or ScaledFista(self.tol, left)).run(
                NestedProblem(kernel, terms, self.n_jobs), x, callback
            )
        if not result.converged and not result.interrupted:
            warnings.warn(
                f"stopped after {n_before + result.n_iter} passes with a certificate of "
                f"{result.error:.1e}: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        lengths = contexts.lengths()
        report = FitReport(
            in_one_line(self),
            objective=result.trace[-1].value if result.trace else np.nan,
            certificate=result.error,
            certificate_kind=result.certificate_kind,
            n_iter=n_before + result.n_iter,
            converged=result.converged,
            interrupted=result.interrupted,
            features_total=int(lengths @ np.diff(contexts.ptr)),
            groups_total=int(lengths.sum()),
            trace=(*trace, *result.trace),
        )
        return ContextWeights(contexts, result.x, report)

    def _before(
        self,
        kernel: TextLikelihood,
        easier: Iterator[NestedTerms],
        x: Array | None,
        callback: Callback | None,
    ) -> tuple[Result | None, int, list[Event]]:
        """Solve easier problems, one from the other: the last result, all passes and events."""
        result, n_passes = None, 0
        trace: list[Event] = []
        for terms in easier:
            solver = ScaledFista(
                self.tol, max(1, self.max_iter // 5), check_every=self.max_iter + 1
            )
            result = solver.run(NestedProblem(kernel, terms, self.n_jobs), x, callback)
            x, n_passes, trace = result.x, n_passes + result.n_iter, [*trace, *result.trace]
            if result.interrupted:
                break
        return result, n_passes, trace


def nested_weights(contexts: Contexts) -> NestedWeights:
    """Return the trees of the weights of contexts."""
    return NestedWeights(
        contexts.shorter.astype(np.int64),
        contexts.of_pairs(contexts.depth),
        contexts.of_pairs(contexts.lengths()),
        contexts.count,
        contexts.ptr,
    )


def extended(start: ContextWeights, contexts: Contexts) -> Array | None:
    """Return the weights of a trie of smaller order as those of a larger one.

    Both number their common n-grams in the same order. None for collapsed trees.
    """
    depth = contexts.of_pairs(contexts.depth)
    known = depth < start.contexts.order
    if np.count_nonzero(known) != len(start.weights):
        return None
    weights = np.zeros(len(depth))
    weights[known] = start.weights
    return weights


def expanded(fitted: ContextWeights, text: Text) -> tuple[Contexts, Array]:
    """Return the trie of a collapsed tree, every weight repeated for all that it stands for."""
    contexts = fitted.contexts
    lengths = contexts.lengths()
    if (lengths == 1).all():
        return contexts, fitted.weights
    trie = Contexts.build(text, contexts.order)
    # Both are numbered depth first, so that the contexts of a node follow each other, each with
    # the same words.
    node = np.repeat(np.arange(len(lengths)), lengths)
    sizes = np.diff(trie.ptr)
    index = np.arange(len(trie.target)) - np.repeat(trie.ptr[:-1] - contexts.ptr[node], sizes)
    return trie, fitted.weights[index]


def model_of(fitted: ContextWeights, text: Text) -> ContextModel:
    """Return the model of all contexts that have a weight, or a longer context with one."""
    contexts, weights = expanded(fitted, text)
    score, log_z = np.empty(len(weights)), np.empty(len(contexts.parent))
    contexts.kernel.scores(weights, score, log_z)
    return condensed(
        ContextModel(contexts.parent, contexts.word, contexts.ptr, contexts.target, score, -log_z)
    )
