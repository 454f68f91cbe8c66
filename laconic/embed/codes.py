"""Codes of words under a fixed dictionary: min_A 1/2 sum_v |X_v - A_v D|^2 + strength sum_v Omega(A_v), every word by itself.

A dictionary lies by contexts here, (contexts, stride): rows of float32, the dimensions first and zeros up to a multiple of 8 behind.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from laconic import _core
from laconic.core.arrays import Floats
from laconic.core.groups import Groups
from laconic.embed.forest import code_trees

CHUNK = 1 << 22  # entries of codes that are dense at a time
TINY = float(np.finfo(np.float32).tiny)
CONTEXTS = 1 << 13  # contexts whose products are summed in single precision


class WordRows:
    """The rows x_v of a sparse matrix (words x contexts) as kernels take them: float32 values, contexts in order, |x_v|^2 beside."""

    def __init__(self, matrix: Any):
        if not sparse.issparse(matrix) or matrix.ndim != 2:
            raise ValueError("a sparse matrix of words x contexts expected")
        rows = matrix.tocsr()
        if not rows.shape[0] or not rows.shape[1] or not rows.nnz:
            raise ValueError(
                f"the matrix of words x contexts is empty: its shape is {rows.shape}, with {rows.nnz} entries"
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

    def products(self, words: NDArray[np.int64], table: Floats, n_jobs: int) -> Floats:
        """(words, stride): X_v table."""
        out = np.empty((len(words), table.shape[1]), np.float32)
        _core.word_products(
            self.kernel_rows(), words, table.ravel(), table.shape[1], out.ravel(), n_jobs
        )
        return out

    def add_products(
        self, words: NDArray[np.int64], codes: Floats, table: Floats, n_jobs: int
    ) -> None:
        """Table (contexts, stride) += X' codes, over the rows of some words."""
        _core.add_products(
            self.kernel_rows(), words, codes.ravel(), table.shape[1], table.ravel(), n_jobs
        )

    def kernel_rows(self) -> _core.SparseRows:
        """Return the rows as kernels take them."""
        return _core.SparseRows(ptr=self.ptr, index=self.index, value=self.value)

    def dense(self, words: NDArray[np.int64]) -> Floats:
        """(words, contexts), for a few words."""
        return self.matrix()[words].toarray()

    def matrix(self) -> sparse.csr_matrix:
        """All of them, for others than kernels."""
        return sparse.csr_matrix((self.value, self.index, self.ptr), shape=self.shape)


def check_whole(learner: Any, *names: str) -> None:
    """ValueError unless these parameters are whole numbers of at least 1."""
    for name in names:
        value = getattr(learner, name)
        if not isinstance(value, int | np.integer) or value < 1:
            raise ValueError(f"{name} must be a whole number, at least 1, got {value!r}")


def stride_of(size: int) -> int:
    """Entries of a padded row."""
    return -(-size // 8) * 8


def padded(rows: NDArray, size: int | None = None) -> Floats:
    """Rows of float32 with zeros behind, up to the stride."""
    out = np.zeros((len(rows), stride_of(rows.shape[1] if size is None else size)), np.float32)
    out[:, : rows.shape[1]] = rows
    return out


def gram(table: Floats, other: Floats | None = None) -> NDArray[np.float64]:
    """Products table' other, summed in double precision over blocks of contexts."""
    right = table if other is None else other
    total = np.zeros((table.shape[1], right.shape[1]))
    for first in range(0, len(table), CONTEXTS):
        total += table[first : first + CONTEXTS].T @ right[first : first + CONTEXTS]
    return total


class Encoding(NamedTuple):
    """Codes (words, stride) of some words, with the objective and the duality gap of each."""

    codes: Floats
    objective: NDArray[np.float64]
    gap: NDArray[np.float64]


class Coder:
    """What codes cost and how exactly they are solved for; serves any dictionary of its size."""

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

    def curvature(self, gram_matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """The largest eigenvalue of every tree's part of the Gram matrix."""
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
        words: NDArray[np.int64],
        table: Floats,
        grams: tuple[NDArray, NDArray],
        start: Floats,
        n_jobs: int,
    ) -> Encoding:
        """Codes of some words under the dictionary `table`; grams: its Gram matrix and that one's curvature."""
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
        return Encoding(codes, objective, gap)

    def grams(self, table: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Gram matrix (size, size) of a dictionary and the curvature of every tree."""
        matrix = np.ascontiguousarray(gram(table)[: self.size, : self.size])
        return matrix, self.curvature(matrix)

    def encode_all(
        self, rows: WordRows, table: Floats, n_jobs: int, start: Floats | None = None
    ) -> tuple[sparse.csr_matrix, float, float]:
        """Codes of all words, the whole objective, and the largest relative duality gap; few words are dense at a time."""
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
    matrix: Any,
    codes: sparse.csr_matrix,
    dictionary: Floats,
    forest: Groups,
    strength: float,
    n_jobs: int = 1,
) -> float:
    """1/2 |X - A D|^2 + strength sum_v Omega(A_v), over all entries of X, zeros among them, without making them."""
    rows, kernel, table = (
        WordRows(matrix),
        _core.CodeTrees(*code_trees(forest)),
        padded(np.asarray(dictionary).T),
    )
    gram_matrix, stride, total = gram(table), table.shape[1], 0.0
    if codes.shape != (rows.shape[0], len(dictionary)) or dictionary.shape[1] != rows.shape[1]:
        raise ValueError(
            f"codes {codes.shape} times dictionary {dictionary.shape} do not make a matrix of shape {rows.shape}"
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
