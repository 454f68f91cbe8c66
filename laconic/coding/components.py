"""Leading principal components of the associations of words, with their sizes evened out, for learners to code instead of all contexts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from laconic.coding.codes import Floats, WordRows, padded
from laconic.coding.start import right_singular


class Components(NamedTuple):
    """X is about rows @ contexts: rows (words, components) as a learner takes them, contexts (components, contexts)."""

    rows: WordRows
    contexts: Floats


def leading_components(
    rows: WordRows, size: int, power: float, random: np.random.RandomState, threads: int, emphasis: float = 0.0
) -> Components:
    """X ~ (c X V S^(power - 1)) (S^(1 - power) V' / c), of rank `size`, with c such that the rows on the left have a mean squared length of 1.

    S and V are of the rows x_v |x_v|^emphasis, so that the directions are those of words which meet many others, and less those of rare words,
    whose associations are mostly noise.

    A power of 1 leaves principal components as they are, of 0 makes them all count alike, which whitens the rows: cosines of codes that
    come close to such rows are better ones for words (Levy et al. 2015 of codes U S^power themselves).
    """
    if not (isinstance(size, int | np.integer) and 1 <= size <= min(rows.shape)):
        raise ValueError(f"components must be from 1 to {min(rows.shape)}, the lesser of words and contexts, got {size!r}")
    if not 0 <= power <= 1:
        raise ValueError(f"power must lie in 0..1, got {power!r}")
    values, vectors = right_singular(rows.emphasised(emphasis), size, random, threads)
    values = np.maximum(values, values[0] * np.finfo(np.float32).eps)  # of a matrix of lower rank
    places = rows.products(np.arange(rows.shape[0]), padded(vectors.T), threads)[:, :size] * values ** (power - 1)
    length = float(np.sqrt(np.mean(np.einsum("ij,ij->i", places, places))))
    contexts = vectors * (values ** (1 - power) * length)[:, None]
    return Components(WordRows(sparse.csr_matrix((places / length).astype(np.float32))), contexts.astype(np.float32))
