"""What a language model holds: its n-grams with their weights, and its longest contexts.

The weight of an n-gram is gain[(c, v)] - gain[the next shorter pair of v]: in a log-linear model
its learned weight, in a back-off model log p(v | c) minus the log probability that backing off
would give. The weight of a single word is its own gain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.lm.compact import CompactLanguageModel
from laconic.lm.model import LanguageModel
from laconic.lm.pruning import weights_of_pairs
from laconic.lm.running import START

NEXT = 5  # number of words shown after a context


class NgramOrderRow(NamedTuple):
    """Number of contexts and of n-grams of one order."""

    order: int
    contexts: int
    ngrams: int


class NgramRow(NamedTuple):
    """One n-gram: the weight of its last word after the others, and its probability there."""

    order: int
    weight: float
    probability: float
    ngram: str


class ContextRow(NamedTuple):
    """One context: its words, the number of words after it, and the most likely of these."""

    context: str
    words: int
    then: str


def order_rows(model: LanguageModel | CompactLanguageModel) -> list[NgramOrderRow]:
    """Return one row per order."""
    sizes, depth = model.model_.own_sizes(), model.model_.depth
    contexts, ngrams = np.bincount(depth, sizes > 0), np.bincount(depth, sizes)
    return [
        NgramOrderRow(order, int(n_contexts), int(n_ngrams))
        for order, (n_contexts, n_ngrams) in enumerate(zip(contexts, ngrams, strict=True), 1)
    ]


def heaviest_ngrams(model: LanguageModel, n: int) -> list[NgramRow]:
    """Return the n n-grams of each order with the largest weights, in descending order."""
    pairs, weights = model.model_, weights_of_pairs(model.model_)
    context = pairs.context_of_pairs()
    order = pairs.depth[context] + 1
    rows = []
    for k in range(1, int(order.max()) + 1):
        these = np.flatnonzero((order == k) & (weights != 0))
        for i in these[np.argsort(-weights[these], kind="stable")[:n]].tolist():
            probability = float(np.exp(pairs.gain[i] + pairs.base[context[i]]))
            words = [*context_words(model, int(context[i])), model.encoder_.words[pairs.target[i]]]
            rows.append(NgramRow(k, float(weights[i]), probability, " ".join(words)))
    return rows


def longest_contexts(model: LanguageModel, n: int) -> list[ContextRow]:
    """Return the n longest contexts; among equals those with the largest sum of weights first."""
    pairs, weights = model.model_, weights_of_pairs(model.model_)
    total = np.bincount(pairs.context_of_pairs(), np.maximum(weights, 0), pairs.n_contexts)
    used = np.flatnonzero(total > 0)
    rows = []
    for c in used[np.lexsort((-total[used], -pairs.depth[used]))[:n]].tolist():
        here = np.arange(pairs.ptr[c], pairs.ptr[c + 1])
        here = here[weights[here] != 0]
        best = here[np.argsort(-pairs.gain[here], kind="stable")[:NEXT]]
        shown = (
            f"{model.encoder_.words[pairs.target[i]]} {np.exp(pairs.gain[i] + pairs.base[c]):.3f}"
            for i in best.tolist()
        )
        rows.append(ContextRow(" ".join(context_words(model, c)), len(here), "  ".join(shown)))
    return rows


def context_words(model: LanguageModel, context: int) -> list[str]:
    """Return the words of a context, the oldest first."""
    words, found = [*model.encoder_.words, START], []
    while context > 0:
        found.append(words[model.model_.word[context]])
        context = int(model.model_.parent[context])
    return found
