"""Forecaster: dated documents and numbers in, forecasts out, by weights that move over time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from laconic.classify.preparation import DocumentLabels, encode_training
from laconic.classify.weighting import OF_COUNTS, idf_of, weighted
from laconic.core.arrays import Array, Ints
from laconic.core.report import Callback, Reported
from laconic.models.save import Saved
from laconic.text.documents import DocumentEncoder, DocumentLike
from laconic.text.tokens import Boundary
from laconic.time.base import TemporalLinear
from laconic.time.model import TemporalClassifier, TemporalRegressor
from laconic.time.rolling import Fold, Forecasts, RollingOrigin, gathered


class Forecaster(Saved, Reported, BaseEstimator):
    """y_n = x_n w^(t_n) + b + d^(t_n), x_n the words of a document and the numbers beside it.

    A forecast uses the weights of the last step.

    Parameters
    ----------
    model : TemporalRegressor, TemporalClassifier or None, default=None
        How weights move and what they cost, by default TemporalRegressor(step="year").
    weighting : {"binary", "count", "tfidf", "logtfidf"}, default="binary"
        Values of words: binary, count, tfidf or logtfidf (1 + log count).
    first_rank : int, default=1
        Leave out the words before this rank by frequency.
        The most frequent words carry little meaning; the paper begins at 101.
    max_words : int or None, default=5000
        Maximum number of words, the most frequent in training.
    min_count : int, default=2
        Leave out words that occur less often in training.
    ngrams : int, default=1
        Length of the longest n-gram.
    lowercase : bool, default=True
        Whether words are lowercased.
    boundary : {"auto", "line", "double-space"}, default="auto"
        Where sentences end in strings: by rule (auto), at line or at double-space.
    number_scale : float, default=1.0
        Standard deviation to which numbers are scaled; the larger, the less they are penalised.

    Attributes
    ----------
    model_ : TemporalRegressor or TemporalClassifier
        The fitted model of rows.
    encoder_ : DocumentEncoder
        Vocabulary and tokenization.
    idf_ : ndarray or None
        Inverse document frequencies, with tf-idf alone.
    numbers_ : list of str
        Names of the columns of numbers.
    center_, deviation_ : ndarray of shape (n_numbers,)
        Mean and scale of the numbers.
    names_ : list of str
        Names of the features, words first.
    fields_ : dict of str to str
        Names of the fields of training rows, where they are known.
    report_ : FitReport
        Objective, certificate, number of steps and of features ..

    Examples
    --------
    >>> texts = ["oil is up", "oil is down", "oil is up", "oil is down"] * 3
    >>> years = [2001, 2001, 2002, 2002] * 3
    >>> prices = [3.0, 1.0, 4.0, 0.0] * 3
    >>> model = Forecaster(min_count=1).fit(texts, prices, years)
    >>> model.predict(["oil is up", "oil is down"]).round().tolist()
    [4.0, 0.0]
    """

    model_: TemporalLinear
    encoder_: DocumentEncoder
    idf_: Array | None
    numbers_: list[str]
    center_: Array
    deviation_: Array
    fields_: dict[str, str]

    def __init__(
        self,
        model: TemporalLinear | None = None,
        weighting: str = "binary",
        first_rank: int = 1,
        max_words: int | None = 5000,
        min_count: int = 2,
        ngrams: int = 1,
        lowercase: bool = True,
        boundary: Boundary = "auto",
        number_scale: float = 1.0,
    ) -> None:
        self.model = model
        self.weighting = weighting
        self.first_rank = first_rank
        self.max_words = max_words
        self.min_count = min_count
        self.ngrams = ngrams
        self.lowercase = lowercase
        self.boundary = boundary
        self.number_scale = number_scale

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

    def fit(
        self,
        documents: Sequence[DocumentLike],
        targets: DocumentLabels,
        times: ArrayLike,
        numbers: Mapping[str, ArrayLike] | None = None,
        callback: Callback | None = None,
    ) -> Forecaster:
        """Learn weights for every step of time.

        Parameters
        ----------
        documents : sequence of str, list of sentences, or list of tokenized sentences
            Training documents.
        targets : sequence
            One number or label per document.
        times : sequence
            Time of each document.
        numbers : dict of str to array, optional
            Columns of numbers by name, with one value per document.
        callback : callable, optional
            Called with the Event of each step; the fit stops if it returns True.
        """
        began = time.perf_counter()
        encoder, counts, table = self._encode_all(documents, targets, numbers)
        self._learn(encoder, counts, table, np.asarray(targets), times, callback)
        self.report_ = replace(self.report_, seconds=time.perf_counter() - began)
        return self

    def roll(
        self,
        documents: Sequence[DocumentLike],
        targets: DocumentLabels,
        times: ArrayLike,
        origin: RollingOrigin,
        numbers: Mapping[str, ArrayLike] | None = None,
        callback: Callback | None = None,
    ) -> Forecasts:
        """Forecast every fold of `origin` by a clone that is fitted on the fold's past.

        Its words come from the past too. When the callback stops a fit, the folds before it are
        returned.
        """
        encoder, counts, table = self._encode_all(documents, targets, numbers)
        gold, when = np.asarray(targets), np.asarray(times)
        done: list[tuple[Fold, NDArray[Any]]] = []
        for fold in origin.folds(times):
            one: Forecaster = clone(self)
            one.numbers_ = self.numbers_
            past = fold.train
            one._learn(encoder, counts[past], table[past], gold[past], when[past], callback)
            if one.interrupted_:
                return gathered(done, stopped=True)
            words = encoder.vocab.ids(one.encoder_.vocab.words)
            rows = one._rows(counts[fold.test][:, words], table[fold.test])
            done.append((fold, one.model_.predict(rows)))
        return gathered(done)

    def _encode_all(
        self,
        documents: Sequence[DocumentLike],
        targets: DocumentLabels,
        numbers: Mapping[str, ArrayLike] | None,
    ) -> tuple[DocumentEncoder, sp.csr_matrix, Array]:
        """Return an encoder of all words, their counts, and the numbers."""
        if self.weighting not in OF_COUNTS:
            raise ValueError(f"weighting is one of {', '.join(OF_COUNTS)}; got {self.weighting!r}")
        if not (np.isfinite(self.number_scale) and self.number_scale > 0):
            raise ValueError(f"number_scale must be a positive number, got {self.number_scale!r}")
        encoder = DocumentEncoder(self.lowercase, self.ngrams, self.boundary)
        counts = encode_training(documents, targets, encoder, 1).counts
        self.numbers_ = list(numbers or {})
        return encoder, counts, self._table(numbers, counts.shape[0])

    def _learn(
        self,
        encoder: DocumentEncoder,
        counts: sp.csr_matrix,
        table: Array,
        targets: NDArray[Any],
        times: ArrayLike,
        callback: Callback | None,
    ) -> None:
        """Choose the words, scale the numbers, and fit the model of rows."""
        ranked = self._ranked(counts)
        counts = counts[:, ranked]
        self.encoder_ = copy(encoder)
        self.encoder_.vocab = encoder.vocab.renumber(ranked)
        self.idf_ = idf_of(counts, self.weighting)
        self.center_ = table.mean(axis=0)
        deviation = table.std(axis=0) / self.number_scale
        self.deviation_ = np.where(deviation > 0, deviation, 1.0)
        rows = self._rows(counts, table)
        model = clone(self.model) if self.model is not None else TemporalRegressor(step="year")
        if not isinstance(model, TemporalLinear):
            raise ValueError(
                f"model is a TemporalRegressor or TemporalClassifier, got {type(model).__name__}"
            )
        self.model_ = model.fit(rows, targets, times=times, callback=callback)
        self.report_ = self.model_.report_
        self.fields_ = {}

    def _ranked(self, counts: sp.csr_matrix) -> Ints:
        """Return the words to keep, the most frequent first."""
        if self.first_rank < 1 or (self.max_words is not None and self.max_words < 1):
            raise ValueError(
                "first_rank and max_words must be at least 1, "
                f"got {self.first_rank!r} and {self.max_words!r}"
            )
        often = np.asarray(counts.sum(axis=0)).ravel()
        ranked = np.argsort(-often, kind="stable")
        ranked = ranked[often[ranked] >= max(1, self.min_count)]
        first = self.first_rank - 1
        chosen = ranked[first : None if self.max_words is None else first + self.max_words]
        if len(chosen) == 0:
            raise ValueError(
                f"{len(ranked)} words are seen at least {self.min_count} times: "
                f"none is left from rank {self.first_rank} on"
            )
        return chosen

    def _table(self, numbers: Mapping[str, ArrayLike] | None, n_rows: int) -> Array:
        """Return the numbers (n, columns), in the order of training."""
        given = dict(numbers or {})
        if given.keys() != set(self.numbers_):
            raise ValueError(
                f"expected the numbers {', '.join(self.numbers_) or '(none)'}, "
                f"got {', '.join(given) or '(none)'}"
            )
        table = np.empty((n_rows, len(given)))
        for place, name in enumerate(self.numbers_):
            column = np.asarray(given[name], dtype=np.float64)
            if column.shape != (n_rows,) or not np.all(np.isfinite(column)):
                raise ValueError(
                    f"the numbers {name!r} must be {n_rows} finite ones, one per document"
                )
            table[:, place] = column
        return table

    def _rows(self, counts: sp.csr_matrix, table: Array) -> sp.csr_matrix:
        """Return rows of the model: weighted words, and scaled numbers."""
        X = weighted(counts, self.weighting, self.idf_)
        if not table.shape[1]:
            return X
        scaled = sp.csr_matrix((table - self.center_) / self.deviation_)
        return sp.hstack([X, scaled], format="csr")

    def vectorize(
        self, documents: Sequence[DocumentLike], numbers: Mapping[str, ArrayLike] | None = None
    ) -> sp.csr_matrix:
        """Return the matrix (documents, features), as in training."""
        check_is_fitted(self, "model_")
        counts = self.encoder_.encode(list(documents)).counts(len(self.encoder_.vocab))
        return self._rows(counts, self._table(numbers, counts.shape[0]))

    def predict(
        self, documents: Sequence[DocumentLike], numbers: Mapping[str, ArrayLike] | None = None
    ) -> NDArray[Any]:
        """Return a number or a label per document, by the weights of the last step."""
        X = self.vectorize(documents, numbers)
        predicted: NDArray[Any] = self.model_.predict(X)
        return predicted

    def predict_proba(
        self, documents: Sequence[DocumentLike], numbers: Mapping[str, ArrayLike] | None = None
    ) -> Array:
        """Return probabilities of the labels, (n, K); ValueError if the target is a number."""
        X = self.vectorize(documents, numbers)
        if not isinstance(self.model_, TemporalClassifier):
            raise ValueError("probabilities are for labels, and this model forecasts a number")
        probabilities: Array = self.model_.predict_proba(X)
        return probabilities

    @property
    def names_(self) -> list[str]:
        """Names of the features in the order of trajectories: words, then (numbers)."""
        check_is_fitted(self, "model_")
        return [*self.encoder_.vocab.words, *(f"({name})" for name in self.numbers_)]
