"""From counts of words to the values of features: counts, 0/1, logarithms or tf-idf; contrast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from laconic.classify.multilabel import indicator, names_of
from laconic.core.arrays import Array, Bools, Integers
from laconic.text.documents import Encoded

if TYPE_CHECKING:
    import scipy.sparse as sp

TFIDF = ("tfidf", "logtfidf")
# Weightings of counts alone; "log" needs the number of words of each document, too.
OF_COUNTS = ("count", "binary", *TFIDF)
WEIGHTINGS = ("log", *OF_COUNTS)
# Added to each number of documents: else the log-ratio of a word of one class would be infinite.
PRIOR_DOCUMENTS = 0.1


def idf_of(counts: sp.csr_matrix, weighting: str, lengths: Array | None = None) -> Array | None:
    """Return log((1 + documents) / (1 + documents with the word)) + 1; None without tf-idf.

    With the lengths of the documents it is scaled so that the mean squared length of their rows is
    1, and strengths mean the same as for rows of length 1.
    """
    if weighting not in TFIDF:
        return None
    in_documents = np.bincount(counts.indices, minlength=counts.shape[1])
    idf: Array = np.log((1 + counts.shape[0]) / (1 + in_documents)) + 1
    if lengths is not None:
        values = weighted(counts, weighting, idf, lengths).data
        idf /= np.sqrt(np.sum(values**2) / counts.shape[0]) or 1.0
    return idf


def lengths_of(encoded: Encoded) -> Array:
    """Return the number of words of each document, known or not."""
    total = np.concatenate([[0], np.cumsum(encoded.n_words)])
    lengths: Array = np.diff(total[encoded.document_ptr]).astype(np.float64)
    return lengths


def weighted(
    counts: sp.csr_matrix, weighting: str, idf: Array | None, lengths: Array | None = None
) -> sp.csr_matrix:
    """Return counts as `weighted_values` has them, with an idf per feature."""
    import scipy.sparse as sp

    X = sp.csr_matrix(counts, dtype=np.float64, copy=True)
    of_cells = None if idf is None else idf[X.indices]
    X.data = weighted_values(X.indptr, X.data, weighting, of_cells, lengths)
    return X


def weighted_values(
    ptr: Integers, count: Array, weighting: str, idf: Array | None, lengths: Array | None = None
) -> Array:
    """Return counts as they are, as 0/1, as logarithms, or as tf-idf.

    log: (1 + log count) / sqrt(number of words of the document), and tf-idf likewise. The divisor
    is about the length of the row, but needs no vocabulary: words without weights need not be kept
    for it. Without `lengths`, rows of tf-idf have length 1.

    Parameters
    ----------
    ptr : array of shape (n_documents + 1,)
        The counts of document d are count[ptr[d]:ptr[d + 1]].
    count : array of shape (n_cells,)
        How often each feature occurs in a document that has it.
    weighting : str
        One of WEIGHTINGS.
    idf : array of shape (n_cells,) or None
        The idf of the feature of each count, for tf-idf.
    lengths : array of shape (n_documents,) or None
        Number of words of each document.
    """
    values: Array = np.asarray(count, np.float64)
    if weighting == "binary":
        return np.ones(len(values))
    if weighting != "count":
        if weighting != "tfidf":
            values = 1.0 + np.log(values)
        if idf is not None:
            values = values * idf
        values = values * np.repeat(
            1.0 / _row_lengths(ptr, values, weighting, lengths), np.diff(ptr)
        )
    return values


def _row_lengths(ptr: Integers, values: Array, weighting: str, lengths: Array | None) -> Array:
    """Return what divides the rows: the root of their number of words, or their length."""
    if lengths is not None:
        words: Array = np.sqrt(np.maximum(lengths, 1.0))
        return words
    if weighting not in TFIDF:
        raise ValueError(f"the weighting {weighting} needs the number of words of each document")
    row = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    length = np.sqrt(np.bincount(row, values**2, minlength=len(ptr) - 1))
    return np.where(length > 0, length, 1.0)


def scale_of(
    X: sp.csr_matrix,
    counts: sp.csr_matrix,
    labels: NDArray[Any],
    contrast: float,
    frequency: float = 0.0,
    groups: Bools | None = None,
) -> Array | None:
    """Return contrast(word)^contrast * N^(-frequency / 2) per word; None if both powers are 0.

    contrast(word) = max_k |log(share_k(word) / share_not_k(word))|, share_k the share of the
    documents of class k that have the word, share_not_k that of the others; N is the number of
    documents that have it. Weights of words that are scaled by s cost s^2 times less under a ridge
    and s times less under a lasso, so that a ridge of word i is multiplied by N_i^frequency.

    Groups of classes (n, K) count as classes too. All values are multiplied by one number that
    keeps the sum of squares of X, so that strengths keep their meaning.
    """
    for name, power in (("contrast", contrast), ("frequency", frequency)):
        if not 0 <= power < np.inf:
            raise ValueError(f"{name} must be a number of at least 0, got {power!r}")
    if contrast == frequency == 0:
        return None
    scale: Array = np.ones(X.shape[1])
    if contrast:
        scale = contrasts(counts, labels, groups) ** contrast
    if frequency:
        in_documents = np.bincount(counts.indices, minlength=X.shape[1])
        scale = scale * np.maximum(in_documents, 1.0) ** (-frequency / 2)
    squares = np.asarray(X.multiply(X).sum(axis=0)).ravel()
    after = float(np.sum(scale**2 * squares))
    return scale * np.sqrt(squares.sum() / after) if after > 0 else scale


def contrasts(counts: sp.csr_matrix, labels: NDArray[Any], groups: Bools | None = None) -> Array:
    """Return max_k |log(share_k(word) / share_not_k(word))| per word."""
    import scipy.sparse as sp  # not needed to predict from compact files

    own = indicator(labels, names_of(labels))
    if groups is not None:
        own = np.hstack([own, np.minimum(own @ groups.T, 1.0)])
    member = sp.csr_matrix(own.T)
    n_documents = np.asarray(member.sum(axis=1))
    seen = (counts > 0).astype(np.float64)
    inside = (member @ seen).toarray()
    outside = np.asarray(seen.sum(axis=0)) - inside
    log_ratio = _log_share(inside, n_documents) - _log_share(outside, len(labels) - n_documents)
    largest: Array = np.abs(log_ratio).max(axis=0)
    return largest


def _log_share(documents: Array, total: Array) -> Array:
    shares: Array = np.log((documents + PRIOR_DOCUMENTS) / (total + 2 * PRIOR_DOCUMENTS))
    return shares
