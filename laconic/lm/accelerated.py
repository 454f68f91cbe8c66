"""Accelerated stochastic proximal gradient on mini-batches of tokens.

Hu, Kwok and Pan (2009); Algorithm 1 of Nelakanti et al. (2013):

    y = (1 - tau) x + tau z
    x = argmin_v <gradient of a mini-batch at y, v> + rho |v - y|^2 / 2 + penalty(v),    v >= 0
    z = [(rho tau z + (mu - rho) y + rho x) / (rho tau + mu)]_+
    rho = L + mu / delta,    tau = (sqrt(4 delta + delta^2) - delta) / 2,    delta = (1 - tau) delta

|.| scales every weight by its number of occurrences, as full-batch steps do, but by at least one
occurrence per mini-batch, since a single token can cause it. x is then an average of many steps,
and mu sets how fast old ones are forgotten: that makes the noise of mini-batches small in the end.

A mini-batch has a gradient only on the contexts of its tokens, but a proximal step looks at whole
trees, and the trees of frequent words are large. So the tree of word v takes a step every k_v
batches, where k_v is the power of two in which batches are expected to touch as many of its weights
as it has: a batch costs about as much as what it touches, and every tree follows the equations
above with mini-batches of its own size, k_v times the batch. Gradients are exact and unbiased where
they are taken; unlike with one clock for all trees, other trees may move between the batches of
one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from laconic import _core
from laconic.core.arrays import Array, Ints, Ints32
from laconic.core.solvers.base import StepSolver
from laconic.lm.nested import NestedTerms, NestedWeights
from laconic.lm.problem import NestedProblem


class StepClock:
    """The trees that take a step every `period` batches: weights `which`, penalty, x and z."""

    def __init__(self, which: NDArray[np.intp], penalty: NestedTerms, period: int, x: Array):
        self.which = which
        self.penalty = penalty
        self.period = period
        self.x = x[which]
        self.z = self.x.copy()
        self.delta, self.tau = 1.0, 1.0
        self.n_tokens = 0

    def step(
        self, y_all: Array, gradient_all: Array, n_tokens: int, constants: tuple[float, float]
    ) -> None:
        """Take a step with the gradient summed over self.n_tokens of n_tokens, then reset it."""
        lipschitz, mu = constants
        penalty, tau, y = self.penalty, self.tau, y_all[self.which]
        share = n_tokens / self.n_tokens
        slope = share * gradient_all[self.which]
        rho = lipschitz + mu / self.delta
        curvature = penalty.curvature(rho, share)
        if penalty.ridge is not None:
            slope += penalty.ridge * y
        self.x = penalty.prox(y - slope / curvature, curvature)
        self.z = np.maximum(
            (rho * tau * self.z + (mu - rho) * y + rho * self.x) / (rho * tau + mu), 0
        )
        self.tau = 0.5 * (np.sqrt(4 * self.delta + self.delta**2) - self.delta)
        self.delta *= 1 - self.tau
        y_all[self.which] = (1 - self.tau) * self.x + self.tau * self.z
        gradient_all[self.which] = 0
        self.n_tokens = 0


class AcceleratedState(NamedTuple):
    """The point x, the point y where gradients are taken, their sum so far, and the clocks."""

    x: Array
    value: float
    error: float
    y: Array
    gradient: Array
    clocks: list[StepClock]
    tokens: Ints32
    random: np.random.RandomState
    n_steps: int


class Accelerated(StepSolver[NestedProblem, AcceleratedState]):
    """Steps on mini-batches; one step of the solver is a pass over the text.

    Parameters
    ----------
    tol : float, default=1e-3
        Relative duality gap at which to stop.
    max_iter : int, default=50
        Maximal number of passes over the text.
    batch : int, default=400
        Number of tokens in a mini-batch.
    lipschitz, mu : float, default=2.0 and 0.01
        L and mu of the equations, relative to how often weights occur. 2-norms of trees, whose
        weights are all scaled like their root, need a mu of about 0.001.
    check_every : int, default=10
        Number of passes between two measurements of the gap.
    random_state : int, RandomState or None, default=0
        Seed of the order of tokens.
    """

    needs_problem = (NestedProblem,)
    needs_penalty = (NestedTerms,)
    takes = "a penalty of nested contexts"

    def __init__(
        self,
        tol: float = 1e-3,
        max_iter: int = 50,
        batch: int = 400,
        lipschitz: float = 2.0,
        mu: float = 0.01,
        check_every: int = 10,
        random_state: int | np.random.RandomState | None = 0,
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.batch = batch
        self.lipschitz = lipschitz
        self.mu = mu
        self.check_every = check_every
        self.random_state = random_state

    def init(self, problem: NestedProblem, x: Array) -> AcceleratedState:
        """Return the first state, with every tree assigned to a clock."""
        if self.batch < 1 or not self.lipschitz > 0 or not self.mu > 0:
            raise ValueError(
                "batch must be at least 1, lipschitz and mu must be positive, "
                f"got {self.batch!r}, {self.lipschitz!r}, {self.mu!r}"
            )
        weights = problem.penalty.weights
        tokens = tokens_of(weights)
        period = periods(weights, len(tokens), self.batch)
        parts = [(np.flatnonzero(period == each), int(each)) for each in np.unique(period)]
        clocks = [StepClock(which, problem.penalty.part(which), each, x) for which, each in parts]
        random = check_random_state(self.random_state)
        return AcceleratedState(
            x, problem.value(x), np.inf, x.copy(), np.zeros(len(x)), clocks, tokens, random, 0
        )

    def step(self, problem: NestedProblem, state: AcceleratedState) -> AcceleratedState:
        """Make one pass; trees whose period is not over at its end step in the next pass."""
        kernel = problem.kernel
        if not isinstance(kernel, _core.ContextTree):
            raise ValueError("Accelerated takes batches of a text alone: adapt with solver=None")
        y, gradient, n_tokens = state.y, state.gradient, len(state.tokens)
        n_batches = max(1, n_tokens // self.batch)
        for i, tokens in enumerate(
            np.array_split(state.random.permutation(state.tokens), n_batches)
        ):
            kernel.batch_loss(tokens, y, gradient)
            for clock in state.clocks:
                clock.n_tokens += len(tokens)
                if (i + 1) % clock.period == 0:
                    clock.step(y, gradient, n_tokens, (self.lipschitz, self.mu))
        x = np.empty(len(y))
        for clock in state.clocks:
            x[clock.which] = clock.x
        n_steps = state.n_steps + 1
        error = problem.certificate(x) if n_steps % self.check_every == 0 else np.inf
        return state._replace(x=x, value=problem.value(x), error=error, n_steps=n_steps)


def tokens_of(weights: NestedWeights) -> Ints32:
    """Return the text, in no order: the weight of the longest context of each token."""
    longest = np.ones(len(weights.parent), bool)
    longest[weights.parent[weights.parent >= 0]] = False
    unseen = weights.count == 0
    return np.repeat(
        np.flatnonzero(longest & ~unseen).astype(np.int32), weights.count[longest & ~unseen]
    )


def periods(weights: NestedWeights, n_tokens: int, batch: int) -> Ints:
    """Return k_v of the tree of every weight, at most the number of batches of a pass."""
    n_words = int(weights.ptr[1])
    n_batches = max(1, n_tokens // batch)
    occurrences = np.repeat(np.add.reduceat(weights.count, weights.ptr[:-1]), np.diff(weights.ptr))
    touched = -np.expm1(
        n_tokens / n_batches * np.log1p(-np.minimum(occurrences / n_tokens, 1 - 1e-9))
    )
    touched[:n_words] = 0  # a whole batch updates them in one sweep
    word = weights.roots()
    expected = np.bincount(word, touched, n_words)
    sizes = np.bincount(word, minlength=n_words)
    most = np.log2(n_batches)
    with np.errstate(divide="ignore"):
        power = np.floor(np.clip(np.log2(sizes / expected), 0, most))
    period: Ints = 2 ** power.astype(np.int64)
    return period[word]
