"""Products of models: p(v | x) = prod_m p_m(v | x)^weight_m / Z(x), again one model of n-grams.

    gain(c, v) = sum_m weight_m gain_m(c, v),    base(c) = -log Z(c)
    Z(c) = Z(parent) + sum over the pairs (c, v) of exp gain(c, v) - exp gain(shorter pair)

on the contexts and pairs of all of them. gain_m(c, v) is that of the longest suffix of c after
which model m knows v, so that Z needs a visit to every pair and none to the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from laconic.core.arrays import Array, Ints, Ints32
from laconic.core.ragged import pointers
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Text
from laconic.lm.mixture import token_log_probs
from laconic.lm.pruning import shorter_pairs
from laconic.lm.running import UNKNOWN_ID

LEAST = 1e-300  # lower bound of Z, which rounding could make negative


class ModelFactors(NamedTuple):
    """The contexts and pairs of all models, with the gains of each.

    frame    contexts and pairs, as in ContextModel; without gains
    gains    (models, pairs)
    shorter  the next shorter pair of the same word, -1 for pairs of the empty context
    """

    frame: ContextModel
    gains: Array
    shorter: Ints

    def product(self, weights: Array) -> ContextModel:
        """Return the model prod_m p_m^weight_m / Z."""
        gain = np.asarray(weights @ self.gains, np.float64)
        base = -np.log(np.maximum(self.summed(np.exp(gain)), LEAST))
        return self.frame._replace(gain=gain, base=base)

    def summed(self, values: Array) -> Array:
        """Return, for every context, the sum over all words of the value of their longest pair."""
        rise, inner = values.copy(), self.shorter >= 0
        rise[inner] -= values[self.shorter[inner]]
        context, n = self.frame.context_of_pairs(), self.frame.n_contexts
        total: Array = np.bincount(context, rise, n).astype(np.float64)
        for these in _levels(self.frame):
            total[these] += total[self.frame.parent[these]]
        return total

    def likeliest(self, text: Text) -> Array:
        """Return the weights >= 0 under which the text is most likely: a convex problem."""
        n, frame = len(self.gains), self.frame
        seen = frame.automaton().visits(text.tokens, text.ptr)
        gold = np.array(
            [token_log_probs(frame._replace(gain=gain), text).sum() for gain in self.gains]
        )

        def loss(weights: Array) -> tuple[float, Array]:
            power = np.exp(weights @ self.gains)
            z = np.maximum(self.summed(power), LEAST)
            expected = [float((seen / z) @ self.summed(power * gain)) for gain in self.gains]
            value = float(seen @ np.log(z)) - float(weights @ gold)
            return value / len(text.tokens), (np.array(expected) - gold) / len(text.tokens)

        found = minimize(
            loss, np.full(n, 1 / n), jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * n
        )
        return np.asarray(found.x, np.float64)


def factors(models: Sequence[ContextModel]) -> ModelFactors:
    """Return the contexts and pairs of models over the same words."""
    n_words = models[0].n_words
    numbers = [np.zeros(model.n_contexts, np.int64) for model in models]
    levels = [_levels(model) for model in models]
    parents, words, n = [np.full(1, -1)], [np.full(1, -1)], 1
    for at in range(max(map(len, levels))):
        keys = [
            number[model.parent[these[at]]] * (n_words + 1) + model.word[these[at]]
            if at < len(these)
            else np.empty(0, np.int64)
            for model, number, these in zip(models, numbers, levels, strict=True)
        ]
        found = np.unique(np.concatenate(keys))
        for number, these, own in zip(numbers, levels, keys, strict=True):
            if at < len(these):
                number[these[at]] = n + np.searchsorted(found, own)
        parents.append(found // (n_words + 1))
        words.append(found % (n_words + 1))
        n += len(found)
    pairs = [
        number[model.context_of_pairs()] * n_words + model.target
        for model, number in zip(models, numbers, strict=True)
    ]
    found = np.unique(np.concatenate(pairs))
    frame = ContextModel(
        np.concatenate(parents).astype(np.int32),
        np.concatenate(words).astype(np.int32),
        pointers(np.bincount(found // n_words, minlength=n)),
        (found % n_words).astype(np.int32),
        np.zeros(len(found)),
        np.zeros(n),
    )
    shorter = shorter_pairs(frame)
    gains = np.full((len(models), len(found)), np.nan)
    for gain, model, own in zip(gains, models, pairs, strict=True):
        gain[np.searchsorted(found, own)] = model.gain
        _inherit(gain, frame, shorter)
    return ModelFactors(frame, gains, shorter)


def _inherit(gain: Array, frame: ContextModel, shorter: Ints) -> None:
    """Give pairs without a gain that of the next shorter pair, which has one."""
    depth = frame.depth[frame.context_of_pairs()]
    for at in range(1, int(depth.max(initial=0)) + 1):
        missing = np.flatnonzero((depth == at) & np.isnan(gain))
        gain[missing] = gain[shorter[missing]]


def _levels(model: ContextModel) -> list[Ints]:
    """Return the contexts of each depth but the empty one."""
    depth = model.depth
    return [np.flatnonzero(depth == at) for at in range(1, int(depth.max()) + 1)]


def over_words(model: ContextModel, own: Ints32, n_words: int) -> ContextModel:
    """Return the model over other words; `own` is the number that each has in it, -1 for none.

    New words share the weight of <unk> with it, and come after no context of their own.
    """
    new = np.full(model.n_words + 1, -1, np.int64)
    new[own[own >= 0]] = np.flatnonzero(own >= 0)
    new[model.n_words] = n_words
    unknown = np.flatnonzero((own < 0) | (own == UNKNOWN_ID))
    root = model.gain[np.where(own < 0, UNKNOWN_ID, own)].copy()
    root[unknown] -= np.log(len(unknown))
    context, first = model.context_of_pairs()[model.n_words :], model.n_words
    target, gain = new[model.target[first:]], model.gain[first:]
    order = np.lexsort((target, context))
    ptr = model.ptr + (n_words - first)
    ptr[0] = 0
    return ContextModel(
        model.parent,
        np.where(model.parent < 0, -1, new[model.word]).astype(np.int32),
        ptr,
        np.concatenate([np.arange(n_words), target[order]]).astype(np.int32),
        np.concatenate([root, gain[order]]),
        model.base,
    )
