"""LDA topics of documents given as counts: the most probable words of each topic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from laconic.core.arrays import Array, Ints, Ints32

Engine = Literal["auto", "tomotopy", "sklearn"]

DOCUMENT_PRIOR = 0.1
WORD_PRIOR = 0.01
SWEEPS = {"tomotopy": 100, "sklearn": 10}  # of Gibbs sampling; of variational inference
SWEEPS_AT_ONCE = 5  # after which Ctrl-C is noticed
LEAST_MASS = 0.5  # tokens; a word below it is in the topic by the prior alone


@dataclass(frozen=True, eq=False)
class Topics:
    """Topic k is `words[ptr[k]:ptr[k+1]]`, most probable first, with their `probability` in it.

    Only words with tokens in the topic are listed, so that a topic may be shorter than requested,
    or empty.
    """

    words: Ints32
    probability: Array
    ptr: Ints

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __getitem__(self, topic: int) -> tuple[Ints32, Array]:
        """Return words and probabilities of one topic."""
        if not 0 <= topic < len(self):
            raise IndexError(f"topic {topic} of {len(self)} topics")
        part = slice(self.ptr[topic], self.ptr[topic + 1])
        return self.words[part], self.probability[part]


def learn_topics(
    counts: ArrayLike | sparse.sparray | sparse.spmatrix,
    n_topics: int = 1000,
    n_top: int = 10,
    engine: Engine = "auto",
    seed: int = 0,
    n_iter: int | None = None,
) -> Topics:
    """Return the `n_top` most probable words of each of `n_topics` LDA topics of a count matrix.

    The engine is tomotopy (collapsed Gibbs sampling; the extra `topics`) or scikit-learn
    (variational Bayes, much slower with many topics); "auto" takes tomotopy if it is installed. The
    same seed gives the same topics.
    """
    for name, value in {
        "n_topics": n_topics,
        "n_top": n_top,
        "n_iter": 1 if n_iter is None else n_iter,
    }.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed must lie in 0..2**32 - 1, not {seed}")
    if engine not in ("auto", "tomotopy", "sklearn"):
        raise ValueError(f'engine must be "auto", "tomotopy" or "sklearn", not {engine!r}')
    matrix = _whole_counts(counts)
    if engine == "auto":
        engine = "tomotopy" if find_spec("tomotopy") else "sklearn"
    elif engine == "tomotopy" and not find_spec("tomotopy"):
        raise ValueError(
            'engine "tomotopy" is not installed: pip install "laconic[topics]", or use "sklearn"'
        )
    learn = _tokens_by_tomotopy if engine == "tomotopy" else _tokens_by_sklearn
    return _top_words(learn(matrix, n_topics, seed, n_iter or SWEEPS[engine]), n_top)


def _whole_counts(counts: ArrayLike | sparse.sparray | sparse.spmatrix) -> sparse.csr_array:
    """Return counts as CSR without explicit zeros.

    ValueError unless all are whole numbers of at least 0, and one is positive.
    """
    matrix = sparse.csr_array(counts)
    if matrix.data.dtype.kind not in "biuf":
        raise ValueError(f"counts must be numbers, not of type {matrix.data.dtype}")
    with np.errstate(invalid="ignore"):
        whole = matrix.data.astype(np.int64)
    if not (np.array_equal(whole, matrix.data) and (whole >= 0).all()):
        raise ValueError(
            "counts must be whole numbers >= 0 (topics are learned from counts, not from tf-idf)"
        )
    matrix = sparse.csr_array((whole, matrix.indices, matrix.indptr), shape=matrix.shape)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if matrix.nnz == 0:
        raise ValueError("counts hold no words, so there are no topics to learn")
    return matrix


def _tokens_by_tomotopy(
    counts: sparse.csr_array, n_topics: int, seed: int, n_iter: int
) -> Iterator[Array]:
    """Yield the number of tokens of each word per topic, after Gibbs sampling.

    There is one worker, since otherwise runs would differ.
    """
    import tomotopy

    model = tomotopy.LDAModel(k=n_topics, alpha=DOCUMENT_PRIOR, eta=WORD_PRIOR, seed=seed)
    names = np.array([str(word) for word in range(counts.shape[1])], dtype=object)
    tokens = np.repeat(names[counts.indices], counts.data)
    ends = np.concatenate(([0], np.cumsum(counts.data)))[counts.indptr]
    for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        if begin < end:
            model.add_doc(tokens[begin:end].tolist())
    for done in range(0, n_iter, SWEEPS_AT_ONCE):
        model.train(min(SWEEPS_AT_ONCE, n_iter - done), workers=1)
    columns = np.array([int(name) for name in model.used_vocabs])
    for topic in range(n_topics):
        row = np.zeros(counts.shape[1])
        row[columns] = model.get_topic_word_dist(topic, normalize=False) - WORD_PRIOR
        yield row


def _tokens_by_sklearn(
    counts: sparse.csr_array, n_topics: int, seed: int, n_iter: int
) -> Iterator[Array]:
    """Yield the expected number of tokens of each word per topic, after variational inference."""
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        n_topics,
        doc_topic_prior=DOCUMENT_PRIOR,
        topic_word_prior=WORD_PRIOR,
        max_iter=n_iter,
        random_state=seed,
    )
    for row in model.fit(counts).components_:
        yield row - WORD_PRIOR


def _top_words(topics: Iterator[Array], n_top: int) -> Topics:
    """Return the `n_top` words with the most tokens per topic (ties by id), without empty ones."""
    words, probability = [], []
    for tokens in topics:
        present = np.flatnonzero(tokens > LEAST_MASS)
        top = present[np.argsort(-tokens[present], kind="stable")[:n_top]]
        words.append(top)
        probability.append((tokens[top] + WORD_PRIOR) / (tokens + WORD_PRIOR).sum())
    ptr = np.concatenate(([0], np.cumsum([len(top) for top in words])))
    return Topics(
        np.concatenate(words).astype(np.int32), np.concatenate(probability), ptr.astype(np.int64)
    )
