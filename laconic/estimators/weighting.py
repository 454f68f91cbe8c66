"""From counts of words to the values of features: counts as they are, 0/1, or tf-idf with rows of length 1."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]
TFIDF = ("tfidf", "logtfidf")
WEIGHTINGS = ("count", "binary", *TFIDF)


def idf_of(counts: sp.csr_matrix, weighting: str) -> Array | None:
    """log((1 + documents) / (1 + documents with the word)) + 1, or None where the weighting has no use for it."""
    if weighting not in TFIDF:
        return None
    in_documents = np.bincount(counts.indices, minlength=counts.shape[1])
    return np.log((1 + counts.shape[0]) / (1 + in_documents)) + 1


def weighted(counts: sp.csr_matrix, weighting: str, idf: Array | None) -> sp.csr_matrix:
    """Counts as they are, as 0/1, or as tf-idf with rows of length 1."""
    X = counts.astype(np.float64)
    if weighting == "binary":
        X.data[:] = 1.0
    elif weighting in TFIDF:
        if weighting == "logtfidf":
            X.data = 1.0 + np.log(X.data)
        X = X @ sp.diags(idf)
        length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        X = sp.diags(1.0 / np.where(length > 0, length, 1.0)) @ X
    return sp.csr_matrix(X)
