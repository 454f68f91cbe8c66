"""Mixtures: p(v | x) = sum over parts m of weight_m share_m(v) p_m(class_m(v) | classes of x).

The first part is over words and keeps its place as the model's own n-grams; the others are over
classes of words (or over the words of another vocabulary), where classes are the words of a
`ContextModel` and share_m(v) is the probability of a word in its class. Each part sums to 1, hence
so does the mixture. Weights are those under which text that no part has seen is most likely, found
by EM (Jelinek and Mercer 1980).
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Ints32
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Text
from laconic.lm.pruning import Prunable, expected_frequencies, pruned, seen_frequencies
from laconic.lm.running import END_ID

AnyAutomaton: TypeAlias = _core.ContextAutomaton | _core.MixtureAutomaton
LEAST = 1e-12  # lower bound of the weight of words
WORTH = 1.4  # times words and classes: with fewer n-grams, classes say less than they take
ROUNDS = 50  # of EM, which is far from slow here: the parts are very different


class MixturePart(NamedTuple):
    """A part of a mixture besides that of words.

    model      over classes; its start of a sentence is that of the words
    classes    class of every word
    log_share  logarithm of the probability of every word in its class
    weight     of the part, from 0 to 1; the part of words has what is left
    """

    model: ContextModel
    classes: Ints32
    log_share: Array
    weight: float

    def encoded(self, text: Text) -> Text:
        """Return a text of words as one of classes."""
        return Text(self.classes[text.tokens], text.ptr, self.model.n_words)

    def log_probs(self, text: Text) -> Array:
        """Return the log probability of every token under this part alone."""
        return token_log_probs(self.model, self.encoded(text)) + self.log_share[text.tokens]

    def checked(self, n_words: int) -> MixturePart:
        """Return the part with typed arrays; ValueError if it is not one over n_words words."""
        typed = MixturePart(
            self.model.checked(),
            np.ascontiguousarray(self.classes, np.int32),
            np.ascontiguousarray(self.log_share, np.float64),
            float(self.weight),
        )
        _core.MixtureAutomaton(n_words).add(typed.model.automaton(), *typed[1:])
        return typed


def all_parts(model: ContextModel, others: tuple[MixturePart, ...]) -> list[MixturePart]:
    """Return the parts of a mixture, that of words first, each of them a class of its own."""
    n_words, weight = model.n_words, 1 - sum(part.weight for part in others)
    classes = np.arange(n_words, dtype=np.int32)
    return [MixturePart(model, classes, np.zeros(n_words), max(weight, LEAST)), *others]


def mixture_automaton(model: ContextModel, others: tuple[MixturePart, ...]) -> AnyAutomaton:
    """Return the kernel that scores, samples and completes: of one model, or of a mixture."""
    if not others:
        return model.automaton()
    kernel = _core.MixtureAutomaton(model.n_words)
    for part in all_parts(model, others):
        kernel.add(part.model.automaton(), part.classes, part.log_share, part.weight)
    return kernel


def pruned_mixture(
    model: ContextModel, others: tuple[MixturePart, ...], size: int, text: Text | None
) -> tuple[ContextModel, tuple[MixturePart, ...]]:
    """Return the mixture with `size` n-grams in all; `text` says how often contexts occur.

    Without one the models say so. Where `size` is less than `least_with_classes`, classes are left
    out.
    """
    parts = all_parts(model, others if size >= least_with_classes(model, others) else ())
    frequencies = [
        expected_frequencies(part.model, int(part.classes[END_ID]))
        if text is None
        else seen_frequencies(part.model, part.encoded(text))
        for part in parts
    ]
    smaller = pruned(
        [
            Prunable(part.model, each, part.weight)
            for part, each in zip(parts, frequencies, strict=True)
        ],
        size,
    )
    return smaller[0], tuple(
        part._replace(model=each) for part, each in zip(parts[1:], smaller[1:], strict=True)
    )


def least_with_classes(model: ContextModel, others: tuple[MixturePart, ...]) -> int:
    """Return the number of n-grams from which on a pruned mixture is better with its classes."""
    single = model.n_words + sum(part.model.n_words for part in others)
    return math.ceil(WORTH * single)


def token_log_probs(model: ContextModel, text: Text) -> Array:
    """Return the log probability of every token."""
    automaton = model.automaton()
    log_probs: Array = automaton.score(text.tokens, text.ptr, automaton.start())[0]
    return log_probs


def em_weights(log_probs: Array, prior: Array) -> Array:
    """Return argmax_w sum_t log sum_m w_m p_m(t) + sum_m prior_m log w_m, w on the simplex.

    log_probs has one row per part and one column per token; `prior` counts as this number of tokens
    of each part, so that no weight is zero.
    """
    with np.errstate(under="ignore"):
        relative = np.exp(log_probs - log_probs.max(axis=0))
    weights: Array = prior / prior.sum()
    for _ in range(ROUNDS):
        mixed = weights @ relative
        counts = weights * (relative @ (1 / mixed)) + prior
        weights = counts / counts.sum()
    return weights
