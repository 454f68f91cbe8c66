"""Word vectors as clusters: templates take clusters of any size, not real numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import KMeans

from laconic.errors import InputError
from laconic.text.clusters import Clusters
from laconic.text.io import PathLike, name_of, open_text
from laconic.text.vocab import Vocab

Floats = npt.NDArray[np.float32]
N_LEARN, N_STEPS = 100_000, 20


def read_vectors(path: PathLike) -> tuple[Vocab, Floats]:
    """Words and vectors of a text file, plain or gzip: word SPACE numbers a line; a first line of two counts is passed over."""
    words: list[str] = []
    rows: list[Floats] = []
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            word, *values = line.rstrip().split(" ")
            if not values or (number == 1 and len(values) == 1):
                continue
            try:
                rows.append(np.array(values, dtype=np.float32))
            except ValueError:
                raise InputError(f"{name_of(path)}:{number}: expected a word and numbers, found {line[:60]!r}.") from None
            if len(rows[-1]) != len(rows[0]):
                raise InputError(f"{name_of(path)}:{number}: expected {len(rows[0])} numbers as before, found {len(rows[-1])}.")
            words.append(word)
    if not rows:
        raise InputError(f"{name_of(path)}: expected a word and numbers a line, found none.")
    distinct = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))  # of a word that stands twice, the first
    kept = sorted(distinct.values())
    return Vocab(words[k] for k in kept).freeze(), np.stack([rows[k] for k in kept])


def cluster_vectors(vectors: npt.ArrayLike, n_clusters: int = 1000, n_learn: int = N_LEARN, random_state: int = 0) -> Clusters:
    """Clusters of words by the directions of their vectors, as a binary tree: k-means, and Ward's tree over its centres.

    Bits from the root mean ever smaller clusters, as with Brown clusters: `write_paths` makes a file of them. The centres are learned
    from the first `n_learn` words, the most frequent ones in files of vectors; then every word goes to the nearest.
    """
    given = np.asarray(vectors, dtype=np.float32)
    if given.ndim != 2 or not np.isfinite(given).all():
        raise ValueError(f"vectors must be a matrix of finite numbers, a row a word, not an array of shape {given.shape}")
    if not 2 <= n_clusters <= min(len(given), n_learn):
        raise ValueError(
            f"n_clusters must lie in 2..{min(len(given), n_learn)}, the number of words to learn from, not {n_clusters}"
        )
    directions = given / np.maximum(np.linalg.norm(given, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    means = KMeans(n_clusters, n_init=1, max_iter=N_STEPS, random_state=random_state).fit(directions[:n_learn])
    paths = _paths(linkage(means.cluster_centers_, "ward")[:, :2].astype(int).tolist())
    return Clusters.from_paths([paths[k] for k in means.predict(directions).tolist()])


def _paths(merges: list[list[int]]) -> list[str]:
    """Bits of every leaf 0 .. n; merge k makes node n + 1 + k, and the last one is the root."""
    n_leaves = len(merges) + 1
    bits = [""] * (2 * n_leaves - 1)
    for node in range(2 * n_leaves - 2, n_leaves - 1, -1):
        for bit, child in enumerate(merges[node - n_leaves]):
            bits[child] = bits[node] + "01"[bit]
    return bits[:n_leaves]
