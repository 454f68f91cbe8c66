"""From counts of words by contexts to associations: how much more often than by chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from laconic.core.arrays import Array, Floats
from laconic.core.ragged import pointers, spans

KINDS = ("ppmi", "pmi")
ENTRIES = 2**22  # processed at once


class EntryWeights(NamedTuple):
    """Weights of pairs of words and contexts in a loss.

    entries           weights of the stored entries, at the same places as those of the matrix
    words, contexts   any other pair has the weight words[v] * contexts[c]
    """

    entries: csr_matrix
    words: Floats
    contexts: Floats


class Association(NamedTuple):
    """Associations (words, contexts), and their weights if requested."""

    matrix: csr_matrix
    weights: EntryWeights | None


def association(
    counts: csr_matrix,
    kind: str = "ppmi",
    smoothing: float = 1.0,
    shift: float = 1.0,
    exponent: float = 1.0,
    copy: bool = True,
    weighting: float = 0.0,
) -> Association:
    """Return (log(n_vc / (n_v p_c)) - log(shift))^exponent for every stored count n_vc.

    n_v is the sum of row v, and p_c = n_c^smoothing / sum_c' n_c'^smoothing. With smoothing, shift
    and exponent 1 this is pointwise mutual information. Pairs that never occur stay 0.

    Parameters
    ----------
    counts : csr_matrix of shape (n_words, n_contexts)
        Co-occurrences.
    kind : "ppmi" or "pmi", default="ppmi"
        "ppmi" keeps positive values only.
    smoothing : float, default=1.0
        Power of the counts of contexts; 0.75 lowers the associations of rare contexts.
    shift : float, default=1.0
        k is the shift of skip-grams with k negative samples (Levy et al. 2015).
    exponent : float, default=1.0
        A power below 1 lowers the few very large values, those of rare words; signs stay.
    copy : bool, default=True
        False works in the arrays of `counts`, which cannot be used afterwards.
    weighting : float, default=0.0
        The weight of a stored pair is n_vc to this power, that of any other pair the value of n_vc
        expected by chance, n_v n_c / n, to this power. 0 means no weights.
    """
    _check(counts, kind, smoothing, shift, exponent, weighting)
    result = counts.astype(np.float32, copy=copy)
    row_sums, column_sums = (
        np.asarray(counts.sum(axis=axis, dtype=np.float64)).ravel() for axis in (1, 0)
    )
    of_row, of_column = _logarithms(row_sums, column_sums**smoothing, shift)
    weights = np.empty(result.nnz if weighting else 0, np.float32)
    kept = np.empty(result.shape[0], np.int64)
    end = 0
    for first, last in spans(result.indptr, ENTRIES):
        begin, stop = int(result.indptr[first]), int(result.indptr[last])
        rows = np.repeat(np.arange(first, last), np.diff(result.indptr[first : last + 1]))
        columns, values = result.indices[begin:stop], result.data[begin:stop]
        weight = values ** np.float32(weighting) if weighting else values
        with np.errstate(divide="ignore"):  # stored counts may be 0
            np.log(values, out=values)
        values -= of_row[rows]
        values -= of_column[columns]
        if exponent != 1:
            np.copyto(
                values,
                np.sign(values) * np.abs(values) ** np.float32(exponent),
                where=np.isfinite(values),
            )
        wanted = values > 0 if kind == "ppmi" else np.isfinite(values)
        kept[first:last] = np.bincount(rows[wanted] - first, minlength=last - first)
        size = int(np.count_nonzero(wanted))
        result.data[end : end + size], result.indices[end : end + size] = (
            values[wanted],
            columns[wanted],
        )
        if weighting:
            weights[end : end + size] = weight[wanted]
        end += size
    result.indptr[:] = pointers(kept)
    result.data, result.indices = result.data[:end].copy(), result.indices[:end].copy()
    if not weighting:
        return Association(result, None)
    total = float(column_sums.sum()) or 1.0
    words, contexts = ((sums / np.sqrt(total)) ** weighting for sums in (row_sums, column_sums))
    entries = csr_matrix((weights[:end].copy(), result.indices, result.indptr), shape=result.shape)
    return Association(
        result, EntryWeights(entries, words.astype(np.float32), contexts.astype(np.float32))
    )


def _logarithms(row_sums: Array, column_sums: Array, shift: float) -> tuple[Floats, Floats]:
    """Return log(n_v shift) of every row and log p_c of every column."""
    # Words and contexts without any count have no entries: their logarithms are never used.
    with np.errstate(divide="ignore", invalid="ignore"):
        of_row = np.log(row_sums) + np.log(shift)
        of_column = np.log(column_sums) - np.log(column_sums.sum())
    return of_row.astype(np.float32), of_column.astype(np.float32)


def _check(
    counts: csr_matrix, kind: str, smoothing: float, shift: float, exponent: float, weighting: float
) -> None:
    """Raise a ValueError if a parameter cannot be used."""
    if kind not in KINDS:
        raise ValueError(f"the kind of association must be one of {', '.join(KINDS)}, got {kind!r}")
    if not 0 <= smoothing <= 1:
        raise ValueError(f"smoothing must be from 0 to 1, got {smoothing!r}")
    if not 0 < exponent <= 1:
        raise ValueError(f"exponent must be above 0 and at most 1, got {exponent!r}")
    if not 0 <= weighting <= 1:
        raise ValueError(f"weighting must be from 0 to 1, got {weighting!r}")
    if not 0 < shift < np.inf:
        raise ValueError(f"shift must be above 0, got {shift!r}")
    if counts.nnz and not (counts.data.min() >= 0 and counts.data.max() < np.inf):
        raise ValueError("counts must be finite and at least 0")
