"""TextPredictor: documents -> counts -> rows -> scores -> labels, for fitted and loaded models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.classify.columns import Beside
from laconic.classify.label_tree import branches_of, sure_paths
from laconic.classify.multilabel import as_labels, lists_of
from laconic.classify.weighting import lengths_of, weighted
from laconic.core.arrays import Array, Bools
from laconic.models.loaded import check_fitted
from laconic.text.documents import DocumentEncoder, DocumentLike

# Explanations are imported where they are asked for: a model opens without them.
if TYPE_CHECKING:
    import scipy.sparse as sp

    from laconic.classify.explanation.contributions import Explanation
    from laconic.core.losses import Loss
    from laconic.text.frames import DocumentRows


class TextPredictor:
    """argmax_k x W_k + z V_k + b_k, x the weighted bag of words of a document, z its columns.

    Where documents have several labels: all k whose score is above the threshold t_k. Subclasses
    set the attributes that are declared here. The first `width_` features of the vocabulary have
    weights. Others there are only where `unit_rows_`: tf-idf in files of version 0.1 has rows of
    length 1, towards which they count.
    """

    weighting_: str
    encoder_: DocumentEncoder
    idf_: Array | None
    width_: int
    unit_rows_: bool = False
    coef_: Array
    intercept_: Array
    classes_: NDArray[Any]
    # Older models have neither columns nor thresholds.
    columns_: Beside = Beside()
    column_weights_: Array | None = None
    thresholds_: Array | None = None
    loss: Loss | str | None
    loss_: Loss
    taxonomy_: dict[str, str] | None = None
    text: str
    numbers: tuple[str, ...]
    categories: tuple[str, ...]

    def alive(self) -> Bools:
        """Return which features of the vocabulary have a weight that is not zero."""
        alive = np.zeros(len(self.encoder_.vocab), dtype=bool)
        alive[: self.width_] = np.any(self.coef_ != 0, axis=0)
        return alive

    @property
    def one_score(self) -> bool:
        """Whether there is one score, which speaks for the second of two labels."""
        return len(self.classes_) == 2 and self.thresholds_ is None

    def read(self, documents: object) -> list[Any]:
        """Return the documents of a list, a frame, a data set or records, with their columns."""
        from laconic.text.frames import rows_of  # not needed to open a model

        return rows_of(documents, self.text, (*self.numbers, *self.categories))

    def vectorize(self, documents: Sequence[DocumentLike]) -> sp.csr_matrix:
        """Return the matrix (documents, features), weighted as in training."""
        check_fitted(self, "encoder_")
        encoded = self.encoder_.encode(self.read(documents))
        return self.weigh(encoded.counts(len(self.encoder_.vocab)), lengths_of(encoded))

    def weigh(self, counts: sp.csr_matrix, lengths: Array) -> sp.csr_matrix:
        """Turn counts of the vocabulary's words into rows of the features that have weights.

        `lengths` are the numbers of words of the documents, those that are not known included.
        """
        X = weighted(counts, self.weighting_, self.idf_, None if self.unit_rows_ else lengths)
        return X if X.shape[1] == self.width_ else X[:, : self.width_]

    def decision_function(self, documents: Sequence[DocumentLike]) -> Array:
        """Return scores: (n,) for the second of two classes, (n, K) otherwise."""
        scores = self.all_scores(documents)
        return scores.ravel() if self.one_score else scores

    def all_scores(self, documents: Sequence[DocumentLike]) -> Array:
        """Return all scores as a matrix: (n, 1) for two classes, (n, K) otherwise."""
        from laconic.text.frames import DocumentRows

        check_fitted(self, "coef_")
        rows = self.read(documents)
        scores = self.score_words(rows).reshape(len(rows), -1)
        if isinstance(rows, DocumentRows) and self.column_weights_ is not None:
            scores = scores + self.columns_.added(rows.columns, len(rows), self.column_weights_)
        return scores

    def score_words(self, rows: Sequence[DocumentLike]) -> Array:
        """Return what words and the intercept add to the scores of documents that were read."""
        return self.score_rows(self.vectorize(rows))

    def column_rows(self, rows: DocumentRows) -> sp.csr_matrix:
        """Return the features of the columns beside the text, (documents, features)."""
        return self.columns_.rows(rows.columns, len(rows))

    def score_rows(self, X: sp.csr_matrix) -> Array:
        """Return what words and the intercept add to the scores of vectorized documents."""
        scores: Array = X @ self.coef_.T + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, documents: Sequence[DocumentLike]) -> NDArray[Any]:
        """Return the most probable label of each document, or the list of its labels."""
        return self.decide(self.all_scores(documents))

    def decide(self, scores: Array) -> NDArray[Any]:
        """Return the labels that scores (n, 1 or K) mean."""
        if self.thresholds_ is not None:
            return lists_of(scores > self.thresholds_, self.classes_)
        one = scores.shape[1] == 1
        best = (scores[:, 0] > 0).astype(np.intp) if one else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def paths(self, documents: Sequence[DocumentLike], at_least: float = 0.0) -> NDArray[Any]:
        """Return the path of each document through the tree over labels, from the top down.

        It ends where no node has a probability of `at_least`: at a group of labels, if the document
        is of one of them but it is not sure of which; by default at the label.
        """
        return self.paths_of(self.all_scores(documents), at_least)

    def paths_of(self, scores: Array, at_least: float = 0.0) -> NDArray[Any]:
        """Return paths from scores (n, K)."""
        if self.taxonomy_ is None or self.thresholds_ is not None:
            raise ValueError("paths need label_tree=, and one label per document")
        if not 0 <= at_least <= 1:
            raise ValueError(f"at_least is a probability, got {at_least!r}")
        branches = branches_of(self.taxonomy_, self.classes_)
        if at_least == 0:
            names = list(map(str, self.classes_.tolist()))
            found = np.empty(len(scores), dtype=object)
            found[:] = [list(branches.path(k, names[k])) for k in scores.argmax(axis=1).tolist()]
            return found
        chances = np.exp(self.log_proba_of(scores))
        return sure_paths(branches, self.classes_, chances, at_least)

    def score(
        self, X: Sequence[DocumentLike], y: object, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the accuracy; of several labels per document the share with all of them right."""
        gold = as_labels(y)
        predicted = as_labels(self.predict(X))
        right = [a == b for a, b in zip(gold.tolist(), predicted.tolist(), strict=True)]
        return float(
            np.average(right, weights=None if sample_weight is None else np.asarray(sample_weight))
        )

    def predict_log_proba(self, documents: Sequence[DocumentLike]) -> Array:
        """Return log-probabilities of the labels, (n, K).

        Where documents have several labels, each label has its own probability.
        """
        return self.log_proba_of(self.all_scores(documents))

    def log_proba_of(self, scores: Array) -> Array:
        """Return log-probabilities from scores (n, 1 or K)."""
        return self.loss_.log_proba(scores, self.thresholds_ is not None)

    def predict_proba(self, documents: Sequence[DocumentLike]) -> Array:
        """Return probabilities of the labels, (n, K)."""
        return np.exp(self.predict_log_proba(documents))

    def explain(self, document: DocumentLike) -> Explanation:
        """Return what each word, phrase and sentence of a document adds to the score of each label.

        Parameters
        ----------
        document : str, list of sentences, list of tokenized sentences, Tree or dict
            One document; a dict if the model reads columns beside the text.

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
        return next(self.explanations([document]))

    def explanations(self, documents: object) -> Iterator[Explanation]:
        """Yield the explanation of each document; with columns beside the text, see `fit`."""
        from laconic.classify.explanation.contributions import explain_document
        from laconic.text.frames import one_row

        rows = self.read(documents)
        for number in range(len(rows)):
            yield explain_document(self, one_row(rows, number))

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
        check_fitted(self)
        return np.asarray(self.encoder_.vocab.words[: self.width_], dtype=object)
