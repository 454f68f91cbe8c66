"""Back-off models: tables of an ARPA file <-> `ContextModel`.

    log p(v | x) = log p(v | c') + log back-off weights of c and its suffixes longer than c'

A context that the tables lack has the back-off weight 1; a pair that they lack but a longer context
needs is borrowed from a shorter one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Ints, Ints32
from laconic.errors import InputError
from laconic.lm.arpa import Arpa, NgramTable
from laconic.lm.context_model import ContextModel
from laconic.lm.running import START

LN10 = float(np.log(10))
START_LOG10 = -99.0  # the probability of <s> in files by convention: it is never predicted
MISSING_LOG10 = -100.0
NO_WEIGHT = 1e-12  # largest logarithm of a back-off weight that is 1 up to rounding


def context_model(arpa: Arpa, leading: Sequence[str] = ()) -> tuple[ContextModel, list[str]]:
    """Return the model with the probabilities of these tables, and the words that it predicts.

    The words are `leading`, then those of the file. The start of a sentence, <s>, is never
    predicted: n-grams that end with it are left out. A word of `leading` that the file lacks gets
    the probability 10^-100, as in KenLM. An n-gram that occurs twice is an InputError.
    """
    arpa = _arranged(arpa, leading)
    n_words = len(arpa.vocabulary) - (START in arpa.vocabulary)
    prob, backoff = (LN10 * np.concatenate([table[at] for table in arpa.tables]) for at in (1, 2))
    words = np.concatenate([table.words.ravel() for table in arpa.tables])
    n_rows = np.array([len(table.words) for table in arpa.tables], np.int64)
    found = _core.contexts_of_ngrams(words, n_rows, (backoff != 0).astype(np.uint8))
    parent, word, ptr, target, source, borrowed, row_context, context_row, twice = found
    if twice >= 0:
        raise InputError(f"the n-gram {_ngram(arpa, twice)!r} occurs twice")
    base = summed(parent, np.where(context_row < 0, 0.0, backoff[context_row]))
    gain = prob[source] - base[row_context[source]]
    if n_words < len(arpa.vocabulary):
        kept = np.arange(len(target)) != n_words  # all but the pair of the empty context with <s>
        ptr[1:] -= 1
        target, gain, borrowed = target[kept], gain[kept], borrowed[kept]
    return ContextModel(
        parent, word, ptr, target, gain, base, borrowed if borrowed.any() else None
    ), arpa.vocabulary[:n_words]


def _arranged(arpa: Arpa, leading: Sequence[str]) -> Arpa:
    """Return the model with these words first and <s> last, without n-grams that predict <s>."""
    given = set(leading)
    middle = [word for word in arpa.vocabulary if word != START and word not in given]
    vocabulary = [*leading, *middle, *([START] if START in arpa.vocabulary else [])]
    number = {word: i for i, word in enumerate(vocabulary)}
    new_id = np.array([number[word] for word in arpa.vocabulary], np.int32)
    single = arpa.tables[0]
    prob, backoff = np.full(len(vocabulary), MISSING_LOG10), np.zeros(len(vocabulary))
    prob[new_id], backoff[new_id] = single.log10_prob, single.log10_backoff
    tables = [NgramTable(np.arange(len(vocabulary), dtype=np.int32)[:, None], prob, backoff)]
    for table in arpa.tables[1:]:
        words = new_id[table.words]
        kept = np.all(words[:, 1:] != number.get(START, -1), axis=1)
        tables.append(NgramTable(words[kept], table.log10_prob[kept], table.log10_backoff[kept]))
    return Arpa(vocabulary, tables)


def arpa_of(model: ContextModel, vocabulary: list[str]) -> Arpa:
    """Return the tables of a model with these words: the inverse of `context_model`."""
    depth, context = model.depth, model.context_of_pairs()
    weight = model.base - np.where(model.parent < 0, 0.0, model.base[model.parent])
    pairs, own_weight = pairs_of_contexts(model), np.zeros(len(model.target))
    own_weight[pairs[pairs >= 0]] = weight[pairs >= 0]
    prob = (model.gain + model.base[context]) / LN10
    # A borrowed pair is written if its context has a back-off weight: a file has no other place
    # for the weight.
    kept = (
        np.ones(len(prob), bool)
        if model.borrowed is None
        else (model.borrowed == 0) | (np.abs(own_weight) > NO_WEIGHT)
    )
    tables = []
    for order in range(1, int(depth.max()) + 2):
        chosen = np.flatnonzero((depth[context] == order - 1) & kept)
        words = np.empty((len(chosen), order), np.int32)
        words[:, -1] = model.target[chosen]
        at = context[chosen]
        for column in range(order - 1):
            words[:, column] = model.word[at]
            at = model.parent[at]
        tables.append(NgramTable(words, prob[chosen], own_weight[chosen] / LN10))
    start = NgramTable(
        np.array([[model.n_words]], np.int32),
        np.array([START_LOG10]),
        weight[1:][pairs[1:] < 0] / LN10,
    )
    if len(start.log10_backoff):
        tables[0] = NgramTable(
            *(
                np.concatenate([all_words, one])
                for all_words, one in zip(tables[0], start, strict=True)
            )
        )
        return Arpa([*vocabulary, START], tables)
    return Arpa(vocabulary, tables)


def summed(parent: Ints32, weight: Array) -> Array:
    """Return the sum of `weight` over every context and its suffixes."""
    total, above = weight.copy(), parent.copy()
    while np.any(alive := above >= 0):
        total += np.where(alive, weight[above], 0.0)
        above = np.where(alive, parent[above], -1)
    return total


def pairs_of_contexts(model: ContextModel) -> Ints:
    """Return the pair that each context is: (its words but the newest, its newest word).

    -1 for the empty context and the start of sentences.
    """
    pairs: Ints = _core.pairs_of_contexts(model.parent, model.word, model.ptr, model.target)
    return pairs


def _ngram(arpa: Arpa, row: int) -> str:
    """Return the words of a row, counted over all tables."""
    for table in arpa.tables:
        if row < len(table.words):
            return " ".join(arpa.vocabulary[word] for word in table.words[row])
        row -= len(table.words)
    raise IndexError(row)
