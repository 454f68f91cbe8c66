"""DC-ADMM with one pass of an online learner as the w-step (Suzuki and Nagata 2013, section 3.3).

    w      <- one pass over the sentences from w, then (w + rho (u - alpha)) / (1 + rho)
    u      <- nearest values to soft(w + alpha, lasso / rho)
    alpha  <- alpha + xi (w - u)

The second half of the w-step is the proximal step of the biased quadratic. All weights take part,
transitions too; of a parser those of the features that it has, since others would change their
order. rho grows from pass to pass, so that w and u meet (see laconic.core.solvers.discrete). Where
a number of values is given, they are learned from what is rounded, and moved by Lloyd's steps from
pass to pass.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from laconic import _core
from laconic.core.arrays import Array, Floats, Ints
from laconic.core.penalties.discrete import Discrete
from laconic.core.penalties.separable import L1
from laconic.core.penalties.value_sets import (
    GivenValues,
    fixed_values,
    moved_values,
    nearest,
    values_for,
)
from laconic.core.report import Callback, FitReport, Pass
from laconic.core.solvers.online import Mira
from laconic.core.solvers.online_base import (
    Examples,
    OnlineKernel,
    OnlineLearner,
    Rule,
    check_not_negative,
    check_positive,
    run_report,
)
from laconic.core.solvers.online_sparse import Fobos, Rda, Sparseptron

POWER = 1.0  # of learned_values, for weights that an online learner made


class OnlineDiscrete(OnlineLearner):
    """w in S^N by DC-ADMM: an online learner whose weights end as values of a finite set S.

    Parameters
    ----------
    values : sequence of float or int
        Allowed values of weights; 0 is always allowed. An integer is a number of values, which are
        learned from the weights.
    learner : Mira, Perceptron, StochasticGradient or None, default=None
        Learner that makes the passes; None is Mira.
    epochs : int, default=15
        Number of passes over the sentences.
    rho : float, default=0.01
        Weight of the quadratic that pulls weights towards allowed values in the first pass.
    growth : float, default=1.6
        Factor by which `rho` grows from one pass to the next.
    xi : float, default=1.0
        Step size of the dual variables.
    lasso : float, default=0.0
        Weight of a lasso on the allowed values.
    random_state : int, default=0
        Seed of the order of sentences.

    Examples
    --------
    >>> from laconic import OnlineDiscrete, Tagger
    >>> sentences = [[("the", "DT"), ("dog", "NN")], [("a", "DT"), ("cat", "NN")]]
    >>> labels = [["B", "I"], ["B", "I"]]
    >>> values = [-0.5, -0.25, 0.25, 0.5]
    >>> tagger = Tagger(learner=OnlineDiscrete(values, epochs=10)).fit(sentences, labels)
    >>> set(tagger.weights_.edge.ravel().tolist()) <= {0.0, *values}
    True
    """

    def __init__(
        self,
        values: GivenValues,
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
        Discrete(self.values).check()
        check_positive(rho=self.rho, growth=self.growth, xi=self.xi)
        check_not_negative(lasso=self.lasso)
        if isinstance(self.learner, (Rda, Fobos, Sparseptron, OnlineDiscrete)):
            raise ValueError(
                "passes are made by Mira, Perceptron or StochasticGradient, "
                f"not by {type(self.learner).__name__}"
            )
        return super().check()

    def _passes(self) -> OnlineLearner:
        """Return the learner of the passes, without averages, which would lag behind the pull."""
        learner: OnlineLearner = Mira() if self.learner is None else clone(self.learner)
        learner.set_params(averaged=False, random_state=self.random_state)
        return learner

    def rule(self, epoch: int) -> Rule:
        """See OnlineLearner."""
        return self._passes().rule(epoch)

    def learn_chunk(
        self, kernel: OnlineKernel, data: Examples, chunk: Ints, rule: _core.OnlineRule
    ) -> tuple[float, int]:
        """See OnlineLearner."""
        return self._passes().learn_chunk(kernel, data, chunk, rule)

    def run(
        self,
        kernel: OnlineKernel,
        data: Examples,
        callback: Callback | None = None,
        grow: bool = True,
    ) -> FitReport:
        """See OnlineLearner. The weights left in the kernel are u."""
        self.check()
        passes, split = self._passes(), ValueSplit(self.values, self.lasso, self.xi)
        trace: list[Pass] = []
        interrupted = False
        rho = self.rho
        try:
            for epoch in range(self.epochs):
                trace.append(passes.one_epoch(kernel, data, epoch, grow))
                split.step(kernel, rho)
                # alpha is in units of 1 / rho
                split.alpha = [part / self.growth for part in split.alpha]
                rho *= self.growth
                if callback is not None and callback(trace[-1]):
                    interrupted = True
                    break
        except KeyboardInterrupt:
            interrupted = True
        split.finish(kernel)
        passes.finish(kernel)
        return run_report(trace, interrupted)

    def finish(self, kernel: OnlineKernel) -> None:
        """Round weights: all that is left to do where another learner made the passes."""
        super().finish(kernel)
        ValueSplit(self.values, self.lasso, self.xi).finish(kernel)


class ValueSplit:
    """u and alpha of every template's features in the order of their rows, then of transitions."""

    def __init__(self, values: GivenValues, lasso: float, xi: float):
        self.given = values
        self.values = fixed_values(values)
        self.lasso = L1(lasso)
        self.xi = xi
        self.u: list[Floats] = []
        self.alpha: list[Floats] = []

    def step(self, kernel: OnlineKernel, rho: float) -> None:
        """Pull the weights, take the u-step and the alpha-step; set the pulled weights."""
        pulled, duals = [], []
        for place, w in enumerate(read(kernel)):
            known = len(self.u[place]) if self.u else 0
            centre, dual = np.zeros_like(w), np.zeros_like(w)
            if known:
                centre[:known], dual[:known] = self.u[place] - self.alpha[place], self.alpha[place]
            # Before the first u there is no pull; later, new features are pulled to 0.
            if self.u:
                w = ((w + rho * centre) / (1 + rho)).astype(np.float32)
            pulled.append(w)
            duals.append(dual)
        targets = [(w + dual).astype(np.float64) for w, dual in zip(pulled, duals, strict=True)]
        # Transitions, the last part, have no lasso.
        targets[:-1] = [self.lasso.prox(target, 1.0 / rho) for target in targets[:-1]]
        self.u = self._rounded(targets)
        self.alpha = [
            (dual + self.xi * (w - u)).astype(np.float32)
            for w, u, dual in zip(pulled, self.u, duals, strict=True)
        ]
        write(kernel, pulled)

    def _rounded(self, targets: list[Array]) -> list[Floats]:
        """Return the nearest values, learned from the targets where none are given."""
        if fixed_values(self.given) is None:
            every = np.concatenate(targets)
            every = every[every != 0]
            self.values = (
                values_for(self.given, every, POWER)
                if self.values is None
                else moved_values(self.values, every, POWER)
            )
        assert self.values is not None
        values = self.values
        return [nearest(values, target).astype(np.float32) for target in targets]

    def finish(self, kernel: OnlineKernel) -> None:
        """Set weights to u; features that came after it are rounded."""
        weights = read(kernel)
        if not self.u and self.values is None:
            self._rounded([w.astype(np.float64) for w in weights])
        values = self.values
        assert values is not None
        left = [nearest(values, w.astype(np.float64)).astype(np.float32) for w in weights]
        for place, known in enumerate(self.u):
            left[place][: len(known)] = known
        write(kernel, left)


def read(kernel: OnlineKernel) -> list[Floats]:
    """Return the weights of every template, flat, row after row.

    Then those without a lasso (transitions and starts) as one part.
    """
    if isinstance(kernel, _core.Parser):
        return [*(kernel.weights(m) for m in range(len(kernel.sizes))), np.zeros(0, np.float32)]
    tail = np.concatenate([part.ravel() for part in kernel.transitions()])
    return [*(kernel.features(m)[1].ravel() for m in range(len(kernel.sizes))), tail]


def write(kernel: OnlineKernel, parts: list[Floats]) -> None:
    """Set weights: the inverse of `read`."""
    for m, weights in enumerate(parts[:-1]):
        n = int(kernel.sizes[m])
        if isinstance(kernel, _core.Parser):
            kernel.set_weights(m, weights)
        elif n:
            kernel.add_features(m, kernel.features(m)[0].reshape(n, -1), weights.reshape(n, -1))
    if isinstance(kernel, _core.Tagger):
        edge = kernel.transitions()[0]
        kernel.set_transitions(parts[-1][: edge.size], parts[-1][edge.size :])
