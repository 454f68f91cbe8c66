"""Weightings of TextClassifier against scikit-learn's vectorizers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from laconic.classify.model import TextClassifier
from laconic.classify.weighting import idf_of, weighted

DOCUMENTS = [
    "rain and rain and snow",
    "sun and more sun. sun again",
    "snow again",
    "no rain, more sun",
]
LABELS = ["wet", "dry", "wet", "dry"]


@pytest.mark.parametrize(
    ("weighting", "peer"),
    [
        ("count", CountVectorizer()),
        ("binary", CountVectorizer(binary=True)),
        ("tfidf", TfidfVectorizer(norm=None)),
        ("logtfidf", TfidfVectorizer(sublinear_tf=True, norm=None)),
    ],
)
def test_weightings_are_those_of_scikit_learn_but_for_lengths(
    weighting: str, peer: CountVectorizer
) -> None:
    model = TextClassifier("lasso", strength=0.01, weighting=weighting).fit(DOCUMENTS, LABELS)
    new = [*DOCUMENTS, "rain rain rain fog"]
    expected = peer.fit(DOCUMENTS).transform(new).toarray()
    if weighting.endswith("tfidf"):
        n_words = np.array([len(text.split()) for text in new])
        expected /= np.sqrt(n_words)[:, None]
        expected /= np.sqrt(np.sum(expected[:4] ** 2) / 4)
    order = [peer.vocabulary_[word] for word in model.get_feature_names_out()]
    np.testing.assert_allclose(model.vectorize(new).toarray(), expected[:, order])


@pytest.mark.parametrize("sublinear", [False, True])
def test_without_lengths_rows_of_tfidf_are_those_of_scikit_learn(sublinear: bool) -> None:
    counts = CountVectorizer().fit_transform(DOCUMENTS)
    weighting = "logtfidf" if sublinear else "tfidf"
    found = weighted(counts, weighting, idf_of(counts, weighting)).toarray()
    expected = TfidfVectorizer(sublinear_tf=sublinear).fit_transform(DOCUMENTS).toarray()
    np.testing.assert_allclose(found, expected)
    with pytest.raises(ValueError, match="number of words"):
        weighted(counts, "log", None)


def test_an_unknown_weighting_is_named() -> None:
    with pytest.raises(ValueError, match="bm25"):
        TextClassifier(weighting="bm25").fit(DOCUMENTS, LABELS)
