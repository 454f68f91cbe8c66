"""Online learners whose weights become exact zeros.

Dual averaging, forward-backward splitting, and budgets of templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy

import numpy as np

from laconic import _core
from laconic.core.arrays import Ints
from laconic.core.solvers.budget import Order, Sizes, TemplateBudget
from laconic.core.solvers.online import StochasticGradient
from laconic.core.solvers.online_base import (
    LOSSES,
    OnlineKernel,
    OnlineLearner,
    Rule,
    check_loss,
    check_not_negative,
    check_positive,
)


class Rda(OnlineLearner):
    """w_t = (gain / sqrt(t)) soft(sum of steps, lasso * t): dual averaging with an L1 norm.

    (Xiao 2009.) The lasso acts on the average gradient, so that weights of features with weak
    evidence are exact zeros at all times.

    Parameters
    ----------
    lasso : float, default=1e-4
        Weight of the lasso.
    epochs : int, default=10
        Number of passes over the sentences.
    gain : float, default=1.0
        Factor of all weights.
    loss : {"log", "hinge", "perceptron"}, default="perceptron"
        Loss of a sentence: that of a CRF, of a structured SVM or of the perceptron.
    random_state : int, default=0
        Seed of the order of sentences.

    Examples
    --------
    >>> from laconic import Rda, Tagger
    >>> sentences = [[("the", "DT"), ("dog", "NN")], [("a", "DT"), ("cat", "NN")]]
    >>> labels = [["B", "I"], ["B", "I"]]
    >>> tagger = Tagger(learner=Rda(1e-4, epochs=3)).fit(sentences, labels)
    >>> tagger.predict(sentences[:1])
    [['B', 'I']]
    """

    def __init__(
        self,
        lasso: float = 1e-4,
        epochs: int = 10,
        gain: float = 1.0,
        loss: str = "perceptron",
        random_state: int = 0,
    ):
        self.lasso = lasso
        self.epochs = epochs
        self.gain = gain
        self.loss = loss
        self.random_state = random_state

    def check(self) -> OnlineLearner:
        """See OnlineLearner."""
        check_loss(self.loss)
        check_positive(gain=self.gain)
        check_not_negative(lasso=self.lasso)
        return super().check()

    def rule(self, epoch: int) -> Rule:
        """See OnlineLearner."""
        return {
            "loss": LOSSES[self.loss],
            "step": self.gain,
            "aggressive": False,
            "averaged": False,
            "reading": _core.Reading.dual,
            "lasso": self.lasso,
        }


class Fobos(StochasticGradient):
    """w <- prox(w - eta * gradient, eta lasso): gradient steps, then proximal steps of the lasso.

    The penalty is lasso * |w|_1, or lasso * sum over features of |row|_2, where a row has the
    weights of a feature for all labels. `every` above 1 is the truncated gradient of Langford et
    al. (2009): the same penalty, less often and more at a time, with a last proximal step for the
    rounds since the one before. The penalty of a feature is deferred until it next fires: no
    pass over all weights is made. With a ridge this is the elastic net.

    Parameters
    ----------
    lasso : float, default=1e-5
        Weight of the lasso.
    groups : {"weights", "rows"}, default="weights"
        What becomes zero: single weights, or all weights of a feature together.
    every : int, default=1
        Number of rounds from one proximal step to the next.
    loss : {"log", "hinge", "perceptron"}, default="perceptron"
        Loss of a sentence: that of a CRF, of a structured SVM or of the perceptron.
    epochs : int, default=10
        Number of passes over the sentences.
    step : float, default=1.0
        Step size of the first pass.
    ridge : float, default=0.0
        Ridge weight: share of each weight, times the step size, that every round takes away.
    random_state : int, default=0
        Seed of the order of sentences.

    Examples
    --------
    >>> from laconic import Fobos, Tagger
    >>> sentences = [[("the", "DT"), ("dog", "NN")], [("a", "DT"), ("cat", "NN")]]
    >>> labels = [["B", "I"], ["B", "I"]]
    >>> tagger = Tagger(learner=Fobos(1e-4, epochs=3)).fit(sentences, labels)
    >>> tagger.predict(sentences[:1])
    [['B', 'I']]
    """

    def __init__(
        self,
        lasso: float = 1e-5,
        groups: str = "weights",
        every: int = 1,
        loss: str = "perceptron",
        epochs: int = 10,
        step: float = 1.0,
        ridge: float = 0.0,
        random_state: int = 0,
    ):
        super().__init__(loss, epochs, step, ridge, False, random_state)
        self.lasso = lasso
        self.groups = groups
        self.every = every

    def check(self) -> OnlineLearner:
        """See OnlineLearner."""
        if self.groups not in ("weights", "rows"):
            raise ValueError(f"groups must be 'weights' or 'rows', got {self.groups!r}")
        check_not_negative(lasso=self.lasso)
        if self.every < 1:
            raise ValueError(f"every must be at least 1, got {self.every!r}")
        return super().check()

    def rule(self, epoch: int) -> Rule:
        """See OnlineLearner."""
        by_weight = self.groups == "weights"
        reading = _core.Reading.by_weight if by_weight else _core.Reading.by_row
        return {**super().rule(epoch), "reading": reading, "lasso": self.lasso, "every": self.every}

    def after_epoch(self, kernel: OnlineKernel) -> None:
        """Free features whose weights are all zero."""
        kernel.compact(self.groups == "rows")

    def finish(self, kernel: OnlineKernel) -> None:
        """See OnlineLearner."""
        if self.every > 1:
            last_step = self.rule(self.epochs - 1)["step"]
            kernel.defer_penalty(np.full(len(kernel.sizes), last_step * self.lasso * self.every))
        kernel.compact(self.groups == "rows")


class Sparseptron(OnlineLearner):
    """w <- prox(w - eta * gradient): gradient steps, and shrinking to a budget of templates.

    Algorithm 1 of Martins et al. (2011): every `every` rounds a proximal step leaves at most
    `budget` templates. Step sizes fall as 1 / sqrt(epoch). Groups are single templates, or
    overlapping unions of a template with all finer ones (see laconic.core.solvers.budget). With the
    perceptron loss the choice does not depend on the size of the first step.

    Parameters
    ----------
    budget : int, default=30
        Number of templates that keep weights, at most.
    epochs : int, default=5
        Number of passes over the sentences.
    every : int, default=1000
        Number of rounds from one shrinking to the next.
    group_weight : {"one", "log", "sqrt log"}, default="one"
        Weight of a template's penalty by its number of weights.
    groups : {"templates", "coarse to fine"}, default="templates"
        What is shrunk: single templates, or a template with all that refine it.
    lasso : float, default=0.0
        Weight of a lasso on single weights besides, applied at every shrinking.
    loss : {"log", "hinge", "perceptron"}, default="perceptron"
        Loss of a sentence: that of a CRF, of a structured SVM or of the perceptron.
    step : float, default=1.0
        Step size of the first pass.
    random_state : int, default=0
        Seed of the order of sentences.

    Examples
    --------
    >>> from laconic import Sparseptron, Tagger
    >>> sentences = [[("the", "DT"), ("dog", "NN")], [("a", "DT"), ("cat", "NN")]]
    >>> labels = [["B", "I"], ["B", "I"]]
    >>> tagger = Tagger(learner=Sparseptron(budget=5, epochs=3)).fit(sentences, labels)
    >>> tagger.predict(sentences[:1])
    [['B', 'I']]
    """

    _budget: TemplateBudget | None = None

    def __init__(
        self,
        budget: int = 30,
        epochs: int = 5,
        every: int = 1000,
        group_weight: str = "one",
        groups: str = "templates",
        lasso: float = 0.0,
        loss: str = "perceptron",
        step: float = 1.0,
        random_state: int = 0,
    ):
        self.budget = budget
        self.epochs = epochs
        self.every = every
        self.group_weight = group_weight
        self.groups = groups
        self.lasso = lasso
        self.loss = loss
        self.step = step
        self.random_state = random_state

    def check(self) -> OnlineLearner:
        """See OnlineLearner."""
        check_loss(self.loss)
        if self.budget < 1 or self.every < 1:
            raise ValueError(
                f"budget and every must be at least 1, got {self.budget!r} and {self.every!r}"
            )
        if self.groups not in ("templates", "coarse to fine"):
            raise ValueError(f"groups must be 'templates' or 'coarse to fine', got {self.groups!r}")
        check_positive(step=self.step)
        check_not_negative(lasso=self.lasso)
        return super().check()

    def on(self, sizes: Sizes, order: Callable[[], Order]) -> Sparseptron:
        """See OnlineLearner. Without it, groups are single templates of the same weight."""
        ready = copy(self)
        ready._budget = TemplateBudget(
            sizes, self.group_weight, order() if self.groups == "coarse to fine" else None
        )
        return ready

    def rule(self, epoch: int) -> Rule:
        """See OnlineLearner."""
        return {
            "loss": LOSSES[self.loss],
            "step": float(self.step / np.sqrt(epoch + 1)),
            "aggressive": False,
            "averaged": False,
            "reading": _core.Reading.by_weight if self.lasso else _core.Reading.plain,
        }

    def chunks(self, order: Ints, done: int) -> Iterator[tuple[Ints, int]]:
        """Yield chunks that end where the number of rounds is a multiple of `every`."""
        cuts = np.arange(self.every - done % self.every, len(order), self.every)
        for piece in np.split(order, cuts):
            done += len(piece)
            yield piece, done

    def after_chunk(
        self, kernel: OnlineKernel, n_rounds: int, step: float
    ) -> list[tuple[int, int]]:
        """Shrink templates on every `every`-th round."""
        if n_rounds % self.every:
            return []
        before = int(kernel.nonzeros.sum())
        if self.lasso:
            kernel.defer_penalty(np.full(len(kernel.sizes), step * self.lasso * self.every))
            kernel.compact(False)  # the norms must be those after the lasso
        self._shrink(kernel)
        return [(n_rounds, before), (n_rounds, int(kernel.nonzeros.sum()))]

    def finish(self, kernel: OnlineKernel) -> None:
        """Shrink templates that came back since the last time."""
        self._shrink(kernel)
        kernel.compact(False)

    def _shrink(self, kernel: OnlineKernel) -> None:
        groups = self._budget or TemplateBudget(np.ones(len(kernel.sizes)))
        kernel.shrink(groups.shrink(kernel.norms, self.budget))
