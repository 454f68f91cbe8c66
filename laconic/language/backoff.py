"""Back-off models: tables of an ARPA file <-> `ContextModel`.

    log p(v | x) = log p(v | c') + log back-off weights of c and of its suffixes that are longer than c'

A context that the tables lack has the back-off weight 1; a pair that they lack but a longer context needs is borrowed from a shorter one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.errors import InputError
from laconic.language.model import ContextModel
from laconic.text.arpa import Arpa, NgramTable

LN10 = float(np.log(10))


def context_model(arpa: Arpa) -> ContextModel:
    """The model that gives the probabilities of these tables; an n-gram that is there twice is an InputError."""
    prob, backoff = (LN10 * np.concatenate([table[at] for table in arpa.tables]) for at in (1, 2))
    words = np.concatenate([table.words.ravel() for table in arpa.tables])
    n_rows = np.array([len(table.words) for table in arpa.tables], np.int64)
    found = _core.contexts_of_ngrams(words, n_rows, (backoff != 0).astype(np.uint8))
    parent, word, ptr, target, source, borrowed, row_context, context_row, twice = found
    if twice >= 0:
        raise InputError(f"the n-gram {_ngram(arpa, twice)!r} is there twice")
    weight = np.where(context_row < 0, 0.0, backoff[context_row])
    base = summed(parent, weight)
    gain = prob[source] - base[row_context[source]]
    return ContextModel(parent, word, ptr, target, gain, base, borrowed if borrowed.any() else None)


def arpa_of(model: ContextModel, vocabulary: list[str]) -> Arpa:
    """The tables of a back-off model: the inverse of `context_model`, up to the order of n-grams."""
    depth, context = model.depth, model.context_of_pairs()
    weight = model.base - np.where(model.parent < 0, 0.0, model.base[model.parent])
    own_weight = np.zeros(len(model.target))
    own_weight[pairs_of_contexts(model)[1:]] = weight[1:]
    prob = (model.gain + model.base[context]) / LN10
    kept = np.ones(len(prob), bool) if model.borrowed is None else model.borrowed == 0
    tables = []
    for order in range(1, int(depth.max()) + 2):
        pairs = np.flatnonzero((depth[context] == order - 1) & kept)
        words = np.empty((len(pairs), order), np.int32)
        words[:, -1] = model.target[pairs]
        at = context[pairs]
        for column in range(order - 1):
            words[:, column] = model.word[at]
            at = model.parent[at]
        tables.append(NgramTable(words, prob[pairs], own_weight[pairs] / LN10))
    return Arpa(vocabulary, tables)


def summed(parent: NDArray[np.int32], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of `weight` over every context and its suffixes."""
    total, above = weight.copy(), parent.copy()
    while np.any(alive := above >= 0):
        total += np.where(alive, weight[above], 0.0)
        above = np.where(alive, parent[above], -1)
    return total


def pairs_of_contexts(model: ContextModel) -> NDArray[np.int64]:
    """The pair that each context is: of its words but the newest with the newest; -1 for the empty context."""
    pairs: NDArray[np.int64] = _core.pairs_of_contexts(model.parent, model.word, model.ptr, model.target)
    return pairs


def _ngram(arpa: Arpa, row: int) -> str:
    for table in arpa.tables:
        if row < len(table.words):
            return " ".join(arpa.vocabulary[word] for word in table.words[row])
        row -= len(table.words)
    raise IndexError(row)
