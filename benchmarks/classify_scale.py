"""Overlapping groups by the million: time and memory of one fit against the number of copies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from benchmarks import corpora, problems
from benchmarks.page import table
from benchmarks.timing import measure_in_subprocess
from laconic.core.groups import Groups
from laconic.core.penalties import L1, OverlapGroupLasso, PenaltySum
from laconic.core.ragged import pointers
from laconic.core.solvers.reweighted import Reweighted
from laconic.linear.model import SparseClassifier

WINDOW = 6  # words of a phrase
TOL = 1e-2


def copies_table(data: Path, sizes: Sequence[int]) -> str:
    """Sentences of all twenty newsgroups, then random windows of their words, until there are so
    many groups; comp.* or not.
    """
    part = corpora.newsgroups(data, "train")
    counts = problems.twenty_newsgroup_counts(data)
    sentences = problems.sentence_groups(part, counts.vectorizer)
    labels = np.array([label.startswith("comp.") for label in part.labels])
    rows = []
    for size in sizes:
        index, ptr = groups_of_size(sentences, size)
        found = measure_in_subprocess(solve, counts.rows, labels, index, ptr)
        gap, steps, kept = found.value
        rows.append(
            [
                f"{size:,}",
                len(index),
                found.seconds,
                found.peak_megabytes,
                2**20 * found.peak_megabytes / len(index),
                f"{gap:.0e}",
                steps,
                kept,
            ]
        )
    return table(
        [
            "groups",
            "copies",
            "seconds",
            "added memory, MB",
            "bytes a copy",
            "certified gap",
            "steps",
            "words kept",
        ],
        rows,
    )


def groups_of_size(
    sentences: problems.SentenceGroups, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first `size` sentences, or all of them and phrase windows drawn from within them."""
    n_sentences = len(sentences.ptr) - 1
    if size <= n_sentences:
        ptr = sentences.ptr[: size + 1]
        return sentences.index[: ptr[-1]], ptr
    sizes = np.diff(sentences.ptr)
    long = np.flatnonzero(sizes > WINDOW)
    generator = np.random.default_rng(0)
    chosen = generator.choice(long, size - n_sentences)
    start = sentences.ptr[chosen] + (
        generator.random(len(chosen)) * (sizes[chosen] - WINDOW)
    ).astype(np.int64)
    windows = sentences.index[(start[:, None] + np.arange(WINDOW)).ravel()]
    return np.concatenate([sentences.index, windows]), pointers(
        np.concatenate([sizes, np.full(len(chosen), WINDOW)])
    )


def solve(
    rows: csr_matrix, labels: NDArray[Any], index: NDArray[np.int64], ptr: NDArray[np.int64]
) -> tuple[float, int, int]:
    """One fit in this process: certified gap, steps, words kept."""
    groups = Groups(index, ptr, np.sqrt(np.diff(ptr)), rows.shape[1])
    penalty = PenaltySum([L1(1.0), OverlapGroupLasso(groups, strength=0.01)])
    model = SparseClassifier(penalty, solver=Reweighted(tol=TOL, max_iter=300)).fit(rows, labels)
    return model.certificate_, model.n_iter_, model.n_selected_
