"""The chain design: weights of features with labels or pairs of labels, and of transitions -> scores of a chain, and its adjoint.

The weights are one flat vector: features in the order of their templates, so that a template is a slice, the labels of a feature
adjacent; then, the tail, L x L transitions by rows and L starts. Label j after label i is the pair i L + j.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.groups import Groups, pointers

SUPPORTS = ("observed", "all")


class Tokens(NamedTuple):
    """What a chain is learned from.

    ids: (n_tokens, M), the feature of each template at each token, -1 where it does not fire; sizes (M,): template m's features
    are the numbers [sum of the sizes before m, + sizes[m]); ptr (n_sentences + 1,); gold (n_tokens,), labels below n_labels.
    n_pairs: so many templates, the last ones, are of pairs of neighbouring labels; at first tokens they do not fire.
    """

    ids: NDArray[np.int32]
    sizes: NDArray[np.int64]
    ptr: NDArray[np.int64]
    gold: NDArray[np.int32]
    n_labels: int
    n_pairs: int = 0


class Chain:
    """A: w -> (scores of labels (n_tokens, L), scores of pairs (n_tokens, L, L), transitions (L, L), starts (L,)).

    support: weights for the labels (or pairs of labels) that a feature occurs with ("observed") or for all of them ("all").
    merge_twins: features that fire at the very same tokens share their weights. A weight shared by k of them is sqrt(k) times
        the weight of one, so that lengths, ridge, gradients and all steps of a quasi-Newton method are those of the features apart,
        while a lasso counts sqrt(k) times (`roots`).
    penalise_tail: transitions and starts are counted among the penalised weights.
    """

    def __init__(
        self,
        tokens: Tokens,
        support: str = "observed",
        start: bool = True,
        threads: int = 1,
        merge_twins: bool = False,
        penalise_tail: bool = False,
    ):
        if support not in SUPPORTS:
            raise ValueError(f"support must be one of {', '.join(SUPPORTS)}, got {support!r}")
        ids = np.ascontiguousarray(tokens.ids, dtype=np.int32).reshape(-1)
        sizes = np.ascontiguousarray(tokens.sizes, dtype=np.int64)
        ptr = np.ascontiguousarray(tokens.ptr, dtype=np.int64)
        gold = np.ascontiguousarray(tokens.gold, dtype=np.int32)
        self.kernel = _core.ChainDesign(
            ids,
            sizes,
            ptr,
            gold,
            _core.ChainShape(
                n_labels=tokens.n_labels,
                n_pairs=tokens.n_pairs,
                all_labels=support == "all",
                start=start,
                merge_twins=merge_twins,
            ),
        )
        self.n_labels = tokens.n_labels
        self.n_pairs = tokens.n_pairs
        self.n_tokens = len(gold)
        self.n_sentences = len(ptr) - 1
        self.start = start
        self.threads = threads
        self.merge_twins = merge_twins
        self.n_state: int = self.kernel.n_state
        self.n_weights: int = self.kernel.n_weights
        self.n_penalised = self.n_weights if penalise_tail else self.n_state
        self.feature_first = pointers(sizes)

    @property
    def weight_label(self) -> NDArray[np.int32]:
        """The label, or pair of labels, of every weight of a feature."""
        return self.kernel.weight_label()

    @property
    def unit_ptr(self) -> NDArray[np.int32]:
        """Unit u has the weights [unit_ptr[u], unit_ptr[u + 1]), one a label; a feature is a unit if twins are not merged."""
        return self.kernel.unit_ptr()

    @property
    def twins(self) -> NDArray[np.int32]:
        """How many features each unit stands for."""
        return self.kernel.twins()

    @property
    def feature_unit(self) -> NDArray[np.int32]:
        """The unit of every feature."""
        return self.kernel.feature_unit()

    @property
    def first_token(self) -> NDArray[np.int32]:
        """The first token at which each feature fires; n_tokens if none."""
        return self.kernel.first_token()

    @property
    def row_ptr(self) -> NDArray[np.int64]:
        """The weights of feature f are the slice [row_ptr[f], row_ptr[f + 1])."""
        if self.merge_twins:
            raise ValueError(
                "twins of several templates share weights: features and templates are no slices"
            )
        return self.unit_ptr.astype(np.int64)

    @property
    def template_ptr(self) -> NDArray[np.int64]:
        """The weights of template m are the slice [template_ptr[m], template_ptr[m + 1])."""
        return self.row_ptr[self.feature_first]

    def roots(self) -> Array:
        """For every weight the root of its number of twins: what is shared is root times the weight of a single feature."""
        return np.repeat(np.sqrt(self.twins), np.diff(self.unit_ptr))

    def counts(self) -> Array:
        """How often each weight counts in the data: tokens times twins; for the tail about what a transition has."""
        counts = np.repeat(
            self.kernel.times() * self.twins.astype(np.float64), np.diff(self.unit_ptr)
        )
        return np.concatenate(
            [counts, np.full(self.n_weights - self.n_state, self.n_tokens / self.n_labels)]
        )

    def by_template(self, weight: Array | None = None) -> Groups:
        """One group a template over the weights of features."""
        ptr = self.template_ptr
        ones = np.ones(len(ptr) - 1) if weight is None else weight
        return Groups(np.arange(self.n_state), ptr, ones, self.n_state)

    def by_row(self, weight: Array | None = None) -> Groups:
        """One group a feature: its weights for all labels."""
        ptr = self.row_ptr
        return Groups(
            np.arange(self.n_state),
            ptr,
            np.ones(len(ptr) - 1) if weight is None else weight,
            self.n_state,
        )

    def by_tree(self, weight: Array | None = None) -> Groups:
        """A forest: templates, which come first, hold the rows of their features, and these the weights."""
        sizes = np.diff(self.feature_first)
        parent = np.concatenate([np.full(len(sizes), -1), np.repeat(np.arange(len(sizes)), sizes)])
        ptr = np.concatenate([np.zeros(len(sizes), np.int64), self.row_ptr])
        return Groups(
            np.arange(self.n_state),
            ptr,
            np.ones(len(parent)) if weight is None else weight,
            self.n_state,
            parent,
        )

    def rows(self, weights: Array, template: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The features of a template that have a weight, and their weights (n, L) or (n, L^2), each apart from its twins."""
        features = self.kernel.alive(weights, *self.feature_first[template : template + 2])
        paired = template >= len(self.feature_first) - 1 - self.n_pairs
        return features, self.kernel.feature_rows(weights, features).reshape(
            -1, self.n_labels ** (1 + paired)
        )

    def tail(self, weights: Array) -> tuple[Array, Array]:
        """Transitions (L, L) and starts (L,)."""
        split = self.n_state + self.n_labels**2
        first = weights[split:] if self.start else np.zeros(self.n_labels)
        return weights[self.n_state : split].reshape(self.n_labels, self.n_labels), first

    def score(self, weights: Array) -> Array:
        """Scores of labels (n_tokens, L)."""
        unary = np.empty(self.n_tokens * self.n_labels)
        self.kernel.score(weights, unary, False, self.threads)
        return unary.reshape(-1, self.n_labels)

    def score_pairs(self, weights: Array) -> Array:
        """What features add to the transitions into each token, (n_tokens, L, L)."""
        pairs = np.empty(self.n_tokens * self.n_labels**2)
        self.kernel.score(weights, pairs, True, self.threads)
        return pairs.reshape(-1, self.n_labels, self.n_labels)

    def pull(
        self, unary: Array, transitions: Array, starts: Array, pairs: Array | None = None
    ) -> Array:
        """The adjoint of (score, tail, score_pairs)."""
        gradient = np.zeros(self.n_weights)
        split = self.kernel.n_single
        self.kernel.pull(
            np.ascontiguousarray(unary).reshape(-1), gradient[:split], False, self.threads
        )
        if pairs is not None:
            self.kernel.pull(
                np.ascontiguousarray(pairs).reshape(-1),
                gradient[split : self.n_state],
                True,
                self.threads,
            )
        rest = [transitions.ravel(), starts] if self.start else [transitions.ravel()]
        gradient[self.n_state :] = np.concatenate(rest)
        return gradient

    def loss(self, kind: _core.StructuredLoss, cost: float, weights: Array) -> float:
        """The summed loss of a kind (see laconic.core.losses) at weights."""
        return self.kernel.evaluate(kind, cost, weights, np.empty(0), self.threads)

    def loss_gradient(
        self, kind: _core.StructuredLoss, cost: float, weights: Array, out: Array | None = None
    ) -> tuple[float, Array]:
        """The summed loss and its gradient (into `out`): scores, inference, residual and pull in one pass over the sentences."""
        gradient = np.empty(self.n_weights) if out is None else out
        return self.kernel.evaluate(kind, cost, weights, gradient, self.threads), gradient
