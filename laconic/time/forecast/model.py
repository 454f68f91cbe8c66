"""Forecaster: dated documents and numbers beside them in, forecasts out, by weights of words that move over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from laconic.classify.preparation import encode_training
from laconic.classify.weighting import WEIGHTINGS, idf_of, weighted
from laconic.core.arrays import Array
from laconic.core.report import Callback
from laconic.models.save import Saved
from laconic.text.documents import DocumentEncoder
from laconic.time.model import TemporalClassifier, TemporalLinear, TemporalRegressor
from laconic.time.rolling import Fold, Forecasts, RollingOrigin, gathered


class Forecaster(Saved, BaseEstimator):
    """y_n = x_n w^(t_n) + b + d^(t_n), x_n the words of a document and the numbers beside it; a forecast uses the weights of the last step.

    Parameters
    ----------
    model : TemporalRegressor or TemporalClassifier, how weights move and what they cost; default TemporalRegressor(step="year")
    weighting : "binary", "count", "tfidf" or "logtfidf"
    first_rank : int, the most frequent words before this rank are left out (101 in the paper: words without meaning come first)
    max_words : int or None, so many words at most, by how often they occur in training
    min_count : int, words seen less often in training are left out
    ngrams, lowercase, boundary : as in TextClassifier
    number_scale : float, numbers are shifted and scaled to mean 0 and this deviation in training: the larger, the less a penalty holds them

    Attributes
    ----------
    model_ : the fitted model;  names_ : its features, words first
    encoder_, idf_, center_, deviation_ : documents and numbers as rows of it
    n_features_total_ : words and numbers in training, those with no weight too
    fields_ : names of the fields of rows that it was learned from, where somebody has noted them
    """

    def __init__(
        self,
        model: TemporalLinear | None = None,
        weighting: str = "binary",
        first_rank: int = 1,
        max_words: int | None = 5000,
        min_count: int = 2,
        ngrams: int = 1,
        lowercase: bool = True,
        boundary: Any = "auto",
        number_scale: float = 1.0,
    ):
        self.model = model
        self.weighting = weighting
        self.first_rank = first_rank
        self.max_words = max_words
        self.min_count = min_count
        self.ngrams = ngrams
        self.lowercase = lowercase
        self.boundary = boundary
        self.number_scale = number_scale

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

    def fit(
        self,
        documents: Sequence[Any],
        targets: Sequence[Any],
        times: Sequence[Any],
        numbers: Mapping[str, ArrayLike] | None = None,
        callback: Callback | None = None,
    ) -> Forecaster:
        """Learn from documents with a target and a time each; numbers: columns by name, one value a document."""
        encoder, counts, table = self._encode_all(documents, targets, numbers)
        return self._learn(encoder, counts, table, np.asarray(targets), times, callback)

    def roll(
        self,
        documents: Sequence[Any],
        targets: Sequence[Any],
        times: Sequence[Any],
        origin: RollingOrigin,
        numbers: Mapping[str, ArrayLike] | None = None,
        callback: Callback | None = None,
    ) -> Forecasts:
        """Forecast every fold of `origin` by a clone that is fitted on the fold's past, from which its words come too.

        When the callback stops a fit, the folds before it are given.
        """
        encoder, counts, table = self._encode_all(documents, targets, numbers)
        gold, when = np.asarray(targets), np.asarray(times)
        done: list[tuple[Fold, NDArray]] = []
        for fold in origin.folds(times):
            one = clone(self)
            one.numbers_ = self.numbers_
            one._learn(
                encoder,
                counts[fold.train],
                table[fold.train],
                gold[fold.train],
                when[fold.train],
                callback,
            )
            if one.model_.interrupted_:
                return gathered(done, stopped=True)
            words = encoder.vocab.ids(one.encoder_.vocab.words)
            done.append(
                (fold, one.model_.predict(one._rows(counts[fold.test][:, words], table[fold.test])))
            )
        return gathered(done)

    def _encode_all(
        self,
        documents: Sequence[Any],
        targets: Sequence[Any],
        numbers: Mapping[str, ArrayLike] | None,
    ) -> tuple[DocumentEncoder, sp.csr_matrix, Array]:
        """An encoder of all words, their counts, and the numbers."""
        if self.weighting not in WEIGHTINGS:
            raise ValueError(f"weighting is one of {', '.join(WEIGHTINGS)}; got {self.weighting!r}")
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
        targets: NDArray,
        times: Any,
        callback: Any,
    ) -> Forecaster:
        ranked = self._ranked(counts)
        counts = counts[:, ranked]
        self.encoder_ = copy(encoder)
        self.encoder_.vocab = encoder.vocab.renumber(ranked)
        self.idf_ = idf_of(counts, self.weighting)
        self.center_ = table.mean(axis=0)
        deviation = table.std(axis=0) / self.number_scale
        self.deviation_ = np.where(deviation > 0, deviation, 1.0)
        rows = self._rows(counts, table)
        model: Any = clone(self.model) if self.model is not None else TemporalRegressor(step="year")
        if not isinstance(model, TemporalLinear):
            raise ValueError(
                f"model is a TemporalRegressor or TemporalClassifier, got {type(model).__name__}"
            )
        self.model_ = model.fit(rows, targets, times=times, callback=callback)
        self.n_features_total_ = rows.shape[1]
        self.fields_: dict[str, str] = {}
        return self

    def _ranked(self, counts: sp.csr_matrix) -> NDArray[np.int64]:
        """The words to keep, the most frequent first."""
        if self.first_rank < 1 or (self.max_words is not None and self.max_words < 1):
            raise ValueError(
                f"first_rank and max_words must be at least 1, got {self.first_rank!r} and {self.max_words!r}"
            )
        often = np.asarray(counts.sum(axis=0)).ravel()
        ranked = np.argsort(-often, kind="stable")
        ranked = ranked[often[ranked] >= max(1, self.min_count)]
        first = self.first_rank - 1
        chosen = ranked[first : None if self.max_words is None else first + self.max_words]
        if len(chosen) == 0:
            raise ValueError(
                f"{len(ranked)} words are seen at least {self.min_count} times: none is left from rank {self.first_rank} on"
            )
        return chosen

    def _table(self, numbers: Mapping[str, ArrayLike] | None, n_rows: int) -> Array:
        """(n, columns) of the numbers, in the order of training."""
        given = dict(numbers or {})
        if given.keys() != set(self.numbers_):
            raise ValueError(
                f"expected the numbers {', '.join(self.numbers_) or '(none)'}, got {', '.join(given) or '(none)'}"
            )
        table = np.empty((n_rows, len(given)))
        for place, name in enumerate(self.numbers_):
            column = np.asarray(given[name], dtype=np.float64)
            if column.shape != (n_rows,) or not np.all(np.isfinite(column)):
                raise ValueError(
                    f"the numbers {name!r} must be {n_rows} finite ones, one a document"
                )
            table[:, place] = column
        return table

    def _rows(self, counts: sp.csr_matrix, table: Array) -> sp.csr_matrix:
        X = weighted(counts, self.weighting, self.idf_)
        return (
            sp.hstack([X, sp.csr_matrix((table - self.center_) / self.deviation_)], format="csr")
            if table.shape[1]
            else X
        )

    def vectorize(
        self, documents: Sequence[Any], numbers: Mapping[str, ArrayLike] | None = None
    ) -> sp.csr_matrix:
        """Documents x features, as in training."""
        check_is_fitted(self, "model_")
        counts = self.encoder_.encode(list(documents)).counts(len(self.encoder_.vocab))
        return self._rows(counts, self._table(numbers, counts.shape[0]))

    def predict(
        self, documents: Sequence[Any], numbers: Mapping[str, ArrayLike] | None = None
    ) -> NDArray:
        """What comes after the last step: a number or a label for each document."""
        X = self.vectorize(documents, numbers)
        return self.model_.predict(X)

    def predict_proba(
        self, documents: Sequence[Any], numbers: Mapping[str, ArrayLike] | None = None
    ) -> Array:
        """Probabilities of the labels, where there are labels."""
        X = self.vectorize(documents, numbers)
        if not isinstance(self.model_, TemporalClassifier):
            raise ValueError("probabilities are for labels, and this model forecasts a number")
        return self.model_.predict_proba(X)

    @property
    def names_(self) -> list[str]:
        """Features in the order of trajectories: words, then numbers in parentheses."""
        check_is_fitted(self, "model_")
        return [*self.encoder_.vocab.words, *(f"({name})" for name in self.numbers_)]
