"""Pruning of language models by relative entropy (Stolcke 1998).

The n-grams are removed whose loss changes the distribution least. Without the n-gram c v its word
gets alpha'(c) p(v | parent of c), alpha' the back-off weight that makes p(. | c) sum to 1 again:

    D = -p(c) [ p(v | c) (log p(v | parent) + log alpha' - log p(v | c))
                + (log alpha' - log alpha) (1 - sum_u p(u | c)) ]

An n-gram stays where a longer one that stays needs it. The parts of a mixture are pruned together,
D times the weight of the part. Any ContextModel is a back-off model in this
sense: alpha(c) = exp(base[c] - base[parent]).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Bools, Ints, Ints32
from laconic.core.ragged import pointers
from laconic.lm.backoff import pairs_of_contexts
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Text

LEAST = 1e-12  # lower bound of the probability that is left for words without a pair


class Prunable(NamedTuple):
    """A model, how often its contexts occur, p(c), and its weight in a mixture."""

    model: ContextModel
    frequency: Array
    weight: float = 1.0


def pruned(parts: list[Prunable], size: int) -> list[ContextModel]:
    """Return the models with `size` n-grams in all, including the single words of each."""
    models = [part.model.typed() for part in parts]
    n_words = sum(model.n_words for model in models)
    if size < n_words:
        raise ValueError(
            f"size must be at least {n_words}, the number of words, which all keep their "
            f"probabilities, got {size!r}"
        )
    depths = [np.repeat(model.depth, np.diff(model.ptr)) for model in models]
    importance = np.concatenate(
        [
            _importance(model, part.frequency, part.weight)
            for model, part in zip(models, parts, strict=True)
        ]
    )
    # Among equals shorter n-grams are kept first: they never need longer ones.
    order = np.lexsort((np.concatenate(depths), -importance))
    kept = np.zeros(len(importance), bool)
    kept[order[:size]] = True
    ends = np.cumsum([len(depth) for depth in depths])[:-1]
    return [
        _without(model, chosen, model.depth, model.context_of_pairs())
        for model, chosen in zip(models, np.split(kept, ends), strict=True)
    ]


def _importance(model: ContextModel, frequency: Array, weight: float) -> Array:
    """Return what the loss of every n-gram, and of those that need it, costs at the most."""
    loss = weight * _losses(model, frequency)
    importance, _ = _needed(model, loss, np.zeros(model.n_contexts), model.depth)
    importance[: model.n_words] = np.inf
    return importance


def _losses(model: ContextModel, frequency: Array) -> Array:
    """Return D of every pair, 0 in the empty context."""
    context, above = model.context_of_pairs(), model.parent
    log_p = model.gain + model.base[context]
    inner = np.arange(model.n_words, len(context))
    c = context[inner]
    log_lower = model.gain[shorter_pairs(model)[inner]] + model.base[above[c]]
    log_alpha = model.base - np.where(above < 0, 0.0, model.base[above])
    p, lower = np.exp(log_p[inner]), np.exp(log_lower)
    # What p(. | parent) leaves for the words without a pair.
    rest = np.maximum(1 - np.bincount(c, lower, model.n_contexts), LEAST)
    left = np.exp(log_alpha) * rest
    log_new = np.log((left[c] + p) / (rest[c] + lower))
    loss = np.zeros(len(context))
    loss[inner] = -frequency[c] * (
        p * (log_lower + log_new - log_p[inner]) + left[c] * (log_new - log_alpha[c])
    )
    return loss


def expected_frequencies(model: ContextModel, end: int) -> Array:
    """Return p(c) by the model itself; a sentence start is as frequent as the word `end`."""
    pairs, depth, context = pairs_of_contexts(model), model.depth, model.context_of_pairs()
    log_p, found = model.gain + model.base[context], np.zeros(model.n_contexts)
    for at in range(1, int(depth.max()) + 1):
        these = np.flatnonzero(depth == at)
        own = pairs[these]
        found[these] = np.where(own < 0, log_p[end], log_p[own] + found[context[own]])
    frequency: Array = np.exp(found)
    return frequency


def seen_frequencies(model: ContextModel, text: Text) -> Array:
    """Return p(c) in a text: how often a context, or one that ends with it, precedes a word."""
    counts: Array = model.automaton().visits(text.tokens, text.ptr).astype(float)
    depth = model.depth
    for at in range(int(depth.max()), 0, -1):
        these = np.flatnonzero(depth == at)
        np.add.at(counts, model.parent[these], counts[these])
    counts /= max(1.0, float(counts[0]))
    return counts


def _needed(model: ContextModel, loss: Array, needed: Array, depth: Ints32) -> tuple[Array, Array]:
    """Return the largest loss of every pair and of all n-grams that need it.

    The same of contexts is the second result; they start with the values of `needed`.
    """
    own, sizes, importance, needed = (
        pairs_of_contexts(model),
        np.diff(model.ptr),
        loss.copy(),
        needed.copy(),
    )
    depth_of_pairs = np.repeat(depth, sizes)
    for at in range(int(depth.max()), 0, -1):
        these, pairs = np.flatnonzero(depth == at), np.flatnonzero(depth_of_pairs == at)
        filled = these[sizes[these] > 0]
        if len(pairs):
            needed[filled] = np.maximum(
                needed[filled], np.maximum.reduceat(importance[pairs], pointers(sizes[filled])[:-1])
            )
        np.maximum.at(needed, model.parent[these], needed[these])
        reached = these[own[these] >= 0]
        np.maximum.at(importance, own[reached], needed[reached])
    return importance, needed


def condensed(model: ContextModel) -> ContextModel:
    """Return the same distribution without pairs and contexts that change nothing."""
    model = model.typed()
    shorter, depth = shorter_pairs(model), model.depth
    differs = (shorter < 0) | (model.gain != model.gain[shorter])
    if model.borrowed is not None:
        differs &= model.borrowed == 0
    changes = (model.parent >= 0) & (model.base != model.base[model.parent])
    importance, needed = _needed(model, differs.astype(float), changes.astype(float), depth)
    kept, alive = importance > 0, needed > 0
    alive[0] = True
    smaller = _chosen(model, kept, alive)
    borrowed = ~differs[kept]
    return smaller._replace(borrowed=borrowed.astype(np.uint8) if borrowed.any() else None)


def closed(model: ContextModel) -> ContextModel:
    """Return the same distribution with all prefixes and suffixes of n-grams as n-grams.

    The model already holds prefixes, perhaps as borrowed pairs. Readers of ARPA files such as
    KenLM look for both.
    """
    context, shorter = model.context_of_pairs(), shorter_pairs(model)
    below = np.where(shorter < 0, -1, context[shorter])
    above, target = context, model.target
    added: list[tuple[Ints32, Ints32, Array]] = []
    while True:  # the pairs that are still missing between a pair and its next shorter one
        missing = (below >= 0) & (model.parent[above] != below)
        if not missing.any():
            break
        above, target = model.parent[above[missing]], target[missing]
        shorter, below = shorter[missing], below[missing]
        added.append((above, target, model.gain[shorter]))
    if not added:
        return model._replace(borrowed=None)
    above, target, gain = (np.concatenate(parts) for parts in zip(*added, strict=True))
    once = np.unique(above.astype(np.int64) * model.n_words + target, return_index=True)[1]
    context, target, gain = (
        np.concatenate([old, new[once]])
        for old, new in ((context, above), (model.target, target), (model.gain, gain))
    )
    order = np.lexsort((target, context))
    ptr = pointers(np.bincount(context, minlength=model.n_contexts))
    return model._replace(ptr=ptr, target=target[order], gain=gain[order], borrowed=None)


def _without(
    model: ContextModel,
    kept: Bools,
    depth: Ints32,
    context: Ints32,
) -> ContextModel:
    """Return the model of the pairs that stay, with new back-off weights."""
    shorter = shorter_pairs(model)
    p = np.exp(model.gain + model.base[context])
    gain, base, alive = (
        model.gain.copy(),
        np.zeros(model.n_contexts),
        np.zeros(model.n_contexts, bool),
    )
    base[0] = model.base[0]
    alive[context[kept]] = True
    while True:  # the next shorter pair that stays
        gone = (shorter >= 0) & ~kept[shorter]
        if not gone.any():
            break
        shorter[gone] = shorter[shorter[gone]]
    for at in range(1, int(depth.max()) + 1):
        pairs = np.flatnonzero((depth[context] == at) & kept)
        c = context[pairs]
        lower = np.exp(gain[shorter[pairs]] + base[model.parent[c]])
        these = np.flatnonzero(depth == at)
        left, rest = (
            np.maximum(1 - np.bincount(c, values, model.n_contexts)[these], LEAST)
            for values in (p[pairs], lower)
        )
        base[these] = base[model.parent[these]] + np.log(left / rest)
        gain[pairs] = np.log(p[pairs]) - base[c]
    for at in range(int(depth.max()), 0, -1):
        these = np.flatnonzero((depth == at) & alive)
        alive[model.parent[these]] = True
    alive[0] = True
    return _chosen(model._replace(gain=gain, base=base, borrowed=None), kept, alive)


def _chosen(model: ContextModel, kept: Bools, alive: Bools) -> ContextModel:
    """Return some pairs and contexts of a model, renumbered."""
    number = np.cumsum(alive, dtype=np.int32) - 1
    parent = np.where(model.parent < 0, -1, number[model.parent])[alive].astype(np.int32)
    ptr = pointers(np.bincount(model.context_of_pairs()[kept], minlength=model.n_contexts)[alive])
    return ContextModel(
        parent, model.word[alive], ptr, model.target[kept], model.gain[kept], model.base[alive]
    )


class UsedNgrams(NamedTuple):
    """Number of n-grams, words without a weight not counted, and of contexts with an n-gram."""

    ngrams: int
    contexts: int


def weights_of_pairs(model: ContextModel) -> Array:
    """Return the weight of every pair (see explain.py); 0 for borrowed pairs."""
    weights = model.gain.copy()
    weights[model.n_words :] -= model.gain[shorter_pairs(model)[model.n_words :]]
    if model.borrowed is not None:
        weights[model.borrowed == 1] = 0
    return weights


def count_used(model: ContextModel) -> UsedNgrams:
    """Count the n-grams that change a probability, and their contexts.

    Learners leave no other n-gram in a model but the single words, which are all there.
    """
    sizes = model.own_sizes()
    sizes[0] = np.count_nonzero(model.gain[: model.n_words])
    return UsedNgrams(int(sizes.sum()), int(np.count_nonzero(sizes)))


def shorter_pairs(model: ContextModel) -> Ints:
    """Return the pair with the same target in the longest proper suffix that has one.

    -1 for the pairs of the empty context.
    """
    pairs: Ints = _core.shorter_pairs(model.parent, model.word, model.ptr, model.target)
    return pairs
