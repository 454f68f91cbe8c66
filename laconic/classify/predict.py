"""TextPredictor: documents -> counts -> rows -> scores -> labels, for fitted and loaded models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from laconic.classify.weighting import lengths_of, weighted
from laconic.core.arrays import Array, Bools
from laconic.text.documents import DocumentEncoder, DocumentLike

# Explanations are imported where they are asked for: a model opens without them.
if TYPE_CHECKING:
    from laconic.classify.explanation.contributions import Explanation


class TextPredictor(ClassifierMixin, BaseEstimator):
    """argmax_k x W_k + b_k, x the weighted bag of words of a document.

    Subclasses set the attributes that are declared here. The first `width_` features of the
    vocabulary have weights; the others count only towards the length of rows (see store).
    """

    weighting_: str
    encoder_: DocumentEncoder
    idf_: Array | None
    width_: int
    coef_: Array
    intercept_: Array
    classes_: NDArray[Any]

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

    def alive(self) -> Bools:
        """Return which features of the vocabulary have a weight that is not zero."""
        alive = np.zeros(len(self.encoder_.vocab), dtype=bool)
        alive[: self.width_] = np.any(self.coef_ != 0, axis=0)
        return alive

    def vectorize(self, documents: Sequence[DocumentLike]) -> sp.csr_matrix:
        """Return the matrix (documents, features), weighted as in training."""
        check_is_fitted(self, "encoder_")
        encoded = self.encoder_.encode(list(documents))
        return self.weigh(encoded.counts(len(self.encoder_.vocab)), lengths_of(encoded))

    def weigh(self, counts: sp.csr_matrix, lengths: Array) -> sp.csr_matrix:
        """Turn counts of the vocabulary's words into rows of the features that have weights.

        `lengths` are the numbers of words of the documents, those that are not known included.
        """
        X = weighted(counts, self.weighting_, self.idf_, lengths)
        return X if X.shape[1] == self.width_ else X[:, : self.width_]

    def decision_function(self, documents: Sequence[DocumentLike]) -> Array:
        """Return scores: (n,) for the second of two classes, (n, K) otherwise."""
        check_is_fitted(self, "coef_")
        return self.score_rows(self.vectorize(documents))

    def score_rows(self, X: sp.csr_matrix) -> Array:
        """Return decision_function of vectorized documents."""
        scores: Array = X @ self.coef_.T + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, documents: Sequence[DocumentLike]) -> NDArray[Any]:
        """Return the most probable label of each document."""
        check_is_fitted(self, "coef_")
        return self.predict_rows(self.vectorize(documents))

    def predict_rows(self, X: sp.csr_matrix) -> NDArray[Any]:
        """Return predict of vectorized documents."""
        scores = self.score_rows(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_log_proba(self, documents: Sequence[DocumentLike]) -> Array:
        """Return log-probabilities of the labels, (n, K)."""
        check_is_fitted(self, "coef_")
        return self.log_proba_rows(self.vectorize(documents))

    def log_proba_rows(self, X: sp.csr_matrix) -> Array:
        """Return predict_log_proba of vectorized documents."""
        scores = self.score_rows(X)
        if scores.ndim == 1:
            scores = np.stack([np.zeros_like(scores), scores], axis=1)
        scores = scores - scores.max(axis=1, keepdims=True)
        logs: Array = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return logs

    def predict_proba(self, documents: Sequence[DocumentLike]) -> Array:
        """Return probabilities of the labels, (n, K)."""
        return np.exp(self.predict_log_proba(documents))

    def explain(self, document: DocumentLike) -> Explanation:
        """Return what each word, phrase and sentence of a document adds to the score of each label.

        Parameters
        ----------
        document : str, list of sentences, list of tokenized sentences, or Tree
            One document.

        Returns
        -------
        Explanation
            Contributions that add up to the scores; shown in colours in a notebook.

        Examples
        --------
        >>> from laconic import TextClassifier
        >>> texts = ["sun and sand", "snow and ice", "sun and heat", "ice and frost"] * 5
        >>> labels = ["warm", "cold", "warm", "cold"] * 5
        >>> found = TextClassifier("lasso", strength=0.5).fit(texts, labels).explain("Sun on ice?")
        >>> found.predicted, [share.feature for share in found.features("warm")]
        ('cold', ['ice', 'sun'])
        >>> bool(np.isclose(found.scores[1], found.intercepts[1] + found.by_word[1].sum()))
        True
        """
        from laconic.classify.explanation.contributions import explain_document

        return explain_document(self, document)

    @property
    def words_(self) -> Any:
        """The words with a weight per label: a pandas frame, or a structured array without pandas.

        See `laconic.classify.explanation.words.word_table`.
        """
        from laconic.classify.explanation.tables import frame
        from laconic.classify.explanation.words import word_table

        return frame(word_table(self))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return words, n-grams and prefixes, in the order of the weights."""
        check_is_fitted(self)
        return np.asarray(self.encoder_.vocab.words[: self.width_], dtype=object)
