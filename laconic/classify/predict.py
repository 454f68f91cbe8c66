"""TextPredictor: documents -> counts -> rows -> scores -> labels, all that a fitted or loaded model of documents does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from laconic.classify.weighting import weighted
from laconic.core.arrays import Array
from laconic.text.documents import DocumentEncoder


class TextPredictor(ClassifierMixin, BaseEstimator):
    """argmax_k x W_k + b_k, x a document's weighted bag of words; a subclass learns the attributes listed here."""

    weighting: str
    encoder_: DocumentEncoder
    idf_: Array | None
    width_: int  # the first features of the vocabulary have weights, the others count towards the length of rows alone
    coef_: Array
    intercept_: Array
    classes_: NDArray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

    def alive(self) -> NDArray[np.bool_]:
        """Which features of the vocabulary have a weight that is not zero."""
        alive = np.zeros(len(self.encoder_.vocab), dtype=bool)
        alive[: self.width_] = np.any(self.coef_ != 0, axis=0)
        return alive

    def vectorize(self, documents: Sequence[Any]) -> sp.csr_matrix:
        """Documents x features, weighted as in training."""
        check_is_fitted(self, "encoder_")
        return self.weigh(self.encoder_.encode(list(documents)).counts(len(self.encoder_.vocab)))

    def weigh(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        """Counts of the vocabulary's words as rows of the features that have weights, weighted as in training."""
        X = weighted(counts, self.weighting, self.idf_)
        # A loaded tf-idf model knows more words than have weights: they count towards the length of rows alone.
        return X if X.shape[1] == self.width_ else X[:, : self.width_]

    def decision_function(self, documents: Sequence[Any]) -> Array:
        """Scores: (n,) for the second of two classes, (n, K) otherwise."""
        check_is_fitted(self, "coef_")
        return self.score_rows(self.vectorize(documents))

    def score_rows(self, X: sp.csr_matrix) -> Array:
        """decision_function of vectorized documents."""
        scores = X @ self.coef_.T + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, documents: Sequence[Any]) -> NDArray:
        """The most probable label of each document."""
        check_is_fitted(self, "coef_")
        return self.predict_rows(self.vectorize(documents))

    def predict_rows(self, X: sp.csr_matrix) -> NDArray:
        """Predict for vectorized documents."""
        scores = self.score_rows(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    def predict_log_proba(self, documents: Sequence[Any]) -> Array:
        """Log-probabilities of the labels, (n, K)."""
        check_is_fitted(self, "coef_")
        return self.log_proba_rows(self.vectorize(documents))

    def log_proba_rows(self, X: sp.csr_matrix) -> Array:
        """predict_log_proba of vectorized documents."""
        scores = self.score_rows(X)
        if scores.ndim == 1:
            scores = np.stack([np.zeros_like(scores), scores], axis=1)
        top = scores.max(axis=1, keepdims=True)
        return scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))

    def predict_proba(self, documents: Sequence[Any]) -> Array:
        """Probabilities of the labels, (n, K)."""
        return np.exp(self.predict_log_proba(documents))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray:
        """Words, n-grams and prefixes, in the order of the weights."""
        check_is_fitted(self)
        return np.asarray(self.encoder_.vocab.words[: self.width_], dtype=object)
