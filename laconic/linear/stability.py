"""Stability selection: which features keep being selected when half of the rows are left out.

Meinshausen and Buehlmann (2010), with the complementary pairs of Shah and Samworth (2013): each of
B times the rows are split at random into two halves, and on each half the path of the penalty is
followed until it has selected q features. The frequency of a feature is the share of the 2B halves
that selected it; stable are those of at least a threshold t. Of p features, the expected number
of stable ones that are no better than chance (selected with a probability of q / p or less) is

    at most  q^2 / ((2t - 1) p)                             (Meinshausen and Buehlmann, Theorem 1)
    at most  C(t, B) q^2 / p                                 (Shah and Samworth, Theorem 2)

    C(t, B) = 1 / (2 (2t - 1 - 1/(2B)))  for t <= 3/4,  4 (1 - t + 1/(2B)) / (1 + 1/B)  above,

the second where frequencies of such features have one mode, which is commonly the case.
"""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import AnyArray, Array, Bools, Ints, MatrixLike, RandomState
from laconic.core.report import Callback, Event
from laconic.linear.base import SparseLinear
from laconic.linear.grid import path_start
from laconic.linear.path import walk
from laconic.linear.rows import RowData
from laconic.models.save import Saved


def pair_constant(threshold: float, n_pairs: int) -> float:
    """Return C(t, B) of Shah and Samworth (2013), Theorem 2."""
    if threshold <= 0.75:
        return 1.0 / (2 * (2 * threshold - 1 - 1 / (2 * n_pairs)))
    return 4 * (1 - threshold + 1 / (2 * n_pairs)) / (1 + 1 / n_pairs)


class StabilitySelection(Saved, SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """{ j : share of halves of the rows on which feature j is selected early >= threshold }.

    Parameters
    ----------
    estimator : SparseClassifier or SparseRegressor
        Model whose penalty selects features.
    threshold : float, default=0.75
        Share of halves that must select a feature, above 0.5.
    max_false : float, default=1.0
        Expected number of selected features that are no better than chance, at most; it says how
        many features each half may select.
    n_first : int or None, default=None
        Number of features that each half may select, instead of `max_false`.
    n_pairs : int, default=50
        Number of splits into two halves.
    n_strengths : int, default=50
        Number of strengths of the path of each half.
    ratio : float or None, default=None
        Smallest strength of the paths over the largest; None is 1e-3.
    n_jobs : int or None, default=None
        Number of threads over splits; -1 uses all processors.
    random_state : int, RandomState or None, default=0
        Seed of the splits.

    Attributes
    ----------
    frequencies_ : array of shape (p,)
        Share of halves that selected each feature.
    entered_ : sparse matrix of shape (2 n_pairs, p)
        Place on the path, from 1, at which each half selected each feature; 0 if it did not.
    n_first_ : int
        Number of features that each half could select.
    mean_selected_ : float
        Mean number that it did select.
    expected_false_ : float
        Bound of the expected number of stable features that are no better than chance, if their
        frequencies have one mode (Shah and Samworth 2013).
    expected_false_any_ : float
        The same without that assumption (Meinshausen and Buehlmann 2010).
    n_features_in_, feature_names_in_
        Number of features, and their names where the data had names.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import L1, SparseRegressor, StabilitySelection
    >>> X = np.random.default_rng(0).normal(size=(100, 20))
    >>> y = X[:, 3] - X[:, 5] + np.random.default_rng(1).normal(size=100)
    >>> stable = StabilitySelection(SparseRegressor(L1()), n_pairs=10).fit(X, y)
    >>> stable.get_support(indices=True).tolist(), round(stable.expected_false_, 2)
    ([3, 5], 0.72)
    """

    def __init__(
        self,
        estimator: SparseLinear,
        threshold: float = 0.75,
        max_false: float = 1.0,
        n_first: int | None = None,
        n_pairs: int = 50,
        n_strengths: int = 50,
        ratio: float | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ):
        self.estimator = estimator
        self.threshold = threshold
        self.max_false = max_false
        self.n_first = n_first
        self.n_pairs = n_pairs
        self.n_strengths = n_strengths
        self.ratio = ratio
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        return tags

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        callback: Callback | None = None,
    ) -> StabilitySelection:
        """Select features on halves of the rows.

        Parameters
        ----------
        X : sparse matrix or array of shape (n, p)
            One row of features per example.
        y : array of shape (n,)
            Target of each example.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each example; None weights all alike.
        callback : callable or None, default=None
            Called with an Event per half; True ends with the pairs that are done.

        Returns
        -------
        self
            The fitted selection.
        """
        if not 0.5 < self.threshold <= 1 or self.n_pairs < 1:
            raise ValueError(
                "threshold must be above 0.5 and up to 1, n_pairs at least 1, "
                f"got {self.threshold!r} and {self.n_pairs!r}"
            )
        whole = clone(self.estimator)
        whole.build_problem(X, y, sample_weight)  # checks the data, and knows its form
        self.n_features_in_ = whole.n_features_in_
        if hasattr(whole, "feature_names_in_"):
            self.feature_names_in_ = whole.feature_names_in_
        data = RowData.of(X, y, sample_weight)
        self.n_first_ = self._most()
        halves = self._halves(data)
        jobs = (delayed(self._entered)(data.take(half)) for half in halves)
        parallel = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        began, found = time.perf_counter(), []
        for row in parallel(jobs):
            found.append(row)
            seconds = time.perf_counter() - began
            event = Event("half", len(found), len(halves), features=row.nnz, seconds=seconds)
            if callback is not None and callback(event) and len(found) % 2 == 0:
                break
        return self.adopt(sp.vstack(found, format="csr"))

    def adopt(self, entered: sp.csr_matrix) -> StabilitySelection:
        """Take over the places at which halves selected features, and what follows from them."""
        n_halves = entered.shape[0]
        self.entered_ = entered
        features, counts = np.unique(entered.indices, return_counts=True)
        self.frequencies_ = np.zeros(self.n_features_in_)
        self.frequencies_[features] = counts / n_halves
        self.mean_selected_ = entered.nnz / n_halves
        square = self.mean_selected_**2 / self.n_features_in_
        self.expected_false_ = pair_constant(self._usable(), n_halves // 2) * square
        self.expected_false_any_ = square / (2 * self.threshold - 1)
        return self

    def _usable(self) -> float:
        """Return the threshold, not so near to one half that few pairs say nothing."""
        return max(self.threshold, 0.5 + 1 / (2 * self.n_pairs))

    def _most(self) -> int:
        """Return how many features a half may select."""
        if self.n_first is not None:
            if self.n_first < 1:
                raise ValueError(f"n_first must be at least 1, got {self.n_first!r}")
            return int(self.n_first)
        if not self.max_false > 0:
            raise ValueError(f"max_false must be positive, got {self.max_false!r}")
        constant = pair_constant(self._usable(), self.n_pairs)
        allowed = np.sqrt(self.max_false * self.n_features_in_ / constant)
        return max(1, min(int(allowed), int(self.n_features_in_)))

    def _halves(self, data: RowData) -> list[Ints]:
        """Return the rows of each half, the two of a pair side by side.

        Classes have the same share of both halves.
        """
        random = check_random_state(self.random_state)
        halves = []
        for _ in range(self.n_pairs):
            order = random.permutation(len(data.y))
            if is_classifier(self.estimator):
                order = order[np.argsort(data.y[order], kind="stable")]
                halves += [np.sort(order[::2]), np.sort(order[1::2])]
            else:
                middle = len(order) // 2
                halves += [np.sort(order[:middle]), np.sort(order[middle:])]
        return halves

    def _entered(self, data: RowData) -> sp.csr_matrix:
        """Return at which strength, from 1, each feature enters, of the first n_first_ ones."""
        estimator = clone(self.estimator)
        problem = estimator.build_problem(*data)
        start = path_start(estimator, problem)
        entered = np.zeros(self.n_features_in_, dtype=np.int32)
        K = problem.design.n_outputs
        grid = start.grid(self.n_strengths, self.ratio)
        for place, result in enumerate(walk(estimator, problem, grid, start.x), 1):
            now = np.any(problem.parts(result.x)[0].reshape(-1, K) != 0, axis=1)
            fresh = now & (entered == 0)
            if np.count_nonzero(entered) + np.count_nonzero(fresh) > self.n_first_:
                break
            entered[fresh] = place
            if np.count_nonzero(entered) == self.n_first_:
                break
        return sp.csr_matrix(entered)

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self, "frequencies_")
        return np.asarray(self.frequencies_ >= self.threshold)

    def frequency_paths(self, features: ArrayLike) -> Array:
        """Return the share of halves that had selected some features, by place on the path.

        Parameters
        ----------
        features : array of int, shape (m,)
            Numbers of features.

        Returns
        -------
        array of shape (n_strengths, m)
            Shares, from the strongest penalty to the weakest.
        """
        check_is_fitted(self, "entered_")
        chosen: AnyArray = self.entered_[:, np.asarray(features)].toarray()
        places = np.arange(1, self.n_strengths + 1)[:, None, None]
        return np.asarray(((chosen > 0) & (chosen <= places)).mean(axis=1))
