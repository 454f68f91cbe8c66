"""KernelMiner: products of binary features, found by the gradient of an L1-norm SVM, as columns."""

from __future__ import annotations

import time
from typing import Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from laconic.core.arrays import Array, MatrixLike
from laconic.core.report import Callback, Event, FitReport, Reported, in_one_line
from laconic.mine.gradient import GradientMining, Mined, members_of
from laconic.mine.narrowing import Narrowed
from laconic.mine.outputs import Outputs
from laconic.mine.polynomial import Polynomial
from laconic.mine.refusal import named_if_refused
from laconic.mine.rounds import Round


class ScoringClassifier(Protocol):
    """A classifier as scikit-learn has them, with scores."""

    def fit(self, X: MatrixLike, y: ArrayLike, /) -> ScoringClassifier:
        """Learn from rows and labels."""

    def decision_function(self, X: MatrixLike, /) -> Array:
        """Return the scores of rows."""


class KernelMiner(Reported, TransformerMixin, BaseEstimator):
    """min_w C |w|_1 + sum_i hinge(x_i, y_i; w) over products of features, found order by order.

    A selector of combinations: `fit(X, y)` searches, `transform(X)` has one column of zeros and
    ones for each combination that was kept. Entries of X that are not zero count as one. The search
    is exact: no combination whose counts are large enough is missed (Qian and Liu 2015).

    Parameters
    ----------
    kernel : Polynomial or None, default=None
        Space that is searched; None is Polynomial(2), products of two features.
    threshold : int, default=3
        C: combinations whose counts in wrongly predicted examples are not above it are not kept.
    rounds : int, default=20
        Number of rounds, at most; the search ends when nothing is predicted wrong.
    step : float, default=1.0
        Step size of the subgradient method.
    decreasing : bool, default=False
        Whether the step size is divided by the square root of the round.
    pretrain : classifier or None, default=None
        Classifier, fitted to X as it is, whose scores the search begins with; None begins at zero.
        Fewer examples are then wrong (section 4.1).
    memory : float, default=2**30
        Number of bytes that the search may use.
    proximal : bool, default=False
        Whether only combinations with a weight are kept: after one round, those whose counts differ
        by more than C between the classes.

    Attributes
    ----------
    combinations_ : list of tuple of int
        Columns of each combination.
    weights_ : array of shape (n_combinations, n_classes)
        Weights of each combination.
    rounds_ : list of Round
        What each round counted and kept.
    classes_ : array of shape (n_classes,)
        The classes.
    report_ : FitReport
        Report of the search: rounds, combinations found and kept, seconds.

    Examples
    --------
    >>> from laconic import KernelMiner, Polynomial
    >>> X, y = [[1, 1], [1, 0], [0, 1], [0, 0]] * 5, ["same", "other", "other", "same"] * 5
    >>> miner = KernelMiner(Polynomial(2), threshold=1).fit(X, y)
    >>> miner.combinations_
    [(0,), (1,), (0, 1)]
    >>> miner.transform([[1, 1], [0, 1]]).toarray().tolist()
    [[1.0, 1.0, 1.0], [0.0, 1.0, 0.0]]
    """

    def __init__(
        self,
        kernel: Polynomial | None = None,
        threshold: int = 3,
        rounds: int = 20,
        step: float = 1.0,
        decreasing: bool = False,
        pretrain: ScoringClassifier | None = None,
        memory: float = 2**30,
        proximal: bool = False,
    ):
        self.kernel = kernel
        self.threshold = threshold
        self.rounds = rounds
        self.step = step
        self.decreasing = decreasing
        self.pretrain = pretrain
        self.memory = memory
        self.proximal = proximal

    def fit(self, X: MatrixLike, y: ArrayLike, callback: Callback | None = None) -> KernelMiner:
        """Search for combinations that tell the classes apart.

        Parameters
        ----------
        X : sparse matrix or array of shape (n, p)
            One row of binary features per example.
        y : array of shape (n,)
            Class of each example.
        callback : callable or None, default=None
            Called with every Round; True stops the search.

        Returns
        -------
        self
            The fitted miner.
        """
        began = time.perf_counter()
        rows, labels = validate_data(self, X, y, accept_sparse="csr")
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class, {self.classes_[0]!r}: there is nothing to tell apart"
            )
        kernel = Polynomial() if self.kernel is None else self.kernel
        names = ("rounds", "step", "decreasing", "memory", "proximal")
        own = {name: getattr(self, name) for name in names}
        n_labels = len(self.classes_)
        base = None if self.pretrain is None else self._scores(rows, labels)
        outputs = Outputs.of_labels(codes, n_labels)
        structures = kernel.structures(rows)
        stopped = False

        def stop(event: Event) -> bool:
            nonlocal stopped
            stopped = bool(callback is not None and callback(event))
            return stopped

        def search(threshold: int) -> Mined:
            mining = GradientMining(threshold, kernel.most_order, **own)
            return mining.run(structures, outputs, n_labels, base=base, callback=stop)

        mined = named_if_refused(search, self.threshold)
        self._keep(mined)
        self.report_ = FitReport(
            in_one_line(self),
            n_iter=len(mined.rounds),
            converged=not stopped,
            interrupted=stopped,
            features_total=len(mined.miner) - 1,
            features_kept=len(self.combinations_),
            trace=tuple(mined.rounds),
            seconds=time.perf_counter() - began,
        )
        return self

    @property
    def rounds_(self) -> list[Round]:
        """What each round counted and kept."""
        return [event for event in self.report_.trace if isinstance(event, Round)]

    def transform(self, X: MatrixLike) -> sp.csr_array:
        """Return which combinations each row has: (n, n_combinations), zeros and ones."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        kernel = Polynomial() if self.kernel is None else self.kernel
        ptr, fired = self._trie.miner().fired(kernel.structures(X))
        columns = self._column[fired]
        rows = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))[columns >= 0]
        columns = columns[columns >= 0]
        shape = (len(ptr) - 1, len(self.combinations_))
        return sp.csr_array((np.ones(len(columns)), (rows, columns)), shape=shape)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Return the names of combinations: those of their parts, joined by " & "."""
        check_is_fitted(self)
        given = (
            getattr(self, "feature_names_in_", None)
            if input_features is None
            else np.asarray(input_features)
        )
        names = [f"x{j}" for j in range(self.n_features_in_)] if given is None else given
        joined = [" & ".join(str(names[j]) for j in members) for members in self.combinations_]
        return np.array(joined, dtype=np.object_)

    def _scores(self, X: MatrixLike, y: ArrayLike) -> Array:
        """Return scores of all outputs by the given classifier, label after label of each row."""
        scores: Array = np.asarray(clone(self.pretrain).fit(X, y).decision_function(X), np.float64)
        return (scores if scores.ndim == 2 else np.column_stack([-scores / 2, scores / 2])).ravel()

    def _keep(self, mined: Mined) -> None:
        """Keep combinations, sorted by size and members, and the trie of them for transform."""
        found = members_of(mined.miner, mined.features)
        order = sorted(range(len(found)), key=lambda k: (len(found[k]), found[k]))
        features = mined.features[order]
        self.combinations_ = [found[k] for k in order]
        self.weights_ = mined.weights[features]
        self._trie = Narrowed.of(mined.miner, features)
        self._column = np.full(len(self._trie.part), -1)
        self._column[np.searchsorted(self._trie.number, features)] = np.arange(len(features))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
