"""What learners that see one sentence at a time share: the data, the loop over passes, the events.

    w  <-  w - step * (features of predicted - features of gold)

then, now and then, a proximal step of the penalty. The prediction determines the loss: the best
path (perceptron), the best path with a cost for every wrong label (SVM, MIRA) or the marginals
(CRF). A learner is a parameter object; `run` moves the weights of a kernel tagger or parser.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeAlias, TypedDict, TypeVar

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Floats, Ints, Ints32
from laconic.core.parameters import HasParameters
from laconic.core.report import Callback, FitReport, Pass, in_one_line
from laconic.core.solvers.budget import Order, Sizes

LOSSES = {loss.name: loss for loss in _core.StructuredLoss}

OnlineKernel: TypeAlias = "_core.Tagger | _core.Parser"
KernelT = TypeVar("KernelT", bound=OnlineKernel)
LearnedT = TypeVar("LearnedT", covariant=True)


class Weighting(NamedTuple):
    """How much sentences and mistakes count.

    Parameters
    ----------
    weight : array of shape (n_sentences,)
        What multiplies the steps of each sentence.
    cost : array of shape (n_tokens,)
        Cost of a wrong label at each token, for losses with a margin; for others its mean over a
        sentence multiplies the step too.
    """

    weight: Floats
    cost: Floats

    def of_sentences(self, ptr: Ints) -> Array:
        """Return the weight of each sentence times the mean cost of its tokens."""
        sums = np.concatenate([[0.0], np.cumsum(self.cost, dtype=np.float64)])
        means = (sums[ptr[1:]] - sums[ptr[:-1]]) / np.maximum(np.diff(ptr), 1)
        return np.asarray(self.weight * means, np.float64)


class Sentences(NamedTuple):
    """Encoded training data: columns (n_views, n_tokens), sentence bounds, one label per token."""

    columns: Ints32
    ptr: Ints
    gold: Ints32
    weighting: Weighting | None = None

    def __len__(self) -> int:
        return len(self.ptr) - 1


class Examples(NamedTuple):
    """Training sentences as a kernel learns from them.

    Parameters
    ----------
    seen : _core.Occurrences or _core.TrainingTrees
        The sentences with their features numbered.
    gold : array of shape (n_tokens,)
        One label or head per token.
    sizes : array of shape (n_templates,)
        Number of features of each template.
    weighting : Weighting, optional
        How much sentences and mistakes count, of taggers.
    """

    seen: Any
    gold: Ints32
    sizes: Ints
    weighting: Weighting | None = None

    @classmethod
    def of(cls, tagger: _core.Tagger, data: Sentences, threads: int = 1) -> Examples:
        """Number the features that the tagger's templates make of sentences."""
        seen = tagger.number(data.columns, data.ptr, threads)
        return cls(seen, data.gold, seen.sizes, data.weighting)


class Rule(TypedDict, total=False):
    """One step of online learning, see `_core.OnlineRule`."""

    loss: _core.StructuredLoss
    step: float
    aggressive: bool
    averaged: bool
    reading: _core.Reading
    ridge: float
    lasso: float
    every: int


def run_report(trace: list[Pass], interrupted: bool) -> FitReport:
    """Return the report of passes over sentences; `interrupted`: whether they ended early."""
    return FitReport(
        n_iter=len(trace), converged=not interrupted, interrupted=interrupted, trace=tuple(trace)
    )


def check_loss(loss: str) -> None:
    """Raise a ValueError unless there is such a loss."""
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))}, got {loss!r}")


def check_positive(**given: float) -> None:
    """Raise a ValueError unless parameters are finite numbers above 0."""
    for name, value in given.items():
        if not 0 < value < np.inf:
            raise ValueError(f"{name} must be a positive number, got {value!r}")


def check_not_negative(**given: float) -> None:
    """Raise a ValueError unless parameters are finite numbers from 0 on."""
    for name, value in given.items():
        if not 0 <= value < np.inf:
            raise ValueError(f"{name} must be a number from 0 on, got {value!r}")


class OrderedTemplates(Protocol):
    """Templates that know which of them refine others."""

    def order(self) -> Order:
        """Return whether b is a or refines it, at [a, b]."""


class OnlineData(Protocol[KernelT, LearnedT]):
    """Training data of an online learner: sentences, and a kernel tagger or parser for them."""

    @property
    def templates(self) -> OrderedTemplates:
        """The templates of features."""

    @property
    def widths(self) -> Ints:
        """Number of weights that a feature of each template may have."""

    @property
    def callback(self) -> Callback | None:
        """What is called after every pass."""

    @property
    def start(self) -> object | None:
        """Weights whose features alone may get weights, or None."""

    def kernel(self) -> KernelT:
        """Return a kernel with zero weights."""

    def examples(self, kernel: KernelT) -> Examples:
        """Return the sentences as the kernel learns from them."""

    def weights(self, kernel: KernelT) -> LearnedT:
        """Return the weights of the kernel."""


class OnlineLearner(HasParameters):
    """What all online learners share: passes over shuffled sentences, and a callback."""

    epochs: int
    random_state: int

    @abstractmethod
    def rule(self, epoch: int) -> Rule:
        """Return the step of an epoch (counted from 0)."""

    def check(self) -> OnlineLearner:
        """Return the learner, or raise a ValueError that names a parameter that cannot be used."""
        if self.epochs < 1:
            raise ValueError(f"epochs must be at least 1, got {self.epochs!r}")
        return self

    def on(self, sizes: Sizes, order: Callable[[], Order]) -> OnlineLearner:
        """Return the learner for templates with these numbers of weights.

        order()[a, b] is whether template b is a or refines it.
        """
        return self

    def learn(self, data: OnlineData[KernelT, LearnedT], /) -> tuple[LearnedT, FitReport]:
        """Return the weights after all passes, learned from zero, and the report of the fit.

        Its `features_total` is the number of different features of the training data.
        """
        began = time.perf_counter()
        kernel = data.kernel()
        examples = data.examples(kernel)
        sizes = examples.sizes
        ready = self.on(sizes * data.widths, data.templates.order)
        report = ready.run(kernel, examples, data.callback, data.start is None)
        del examples  # features are given back before they are copied
        return data.weights(kernel), replace(
            report,
            learner=in_one_line(self),
            features_total=int(sizes.sum()),
            seconds=time.perf_counter() - began,
        )

    def run(
        self,
        kernel: OnlineKernel,
        data: Examples,
        callback: Callback | None = None,
        grow: bool = True,
    ) -> FitReport:
        """Learn for all epochs, then leave final weights (or their averages) in the kernel.

        A callback that returns True, or Ctrl-C, stops early and keeps what was learned. Without
        `grow` only features that the kernel has already get weights.
        """
        self.check()
        trace: list[Pass] = []
        interrupted = False
        try:
            for epoch in range(self.epochs):
                trace.append(self.one_epoch(kernel, data, epoch, grow))
                if callback is not None and callback(trace[-1]):
                    interrupted = True
                    break
        except KeyboardInterrupt:
            interrupted = True
        self.finish(kernel)
        return run_report(trace, interrupted)

    def one_epoch(
        self,
        kernel: OnlineKernel,
        data: Examples,
        epoch: int,
        grow: bool = True,
        done: int | None = None,
    ) -> Pass:
        """Make one pass. `done`: the rounds before it, if they were not over the same sentences."""
        done = epoch * len(data.seen) if done is None else done
        order = np.random.default_rng((self.random_state, epoch)).permutation(len(data.seen))
        loss, wrong, held = 0.0, 0, []
        rule = self.rule(epoch)
        kernel_rule = _core.OnlineRule(grow=grow, **rule)
        for chunk, n_rounds in self.chunks(order, done):
            found = self.learn_chunk(kernel, data, chunk, kernel_rule)
            loss, wrong = loss + found[0], wrong + found[1]
            held += self.after_chunk(kernel, n_rounds, rule["step"])
        self.after_epoch(kernel)
        weights = int(kernel.nonzeros.sum())
        return Pass(
            "pass",
            epoch + 1,
            self.epochs,
            loss,
            features=weights,
            wrong=wrong / max(1, len(data.gold)),
            held=held or [(done + len(data.seen), weights)],
        )

    def learn_chunk(
        self, kernel: OnlineKernel, data: Examples, chunk: Ints, rule: _core.OnlineRule
    ) -> tuple[float, int]:
        """Learn from some sentences; return the summed loss, and the number of wrong tokens."""
        if data.weighting is None:
            return kernel.learn(data.seen, data.gold, chunk, rule)
        assert isinstance(kernel, _core.Tagger)
        return kernel.learn(data.seen, data.gold, chunk, rule, *data.weighting)

    def chunks(self, order: Ints, done: int) -> Iterator[tuple[Ints, int]]:
        """Yield the sentences of an epoch in chunks, with the number of rounds after each.

        `done` is the number of rounds before the epoch.
        """
        yield order, done + len(order)

    def after_chunk(
        self, kernel: OnlineKernel, n_rounds: int, step: float
    ) -> list[tuple[int, int]]:
        """Apply penalties between chunks; return rounds and weights held, where counted."""
        return []

    def after_epoch(self, kernel: OnlineKernel) -> None:
        """Do what is due after each pass."""
        return None

    def finish(self, kernel: OnlineKernel) -> None:
        """Leave final weights: averages if they are kept, and no features without weights."""
        kernel.finish_sums()
