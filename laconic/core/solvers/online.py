"""Learners that see one sentence at a time.

    w  <-  w - step * (features of predicted - features of gold),      then, now and then, a proximal step of the penalty

What is predicted makes the loss: the best path (perceptron), the best path with a cost for every wrong label (SVM, MIRA) or the
marginals (CRF). A learner is a parameter object; `run` moves the weights of a kernel tagger and returns one `Pass` a pass.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from laconic import _core
from laconic.core.report import Callback, Event, FitReport, in_one_line
from laconic.core.solvers.gravity import Order, Sizes

LOSSES = {loss.name: loss for loss in _core.StructuredLoss}


class Sentences(NamedTuple):
    """Encoded training data: columns (n_views, n_tokens), sentence boundaries, and a label a token."""

    columns: NDArray[np.int32]
    ptr: NDArray[np.int64]
    gold: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.ptr) - 1


class Examples(NamedTuple):
    """Training sentences as a kernel learns from them, a label or a head a token, and how many features each template has."""

    seen: Any
    gold: NDArray[np.int32]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, tagger: Any, data: Sentences, threads: int = 1) -> Examples:
        """Number the features that the tagger's templates make of sentences."""
        seen = tagger.number(data.columns, data.ptr, threads)
        return cls(seen, data.gold, seen.sizes)


@dataclass(frozen=True)
class Pass(Event):
    """One pass over the sentences: `value` is its summed loss, `features` the weights at its end.

    Parameters
    ----------
    wrong : float
        Share of wrong labels or heads.
    held : list of (int, int)
        Rounds (sentences seen), and the number of weights held in memory after them.
    """

    wrong: float = nan
    held: list[tuple[int, int]] = field(default_factory=list)

    def __str__(self) -> str:
        """Return the pass as a progress bar shows it."""
        return f"pass {self.done}: {self.wrong:.2%} wrong, {self.features:,} weights"


def passes_of(trace: Iterable[Event]) -> list[Pass]:
    """Return the passes among the steps of a fit."""
    return [event for event in trace if isinstance(event, Pass)]


def run_report(trace: list[Pass], interrupted: bool) -> FitReport:
    """Return the report of passes over sentences; `interrupted`: whether they ended early."""
    return FitReport(
        n_iter=len(trace), converged=not interrupted, interrupted=interrupted, trace=tuple(trace)
    )


def check_loss(loss: str) -> None:
    """Raise on a loss that is not there."""
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))}, got {loss!r}")


def check_positive(**given: float) -> None:
    """Raise on parameters that are not finite numbers above 0."""
    for name, value in given.items():
        if not 0 < value < np.inf:
            raise ValueError(f"{name} must be a positive number, got {value!r}")


def check_not_negative(**given: float) -> None:
    """Raise on parameters that are not finite numbers from 0 on."""
    for name, value in given.items():
        if not 0 <= value < np.inf:
            raise ValueError(f"{name} must be a number from 0 on, got {value!r}")


class Lesson(Protocol):
    """What learning takes: sentences, a kernel tagger or parser for them, and what is made of it in the end."""

    @property
    def templates(self) -> Any: ...
    @property
    def widths(self) -> NDArray[np.int64]: ...
    @property
    def callback(self) -> Callback | None: ...
    @property
    def start(self) -> Any: ...
    def kernel(self) -> Any: ...
    def examples(self, kernel: Any) -> Examples: ...
    def weights(self, kernel: Any) -> Any: ...


class OnlineLearner(BaseEstimator):
    """What all learners share: passes over shuffled sentences, in chunks, and a callback that may stop them."""

    epochs: int
    random_state: int

    @abstractmethod
    def rule(self, epoch: int) -> dict[str, Any]:
        """The arguments of the kernel's `learn` in an epoch (counted from 0)."""

    def check(self) -> OnlineLearner:
        """Raise on parameters that make no sense."""
        if self.epochs < 1:
            raise ValueError(f"epochs must be at least 1, got {self.epochs!r}")
        return self

    def on(self, sizes: Sizes, order: Callable[[], Order]) -> OnlineLearner:
        """The learner for templates with so many weights each; order()[a, b] tells whether b is a or refines it."""
        return self

    def learn(self, lesson: Lesson) -> tuple[Any, FitReport]:
        """Return the weights after all passes, learned from zero, and the report of the fit.

        Its `features_total` is the number of different features of the training data.
        """
        began = time.perf_counter()
        kernel = lesson.kernel()
        examples = lesson.examples(kernel)
        sizes = examples.sizes
        ready = self.on(sizes * lesson.widths, lesson.templates.order)
        report = ready.run(kernel, examples, lesson.callback, lesson.start is None)
        del examples  # features are given back before they are copied
        return lesson.weights(kernel), replace(
            report,
            learner=in_one_line(self),
            features_total=int(sizes.sum()),
            seconds=time.perf_counter() - began,
        )

    def run(
        self, tagger: Any, data: Examples, callback: Callback | None = None, grow: bool = True
    ) -> FitReport:
        """Learn for all epochs, then leave final weights (averages, if they are kept) in the tagger.

        A callback that returns True, or Ctrl-C, stops early and keeps what was learned. Without `grow` only features that the
        tagger has already get weights.
        """
        self.check()
        trace: list[Pass] = []
        interrupted = False
        try:
            for epoch in range(self.epochs):
                trace.append(self.one_epoch(tagger, data, epoch, grow))
                if callback is not None and callback(trace[-1]):
                    interrupted = True
                    break
        except KeyboardInterrupt:
            interrupted = True
        self.finish(tagger)
        return run_report(trace, interrupted)

    def one_epoch(
        self, tagger: Any, data: Examples, epoch: int, grow: bool = True, done: int | None = None
    ) -> Pass:
        """One pass. `done`: the rounds before it, if they were not of the same sentences."""
        done = epoch * len(data.seen) if done is None else done
        order = np.random.default_rng((self.random_state, epoch)).permutation(len(data.seen))
        loss, wrong, held = 0.0, 0, []
        rule = self.rule(epoch)
        more = {"k": rule.pop("k")} if "k" in rule else {}
        kernel_rule = _core.OnlineRule(grow=grow, **rule)
        for chunk, n_rounds in self.chunks(order, done):
            found = tagger.learn(data.seen, data.gold, chunk, kernel_rule, **more)
            loss, wrong = loss + found[0], wrong + found[1]
            held += self.after_chunk(tagger, n_rounds, rule["step"])
        self.after_epoch(tagger)
        weights = int(tagger.nonzeros.sum())
        return Pass(
            "pass",
            epoch + 1,
            self.epochs,
            loss,
            features=weights,
            wrong=wrong / max(1, len(data.gold)),
            held=held or [(done + len(data.seen), weights)],
        )

    def chunks(
        self, order: NDArray[np.int64], done: int
    ) -> Iterator[tuple[NDArray[np.int64], int]]:
        """The sentences of an epoch in pieces, with the rounds done after each; `done` are those before."""
        yield order, done + len(order)

    def after_chunk(self, tagger: Any, n_rounds: int, step: float) -> list[tuple[int, int]]:
        """What happens between pieces: penalties. The weights held before and after, if it was looked."""
        return []

    def after_epoch(self, tagger: Any) -> None:
        """What happens after each pass."""

    def finish(self, tagger: Any) -> None:
        """Leave final weights behind: averages if they are kept, and no features without weights."""
        tagger.finish_sums()


class Perceptron(OnlineLearner):
    """w += features of gold - features of the best path; the weights are averaged over all rounds (Collins 2002)."""

    def __init__(self, epochs: int = 10, averaged: bool = True, random_state: int = 0):
        self.epochs = epochs
        self.averaged = averaged
        self.random_state = random_state

    def rule(self, epoch: int) -> dict[str, Any]:
        """See OnlineLearner."""
        return {
            "loss": LOSSES["perceptron"],
            "step": 1.0,
            "aggressive": False,
            "averaged": self.averaged,
        }


class Mira(Perceptron):
    """1-best max-loss MIRA: step = min(C, loss / |difference|^2) towards gold from the best path with Hamming cost (Crammer et al. 2006)."""

    def __init__(
        self, epochs: int = 10, C: float = np.inf, averaged: bool = True, random_state: int = 0
    ):
        super().__init__(epochs, averaged, random_state)
        self.C = C

    def check(self) -> OnlineLearner:
        """See OnlineLearner."""
        if not self.C > 0:
            raise ValueError(f"C must be positive, got {self.C!r}")
        return super().check()

    def rule(self, epoch: int) -> dict[str, Any]:
        """See OnlineLearner."""
        return {
            "loss": LOSSES["hinge"],
            "step": float(self.C),
            "aggressive": True,
            "averaged": self.averaged,
        }


class KBestMira(Mira):
    """The smallest step after which gold is ahead of each of the k best trees by its cost (McDonald et al. 2005); for parsers."""

    def __init__(
        self,
        k: int = 10,
        epochs: int = 10,
        C: float = np.inf,
        averaged: bool = True,
        random_state: int = 0,
    ):
        super().__init__(epochs, C, averaged, random_state)
        self.k = k

    def check(self) -> OnlineLearner:
        """See OnlineLearner."""
        if not 1 <= self.k <= 1000:
            raise ValueError(f"k must be from 1 to 1000, got {self.k!r}")
        return super().check()

    def rule(self, epoch: int) -> dict[str, Any]:
        """See OnlineLearner."""
        return {**super().rule(epoch), "k": self.k}


class StochasticGradient(OnlineLearner):
    """w <- (1 - eta ridge) w - eta * gradient of any loss, eta = step / sqrt(epoch); averaged if asked."""

    def __init__(
        self,
        loss: str = "log",
        epochs: int = 10,
        step: float = 0.1,
        ridge: float = 0.0,
        averaged: bool = False,
        random_state: int = 0,
    ):
        self.loss = loss
        self.epochs = epochs
        self.step = step
        self.ridge = ridge
        self.averaged = averaged
        self.random_state = random_state

    def check(self) -> OnlineLearner:
        """See OnlineLearner."""
        check_loss(self.loss)
        check_positive(step=self.step)
        check_not_negative(ridge=self.ridge)
        return super().check()

    def rule(self, epoch: int) -> dict[str, Any]:
        """See OnlineLearner."""
        step = self.step / np.sqrt(epoch + 1)
        return {
            "loss": LOSSES[self.loss],
            "step": step,
            "aggressive": False,
            "averaged": self.averaged,
            "ridge": self.ridge,
        }
