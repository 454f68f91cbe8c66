"""Kinds of words learned from their vectors, as columns for templates.

    P(kind | word) = softmax(W x + b),   x the word's vector, learned from distinct labelled words

A kind is a label without B-, I- and the like: PER, LOC, O. Words of the training text get the
probabilities that a model of the other folds gives them, so that the columns are as informative for
them as for words never seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Array
from laconic.core.penalties import Ridge
from laconic.linear.model import SparseClassifier
from laconic.text.labels import is_chunk_label
from laconic.text.vocab import UNKNOWN, Vocab

UNSEEN = "?"  # in all columns, of a word without a vector
LOWEST, HIGHEST, STEPS = -5, 4, 5


class WordKinds(BaseEstimator):
    """P(kind | word) = softmax(W x + b), learned from the vectors x of labelled words.

    Parameters
    ----------
    vocab : Vocab
        Words that have a vector; a word that is not among them is looked up in lower case.
    vectors : array of shape (number of words, dimension)
        One row per word of `vocab`.
    ridge : float, default=20.0
        Ridge weight of the logistic regression, on vectors scaled to unit variance.
    n_folds : int, default=5
        Number of folds of words, for the probabilities of words of the training text.
    random_state : int, default=0
        Seed of the folds.

    Attributes
    ----------
    classes_ : array of str
        The kinds.
    known_ : dict
        Probabilities of the words of the training text, by their row in `vectors`.
    model_ : SparseClassifier
        The model of all words.
    """

    classes_: NDArray[np.str_]
    known_: dict[int, Array]
    model_: SparseClassifier

    def __init__(
        self,
        vocab: Vocab,
        vectors: ArrayLike,
        ridge: float = 20.0,
        n_folds: int = 5,
        random_state: int = 0,
    ):
        self.vocab = vocab
        self.vectors = vectors
        self.ridge = ridge
        self.n_folds = n_folds
        self.random_state = random_state

    def fit(self, words: Sequence[str], labels: Sequence[str]) -> WordKinds:
        """Learn from the words of a text and one label per word."""
        if len(words) != len(labels):
            raise ValueError(f"there are {len(words)} words, but {len(labels)} labels")
        if self.n_folds < 2:
            raise ValueError(f"n_folds must be at least 2, got {self.n_folds!r}")
        kinds = [(is_chunk_label(label) and label[2:]) or label for label in labels]
        rows = self._rows(words)
        seen = Counter(
            (row, kind) for row, kind in zip(rows.tolist(), kinds, strict=True) if row != UNKNOWN
        )
        self.classes_ = np.array(sorted({kind for _, kind in seen}))
        if len(self.classes_) < 2:
            raise ValueError(
                f"at least two kinds of words with vectors are needed, found {len(self.classes_)}"
            )
        pairs = sorted(seen)
        row = np.array([pair[0] for pair in pairs])
        kind = np.array([pair[1] for pair in pairs])
        count = np.array([seen[pair] for pair in pairs], dtype=float)
        distinct, at = np.unique(row, return_inverse=True)
        total = np.bincount(at, count)[at]
        # Frequent words count more, but less than in proportion to their frequency.
        weight = np.log1p(total) * count / total
        fold = np.random.default_rng(self.random_state).permutation(len(distinct)) % self.n_folds
        used = np.asarray(self.vectors)[distinct].astype(np.float64)
        self.mean_, self.scale_ = used.mean(axis=0), np.maximum(used.std(axis=0), 1e-12)
        self.known_ = {}
        for left_out in range(self.n_folds):
            others = fold[at] != left_out
            if len(np.unique(kind[others])) < 2:
                raise ValueError(
                    f"there are too few words with vectors, {len(distinct)}, "
                    f"for {self.n_folds} folds with two kinds each"
                )
            model = self._model().fit(
                self._scaled(row[others]), kind[others], sample_weight=weight[others]
            )
            mine = distinct[fold == left_out]
            self.known_ |= dict(zip(mine.tolist(), self._probabilities(model, mine), strict=True))
        self.model_ = self._model().fit(self._scaled(row), kind, sample_weight=weight)
        return self

    def probabilities(self, words: Sequence[str]) -> Array:
        """Return the probabilities of kinds, (n, kinds); NaN for words without a vector."""
        check_is_fitted(self)
        rows = self._rows(words)
        found = np.full((len(rows), len(self.classes_)), np.nan)
        new = np.array(
            [k for k, row in enumerate(rows.tolist()) if row != UNKNOWN and row not in self.known_],
            dtype=int,
        )
        if len(new):
            found[new] = self._probabilities(self.model_, rows[new])
        for k, row in enumerate(rows.tolist()):
            if row in self.known_:
                found[k] = self.known_[row]
        return found

    def columns(self, words: Sequence[str], name: str = "kind") -> dict[str, list[str]]:
        """Return columns for templates.

        One column per kind, `kind.PER` and so on, has its log-odds rounded down; the column `kind`
        has the most probable kind, with its probability in steps.
        """
        distinct = Vocab()
        ids = distinct.grow(words)
        share = self.probabilities(distinct.words)
        there = ~np.isnan(share[:, 0])
        odds = np.log(np.clip(share[there], 1e-9, 1)) - np.log(np.clip(1 - share[there], 1e-9, 1))
        values = np.full(share.shape, UNSEEN, dtype=object)
        values[there] = np.clip(np.floor(odds), LOWEST, HIGHEST).astype(int).astype(str)
        best = np.full(len(share), UNSEEN, dtype=object)
        top = share[there].argmax(axis=1)
        best[there] = [
            f"{self.classes_[k]}{int(STEPS * p)}"
            for k, p in zip(top, share[there].max(axis=1), strict=True)
        ]
        found = {
            f"{name}.{kind}": values[ids, k].tolist()
            for k, kind in enumerate(self.classes_.tolist())
        }
        return {**found, name: best[ids].tolist()}

    def _model(self) -> SparseClassifier:
        return SparseClassifier(Ridge(self.ridge), tol=1e-3)

    def _rows(self, words: Sequence[str]) -> NDArray[Any]:
        rows = self.vocab.ids(words)
        lacking = np.flatnonzero(rows == UNKNOWN)
        rows[lacking] = self.vocab.ids([words[k].lower() for k in lacking.tolist()])
        return rows

    def _scaled(self, rows: NDArray[Any]) -> Array:
        scaled: Array = (np.asarray(self.vectors)[rows] - self.mean_) / self.scale_
        return scaled

    def _probabilities(self, model: SparseClassifier, rows: NDArray[Any]) -> Array:
        """Return probabilities in the order of `classes_`, 0 for kinds that the model never met."""
        found = np.zeros((len(rows), len(self.classes_)))
        found[:, np.searchsorted(self.classes_, model.classes_)] = model.predict_proba(
            self._scaled(rows)
        )
        return found
