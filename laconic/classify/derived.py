"""Counts of n-grams and prefixes from counted words, without reading the documents again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from laconic.classify.structure import Training
from laconic.core.arrays import Bools, Ints
from laconic.text.documents import DocumentEncoder, prefix
from laconic.text.vocab import Vocab


def derive(training: Training, encoder: DocumentEncoder) -> tuple[Training, DocumentEncoder]:
    """Return training data and the encoder that would have read them, with its n-grams, prefixes.

    `training` holds words alone, all of them; `encoder` states ngrams and prefixes, and gets the
    vocabulary. n-grams of a single document are left out: there are many, and they say nothing of
    other documents.
    """
    encoded, words = training.encoded, training.vocab.words
    sentence = np.repeat(np.arange(len(encoded.n_words)), np.diff(encoded.sentence_ptr))
    row = np.repeat(
        np.arange(len(encoded.document_ptr) - 1),
        np.diff(encoded.sentence_ptr[encoded.document_ptr]),
    )
    names, rows, columns = list(words), [row], [encoded.feature.astype(np.int64)]
    gram, texts = encoded.feature.astype(np.int64), words
    going_on = np.ones(len(sentence), dtype=bool)
    for n in range(2, encoder.ngrams + 1):
        together = sentence[: len(sentence) - n + 1] == sentence[n - 1 :]
        here = np.flatnonzero(together & going_on[: len(together)])
        key = gram[here] * len(words) + encoded.feature[here + n - 1]
        found, number = np.unique(key, return_inverse=True)
        known = _in_two_documents(number, row[here], len(found))
        here, number = here[known[number]], (np.cumsum(known) - 1)[number[known[number]]]
        first, last = np.divmod(found[known], len(words))
        texts = [
            f"{texts[a]} {words[b]}" for a, b in zip(first.tolist(), last.tolist(), strict=True)
        ]
        columns.append(number + len(names))
        rows.append(row[here])
        names += texts
        # A longer n-gram of two documents begins with a shorter one of two documents.
        going_on = np.zeros(len(sentence), dtype=bool)
        going_on[here] = True
        gram = np.zeros(len(sentence), dtype=np.int64)
        gram[here] = number
    for length in encoder.prefixes:
        place, shorter = _prefixes(words, length)
        here = np.flatnonzero(place[encoded.feature] >= 0)
        columns.append(place[encoded.feature[here]] + len(names))
        rows.append(row[here])
        names += shorter
    return _counted(training, encoder, names, np.concatenate(rows), np.concatenate(columns))


def _in_two_documents(number: Ints, row: Ints, n: int) -> Bools:
    """Return whether each of `n` n-grams is in two documents at least; rows are ascending."""
    first, last = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    first[number[::-1]] = row[::-1]
    last[number] = row
    found: Bools = first != last
    return found


def _prefixes(words: Sequence[str], length: int) -> tuple[Ints, list[str]]:
    """Return the number of the prefix of each word, -1 of short words, and the prefixes."""
    numbers: dict[str, int] = {}
    place = [
        numbers.setdefault(prefix(word, length), len(numbers)) if len(word) > length else -1
        for word in words
    ]
    return np.array(place, dtype=np.int64), list(numbers)


def _counted(
    training: Training,
    encoder: DocumentEncoder,
    names: list[str],
    rows: Ints,
    columns: Ints,
) -> tuple[Training, DocumentEncoder]:
    """Count, and give the encoder its vocabulary."""
    vocab = Vocab()
    # A word may look like the prefix or n-gram of others: they are then one feature.
    column = vocab.grow(names)[columns]
    n_documents = len(training.documents)
    counts = sp.csr_matrix((np.ones(len(rows)), (rows, column)), shape=(n_documents, len(vocab)))
    encoder.vocab = vocab.freeze()
    return training._replace(counts=counts, vocab=encoder.vocab), encoder
