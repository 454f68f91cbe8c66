"""Predictions of models of text over time: distributions, likelihoods, and words of an effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_is_fitted,
    validate_data,
)

from laconic.core.arrays import Array, MatrixLike
from laconic.core.designs.effects import Effects
from laconic.core.threads import thread_count
from laconic.time.sage.reader import DatedReader
from laconic.time.times import TimeGrid

CONSTANT = "(constant)"
ROWS = 256  # whose distributions are held at once


class EffectWord(NamedTuple):
    """A word, its weight for an effect at a step, and exp(weight).

    The factor is how many times likelier one unit of the effect makes the word, before
    normalization.
    """

    word: str
    weight: float
    factor: float


class EffectPredictor(BaseEstimator):
    """p(word v | effects x, step t) = exp(theta_tv + sum_j x_j w_jv^(t)) / Z.

    Subclasses set the attributes that are declared here.
    """

    constant: bool
    reader: DatedReader | None
    n_jobs: int | None
    clock_: TimeGrid
    steps_: list[str]
    trajectories_: Array
    background_: Array
    n_features_in_: int
    n_effects_in_: int

    def _checked_effects(
        self, effects: MatrixLike | None, n_rows: int | None = None
    ) -> sp.csr_matrix:
        """Return effects as rows, of which there must be `n_rows`."""
        if effects is None:
            return sp.csr_matrix((n_rows or 0, 0))
        given = check_array(
            effects,
            accept_sparse="csr",
            dtype=np.float64,
            input_name="effects",
            ensure_min_features=0,
        )
        if n_rows is not None and given.shape[0] != n_rows:
            raise ValueError(f"there are {n_rows} rows of counts, but {given.shape[0]} of effects")
        return sp.csr_matrix(given)

    def _with_constant(self, effects: sp.csr_matrix) -> sp.csr_matrix:
        if self.constant:
            effects = sp.hstack([effects, np.ones((effects.shape[0], 1))], format="csr")
        if effects.shape[1] == 0:
            raise ValueError("there are no effects: give some, or constant=True")
        return effects

    def predict_log_proba(
        self, effects: MatrixLike | None = None, times: ArrayLike | None = None
    ) -> Array:
        """Return log p of all words, (n, n_words), for rows of effects.

        Without effects there is one row without any; without times all rows are at the last step.
        """
        check_is_fitted(self)
        if effects is None:
            n_rows = 1 if times is None else len(np.asarray(times))
            effects = np.zeros((n_rows, self.n_effects_in_))
        given = self._checked_effects(effects)
        return np.vstack([block for _, block in self._distributions(given, times)])

    def log_likelihood(
        self, X: MatrixLike, effects: MatrixLike | None = None, times: ArrayLike | None = None
    ) -> Array:
        """Return sum_v c_nv log p(v | x_n, t_n) of every document.

        Each is at the step nearest to its time, or without times at the last step.
        """
        check_is_fitted(self)
        counts = self._counts(X)
        given = self._checked_effects(effects, counts.shape[0])
        out = np.empty(counts.shape[0])
        for rows, block in self._distributions(given, times):
            part = counts[rows].tocoo()
            out[rows] = np.bincount(
                part.row, part.data * block[part.row, part.col], minlength=len(block)
            )
        return out

    def _counts(self, X: MatrixLike) -> sp.csr_matrix:
        checked = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return sp.csr_matrix(checked)

    def _distributions(
        self, effects: sp.csr_matrix, times: ArrayLike | None
    ) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of rows, and log p of all words for each of their rows."""
        if effects.shape[1] != self.n_effects_in_:
            raise ValueError(
                f"the model has {self.n_effects_in_} effects, but rows have {effects.shape[1]}"
            )
        n_steps = len(self.steps_)
        steps = np.full(effects.shape[0], n_steps - 1)
        if times is not None and n_steps > 1:
            steps = np.clip(self.clock_.steps(times), 0, n_steps - 1)
        if len(steps) != effects.shape[0]:
            raise ValueError(f"there are {effects.shape[0]} rows, but {len(steps)} times")
        table = self._with_constant(effects)
        weights, threads = self.trajectories_.ravel(), thread_count(self.n_jobs)
        for begin in range(0, len(steps), ROWS):
            rows = slice(begin, begin + ROWS)
            design = Effects(table[rows], steps[rows], self.background_, threads)
            yield rows, design.log_probabilities(weights)

    def score(
        self,
        X: MatrixLike,
        effects: MatrixLike | None = None,
        times: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the mean of log p over all words of the documents."""
        counts = self._counts(X)
        weight = _check_sample_weight(sample_weight, counts, dtype=np.float64)
        n_words = float(weight @ np.asarray(counts.sum(axis=1)).ravel())
        if n_words == 0:
            raise ValueError("the documents have none of the model's words")
        return float(weight @ self.log_likelihood(X, effects, times)) / n_words

    def perplexity(
        self, X: MatrixLike, effects: MatrixLike | None = None, times: ArrayLike | None = None
    ) -> float:
        """Return exp of minus the score."""
        return float(np.exp(-self.score(X, effects, times)))

    def trajectory(self, word: object, effect: object = CONSTANT) -> Array:
        """Return the weights (n_steps,) of a word for an effect, each by name or number."""
        check_is_fitted(self)
        place = _number(word, self.word_names, "word")
        return self.trajectories_[self.effect_number(effect), :, place].copy()

    def top_words(self, effect: object, n: int = 10, step: object = None) -> list[EffectWord]:
        """Return the n words that an effect makes likelier most, by default at the last step."""
        check_is_fitted(self)
        place = len(self.steps_) - 1
        if step is not None and len(self.steps_) > 1:
            place = self.clock_.find(step)
        weights = self.trajectories_[self.effect_number(effect), place]
        order = np.argsort(-weights, kind="stable")[:n]
        names = self.word_names
        return [
            EffectWord(names[v], float(weights[v]), float(np.exp(weights[v])))
            for v in order.tolist()
            if weights[v] > 0
        ]

    @property
    def word_names(self) -> list[str]:
        """Names of all words: the reader's, or numbers."""
        if self.reader is not None:
            return list(self.reader.words)
        return [str(v) for v in range(self.trajectories_.shape[2])]

    @property
    def effect_names(self) -> list[str]:
        """Names of all effects: the reader's, or numbers; the constant is the last."""
        if self.reader is not None:
            named = self.reader.effects
        else:
            named = [str(j) for j in range(self.n_effects_in_)]
        return named + [CONSTANT] * bool(self.constant)

    def effect_number(self, effect: object) -> int:
        """Return the place of an effect among trajectories_."""
        return _number(effect, self.effect_names, "effect")


def _number(name: object, names: list[str], what: str) -> int:
    if str(name) not in names:
        raise ValueError(f"there is no {what} {name!r}")
    return names.index(str(name))
