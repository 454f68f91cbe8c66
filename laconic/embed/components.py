"""Leading principal components of associations, rescaled, to be coded instead of all contexts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from laconic.core.arrays import Floats
from laconic.core.report import Callback
from laconic.embed.association import EntryWeights
from laconic.embed.codes import WordRows, padded
from laconic.embed.start import ROUNDS, right_singular
from laconic.embed.weighted import PASSES, Factors, weighted_factors


class Components(NamedTuple):
    """X ~ rows @ contexts: rows (words, components) and contexts (components, contexts)."""

    rows: WordRows
    contexts: Floats


def leading_components(
    rows: WordRows,
    size: int,
    power: float,
    random: np.random.RandomState,
    threads: int,
    weights: EntryWeights | None = None,
    callback: Callback | None = None,
) -> Components:
    """Return X ~ (c U S^power) (S^(1 - power) V' / c), of rank `size`.

    c makes the mean squared length of the rows on the left 1. A power of 1 keeps principal
    components as they are; 0 gives all the same size, which whitens the rows and improves cosines
    of words (Levy et al. 2015 show it for codes U S^power). With weights of entries, U S V' is the
    best weighted approximation of its rank, see `weighted_factors`.
    """
    if not (isinstance(size, int | np.integer) and 1 <= size <= min(rows.shape)):
        raise ValueError(
            f"components must be from 1 to {min(rows.shape)}, the smaller of the numbers of words "
            f"and contexts, got {size!r}"
        )
    if not 0 <= power <= 1:
        raise ValueError(f"power must be from 0 to 1, got {power!r}")
    found = factors(rows, size, random, threads, weights, callback=callback)
    places = found.left * found.values**power
    length = float(np.sqrt(np.mean(np.einsum("ij,ij->i", places, places))))
    contexts = found.right * (found.values ** (1 - power) * length)[:, None]
    return Components(
        WordRows(sparse.csr_matrix((places / length).astype(np.float32))),
        contexts.astype(np.float32),
    )


def factors(
    rows: WordRows,
    size: int,
    random: np.random.RandomState,
    threads: int,
    weights: EntryWeights | None = None,
    rounds: int = ROUNDS,
    callback: Callback | None = None,
) -> Factors:
    """Return the best U S V' of a rank: the SVD, or `weighted_factors` if there are weights."""
    if weights is not None:
        return weighted_factors(rows, weights, size, random, threads, PASSES, callback)
    values, vectors = right_singular(rows, size, random, threads, rounds)
    values = np.maximum(values, values[0] * np.finfo(np.float32).eps)  # for a matrix of lower rank
    places = rows.products(np.arange(rows.shape[0]), padded(vectors.T), threads)[:, :size]
    objective = 0.5 * max(
        0.0, float(rows.squares.sum()) - float(np.sum(places.astype(np.float64) ** 2))
    )
    return Factors((places / values).astype(np.float32), values, vectors, objective)
