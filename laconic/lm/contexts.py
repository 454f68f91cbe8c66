"""What comes before each word of a text: the suffix trie or suffix tree of contexts.

Both are flat arrays, parents first. A context is read from the word backwards, to the start of its
sentence, which counts as a word. A pair (context, target) is an n-gram; it is the child of the pair
of the same target in a context that is one word (or, collapsed, one node) shorter, so that every
target has a tree of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Ints, Ints32

MOST_ORDER = 1000
Value = TypeVar("Value", bound=np.generic)
ARRAYS = ("parent", "word", "depth", "ptr", "target", "shorter", "count")


class Text(NamedTuple):
    """Sentences as ids: sentence s is tokens[ptr[s]:ptr[s+1]], its last token the sentence end.

    n_words is the id of the sentence start.
    """

    tokens: Ints32
    ptr: Ints
    n_words: int


@dataclass(frozen=True, eq=False)
class Contexts:
    """n_contexts contexts and n_pairs pairs; those of context c are ptr[c]:ptr[c+1], by target.

    parent[c]    the context without its oldest words, -1 for context 0, which is empty
    word[c]      the first word that the parent lacks
    depth[c]     number of words of the context; a node of the collapsed tree stands for all
                 contexts down from depth[parent[c]] + 1
    shorter[p]   the pair of the same target in the parent context, -1 for pairs of context 0, of
                 which every word has one
    count[p]     number of occurrences of the n-gram; the longest n-grams occur in contexts without
                 children alone
    kernel       the same arrays where likelihoods are computed
    """

    parent: Ints32
    word: Ints32
    depth: Ints32
    ptr: Ints
    target: Ints32
    shorter: Ints32
    count: Ints32
    order: int
    kernel: _core.ContextTree

    @classmethod
    def build(cls, text: Text, order: int, collapse: bool = False) -> Contexts:
        """Return the contexts of up to order - 1 words.

        `collapse` makes one node of contexts that always occur together.
        """
        if not 1 <= order <= MOST_ORDER:
            raise ValueError(f"order must be from 1 to {MOST_ORDER}, not {order!r}")
        if not len(text.tokens):
            raise ValueError("expected a text with at least one word, got an empty one")
        kernel = _core.ContextTree(text.tokens, text.ptr, text.n_words, order, collapse)
        return cls(**{name: getattr(kernel, name)() for name in ARRAYS}, order=order, kernel=kernel)

    @property
    def n_words(self) -> int:
        """Number of words that can be predicted."""
        return int(self.ptr[1])

    def lengths(self) -> Ints32:
        """Return the number of contexts that each node stands for: 1 everywhere in a trie."""
        above = np.where(self.parent < 0, -1, self.depth[self.parent])
        return (self.depth - above).astype(np.int32)

    def of_pairs(self, values: NDArray[Value]) -> NDArray[Value]:
        """Return values[c] for every pair of context c."""
        return np.repeat(values, np.diff(self.ptr))
