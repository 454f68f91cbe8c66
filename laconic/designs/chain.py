"""The chain design: weights of (feature, label) pairs and of label bigrams -> scores of a chain, and its adjoint.

The weights are one flat vector: features in the order of their templates, so that a template is a slice, the labels of a feature
adjacent; then, never penalised, L x L transitions by rows and L starts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.groups import Groups, pointers

Array = NDArray[np.float64]

SUPPORTS = ("observed", "all")


class Tokens(NamedTuple):
    """What a chain is learned from.

    ids: (n_tokens, M), the feature of each template at each token, -1 where it does not fire; sizes (M,): template m's features
    are the numbers [sum of the sizes before m, + sizes[m]); ptr (n_sentences + 1,); gold (n_tokens,), labels below n_labels.
    """

    ids: NDArray[np.int32]
    sizes: NDArray[np.int64]
    ptr: NDArray[np.int64]
    gold: NDArray[np.int32]
    n_labels: int


class Chain:
    """A: w -> (unary scores (n_tokens, L), transitions (L, L), starts (L,)).

    support: weights for the (feature, label) pairs that occur ("observed") or for all labels of a feature ("all").
    """

    def __init__(self, tokens: Tokens, support: str = "observed", start: bool = True, threads: int = 1):
        if support not in SUPPORTS:
            raise ValueError(f"support must be one of {', '.join(SUPPORTS)}, got {support!r}")
        ids = np.ascontiguousarray(tokens.ids, dtype=np.int32).reshape(-1)
        sizes = np.ascontiguousarray(tokens.sizes, dtype=np.int64)
        ptr = np.ascontiguousarray(tokens.ptr, dtype=np.int64)
        gold = np.ascontiguousarray(tokens.gold, dtype=np.int32)
        self.kernel = _core.ChainDesign(ids, sizes, ptr, gold, tokens.n_labels, support == "all", start)
        self.n_labels = tokens.n_labels
        self.n_tokens = len(gold)
        self.n_sentences = len(ptr) - 1
        self.start = start
        self.threads = threads
        self.n_penalised: int = self.kernel.n_penalised
        self.n_weights: int = self.kernel.n_weights
        self.feature_ptr: NDArray[np.int64] = self.kernel.feature_ptr()
        self.template_ptr = self.feature_ptr[pointers(sizes)]

    @property
    def weight_label(self) -> NDArray[np.int32]:
        """The label of every penalised weight."""
        return self.kernel.weight_label()

    def by_template(self, weight: Array | None = None) -> Groups:
        """One group a template over the penalised weights."""
        ones = np.ones(len(self.template_ptr) - 1) if weight is None else weight
        return Groups(np.arange(self.n_penalised), self.template_ptr, ones, self.n_penalised)

    def tail(self, weights: Array) -> tuple[Array, Array]:
        """Transitions (L, L) and starts (L,)."""
        split = self.n_penalised + self.n_labels**2
        first = weights[split:] if self.start else np.zeros(self.n_labels)
        return weights[self.n_penalised : split].reshape(self.n_labels, self.n_labels), first

    def score(self, weights: Array) -> Array:
        """Unary scores (n_tokens, L)."""
        unary = np.empty(self.n_tokens * self.n_labels)
        self.kernel.score(weights, unary, self.threads)
        return unary.reshape(-1, self.n_labels)

    def pull(self, unary: Array, transitions: Array, starts: Array) -> Array:
        """The adjoint of (score, tail)."""
        gradient = np.empty(self.n_weights)
        self.kernel.pull(np.ascontiguousarray(unary).reshape(-1), gradient[: self.n_penalised], self.threads)
        rest = [transitions.ravel(), starts] if self.start else [transitions.ravel()]
        gradient[self.n_penalised :] = np.concatenate(rest)
        return gradient

    def loss(self, kind: int, cost: float, weights: Array) -> float:
        """The summed loss of a kind (see laconic.losses) at weights."""
        return self.kernel.evaluate(kind, cost, weights, np.empty(0), self.threads)

    def loss_gradient(self, kind: int, cost: float, weights: Array, out: Array | None = None) -> tuple[float, Array]:
        """The summed loss and its gradient (into `out`): scores, inference, residual and pull in one pass over the sentences."""
        gradient = np.empty(self.n_weights) if out is None else out
        return self.kernel.evaluate(kind, cost, weights, gradient, self.threads), gradient
