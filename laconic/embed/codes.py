"""Codes of words: min_A 1/2 sum_v |X_v - A_v D|^2 + strength sum_v Omega(A_v) for a fixed D.

Every word is solved for by itself. Here a dictionary is a table (contexts, stride) of float32: the
dimensions first, then zeros up to a multiple of 8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from laconic import _core
from laconic.core.arrays import Array, Floats, Ints
from laconic.core.groups import Groups
from laconic.embed.forest import code_trees

CHUNK = 1 << 22  # dense entries of codes at a time
TINY = float(np.finfo(np.float32).tiny)
CONTEXTS = 1 << 13  # contexts whose products are summed in single precision


class WordRows:
    """The rows x_v of a sparse matrix (words, contexts) as kernels take them.

    Values are float32, contexts in order; `squares` are |x_v|^2.
    """

    def __init__(self, matrix: sparse.spmatrix):
        if not sparse.issparse(matrix) or matrix.ndim != 2:
            raise ValueError(f"expected a sparse matrix of words x contexts, got {matrix!r:.60}")
        rows = matrix.tocsr()
        if not rows.shape[0] or not rows.shape[1] or not rows.nnz:
            raise ValueError(
                "the matrix of words x contexts is empty: "
                f"its shape is {rows.shape}, with {rows.nnz} entries"
            )
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        self.shape: tuple[int, int] = rows.shape
        self.ptr = rows.indptr.astype(np.int64)
        self.index = rows.indices.astype(np.int32, copy=False)
        self.value = rows.data.astype(np.float32, copy=False)
        if not np.isfinite(self.value.sum(dtype=np.float64)):
            raise ValueError("the matrix of words x contexts must hold finite numbers")
        used = np.flatnonzero(np.diff(self.ptr))
        self.squares = np.zeros(self.shape[0])
        self.squares[used] = np.add.reduceat(
            self.value * self.value, self.ptr[used], dtype=np.float64
        )

    def products(self, words: Ints, table: Floats, n_jobs: int) -> Floats:
        """Return X_v table for some words, of shape (words, stride)."""
        out = np.empty((len(words), table.shape[1]), np.float32)
        _core.word_products(
            self.kernel_rows(), words, table.ravel(), table.shape[1], out.ravel(), n_jobs
        )
        return out

    def add_products(self, words: Ints, codes: Floats, table: Floats, n_jobs: int) -> None:
        """Add X' codes, over the rows of some words, to a table (contexts, stride)."""
        _core.add_products(
            self.kernel_rows(), words, codes.ravel(), table.shape[1], table.ravel(), n_jobs
        )

    def kernel_rows(self) -> _core.SparseRows:
        """Return the rows as kernels take them."""
        return _core.SparseRows(ptr=self.ptr, index=self.index, value=self.value)

    def dense(self, words: Ints) -> Floats:
        """Return the rows of a few words, dense, of shape (words, contexts)."""
        rows: Floats = self.matrix()[words].toarray()
        return rows

    def matrix(self) -> sparse.csr_matrix:
        """Return all rows as a scipy matrix."""
        return sparse.csr_matrix((self.value, self.index, self.ptr), shape=self.shape)


def check_whole(learner: object, *names: str) -> None:
    """Raise a ValueError unless these parameters are whole numbers of at least 1."""
    for name in names:
        value = getattr(learner, name)
        if not isinstance(value, int | np.integer) or value < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")


def stride_of(size: int) -> int:
    """Return the number of entries of a padded row."""
    return -(-size // 8) * 8


def padded(rows: Array | Floats, size: int | None = None) -> Floats:
    """Return rows of float32, padded with zeros up to the stride."""
    out = np.zeros((len(rows), stride_of(rows.shape[1] if size is None else size)), np.float32)
    out[:, : rows.shape[1]] = rows
    return out


def gram(table: Floats, other: Floats | None = None) -> Array:
    """Return table' other, summed in double precision over blocks of contexts."""
    right = table if other is None else other
    total = np.zeros((table.shape[1], right.shape[1]))
    for first in range(0, len(table), CONTEXTS):
        total += table[first : first + CONTEXTS].T @ right[first : first + CONTEXTS]
    return total


class EncodedWords(NamedTuple):
    """Codes (words, stride) of some words, with the objective and the duality gap of each."""

    codes: Floats
    objective: Array
    gap: Array


class Coder:
    """Solves for codes with a given penalty and tolerance, under any dictionary of its size."""

    def __init__(
        self,
        forest: Groups,
        strength: float,
        positive: bool,
        tolerance: float = 1e-4,
        most_sweeps: int = 1000,
    ):
        self.trees = code_trees(forest)
        self.kernel = _core.CodeTrees(*self.trees)
        self.size = forest.n_features
        self.strength = strength
        self.positive = positive
        self.tolerance = tolerance
        self.most_sweeps = most_sweeps

    def curvature(self, gram_matrix: Array) -> Array:
        """Return the largest eigenvalue of every tree's part of the Gram matrix."""
        ptr, nodes = self.trees.ptr, self.trees.dimension
        out, sizes = np.zeros(len(ptr) - 1), np.diff(ptr)
        for n in np.unique(sizes):
            these = np.flatnonzero(sizes == n)
            members = nodes[ptr[these][:, None] + np.arange(n)]
            out[these] = np.linalg.eigvalsh(gram_matrix[members[:, :, None], members[:, None, :]])[
                :, -1
            ]
        return np.maximum(out, 0) * (1 + 1e-9)

    def encode(
        self,
        rows: WordRows,
        words: Ints,
        table: Floats,
        grams: tuple[Array, Array],
        start: Floats,
        n_jobs: int,
    ) -> EncodedWords:
        """Return the codes of some words under the dictionary `table`.

        `grams` are its Gram matrix and curvature, `start` the codes to start from.
        """
        codes = start.copy()
        objective, gap = _core.solve_codes(
            self.kernel,
            _core.CodeTerms(
                gram=grams[0].ravel(),
                curvature=grams[1],
                strength=self.strength,
                positive=self.positive,
            ),
            rows.products(words, table, n_jobs).ravel(),
            rows.squares[words],
            _core.CodeLimits(tolerance=self.tolerance, most_steps=self.most_sweeps),
            codes.ravel(),
            n_jobs,
        )
        return EncodedWords(codes, objective, gap)

    def grams(self, table: Floats) -> tuple[Array, Array]:
        """Return the Gram matrix (size, size) of a dictionary and the curvature of every tree."""
        matrix = np.ascontiguousarray(gram(table)[: self.size, : self.size])
        return matrix, self.curvature(matrix)

    def encode_all(
        self, rows: WordRows, table: Floats, n_jobs: int, start: Floats | None = None
    ) -> tuple[sparse.csr_matrix, float, float]:
        """Return the codes of all words, the objective, and the largest relative duality gap."""
        grams, stride, n_words = self.grams(table), table.shape[1], rows.shape[0]
        parts, total, worst = [], 0.0, 0.0
        for first in range(0, n_words, max(1, CHUNK // stride)):
            words = np.arange(first, min(n_words, first + max(1, CHUNK // stride)))
            begin = np.zeros((len(words), stride), np.float32) if start is None else start[words]
            coded = self.encode(rows, words, table, grams, begin, n_jobs)
            parts.append(sparse.csr_matrix(coded.codes[:, : self.size]))
            total += float(coded.objective.sum())
            some = coded.objective > 0
            worst = max(worst, float((coded.gap[some] / coded.objective[some]).max(initial=0.0)))
        return sparse.vstack(parts, format="csr"), total, worst


def objective(
    matrix: sparse.spmatrix,
    codes: sparse.csr_matrix,
    dictionary: Floats,
    forest: Groups,
    strength: float,
    n_jobs: int = 1,
) -> float:
    """Return 1/2 |X - A D|^2 + strength sum_v Omega(A_v), without making X dense."""
    rows, kernel, table = (
        WordRows(matrix),
        _core.CodeTrees(*code_trees(forest)),
        padded(np.asarray(dictionary).T),
    )
    gram_matrix, stride, total = gram(table), table.shape[1], 0.0
    if codes.shape != (rows.shape[0], len(dictionary)) or dictionary.shape[1] != rows.shape[1]:
        raise ValueError(
            f"codes {codes.shape} times dictionary {dictionary.shape} do not give a matrix of "
            f"shape {rows.shape}"
        )
    for first in range(0, rows.shape[0], max(1, CHUNK // stride)):
        words = np.arange(first, min(rows.shape[0], first + max(1, CHUNK // stride)))
        dense = padded(codes[words].toarray())
        exact, norms = dense.astype(np.float64), np.empty(len(words))
        kernel.norms(dense.ravel(), stride, norms)
        fit = np.einsum(
            "ij,ij->i", exact, exact @ gram_matrix - 2.0 * rows.products(words, table, n_jobs)
        )
        total += float(np.sum(0.5 * (rows.squares[words] + fit) + strength * norms))
    return total
