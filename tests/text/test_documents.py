"""Documents as feature ids."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from laconic.text.docstrings import docstring_corpus
from laconic.text.documents import DocumentEncoder


@pytest.mark.slow
def test_counts_are_those_of_scikit_learn():
    texts = docstring_corpus(packages=("numpy",))[0][:200]
    encoder = DocumentEncoder()
    ours = encoder.grow(texts).counts(len(encoder.vocab))
    peer = CountVectorizer().fit(texts)
    order = [peer.vocabulary_[word] for word in encoder.vocab.words]
    assert (ours != peer.transform(texts)[:, order]).nnz == 0


def test_unknown_words_are_minus_one_and_rare_words_are_dropped():
    encoder = DocumentEncoder()
    grown = encoder.grow(["rain and rain", "snow and sun"], min_count=2)
    assert encoder.vocab.words == ["rain", "and"]
    assert grown.feature.tolist() == [0, 1, 0, -1, 1, -1]
    assert encoder.encode(["fog and rain"]).feature.tolist() == [-1, 1, 0]


def test_ngrams_stay_inside_sentences():
    encoder = DocumentEncoder(ngrams=2)
    encoded = encoder.grow([[["a", "b"], ["c"]]])
    assert encoder.vocab.words == ["a", "b", "a b", "c"]
    assert encoded.n_words.tolist() == [2, 1] and encoded.sentence_ptr.tolist() == [0, 3, 4]
    assert encoded.words_of(0).tolist() == [0, 1]


def test_prefixes_are_of_longer_words_and_follow_the_words():
    encoder = DocumentEncoder(ngrams=2, prefixes=(2, 4))
    encoded = encoder.grow([[["bored", "us"], ["bore"]]])
    assert encoder.vocab.words == ["bored", "us", "bored us", "bo*", "bore*", "bore"]
    assert encoded.n_words.tolist() == [2, 1]
    assert encoded.words_of(1).tolist() == [5]
    assert encoder.encode([[["boring", "us", "bore"]]]).feature.tolist() == [
        -1,
        1,
        5,
        -1,
        -1,
        3,
        3,
        -1,
    ]


@pytest.mark.parametrize("prefixes", [(0,), (3, 3), "4"])
def test_impossible_prefixes_are_named(prefixes):
    with pytest.raises(ValueError, match="prefixes"):
        DocumentEncoder(prefixes=prefixes)


def test_what_is_no_document_is_refused():
    with pytest.raises(ValueError, match="int"):
        DocumentEncoder().grow([3])
    assert DocumentEncoder().grow([]).counts(0).shape == (0, 0)
    assert np.array_equal(DocumentEncoder().grow([""]).document_ptr, [0, 0])
