"""Perceptron, MIRA and stochastic gradient: learners that see one sentence at a time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from laconic import _core
from laconic.core.arrays import Ints
from laconic.core.penalties import Penalty
from laconic.core.penalties.elastic import elastic_rates
from laconic.core.penalties.names import as_penalty
from laconic.core.solvers.online_base import (
    LOSSES,
    Examples,
    OnlineKernel,
    OnlineLearner,
    Rule,
    Sentences,
    Weighting,
    check_loss,
    check_positive,
)

__all__ = [
    "Examples",
    "KBestMira",
    "Mira",
    "OnlineLearner",
    "Perceptron",
    "Sentences",
    "StochasticGradient",
    "Weighting",
]


class Perceptron(OnlineLearner):
    """w <- w + features of gold - features of the best output, averaged (Collins 2002).

    Parameters
    ----------
    epochs : int, default=10
        Number of passes over the sentences.
    averaged : bool, default=True
        Whether the weights are averaged over all rounds.
    random_state : int, default=0
        Seed of the order of sentences.

    Examples
    --------
    >>> from laconic import Perceptron, Tagger
    >>> sentences = [[("the", "DT"), ("dog", "NN")], [("a", "DT"), ("cat", "NN")]]
    >>> labels = [["B", "I"], ["B", "I"]]
    >>> Tagger(learner=Perceptron(epochs=3)).fit(sentences, labels).predict(sentences[:1])
    [['B', 'I']]
    """

    def __init__(self, epochs: int = 10, averaged: bool = True, random_state: int = 0):
        self.epochs = epochs
        self.averaged = averaged
        self.random_state = random_state

    def rule(self, epoch: int) -> Rule:
        """See OnlineLearner."""
        return Rule(loss=LOSSES["perceptron"], step=1.0, aggressive=False, averaged=self.averaged)


class Mira(Perceptron):
    """w <- w + min(C, loss / |difference|^2) difference: 1-best MIRA (Crammer et al. 2006).

    The difference is between the features of gold and those of the best output under Hamming cost.

    Parameters
    ----------
    epochs : int, default=10
        Number of passes over the sentences.
    C : float, default=inf
        Largest step size.
    averaged : bool, default=True
        Whether the weights are averaged over all rounds.
    random_state : int, default=0
        Seed of the order of sentences.

    Examples
    --------
    >>> from laconic import Mira, Tagger
    >>> sentences = [[("the", "DT"), ("dog", "NN")], [("a", "DT"), ("cat", "NN")]]
    >>> labels = [["B", "I"], ["B", "I"]]
    >>> Tagger(learner=Mira(epochs=3)).fit(sentences, labels).predict(sentences[:1])
    [['B', 'I']]
    """

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

    def rule(self, epoch: int) -> Rule:
        """See OnlineLearner."""
        return Rule(
            loss=LOSSES["hinge"], step=float(self.C), aggressive=True, averaged=self.averaged
        )


class KBestMira(Mira):
    """min |w' - w|^2 such that gold is ahead of each of the k best trees by its cost; for parsers.

    (McDonald et al. 2005.)

    Parameters
    ----------
    k : int, default=10
        Number of best trees per sentence.
    epochs : int, default=10
        Number of passes over the sentences.
    C : float, default=inf
        Largest step size.
    averaged : bool, default=True
        Whether the weights are averaged over all rounds.
    random_state : int, default=0
        Seed of the order of sentences.

    Examples
    --------
    >>> from laconic import KBestMira
    >>> KBestMira(k=5, epochs=3)
    KBestMira(epochs=3, k=5)
    """

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

    def learn_chunk(
        self, kernel: OnlineKernel, data: Examples, chunk: Ints, rule: _core.OnlineRule
    ) -> tuple[float, int]:
        """See OnlineLearner; the k best trees of each sentence are its rivals."""
        if not isinstance(kernel, _core.Parser):
            raise ValueError("KBestMira learns parsers; for a tagger use Mira")
        return kernel.learn(data.seen, data.gold, chunk, rule, self.k)


class StochasticGradient(OnlineLearner):
    """w <- (1 - eta ridge) w - eta * gradient of the loss, eta = step / sqrt(epoch).

    Parameters
    ----------
    loss : {"log", "hinge", "perceptron"}, default="log"
        Loss of a sentence: that of a CRF, of a structured SVM or of the perceptron.
    epochs : int, default=10
        Number of passes over the sentences.
    step : float, default=0.1
        Step size of the first pass.
    strength : float or None, default=None
        Strength of the ridge: share of each weight, times the step size, that every round takes
        away; None is 0, or what an object says.
    averaged : bool, default=False
        Whether the weights are averaged over all rounds.
    random_state : int, default=0
        Seed of the order of sentences.
    penalty : "ridge" or Ridge, default="ridge"
        The ridge, which scales all weights at once; Fobos and Crf take others.

    Examples
    --------
    >>> from laconic import StochasticGradient, Tagger
    >>> sentences = [[("the", "DT"), ("dog", "NN")], [("a", "DT"), ("cat", "NN")]]
    >>> labels = [["B", "I"], ["B", "I"]]
    >>> tagger = Tagger(learner=StochasticGradient("log", epochs=3)).fit(sentences, labels)
    >>> tagger.predict(sentences[:1])
    [['B', 'I']]
    """

    def __init__(
        self,
        loss: str = "log",
        epochs: int = 10,
        step: float = 0.1,
        strength: float | Mapping[str, float] | None = None,
        averaged: bool = False,
        random_state: int = 0,
        penalty: Penalty | str | None = "ridge",
    ):
        self.loss = loss
        self.epochs = epochs
        self.step = step
        self.penalty = penalty
        self.strength = strength
        self.averaged = averaged
        self.random_state = random_state

    def check(self) -> OnlineLearner:
        """See OnlineLearner."""
        check_loss(self.loss)
        check_positive(step=self.step)
        self._ridge()
        return super().check()

    def _ridge(self) -> float:
        """Return the strength of the ridge, or raise a ValueError for another penalty."""
        penalty = as_penalty(self.penalty, self.strength, "ridge")
        rates = elastic_rates(penalty)
        if rates is None or rates.lasso:
            raise ValueError(
                "StochasticGradient takes the ridge, which scales all weights at once, got "
                f"{type(penalty).__name__}: use Fobos, or Crf"
            )
        unstated = self.strength is None and not isinstance(self.penalty, Penalty)
        return 0.0 if unstated else rates.ridge

    def rule(self, epoch: int) -> Rule:
        """See OnlineLearner."""
        return Rule(
            loss=LOSSES[self.loss],
            step=float(self.step / np.sqrt(epoch + 1)),
            aggressive=False,
            averaged=self.averaged,
            ridge=self._ridge(),
        )
