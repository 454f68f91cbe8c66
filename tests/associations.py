"""A matrix of words by contexts, as learners of codes receive it."""

from __future__ import annotations

import numpy as np
from scipy import sparse


def example(
    n_words: int = 400, n_contexts: int = 300, rank: int = 10, seed: int = 0
) -> sparse.csr_matrix:
    """Return positive associations of words with a few topics each: sparse, with noise."""
    random = np.random.default_rng(seed)
    topics = random.gamma(0.3, 1.0, (rank, n_contexts))
    mixed = random.gamma(0.3, 1.0, (n_words, rank)) @ topics + 0.3 * random.standard_normal(
        (n_words, n_contexts)
    )
    return sparse.csr_matrix(np.maximum(mixed - 1.0, 0))
