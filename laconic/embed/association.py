"""From counts of words by contexts to how much more often they meet than by chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from laconic.core.ragged import pointers, spans

KINDS = ("ppmi", "pmi")
ENTRIES = 2**22  # that are worked on at once


class EntryWeights(NamedTuple):
    """How much pairs of words and contexts count: a stored entry `entries`, any other words_v contexts_c.

    entries: has the places of the matrix
    """

    entries: csr_matrix
    words: NDArray[np.float32]
    contexts: NDArray[np.float32]


class Association(NamedTuple):
    """Associations (words, contexts), and weights of them if they were asked for."""

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
    """(log(n_vc / (n_v p_c)) - log(shift))^exponent, where n_v is the sum of row v and p_c = n_c^smoothing / sum_c' n_c'^smoothing.

    That is pointwise mutual information if smoothing and shift are 1; a smoothing of 0.75 makes rare contexts less telling, a shift of
    k is that of skip-grams with k negative samples (Levy et al. 2015). An exponent below 1 makes few very large values, those of rare words,
    count less; signs stay. Pairs that never met stay 0.

    kind: "ppmi" keeps what is positive, "pmi" all
    copy: False works in the arrays of `counts`, which is of no use then
    weighting: power of n_vc that a stored pair counts, and of n_v n_c / n, what chance would make of n_vc, for any other pair; 0: none, all count alike
    """
    _check(counts, kind, smoothing, shift, exponent, weighting)
    result = counts.astype(np.float32, copy=copy)
    met = np.asarray(counts.sum(axis=0, dtype=np.float64)).ravel()
    column_sums = met**smoothing
    row_sums = np.asarray(counts.sum(axis=1, dtype=np.float64)).ravel()
    with np.errstate(
        divide="ignore", invalid="ignore"
    ):  # words and contexts that meet nothing have no entries
        of_row = (np.log(row_sums) + np.log(shift)).astype(np.float32)
        of_column = (np.log(column_sums) - np.log(column_sums.sum())).astype(np.float32)
    weights = np.empty(result.nnz if weighting else 0, np.float32)
    kept = np.empty(result.shape[0], np.int64)
    end = 0
    for first, last in spans(result.indptr, ENTRIES):
        begin, stop = int(result.indptr[first]), int(result.indptr[last])
        rows = np.repeat(np.arange(first, last), np.diff(result.indptr[first : last + 1]))
        columns, values = result.indices[begin:stop], result.data[begin:stop]
        weight = values ** np.float32(weighting) if weighting else values
        with np.errstate(divide="ignore"):  # counts of 0 that are stored
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
    total = float(met.sum()) or 1.0
    words, contexts = ((sums / np.sqrt(total)) ** weighting for sums in (row_sums, met))
    entries = csr_matrix((weights[:end].copy(), result.indices, result.indptr), shape=result.shape)
    return Association(
        result, EntryWeights(entries, words.astype(np.float32), contexts.astype(np.float32))
    )


def _check(
    counts: csr_matrix, kind: str, smoothing: float, shift: float, exponent: float, weighting: float
) -> None:
    if kind not in KINDS:
        raise ValueError(f"the kind of association must be one of {', '.join(KINDS)}, got {kind!r}")
    if not 0 <= smoothing <= 1:
        raise ValueError(f"smoothing must lie in 0..1, got {smoothing!r}")
    if not 0 < exponent <= 1:
        raise ValueError(f"exponent must lie above 0 and be at most 1, got {exponent!r}")
    if not 0 <= weighting <= 1:
        raise ValueError(f"weighting must lie in 0..1, got {weighting!r}")
    if not 0 < shift < np.inf:
        raise ValueError(f"shift must be above 0, got {shift!r}")
    if counts.nnz and not (counts.data.min() >= 0 and counts.data.max() < np.inf):
        raise ValueError("counts must be finite and not below 0")
