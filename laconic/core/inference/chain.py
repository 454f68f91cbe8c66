"""Inference in first-order chains of labels, over batches of sentences.

    score(y) = start[y_0] + sum_t scores[t, y_t] + sum_{t >= 1} edge[y_{t-1}, y_t]

Shapes: scores (n_tokens, L), ptr (n_sentences + 1,), edge (L, L), or (n_tokens, L, L) where every
token has transitions of its own, start (L,). Scores are finite, or -infinity for what is forbidden.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from laconic import _core
from laconic.core.arrays import Array, Ints, Ints32


class Chains(NamedTuple):
    """Scores of a batch of sentences, see the module."""

    scores: Array
    ptr: Ints
    edge: Array
    start: Array

    @classmethod
    def make(
        cls, scores: ArrayLike, ptr: ArrayLike, edge: ArrayLike, start: ArrayLike | None = None
    ) -> Chains:
        """Return scores as arrays of the right type and shape; no start means zeros."""
        table = np.ascontiguousarray(scores, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] == 0:
            raise ValueError(
                "scores must be a table of n_tokens rows and one column per label, "
                f"got shape {table.shape}"
            )
        n_labels = table.shape[1]
        between = np.ascontiguousarray(edge, dtype=np.float64)
        first = (
            np.zeros(n_labels) if start is None else np.ascontiguousarray(start, dtype=np.float64)
        )
        shapes = ((n_labels, n_labels), (len(table), n_labels, n_labels))
        if between.shape not in shapes or first.shape != (n_labels,):
            raise ValueError(
                f"edge and start must have shapes {(n_labels, n_labels)} and {(n_labels,)}, "
                f"got {between.shape} and {first.shape}"
            )
        return cls(table, np.ascontiguousarray(ptr, dtype=np.int64), between, first)

    def allow(
        self,
        labels: ArrayLike | None = None,
        transitions: ArrayLike | None = None,
        starts: ArrayLike | None = None,
    ) -> Chains:
        """Return scores that forbid all but some labels, transitions and first labels.

        Given as booleans: labels (n_tokens, L), transitions (L, L) and starts (L,).
        """
        parts = []
        for values, allowed in (
            (self.scores, labels),
            (self.edge, transitions),
            (self.start, starts),
        ):
            if allowed is None:
                parts.append(values)
                continue
            mask = np.asarray(allowed, dtype=bool)
            wanted = values.shape[-2:]  # transitions are allowed at all tokens alike
            if mask.shape != wanted:
                raise ValueError(f"what is allowed must have shape {wanted}, got {mask.shape}")
            parts.append(np.where(mask, values, -np.inf))
        return Chains(parts[0], self.ptr, parts[1], parts[2])

    def add_cost(self, gold: ArrayLike, cost: float = 1.0) -> Chains:
        """Return scores with `cost` added to every wrong label: the best path is most violating."""
        scores = self.scores + cost
        scores[np.arange(len(scores)), np.asarray(gold)] -= cost
        return self._replace(scores=scores)

    def _flat(self) -> tuple[Array, Ints, Array, Array]:
        return self.scores.ravel(), self.ptr, self.edge.ravel(), self.start

    @property
    def n_sentences(self) -> int:
        """Number of sentences."""
        return len(self.ptr) - 1


class ChainMarginals(NamedTuple):
    """log Z (n_sentences,), p(y_t = j) (n_tokens, L) and sum_t p(y_{t-1} = i, y_t = j) (L, L)."""

    log_z: Array
    node: Array
    edge: Array


def best(chains: Chains, threads: int = 1) -> tuple[Ints32, Array]:
    """Return the best labels (n_tokens,) and the score of each sentence.

    Of several best paths that with smaller labels is returned. A score of -inf: nothing is allowed.
    """
    return _core.chain_best(*chains._flat(), threads)


def k_best(chains: Chains, k: int, threads: int = 1) -> list[tuple[Ints32, Array]]:
    """Return up to k different label sequences per sentence, best first, and their scores.

    Shapes: (found, length) and (found,).
    """
    paths, value, count = _core.chain_k_best(*chains._flat(), k, threads)
    answers = []
    for s, (begin, end) in enumerate(
        zip(chains.ptr[:-1].tolist(), chains.ptr[1:].tolist(), strict=True)
    ):
        found = int(count[s])
        answers.append(
            (
                paths[k * begin : k * end].reshape(k, end - begin)[:found],
                value[s * k : s * k + found],
            )
        )
    return answers


def marginals(chains: Chains, threads: int = 1) -> ChainMarginals:
    """Return log Z and marginals.

    Where nothing is allowed log Z is -inf and the marginals of the sentence are 0.
    """
    node, log_z, edge = _core.chain_marginals(*chains._flat(), threads)
    n_labels = len(chains.start)
    return ChainMarginals(log_z, node.reshape(-1, n_labels), edge.reshape(n_labels, n_labels))
