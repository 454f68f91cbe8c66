"""Products of up to R binary features: the space of the kernel (x'y + 1)^R on binary vectors, each combination once."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from laconic import _core


class Polynomial(BaseEstimator):
    """Combinations of at most `degree` basic features."""

    def __init__(self, degree: int = 2):
        self.degree = degree

    @property
    def most_order(self) -> int:
        """The order of the largest features."""
        return self.degree

    def structures(self, X: sp.csr_array) -> Any:
        """The rows of a matrix as sets of the columns that are not zero."""
        X = sp.csr_array(X, copy=True)
        X.sum_duplicates()
        X.eliminate_zeros()
        return _core.SetStructures(
            X.indptr.astype(np.int64), X.indices.astype(np.int32), X.shape[1]
        )
