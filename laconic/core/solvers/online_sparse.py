"""Online learners whose weights become exact zeros: dual averaging, forward-backward splitting, and budgets of templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.solvers.gravity import Gravity, Order, Sizes
from laconic.core.solvers.online import (
    LOSSES,
    OnlineLearner,
    StochasticGradient,
    check_loss,
    check_not_negative,
    check_positive,
)


class Rda(OnlineLearner):
    """L1-regularized dual averaging (Xiao 2009): w_t = (gain / sqrt(t)) soft(sum of steps, lasso * t).

    The lasso acts on the average gradient, so that weights of features with weak evidence are exact zeros at all times.
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

    def rule(self, epoch: int) -> dict[str, Any]:
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
    """Gradient steps, and every `every` rounds a proximal step of lasso * |w|_1, or of lasso * sum over features of |row|_2.

    Rows are label-based groups: all labels of a feature. `every` above 1 is the truncated gradient of Langford et al. (2009): the
    same penalty, less often and more at a time, with a last proximal step at the end, so that what came since the one before is
    not spared. Features pay what they owe when they next fire: no pass over all weights is made. With a ridge this is the
    elastic net.
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

    def rule(self, epoch: int) -> dict[str, Any]:
        """See OnlineLearner."""
        by_weight = self.groups == "weights"
        reading = _core.Reading.by_weight if by_weight else _core.Reading.by_row
        return {**super().rule(epoch), "reading": reading, "lasso": self.lasso, "every": self.every}

    def after_epoch(self, tagger: Any) -> None:
        """Features whose weights are all zero are freed."""
        tagger.compact(self.groups == "rows")

    def finish(self, tagger: Any) -> None:
        """See OnlineLearner."""
        if self.every > 1:
            last_step = self.rule(self.epochs - 1)["step"]
            tagger.defer_penalty(np.full(len(tagger.sizes), last_step * self.lasso * self.every))
        tagger.compact(self.groups == "rows")


class Sparseptron(OnlineLearner):
    """Algorithm 1 with a budget: gradient steps, and every `every` rounds one that leaves at most `budget` templates.

    Steps fall as 1 / sqrt(epoch). Groups are single templates, or with groups="coarse to fine" overlapping unions of a template
    with all finer ones (see laconic.core.solvers.gravity): what is kept is kept with all that it refines. With the perceptron loss the
    choice does not depend on the size of the first step. A lasso > 0 makes the sparse group lasso: features owe it at every shrinking.
    """

    _gravity: Gravity | None = None

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
        """See OnlineLearner. Without it, groups are single templates and all weigh alike."""
        ready = copy(self)
        ready._gravity = Gravity(
            sizes, self.group_weight, order() if self.groups == "coarse to fine" else None
        )
        return ready

    def rule(self, epoch: int) -> dict[str, Any]:
        """See OnlineLearner."""
        return {
            "loss": LOSSES[self.loss],
            "step": self.step / np.sqrt(epoch + 1),
            "aggressive": False,
            "averaged": False,
            "reading": _core.Reading.by_weight if self.lasso else _core.Reading.plain,
        }

    def chunks(
        self, order: NDArray[np.int64], done: int
    ) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Pieces that end where the count of rounds is a multiple of `every`, or the epoch ends."""
        cuts = np.arange(self.every - done % self.every, len(order), self.every)
        for piece in np.split(order, cuts):
            done += len(piece)
            yield piece, done

    def after_chunk(self, tagger: Any, n_rounds: int, step: float) -> list[tuple[int, int]]:
        """Gravity, on every `every`-th round."""
        if n_rounds % self.every:
            return []
        before = int(tagger.nonzeros.sum())
        if self.lasso:
            tagger.defer_penalty(np.full(len(tagger.sizes), step * self.lasso * self.every))
            tagger.compact(False)  # the norms must be those after the lasso
        self._shrink(tagger)
        return [(n_rounds, before), (n_rounds, int(tagger.nonzeros.sum()))]

    def finish(self, tagger: Any) -> None:
        """Templates that came back since the last shrinking go."""
        self._shrink(tagger)
        tagger.compact(False)

    def _shrink(self, tagger: Any) -> None:
        gravity = self._gravity or Gravity(np.ones(len(tagger.sizes)))
        tagger.shrink(gravity.shrink(tagger.norms, self.budget))
