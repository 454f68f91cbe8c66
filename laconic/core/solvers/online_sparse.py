"""Online learners whose weights become exact zeros.

Dual averaging, forward-backward splitting, and budgets of templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy

import numpy as np

from laconic import _core
from laconic.core.arrays import Ints
from laconic.core.penalties import Penalty
from laconic.core.penalties.elastic import elastic_rates
from laconic.core.penalties.names import as_penalty
from laconic.core.penalties.templates import COARSE
from laconic.core.report import in_one_line
from laconic.core.solvers.budget import Order, Sizes, TemplateBudget
from laconic.core.solvers.online import StochasticGradient
from laconic.core.solvers.online_base import (
    LOSSES,
    OnlineKernel,
    OnlineLearner,
    Rule,
    check_loss,
    check_positive,
)
from laconic.core.solvers.online_penalty import (
    NAMED_GROUPS,
    OnlinePenalty,
    online_penalty,
    over_norms,
    template_factors,
)


class Rda(OnlineLearner):
    """w_t = (gain / sqrt(t)) soft(sum of steps, lasso * t): dual averaging with an L1 norm.

    (Xiao 2009.) The lasso acts on the average gradient, so that weights of features with weak
    evidence are exact zeros at all times.

    Parameters
    ----------
    strength : float or None, default=None
        Strength of the penalty; None is 1e-4, or what an object says.
    epochs : int, default=10
        Number of passes over the sentences.
    gain : float, default=1.0
        Factor of all weights.
    loss : {"log", "hinge", "perceptron"}, default="perceptron"
        Loss of a sentence: that of a CRF, of a structured SVM or of the perceptron.
    random_state : int, default=0
        Seed of the order of sentences.
    penalty : "l1" or L1, default="l1"
        The lasso, which thresholds of sums of steps stand for; Fobos and Crf take others.

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
        strength: float | None = None,
        epochs: int = 10,
        gain: float = 1.0,
        loss: str = "perceptron",
        random_state: int = 0,
        penalty: Penalty | str | None = "l1",
    ):
        self.penalty = penalty
        self.strength = strength
        self.epochs = epochs
        self.gain = gain
        self.loss = loss
        self.random_state = random_state

    def check(self) -> OnlineLearner:
        """See OnlineLearner."""
        check_loss(self.loss)
        check_positive(gain=self.gain)
        self._lasso()
        return super().check()

    def _lasso(self) -> float:
        """Return the strength of the lasso, or raise a ValueError for another penalty."""
        penalty = as_penalty(self.penalty, _strength(self, self.penalty, 1e-4))
        rates = elastic_rates(penalty)
        if rates is None or rates.ridge:
            raise ValueError(
                "Rda takes the lasso, since its weights are thresholds of sums of steps, got "
                f"{type(penalty).__name__}: use Fobos, or Crf"
            )
        return rates.lasso

    def rule(self, epoch: int) -> Rule:
        """See OnlineLearner."""
        return {
            "loss": LOSSES[self.loss],
            "step": self.gain,
            "aggressive": False,
            "averaged": False,
            "reading": _core.Reading.dual,
            "lasso": self._lasso(),
        }


class Fobos(StochasticGradient):
    """w <- prox(w - eta * gradient, eta penalty): gradient steps, then proximal steps.

    The penalty is a lasso, with or without a ridge; or norms of rows, all weights of a feature; or
    norms of templates. `every` above 1 is the truncated gradient of Langford et al. (2009): the
    same penalty, less often and more at a time, with a last proximal step for the rounds since the
    one before. The penalty of a feature is deferred until it next fires: no pass over all weights
    is made.

    Parameters
    ----------
    strength : float, dict or None, default=None
        Strength of the penalty; a dict names one per term of a sum, None is 1e-5, or what an
        object says.
    penalty : str, Penalty or None, default="l1"
        lasso, elastic, ridge, label-group (all weights of a feature together), group, sparse-group
        or coarse-to-fine (templates), or a sum such as "lasso+ridge"; or such an object.
    every : int, default=1
        Number of rounds from one proximal step to the next.
    loss : {"log", "hinge", "perceptron"}, default="perceptron"
        Loss of a sentence: that of a CRF, of a structured SVM or of the perceptron.
    epochs : int, default=10
        Number of passes over the sentences.
    step : float, default=1.0
        Step size of the first pass.
    group_weight : {"one", "log", "sqrt log"}, default="one"
        Weight of a template's penalty by its number of weights.
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

    _norms: list[Penalty] | None = None

    def __init__(
        self,
        strength: float | Mapping[str, float] | None = None,
        penalty: Penalty | str | None = "l1",
        every: int = 1,
        loss: str = "perceptron",
        epochs: int = 10,
        step: float = 1.0,
        group_weight: str = "one",
        random_state: int = 0,
    ):
        self.strength = strength
        self.penalty = penalty
        self.every = every
        self.loss = loss
        self.epochs = epochs
        self.step = step
        self.group_weight = group_weight
        self.random_state = random_state

    averaged = False

    def parts(self) -> OnlinePenalty:
        """Return the parts of the penalty, or raise a ValueError."""
        return online_penalty(self, self.penalty, _strength(self, self.penalty, 1e-5))

    def check(self) -> OnlineLearner:
        """See OnlineLearner."""
        check_loss(self.loss)
        check_positive(step=self.step)
        self.parts()
        if self.every < 1:
            raise ValueError(f"every must be at least 1, got {self.every!r}")
        return OnlineLearner.check(self)

    def on(self, sizes: Sizes, order: Callable[[], Order]) -> Fobos:
        """See OnlineLearner."""
        ready = copy(self)
        ready._norms = [
            over_norms(one, sizes, order() if one.groups == COARSE else None, self.group_weight)
            for one in self.parts().norms
        ]
        return ready

    def rule(self, epoch: int) -> Rule:
        """See OnlineLearner."""
        parts = self.parts()
        reading = _core.Reading.by_row if parts.rows else _core.Reading.by_weight
        return {
            "loss": LOSSES[self.loss],
            "step": float(self.step / np.sqrt(epoch + 1)),
            "aggressive": False,
            "averaged": False,
            "ridge": parts.ridge,
            "reading": reading,
            "lasso": parts.rows or parts.lasso,
            "every": self.every,
        }

    def chunks(self, order: Ints, done: int) -> Iterator[tuple[Ints, int]]:
        """Yield all sentences, or chunks between two proximal steps of templates."""
        if not self.parts().norms:
            yield order, done + len(order)
            return
        yield from chunks_of(order, done, self.every)

    def after_chunk(
        self, kernel: OnlineKernel, n_rounds: int, step: float
    ) -> list[tuple[int, int]]:
        """Scale templates on every `every`-th round."""
        if not self.parts().norms or n_rounds % self.every:
            return []
        before = int(kernel.nonzeros.sum())
        self._shrink(kernel, step * self.every)
        return [(n_rounds, before), (n_rounds, int(kernel.nonzeros.sum()))]

    def after_epoch(self, kernel: OnlineKernel) -> None:
        """Free features whose weights are all zero."""
        kernel.compact(bool(self.parts().rows))

    def finish(self, kernel: OnlineKernel) -> None:
        """See OnlineLearner."""
        parts = self.parts()
        if self.every > 1:
            last_step = self.rule(self.epochs - 1)["step"]
            amount = last_step * (parts.rows or parts.lasso) * self.every
            kernel.defer_penalty(np.full(len(kernel.sizes), amount))
            kernel.compact(bool(parts.rows))
            if parts.norms:
                self._shrink(kernel, last_step * self.every)
        kernel.compact(bool(parts.rows))

    def _shrink(self, kernel: OnlineKernel, step: float) -> None:
        norms = self._norms
        if norms is None:  # without `on` all templates weigh the same
            ones = np.ones(len(kernel.sizes))
            norms = [over_norms(one, ones, None, "one") for one in self.parts().norms]
        kernel.shrink(np.minimum(template_factors(norms, kernel.norms, step), 1.0))


def chunks_of(order: Ints, done: int, every: int) -> Iterator[tuple[Ints, int]]:
    """Yield chunks that end where the number of rounds is a multiple of `every`."""
    cuts = np.arange(every - done % every, len(order), every)
    for piece in np.split(order, cuts):
        done += len(piece)
        yield piece, done


def _strength(
    learner: OnlineLearner, penalty: Penalty | str | None, small: float
) -> float | Mapping[str, float] | None:
    """Return the strength of a learner; None is a small one for a penalty by its name."""
    given: float | Mapping[str, float] | None = learner.get_params(deep=False)["strength"]
    return small if given is None and not isinstance(penalty, Penalty) else given


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
    penalty : str, Penalty or None, default="group"
        What is shrunk: group (single templates) or coarse-to-fine (a template with all that refine
        it), by a strength that the budget decides. With a lasso of single weights besides, it is a
        sum such as "group+lasso", the lasso applied at every shrinking.
    strength : float, dict or None, default=None
        Strength of that lasso, also as {"lasso": 0.1}; None is 1e-5, or what an object says.
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
        penalty: Penalty | str | None = "group",
        strength: float | Mapping[str, float] | None = None,
        loss: str = "perceptron",
        step: float = 1.0,
        random_state: int = 0,
    ):
        self.budget = budget
        self.epochs = epochs
        self.every = every
        self.group_weight = group_weight
        self.penalty = penalty
        self.strength = strength
        self.loss = loss
        self.step = step
        self.random_state = random_state

    def parts(self) -> OnlinePenalty:
        """Return the parts of the penalty, or raise a ValueError."""
        parts = online_penalty(self, self.penalty, _strength(self, self.penalty, 1e-5), "group")
        groups = [getattr(one, "groups", None) for one in parts.norms]
        if len(groups) != 1 or groups[0] not in NAMED_GROUPS or parts.ridge or parts.rows:
            raise ValueError(
                "Sparseptron shrinks group or coarse-to-fine to its budget, with or without a "
                f"lasso, got {in_one_line(self.penalty)}: use Fobos, or Crf"
            )
        return parts

    def check(self) -> OnlineLearner:
        """See OnlineLearner."""
        check_loss(self.loss)
        if self.budget < 1 or self.every < 1:
            raise ValueError(
                f"budget and every must be at least 1, got {self.budget!r} and {self.every!r}"
            )
        check_positive(step=self.step)
        self.parts()
        return super().check()

    def on(self, sizes: Sizes, order: Callable[[], Order]) -> Sparseptron:
        """See OnlineLearner. Without it, groups are single templates of the same weight."""
        ready = copy(self)
        coarse = getattr(self.parts().norms[0], "groups", None) == COARSE
        ready._budget = TemplateBudget(sizes, self.group_weight, order() if coarse else None)
        return ready

    def rule(self, epoch: int) -> Rule:
        """See OnlineLearner."""
        return {
            "loss": LOSSES[self.loss],
            "step": float(self.step / np.sqrt(epoch + 1)),
            "aggressive": False,
            "averaged": False,
            "reading": _core.Reading.by_weight if self.parts().lasso else _core.Reading.plain,
        }

    def chunks(self, order: Ints, done: int) -> Iterator[tuple[Ints, int]]:
        """Yield chunks that end where the number of rounds is a multiple of `every`."""
        yield from chunks_of(order, done, self.every)

    def after_chunk(
        self, kernel: OnlineKernel, n_rounds: int, step: float
    ) -> list[tuple[int, int]]:
        """Shrink templates on every `every`-th round."""
        if n_rounds % self.every:
            return []
        before = int(kernel.nonzeros.sum())
        lasso = self.parts().lasso
        if lasso:
            kernel.defer_penalty(np.full(len(kernel.sizes), step * lasso * self.every))
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
