"""DC-ADMM with one pass of an online learner as the w-step (Suzuki and Nagata 2013, section 3.3).

    w      <- one pass over the sentences from w, then (w + rho (u - alpha)) / (1 + rho)      the proximal step of the biased quadratic
    u      <- nearest values to soft(w + alpha, lasso / rho)
    alpha  <- alpha + xi (w - u)

All weights take part, transitions too; of a parser those of the features that it has, since others would disturb their order. rho grows from pass to pass, so that w and u meet (see laconic.core.solvers.discrete).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from laconic import _core
from laconic.core.penalties.discrete import Discrete, check_values
from laconic.core.report import Callback, FitReport
from laconic.core.solvers.online import (
    Examples,
    Mira,
    OnlineLearner,
    Pass,
    check_not_negative,
    check_positive,
    run_report,
)
from laconic.core.solvers.online_sparse import Fobos, Rda, Sparseptron

Weights = NDArray[np.float32]


class OnlineDiscrete(OnlineLearner):
    """A learner whose weights end as values of a set; `learner` makes the passes: Mira(), Perceptron() or StochasticGradient()."""

    def __init__(
        self,
        values: Iterable[float],
        learner: OnlineLearner | None = None,
        epochs: int = 15,
        rho: float = 0.01,
        growth: float = 1.6,
        xi: float = 1.0,
        lasso: float = 0.0,
        random_state: int = 0,
    ):
        self.values = values
        self.learner = learner
        self.epochs = epochs
        self.rho = rho
        self.growth = growth
        self.xi = xi
        self.lasso = lasso
        self.random_state = random_state

    def check(self) -> OnlineLearner:
        """See OnlineLearner."""
        check_values(self.values)
        check_positive(rho=self.rho, growth=self.growth, xi=self.xi)
        check_not_negative(lasso=self.lasso)
        if isinstance(self.learner, (Rda, Fobos, Sparseptron, OnlineDiscrete)):
            raise ValueError(
                f"passes are made by Mira, Perceptron or StochasticGradient, not by {type(self.learner).__name__}"
            )
        return super().check()

    def _passes(self) -> OnlineLearner:
        """The learner of the passes: weights as they are, since averages would lag behind the pull."""
        learner = Mira() if self.learner is None else clone(self.learner)
        return learner.set_params(averaged=False, random_state=self.random_state)

    def rule(self, epoch: int) -> dict[str, Any]:
        """See OnlineLearner."""
        return self._passes().rule(epoch)

    def run(
        self, tagger: Any, data: Examples, callback: Callback | None = None, grow: bool = True
    ) -> FitReport:
        """See OnlineLearner. What is left in the tagger is u."""
        self.check()
        passes, split = self._passes(), Split(check_values(self.values), self.lasso, self.xi)
        trace: list[Pass] = []
        interrupted = False
        rho = self.rho
        try:
            for epoch in range(self.epochs):
                trace.append(passes.one_epoch(tagger, data, epoch, grow))
                split.step(tagger, rho)
                split.alpha = [
                    part / self.growth for part in split.alpha
                ]  # alpha is in units of 1 / rho
                rho *= self.growth
                if callback is not None and callback(trace[-1]):
                    interrupted = True
                    break
        except KeyboardInterrupt:
            interrupted = True
        split.finish(tagger)
        passes.finish(tagger)
        return run_report(trace, interrupted)

    def finish(self, tagger: Any) -> None:
        """Weights rounded: all that is left to do where no pass was this learner's own (partial_fit)."""
        super().finish(tagger)
        Split(check_values(self.values), self.lasso, self.xi).finish(tagger)


class Split:
    """u and alpha of every template's features in the order of their rows, and of transitions and starts after them."""

    def __init__(self, values: tuple[float, ...], lasso: float, xi: float):
        self.penalty = Discrete(values, lasso)
        self.xi = xi
        self.u: list[Weights] = []
        self.alpha: list[Weights] = []

    def step(self, tagger: Any, rho: float) -> None:
        """The pull, the u-step and the alpha-step; the pulled weights go back into the tagger."""
        pulled, u, alpha = [], [], []
        free = self.penalty.replace(strength=0.0)  # transitions have no lasso
        parts = read(tagger)
        for place, w in enumerate(parts):
            known = len(self.u[place]) if self.u else 0
            centre, dual = np.zeros_like(w), np.zeros_like(w)
            if known:
                centre[:known], dual[:known] = self.u[place] - self.alpha[place], self.alpha[place]
            # Before the first u there is nothing to be pulled to; later, features that are new are pulled to 0.
            if self.u:
                w = ((w + rho * centre) / (1 + rho)).astype(np.float32)
            penalty = self.penalty if place < len(parts) - 1 else free
            nearest = penalty.prox((w + dual).astype(np.float64), 1.0 / rho).astype(np.float32)
            pulled.append(w)
            u.append(nearest)
            alpha.append((dual + self.xi * (w - nearest)).astype(np.float32))
        self.u, self.alpha = u, alpha
        write(tagger, pulled)

    def finish(self, tagger: Any) -> None:
        """Leave u behind; features that came after it are rounded."""
        left = []
        for place, w in enumerate(read(tagger)):
            rounded = self.penalty.prox(w.astype(np.float64), 0.0).astype(np.float32)
            if self.u:
                rounded[: len(self.u[place])] = self.u[place]
            left.append(rounded)
        write(tagger, left)


@singledispatch
def read(tagger: Any) -> list[Weights]:
    """The weights of every template, flat, row after row; then those without a lasso (transitions and starts) as one part."""
    tail = np.concatenate([part.ravel() for part in tagger.transitions()])
    return [*(tagger.features(m)[1].ravel() for m in range(len(tagger.sizes))), tail]


@singledispatch
def write(tagger: Any, parts: list[Weights]) -> None:
    """The inverse of `read`."""
    for m, weights in enumerate(parts[:-1]):
        n = int(tagger.sizes[m])
        if n:
            tagger.add_features(m, tagger.features(m)[0].reshape(n, -1), weights.reshape(n, -1))
    edge = tagger.transitions()[0]
    tagger.set_transitions(parts[-1][: edge.size], parts[-1][edge.size :])


@read.register
def _(parser: _core.Parser) -> list[Weights]:
    return [*(parser.weights(m) for m in range(len(parser.sizes))), np.zeros(0, np.float32)]


@write.register
def _(parser: _core.Parser, parts: list[Weights]) -> None:
    for m, weights in enumerate(parts[:-1]):
        parser.set_weights(m, weights)
