"""Words mixed with classes of words: p(v | x) = sum_m weight_m p_m(v | x).

Part 0 is a model of n-grams of words. Each other part is one of n-grams of classes,

    p_m(v | x) = p(v | class of v) p(class of v | classes of x)

(Brown et al. 1992), with their clusters as classes. Where a text has never shown a word after a
context, it has often shown words of the same class after contexts of the same classes.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from laconic.core.arrays import Array, Bools, Ints32
from laconic.core.parameters import HasParameters
from laconic.core.ragged import pointers
from laconic.core.report import Callback, in_one_line
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Text
from laconic.lm.default import default_words
from laconic.lm.kneser_ney import KneserNey
from laconic.lm.learn import LearnedNgrams, NgramLearner
from laconic.lm.mixture import MixturePart, em_weights, token_log_probs
from laconic.text.clusters import brown_clusters

RUNS = 100  # of sentences, of which every twentieth is held out for the weights
EVERY, FIRST = 20, 9
FEWEST = 400  # tokens: below, classes say nothing that words do not
# What weights are before a held-out word is seen, and the number of words this counts as.
USUAL, STRENGTH = 0.7, 20.0


class ClassMixture(HasParameters):
    """p(v | x) = sum_m weight_m p_m(v | x): n-grams of words mixed with n-grams of classes.

    Classes are Brown clusters of the training data. The weights are those under which a twentieth
    of it, held out, is most likely; then all parts learn from all of it. A number of classes that
    is not below a quarter of the number of different words is left out, and so are all classes of a
    text with fewer than 400 words.

    Parameters
    ----------
    words : KneserNey, LogLinear or None, default=None
        What learns the n-grams of words; None means `LogLinear()` where it fits the memory, beyond
        that `KneserNey()`.
    n_classes : tuple of int, default=(100, 300, 1000)
        Numbers of classes, one part each.
    n_jobs : int, default=1
        Number of threads of the learner of words that None means. They change no digit.

    Examples
    --------
    >>> from laconic import ClassMixture, KneserNey, LanguageModel
    >>> text = [f"the {a} {b} slowly" for a in ("cat", "dog") for b in ("sleeps", "eats")] * 60
    >>> learner = ClassMixture(KneserNey(), n_classes=(2,))
    >>> model = LanguageModel(order=3, learner=learner).fit(text)
    >>> model.complete("the cat", k=2)[0][0]
    'eats'
    """

    def __init__(
        self,
        words: NgramLearner | None = None,
        n_classes: tuple[int, ...] = (100, 300, 1000),
        n_jobs: int = 1,
    ) -> None:
        self.words = words
        self.n_classes = n_classes
        self.n_jobs = n_jobs

    def learn(self, text: Text, order: int, callback: Callback | None = None) -> LearnedNgrams:
        """Return the n-grams of words, and the parts of classes that are mixed with them."""
        numbers = self.numbers(text)
        words = (
            default_words(text, order, self.n_jobs)
            if self.words is None
            else clone(self.words, safe=False)
        )
        learned = words.learn(text, order, callback)
        others: tuple[MixturePart, ...] = ()
        if numbers:
            with quiet_discounts():
                weights = _weights_of_classes(text, order, numbers)
                others = tuple(
                    class_part(text, order, number, float(weight))
                    for number, weight in zip(numbers, weights[1:], strict=True)
                )
        report = replace(
            learned.report,
            learner=in_one_line(clone(self).set_params(words=words)),
            features_total=learned.report.features_total + sum(len(o.model.target) for o in others),
            groups_total=learned.report.groups_total + sum(o.model.n_contexts for o in others),
        )
        return LearnedNgrams(learned.model, report, others)

    def numbers(self, text: Text) -> list[int]:
        """Return the numbers of classes that this text has enough words for."""
        if not isinstance(self.n_classes, tuple | list) or not all(
            isinstance(number, int | np.integer) and number >= 1 for number in self.n_classes
        ):
            raise ValueError(
                f"n_classes must be a tuple of numbers of at least 1, got {self.n_classes!r}"
            )
        if not is_enough(text):
            return []
        different = int(np.count_nonzero(np.bincount(text.tokens)))
        return [int(number) for number in self.n_classes if 4 * number < different]


def is_enough(text: Text) -> bool:
    """Return whether a text is long enough for a part of it to be held out."""
    return len(text.tokens) >= FEWEST and len(text.ptr) - 1 >= EVERY


class _Halves(NamedTuple):
    """A text in two: to learn from, and held out."""

    learned: Text
    held_out: Text


def halves(text: Text, runs: int = RUNS, every: int = EVERY, first: int = FIRST) -> _Halves:
    """Return every twentieth run of sentences, from run `first` on, as held-out text, and the rest.

    Runs, not single sentences: neighbours repeat each other more than a new text does.
    """
    n = len(text.ptr) - 1
    run = np.arange(n) * min(runs, n) // n
    held = run % every == first
    return _Halves(_chosen_sentences(text, ~held), _chosen_sentences(text, held))


def _chosen_sentences(text: Text, chosen: Bools) -> Text:
    sizes = np.diff(text.ptr)
    return Text(text.tokens[np.repeat(chosen, sizes)], pointers(sizes[chosen]), text.n_words)


def _weights_of_classes(text: Text, order: int, numbers: list[int]) -> Array:
    """Return the weights of words and of all numbers of classes.

    Words are Kneser-Ney's whatever learns them in the end: the weights hardly depend on it, and a
    log-linear model would be learned twice.
    """
    part, held_out = halves(text)
    others = [class_part(part, order, number, 0.5) for number in numbers]
    known = np.bincount(part.tokens, minlength=text.n_words)[held_out.tokens] > 0
    words = KneserNey().learn(part, order).model
    return held_out_weights(parts_log_probs(words, others, held_out, known))


def parts_log_probs(
    words: ContextModel, others: list[MixturePart], held_out: Text, known: Bools
) -> Array:
    """Return the log probabilities of known tokens under words and all others, a row for each."""
    log_probs = [token_log_probs(words, held_out), *(each.log_probs(held_out) for each in others)]
    return np.array(log_probs)[:, known]


def held_out_weights(log_probs: Array) -> Array:
    """Return the weights of words and of all others under which held-out tokens are likeliest."""
    n = len(log_probs) - 1
    return em_weights(log_probs, STRENGTH * np.array([USUAL, *[(1 - USUAL) / n] * n]))


def class_part(text: Text, order: int, n_classes: int, weight: float) -> MixturePart:
    """Return the model of n-grams of classes; words that never occur are a class of their own."""
    classes = classes_of(text, n_classes)
    count = np.bincount(text.tokens, minlength=text.n_words).astype(float)
    count[count == 0] = 1  # only within their own class
    log_share = np.log(count / np.bincount(classes, count)[classes])
    encoded = Text(classes[text.tokens], text.ptr, int(classes.max()) + 1)
    return MixturePart(KneserNey().learn(encoded, order).model, classes, log_share, weight)


def classes_of(text: Text, n_classes: int) -> Ints32:
    """Return the Brown cluster of every word; those that never occur share one more class."""
    leaf = brown_clusters(text.tokens, text.ptr, text.n_words, n_classes).leaf
    return np.unique(leaf, return_inverse=True)[1].astype(np.int32)


@contextmanager
def quiet_discounts() -> Iterator[None]:
    """Keep back what Kneser-Ney says of discounts: small numbers of classes have few n-grams."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*discount_fallback")
        yield
