"""Weightings of TextClassifier against scikit-learn's vectorizers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from laconic.classify.model import TextClassifier

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
        ("tfidf", TfidfVectorizer()),
        ("logtfidf", TfidfVectorizer(sublinear_tf=True)),
    ],
)
def test_weightings_are_those_of_scikit_learn(weighting: str, peer: CountVectorizer) -> None:
    model = TextClassifier("lasso", strength=0.01, weighting=weighting).fit(DOCUMENTS, LABELS)
    expected = peer.fit(DOCUMENTS).transform([*DOCUMENTS, "rain rain rain fog"]).toarray()
    order = [peer.vocabulary_[word] for word in model.get_feature_names_out()]
    found = model.vectorize([*DOCUMENTS, "rain rain rain fog"]).toarray()
    np.testing.assert_allclose(found, expected[:, order])


def test_an_unknown_weighting_is_named() -> None:
    with pytest.raises(ValueError, match="bm25"):
        TextClassifier(weighting="bm25").fit(DOCUMENTS, LABELS)
