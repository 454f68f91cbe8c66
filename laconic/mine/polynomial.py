"""Products of up to R binary features: the space of the kernel (x'y + 1)^R, each one once."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from laconic import _core
from laconic.core.arrays import MatrixLike


class Polynomial(BaseEstimator):
    """x_a x_b ..: products of at most `degree` binary features.

    Parameters
    ----------
    degree : int, default=2
        Largest number of features in a product.

    Examples
    --------
    >>> from laconic import Polynomial
    >>> Polynomial(degree=3).most_order
    3
    """

    def __init__(self, degree: int = 2):
        self.degree = degree

    @property
    def most_order(self) -> int:
        """Order of the largest features."""
        return self.degree

    def structures(self, X: MatrixLike) -> _core.SetStructures:
        """Return the rows of a matrix as sets of the columns that are not zero."""
        rows = sp.csr_array(X, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        return _core.SetStructures(
            rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.shape[1]
        )
