"""`ContextModel`: log p(v | x) = gain[(c', v)] + base[c], the one form of every learned model.

c is the longest known context that ends the history x, c' the longest suffix of c that has a pair
with v. Logarithms are natural.

back-off models   base[c] = sum of the log back-off weights of c and its suffixes
                  gain[(c', v)] = log p(v | c') - base[c']
log-linear ones   base[c] = -log Z(c)
                  gain[(c', v)] = sum of the weights on the path of c'
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Array, Ints, Ints32


class ContextModel(NamedTuple):
    """Contexts, parents first, and the words that follow them, as flat arrays.

    parent     of context c: c without its oldest word; context 0 is the empty one, with parent -1
    word       the oldest word of c (-1 for context 0); n_words is the start of a sentence, before
               which there are no words
    ptr        the pairs of c are ptr[c]:ptr[c+1]
    target     the word of a pair, rising within a context; context 0 has a pair for every word
    gain       of a pair
    base       of a context
    borrowed   1 for a pair that exists only because a longer context needs it, with the gain of the
               next shorter pair; None if there is no such pair

    Every context (a .. y v) must have a pair of (a .. y) with v, or histories could not be followed
    word by word; the start of a sentence has none, because it is never predicted.
    """

    parent: Ints32
    word: Ints32
    ptr: Ints
    target: Ints32
    gain: Array
    base: Array
    borrowed: NDArray[np.uint8] | None = None

    @property
    def n_contexts(self) -> int:
        """Number of contexts, including the empty one."""
        return len(self.parent)

    @property
    def n_words(self) -> int:
        """Number of words that are predicted; their ids count from 0."""
        return int(self.ptr[1])

    @property
    def depth(self) -> Ints32:
        """Number of words of every context."""
        return depths(self.parent)

    @property
    def order(self) -> int:
        """Number of words of the longest n-gram."""
        return 1 + int(self.depth.max())

    def context_of_pairs(self) -> Ints32:
        """Return the context of every pair."""
        return np.repeat(np.arange(self.n_contexts, dtype=np.int32), np.diff(self.ptr))

    def own_sizes(self) -> Ints:
        """Return the number of n-grams of every context: of its pairs that are not borrowed."""
        sizes: Ints = np.diff(self.ptr)
        if self.borrowed is not None:
            where = np.searchsorted(self.ptr, np.flatnonzero(self.borrowed), side="right") - 1
            sizes -= np.bincount(where, minlength=self.n_contexts)
        return sizes

    def automaton(self) -> _core.ContextAutomaton:
        """Return the kernel that scores, samples and completes.

        It raises a ValueError if the arrays break a rule.
        """
        return _core.ContextAutomaton(*self.typed()[:6])

    def checked(self) -> ContextModel:
        """Return the model with typed arrays; ValueError if they break a rule, naming the rule."""
        typed = self.typed()
        _core.ContextAutomaton(*typed[:6])
        if self.borrowed is not None and (
            len(self.borrowed) != len(self.target) or np.any(self.borrowed[: self.n_words])
        ):
            raise ValueError(
                "borrowed must have one entry per pair, 0 for those of the empty context"
            )
        return typed

    def typed(self) -> ContextModel:
        """Return the model with every array contiguous and of its type."""
        types = (np.int32, np.int32, np.int64, np.int32, np.float64, np.float64, np.uint8)
        return ContextModel(
            *(
                None if array is None else np.ascontiguousarray(array, kind)
                for array, kind in zip(self, types, strict=True)
            )  # type: ignore[arg-type]
        )


def depths(parent: Ints32) -> Ints32:
    """Return the number of steps from every node to the root, in one sweep per level."""
    depth = np.zeros(len(parent), np.int32)
    above = parent.copy()
    while np.any(alive := above >= 0):
        depth += alive
        above = np.where(alive, parent[above], -1)
    return depth
