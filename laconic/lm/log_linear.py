"""p(v | x) = exp(sum of w(c, v) over the suffixes c of x) / Z(x): log-linear language models on the suffix trie of a text.

    min_w  - sum over the text of log p(v | x) + penalty(w),    w >= 0, and w(c, v) only where v was seen after c

(Nelakanti, Archambeau, Mairal, Bach and Bouchard 2013). A word has the weights of all suffixes of its context after which it was seen; the
penalty says how little of that is to be used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits

from laconic.core.report import Callback
from laconic.core.solvers.base import Result, Solver
from laconic.lm.account import Account, in_one_line
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Contexts, Text
from laconic.lm.nested import NestedPenalty, NestedWeights
from laconic.lm.nested_groups import NestedGroups
from laconic.lm.problem import NestedProblem
from laconic.lm.pruning import condensed
from laconic.lm.scaled import ScaledFista

Float64 = NDArray[np.float64]


class Fitted(NamedTuple):
    """Contexts, their weights, and what the solver says of them: its certificate is the relative duality gap."""

    contexts: Contexts
    weights: Float64
    result: Result


class LogLinear(BaseEstimator):
    """Learn a log-linear model.

    penalty: `NestedRidge`, `NestedLasso`, `NestedTree` or `NestedGroups`; None: NestedGroups()
    tol: relative duality gap at which to stop; max_iter: passes over the text, at most
    n_jobs: threads; they change no digit of the result
    solver: another one than full batches, which see every n-gram once a pass: `laconic.lm.accelerated.Accelerated`, mini-batches of tokens, with a tol and
        a max_iter of its own
    """

    def __init__(
        self,
        penalty: NestedPenalty | None = None,
        tol: float = 1e-3,
        max_iter: int = 200,
        n_jobs: int = 1,
        solver: Solver | None = None,
    ):
        self.penalty = penalty
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.solver = solver

    def learn(self, text: Text, order: int, callback: Callback | None = None) -> ContextModel:
        """The model of contexts of up to order - 1 words; `account_` tells of it. callback is told of every pass and says whether to end here."""
        fitted = self.fit(text, order, callback=callback)
        lengths, result = fitted.contexts.lengths(), fitted.result
        n_ngrams = int(lengths @ np.diff(fitted.contexts.ptr))
        objective = result.trace[-1].value if result.trace else np.nan
        self.account_ = Account(
            in_one_line(self),
            n_ngrams,
            int(lengths.sum()),
            objective,
            result.error,
            result.n_iter,
            result.interrupted,
        )
        return model_of(fitted, text)

    def fit(
        self,
        text: Text,
        order: int,
        start: Fitted | None = None,
        callback: Callback | None = None,
    ) -> Fitted:
        """Weights of contexts. `start` is what the same text gave with the same order or a smaller one."""
        penalty = (self.penalty or NestedGroups()).check()
        contexts = Contexts.build(text, order, penalty.collapses)
        trees = nested_weights(contexts)
        x = None if start is None else extended(start, contexts)
        n_before, result = 0, None
        # Threads of BLAS spin between the short products of a step and slow down everything else.
        with threadpool_limits(limits=1, user_api="blas"):
            for easier in penalty.before(trees) if self.solver is None else ():
                solver = ScaledFista(
                    self.tol, max(1, self.max_iter // 5), check_every=self.max_iter + 1
                )
                result = solver.run(
                    NestedProblem(contexts.kernel, easier, self.n_jobs), x, callback
                )
                x, n_before = result.x, n_before + result.n_iter
                if result.interrupted:
                    break
            problem = NestedProblem(contexts.kernel, penalty.on(trees), self.n_jobs)
            left = 1 if result and result.interrupted else max(1, self.max_iter - n_before)
            result = (self.solver or ScaledFista(self.tol, left)).run(problem, x, callback)
        return Fitted(contexts, result.x, result._replace(n_iter=n_before + result.n_iter))


def nested_weights(contexts: Contexts) -> NestedWeights:
    """The trees of the weights of contexts."""
    return NestedWeights(
        contexts.shorter.astype(np.int64),
        contexts.of_pairs(contexts.depth),
        contexts.of_pairs(contexts.lengths()),
        contexts.count,
        contexts.ptr,
    )


def extended(start: Fitted, contexts: Contexts) -> Float64 | None:
    """Weights of a trie of smaller order as those of a larger one, which numbers what both have in the same order; nothing for collapsed trees."""
    depth = contexts.of_pairs(contexts.depth)
    known = depth < start.contexts.order
    if np.count_nonzero(known) != len(start.weights):
        return None
    weights = np.zeros(len(depth))
    weights[known] = start.weights
    return weights


def expanded(fitted: Fitted, text: Text) -> tuple[Contexts, Float64]:
    """The trie of a collapsed tree, every weight repeated for all that it stands for."""
    contexts = fitted.contexts
    lengths = contexts.lengths()
    if (lengths == 1).all():
        return contexts, fitted.weights
    trie = Contexts.build(text, contexts.order)
    # Both are numbered depth first, so that the contexts of a node follow each other, each with the same words.
    node = np.repeat(np.arange(len(lengths)), lengths)
    sizes = np.diff(trie.ptr)
    index = np.arange(len(trie.target)) - np.repeat(trie.ptr[:-1] - contexts.ptr[node], sizes)
    return trie, fitted.weights[index]


def model_of(fitted: Fitted, text: Text) -> ContextModel:
    """The scores and log Z of all contexts that have a weight or a longer context with one; the others change nothing."""
    contexts, weights = expanded(fitted, text)
    score, log_z = np.empty(len(weights)), np.empty(len(contexts.parent))
    contexts.kernel.scores(weights, score, log_z)
    return condensed(
        ContextModel(contexts.parent, contexts.word, contexts.ptr, contexts.target, score, -log_z)
    )
