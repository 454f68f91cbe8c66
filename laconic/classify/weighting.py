"""From counts of words to the values of features: counts as they are, 0/1, or tf-idf with rows of length 1; contrast."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from laconic.core.arrays import Array

TFIDF = ("tfidf", "logtfidf")
WEIGHTINGS = ("count", "binary", *TFIDF)
PRIOR_DOCUMENTS = (
    0.1  # added to each number of documents: the log-ratio of a word of one class would be infinite
)


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


def contrast_of(
    X: sp.csr_matrix, counts: sp.csr_matrix, labels: NDArray, power: float
) -> Array | None:
    """|log of the share of a class's documents with the word over that of the others| ** power, the largest over classes.

    All are multiplied by one number that leaves the sum of squares of X as it is, so that strengths keep their meaning.
    None if the power is 0.
    """
    if not 0 <= power < np.inf:
        raise ValueError(f"contrast must be a number of at least 0, got {power!r}")
    if power == 0:
        return None
    classes, code = np.unique(labels, return_inverse=True)
    n_documents = np.bincount(code, minlength=len(classes))[:, None]
    member = sp.csr_matrix(
        (np.ones(len(code)), (code, np.arange(len(code)))), shape=(len(classes), len(code))
    )
    inside = (member @ (counts > 0).astype(np.float64)).toarray()
    outside = inside.sum(axis=0) - inside
    log_ratio = _log_share(inside, n_documents) - _log_share(outside, len(code) - n_documents)
    scale = np.abs(log_ratio).max(axis=0) ** power
    squares = np.asarray(X.multiply(X).sum(axis=0)).ravel()
    after = float(np.sum(scale**2 * squares))
    return scale * np.sqrt(squares.sum() / after) if after > 0 else scale


def _log_share(documents: Array, total: NDArray[np.intp]) -> Array:
    return np.log((documents + PRIOR_DOCUMENTS) / (total + 2 * PRIOR_DOCUMENTS))
