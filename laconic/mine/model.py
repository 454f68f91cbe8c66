"""KernelMiner: combinations of binary features, found by the gradient of an L1-norm SVM, as columns of a sparse matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from laconic.core.report import Callback
from laconic.mine.gradient import GradientMining, Mined, Outputs, members_of
from laconic.mine.narrowing import Narrowed
from laconic.mine.polynomial import Polynomial
from laconic.mine.refusal import named_if_refused


class KernelMiner(TransformerMixin, BaseEstimator):
    """min_w C |w|_1 + sum_i hinge(x_i, y_i; w) over the products of basic features, found order by order.

    A selector of combinations: `fit(X, y)` searches, `transform(X)` has a column of zeros and ones for each combination that was
    kept. Entries of X that are not zero count as one. The search is exact: what the counts say is kept is kept (Qian and Liu 2015).

    kernel: the space that is searched: Polynomial(degree)
    threshold: C; combinations whose counts in wrongly predicted examples are not above it are left alone
    rounds, step, decreasing: of the subgradient method
    pretrain: a classifier, fitted on X as it is, whose scores the search begins with, so that fewer examples are wrong (section 4.1);
        None: from zero
    memory: bytes that the search may use
    proximal: only combinations whose weights are not zero are kept: after one round, those whose counts differ by more than C
        between the classes

    Attributes: combinations_ (tuples of columns), weights_ (a row for each), rounds_ (what each round did), classes_.
    """

    def __init__(
        self,
        kernel: Polynomial | None = None,
        threshold: int = 3,
        rounds: int = 20,
        step: float = 1.0,
        decreasing: bool = False,
        pretrain: Any = None,
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

    def fit(self, X: Any, y: ArrayLike, callback: Callback | None = None) -> KernelMiner:
        """Search; callback(round) says whether to stop."""
        X, y = validate_data(self, X, y, accept_sparse="csr")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class, {self.classes_[0]!r}: there is nothing to tell apart"
            )
        kernel = Polynomial() if self.kernel is None else self.kernel
        own = {
            name: getattr(self, name)
            for name in ("rounds", "step", "decreasing", "memory", "proximal")
        }
        n_labels = len(self.classes_)
        base = None if self.pretrain is None else self._scores(X, y)
        outputs = Outputs.of_labels(codes, n_labels)
        structures = kernel.structures(X)

        def search(threshold: int) -> Mined:
            mining = GradientMining(threshold, kernel.most_order, **own)
            return mining.run(structures, outputs, n_labels, base=base, callback=callback)

        self._keep(named_if_refused(search, self.threshold))
        return self

    def transform(self, X: Any) -> sp.csr_array:
        """Which combinations each row has."""
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
        """Names of combinations: those of their parts, joined by " & "."""
        check_is_fitted(self)
        given = (
            getattr(self, "feature_names_in_", None)
            if input_features is None
            else np.asarray(input_features)
        )
        names = [f"x{j}" for j in range(self.n_features_in_)] if given is None else given
        return np.array(
            [" & ".join(str(names[j]) for j in members) for members in self.combinations_],
            dtype=object,
        )

    def _scores(self, X: Any, y: Any) -> NDArray[np.float64]:
        """Scores of all outputs, label after label of each row, by the given classifier."""
        scores = np.asarray(clone(self.pretrain).fit(X, y).decision_function(X), dtype=np.float64)
        return (scores if scores.ndim == 2 else np.column_stack([-scores / 2, scores / 2])).ravel()

    def _keep(self, mined: Mined) -> None:
        """The kept combinations in the order of their size and members, and the trie of them and their parts for transform."""
        found = members_of(mined.miner, mined.features)
        order = sorted(range(len(found)), key=lambda k: (len(found[k]), found[k]))
        features = mined.features[order]
        self.combinations_ = [found[k] for k in order]
        self.weights_ = mined.weights[features]
        self.rounds_ = mined.rounds
        self._trie = Narrowed.of(mined.miner, features)
        self._column = np.full(len(self._trie.part), -1)
        self._column[np.searchsorted(self._trie.number, features)] = np.arange(len(features))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
