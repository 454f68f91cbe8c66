"""Counts of n-grams and prefixes from counted words, without reading the documents again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from laconic.classify.structure import Training
from laconic.core.arrays import Ints
from laconic.text.documents import DocumentEncoder, prefix
from laconic.text.vocab import Vocab


def derive(training: Training, encoder: DocumentEncoder) -> tuple[Training, DocumentEncoder]:
    """Return training data and the encoder that would have read them, with its n-grams, prefixes.

    `training` holds words alone, all of them; `encoder` states ngrams and prefixes, and gets the
    vocabulary.
    """
    encoded, words = training.encoded, training.vocab.words
    sentence = np.repeat(np.arange(len(encoded.n_words)), np.diff(encoded.sentence_ptr))
    row = np.repeat(
        np.arange(len(encoded.document_ptr) - 1),
        np.diff(encoded.sentence_ptr[encoded.document_ptr]),
    )
    names, rows, columns = list(words), [row], [encoded.feature.astype(np.int64)]
    gram, texts = encoded.feature.astype(np.int64), words
    for n in range(2, encoder.ngrams + 1):
        here = np.flatnonzero(sentence[: len(sentence) - n + 1] == sentence[n - 1 :])
        key = gram[here] * len(words) + encoded.feature[here + n - 1]
        found, number = np.unique(key, return_inverse=True)
        first, last = np.divmod(found, len(words))
        texts = [
            f"{texts[a]} {words[b]}" for a, b in zip(first.tolist(), last.tolist(), strict=True)
        ]
        # Positions without such an n-gram are never the start of a longer one.
        gram = np.zeros(len(sentence), dtype=np.int64)
        gram[here] = number
        columns.append(number + len(names))
        rows.append(row[here])
        names += texts
    for length in encoder.prefixes:
        place, shorter = _prefixes(words, length)
        here = np.flatnonzero(place[encoded.feature] >= 0)
        columns.append(place[encoded.feature[here]] + len(names))
        rows.append(row[here])
        names += shorter
    return _counted(training, encoder, names, np.concatenate(rows), np.concatenate(columns))


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
