"""Leading principal components of the associations of words, with their sizes evened out, for learners to code instead of all contexts."""

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
    """X is about rows @ contexts: rows (words, components) as a learner takes them, contexts (components, contexts)."""

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
    """X ~ (c U S^power) (S^(1 - power) V' / c), of rank `size`, with c such that the rows on the left have a mean squared length of 1.

    A power of 1 leaves principal components as they are, of 0 makes them all count alike, which whitens the rows: cosines of codes that
    come close to such rows are better ones for words (Levy et al. 2015 of codes U S^power themselves). With weights U S V' is the
    best of their rank for entries that count by them, see weighted_factors.
    """
    if not (isinstance(size, int | np.integer) and 1 <= size <= min(rows.shape)):
        raise ValueError(
            f"components must be from 1 to {min(rows.shape)}, the lesser of words and contexts, got {size!r}"
        )
    if not 0 <= power <= 1:
        raise ValueError(f"power must lie in 0..1, got {power!r}")
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
    """The best U S V' of a rank: the singular value decomposition, or weighted_factors, of whose passes callback hears."""
    if weights is not None:
        return weighted_factors(rows, weights, size, random, threads, PASSES, callback)
    values, vectors = right_singular(rows, size, random, threads, rounds)
    values = np.maximum(values, values[0] * np.finfo(np.float32).eps)  # of a matrix of lower rank
    places = rows.products(np.arange(rows.shape[0]), padded(vectors.T), threads)[:, :size]
    objective = 0.5 * max(
        0.0, float(rows.squares.sum()) - float(np.sum(places.astype(np.float64) ** 2))
    )
    return Factors((places / values).astype(np.float32), values, vectors, objective)
