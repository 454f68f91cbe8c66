"""Dictionaries to start learning from."""

from __future__ import annotations

import numpy as np

from laconic.core.arrays import Array, Floats
from laconic.core.groups import Groups
from laconic.embed.codes import WordRows, padded
from laconic.embed.forest import depths

STARTS = ("words", "svd", "random")
OVERSAMPLING, ROUNDS = 16, 5  # of the subspace iteration


def first_dictionary(
    rows: WordRows,
    forest: Groups,
    start: str,
    positive: bool,
    random: np.random.RandomState,
    threads: int,
) -> Floats:
    """Return a dictionary (contexts, stride) whose dimensions have length 1.

    "words" takes rows of X of random words, "random" random vectors. With "svd" the leading
    singular vectors are the roots of a forest, the next ones their children, and so on; where codes
    must be positive, a vector gets the sign of its few large entries.
    """
    size = forest.n_features
    if start == "svd":
        vectors = right_singular(rows, size, random, threads)[1]
        if positive:
            vectors *= np.where((vectors**3).sum(axis=1) < 0, -1, 1)[:, None]
        placed = np.empty_like(vectors)
        placed[np.argsort(depths(forest), kind="stable")] = vectors
    elif start == "words":
        full = np.flatnonzero(rows.squares > 0)
        placed = rows.dense(random.choice(full, size, replace=len(full) < size))
    elif start == "random":
        placed = random.standard_normal((size, rows.shape[1])).astype(np.float32)
    else:
        raise ValueError(f"start must be one of {', '.join(STARTS)}, got {start!r}")
    return padded(np.ascontiguousarray((placed / np.linalg.norm(placed, axis=1, keepdims=True)).T))


def right_singular(
    rows: WordRows, size: int, random: np.random.RandomState, threads: int, rounds: int = ROUNDS
) -> tuple[Array, Floats]:
    """Return the leading singular values and right singular vectors (size, contexts) of X.

    By subspace iteration (Halko et al. 2011). If there are fewer contexts than `size`, random
    vectors with the value 0 follow.
    """
    words, rank = np.arange(rows.shape[0]), min(size + OVERSAMPLING, *rows.shape)
    basis = padded(random.standard_normal((rows.shape[1], rank)))
    for _ in range(rounds):
        basis[:, :rank] = np.linalg.qr(basis[:, :rank])[0]
        images = rows.products(words, basis, threads)
        images[:, :rank] = np.linalg.qr(images[:, :rank])[0]
        basis[:] = 0
        rows.add_products(words, images, basis, threads)  # X' Q, with Q a basis of the words
    vectors, values, _ = np.linalg.svd(basis[:, :rank], full_matrices=False)
    found, more = min(size, rank), max(0, size - rank)
    whole = np.vstack([vectors.T[:found], random.standard_normal((more, rows.shape[1]))]).astype(
        np.float32
    )
    return np.concatenate([values[:found], np.zeros(more)]).astype(np.float64), whole
