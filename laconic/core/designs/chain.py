"""The chain design: weights of features and transitions -> scores of a chain, and its adjoint.

Features have weights with labels or pairs of labels. The weights are one flat vector: features in
the order of their templates, so that a template is a slice, the labels of a feature adjacent; then,
the tail, L x L transitions by rows and L starts. Label j after label i is the pair i L + j.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Array, Floats, Ints, Ints32
from laconic.core.groups import Groups
from laconic.core.ragged import pointers

SUPPORTS = ("observed", "all")


class Tokens(NamedTuple):
    """Encoded training data of a chain.

    Parameters
    ----------
    ids : array of shape (n_tokens, M)
        Feature of each template at each token, -1 where it does not fire.
    sizes : array of shape (M,)
        Number of features of each template; they are numbered template by template.
    ptr : array of shape (n_sentences + 1,)
        Bounds of the sentences.
    gold : array of shape (n_tokens,)
        Labels, below n_labels.
    n_labels : int
        Number of labels.
    n_pairs : int, default=0
        Number of templates, the last ones, that are for pairs of neighbouring labels; they do not
        fire at the first token of a sentence.
    """

    ids: Ints32
    sizes: Ints
    ptr: Ints
    gold: Ints32
    n_labels: int
    n_pairs: int = 0


class Chain:
    """A: w -> (scores of labels (n_tokens, L), of pairs (n_tokens, L, L), transitions, starts).

    Parameters
    ----------
    tokens : Tokens
        Encoded training data.
    support : {"observed", "all"}, default="observed"
        Labels (or pairs of labels) that a feature has weights for: those it occurs with, or all.
    start : bool, default=True
        Whether the first label of a sentence has a weight.
    threads : int, default=1
        Number of threads.
    merge_twins : bool, default=False
        Whether features that fire at the very same tokens share their weights. A weight shared by k
        of them is sqrt(k) times the weight of one, so that norms, ridge, gradients and all steps of
        a quasi-Newton method are those of separate features, while a lasso counts sqrt(k) times
        (`roots`).
    penalise_tail : bool, default=False
        Whether transitions and starts are penalised too.
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
    def weight_label(self) -> Ints32:
        """Label, or pair of labels, of every weight of a feature."""
        return self.kernel.weight_label()

    @property
    def unit_ptr(self) -> Ints32:
        """Bounds of the weights of each unit, one per label.

        A feature is a unit if twins are not merged.
        """
        return self.kernel.unit_ptr()

    @property
    def twins(self) -> Ints32:
        """Number of features of each unit."""
        return self.kernel.twins()

    @property
    def feature_unit(self) -> Ints32:
        """Unit of every feature."""
        return self.kernel.feature_unit()

    @property
    def first_token(self) -> Ints32:
        """First token at which each feature fires; n_tokens if none."""
        return self.kernel.first_token()

    @property
    def row_ptr(self) -> Ints:
        """Bounds of the weights of each feature."""
        if self.merge_twins:
            raise ValueError(
                "twins of several templates share weights: features and templates are no slices"
            )
        return self.unit_ptr.astype(np.int64)

    @property
    def template_ptr(self) -> Ints:
        """Bounds of the weights of each template."""
        return self.row_ptr[self.feature_first]

    def roots(self) -> Array:
        """Return the root of the number of twins of every weight.

        A shared weight is root times the weight of a single feature.
        """
        return np.repeat(np.sqrt(self.twins), np.diff(self.unit_ptr))

    def counts(self) -> Array:
        """Return how often each weight counts in the data: tokens times twins.

        For the tail it is about what a transition has.
        """
        counts = np.repeat(
            self.kernel.times() * self.twins.astype(np.float64), np.diff(self.unit_ptr)
        )
        return np.concatenate(
            [counts, np.full(self.n_weights - self.n_state, self.n_tokens / self.n_labels)]
        )

    def by_template(self, weight: Array | None = None) -> Groups:
        """Return one group per template over the weights of features."""
        ptr = self.template_ptr
        ones = np.ones(len(ptr) - 1) if weight is None else weight
        return Groups(np.arange(self.n_state), ptr, ones, self.n_state)

    def by_row(self, weight: Array | None = None) -> Groups:
        """Return one group per feature: its weights for all labels."""
        ptr = self.row_ptr
        return Groups(
            np.arange(self.n_state),
            ptr,
            np.ones(len(ptr) - 1) if weight is None else weight,
            self.n_state,
        )

    def by_tree(self, weight: Array | None = None) -> Groups:
        """Return a forest: templates, which come first, own the rows of their features."""
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

    def rows(self, weights: Array, template: int) -> tuple[Ints32, Floats]:
        """Return the features of a template that have a weight, and their weights.

        Weights are (n, L) or (n, L^2), separate for each of several twins.
        """
        features = self.kernel.alive(weights, *self.feature_first[template : template + 2])
        paired = template >= len(self.feature_first) - 1 - self.n_pairs
        return features, self.kernel.feature_rows(weights, features).reshape(
            -1, self.n_labels ** (1 + paired)
        )

    def tail(self, weights: Array) -> tuple[Array, Array]:
        """Return transitions (L, L) and starts (L,)."""
        split = self.n_state + self.n_labels**2
        first = weights[split:] if self.start else np.zeros(self.n_labels)
        return weights[self.n_state : split].reshape(self.n_labels, self.n_labels), first

    def score(self, weights: Array) -> Array:
        """Return the scores of labels (n_tokens, L)."""
        unary = np.empty(self.n_tokens * self.n_labels)
        self.kernel.score(weights, unary, False, self.threads)
        return unary.reshape(-1, self.n_labels)

    def score_pairs(self, weights: Array) -> Array:
        """Return what features add to the transitions into each token, (n_tokens, L, L)."""
        pairs = np.empty(self.n_tokens * self.n_labels**2)
        self.kernel.score(weights, pairs, True, self.threads)
        return pairs.reshape(-1, self.n_labels, self.n_labels)

    def pull(
        self, unary: Array, transitions: Array, starts: Array, pairs: Array | None = None
    ) -> Array:
        """Return the adjoint of (score, tail, score_pairs)."""
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
        """Return the summed loss of a kind (see laconic.core.losses) at weights."""
        return self.kernel.evaluate(kind, cost, weights, np.empty(0), self.threads)

    def loss_gradient(
        self, kind: _core.StructuredLoss, cost: float, weights: Array, out: Array | None = None
    ) -> tuple[float, Array]:
        """Return the summed loss and its gradient, written into `out` if given.

        Scores, inference, residual and pull are one pass over the sentences.
        """
        gradient = np.empty(self.n_weights) if out is None else out
        return self.kernel.evaluate(kind, cost, weights, gradient, self.threads), gradient
