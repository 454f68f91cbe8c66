"""From counts of words to the values of features: counts, 0/1 or tf-idf; contrast."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from laconic.core.arrays import Array

TFIDF = ("tfidf", "logtfidf")
WEIGHTINGS = ("count", "binary", *TFIDF)
# Added to each number of documents: else the log-ratio of a word of one class would be infinite.
PRIOR_DOCUMENTS = 0.1


def idf_of(counts: sp.csr_matrix, weighting: str) -> Array | None:
    """Return log((1 + documents) / (1 + documents with the word)) + 1; None without tf-idf."""
    if weighting not in TFIDF:
        return None
    in_documents = np.bincount(counts.indices, minlength=counts.shape[1])
    idf: Array = np.log((1 + counts.shape[0]) / (1 + in_documents)) + 1
    return idf


def weighted(counts: sp.csr_matrix, weighting: str, idf: Array | None) -> sp.csr_matrix:
    """Return counts as they are, as 0/1, or as tf-idf with rows of length 1."""
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
    X: sp.csr_matrix, counts: sp.csr_matrix, labels: NDArray[Any], power: float
) -> Array | None:
    """Return max_k |log(share_k(word) / share_not_k(word))| ** power per word; None at power 0.

    share_k is the share of the documents of class k that have the word, share_not_k that of the
    others. All values are multiplied by one number that keeps the sum of squares of X, so that
    strengths keep their meaning.
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
    scale: Array = np.abs(log_ratio).max(axis=0) ** power
    squares = np.asarray(X.multiply(X).sum(axis=0)).ravel()
    after = float(np.sum(scale**2 * squares))
    return scale * np.sqrt(squares.sum() / after) if after > 0 else scale


def _log_share(documents: Array, total: NDArray[np.intp]) -> Array:
    shares: Array = np.log((documents + PRIOR_DOCUMENTS) / (total + 2 * PRIOR_DOCUMENTS))
    return shares
