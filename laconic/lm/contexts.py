"""What comes before each word of a text: the suffix trie or suffix tree of contexts, as flat arrays, parents first.

A context is read from the word backwards, to the start of its sentence, which counts as a word. A pair (context, target) is an n-gram; it
is the child of the pair of the same target in a context that is one word (or, collapsed, one node) shorter, so that every target has a tree of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core

MOST_ORDER = 1000
ARRAYS = ("parent", "word", "depth", "ptr", "target", "shorter", "count")


class Text(NamedTuple):
    """Sentences as ids: sentence s is tokens[ptr[s]:ptr[s+1]], its last token the sentence end; n_words is the id of the sentence start."""

    tokens: NDArray[np.int32]
    ptr: NDArray[np.int64]
    n_words: int


@dataclass(frozen=True, eq=False)
class Contexts:
    """n_contexts contexts and n_pairs pairs; those of context c are ptr[c]:ptr[c+1], by increasing target.

    parent[c]: the context without its oldest words, -1 for context 0, which is empty; word[c]: the first word that the parent lacks
    depth[c]: how many words the context has; a node of the collapsed tree stands for all contexts down from depth[parent[c]] + 1
    shorter[p]: the pair of the same target in the parent context, -1 for pairs of context 0, of which every word has one
    count[p]: how often the n-gram occurs; what is longest in its place occurs in contexts without children alone
    kernel: the same arrays where likelihoods are computed
    """

    parent: NDArray[np.int32]
    word: NDArray[np.int32]
    depth: NDArray[np.int32]
    ptr: NDArray[np.int64]
    target: NDArray[np.int32]
    shorter: NDArray[np.int32]
    count: NDArray[np.int32]
    order: int
    kernel: Any

    @classmethod
    def build(cls, text: Text, order: int, collapse: bool = False) -> Contexts:
        """Contexts of up to order - 1 words; `collapse` makes one node of what always comes together."""
        if not 1 <= order <= MOST_ORDER:
            raise ValueError(f"order must be from 1 to {MOST_ORDER}, not {order!r}")
        if not len(text.tokens):
            raise ValueError("a text with at least one word is needed, but there is none")
        kernel = _core.ContextTree(text.tokens, text.ptr, text.n_words, order, collapse)
        return cls(**{name: getattr(kernel, name)() for name in ARRAYS}, order=order, kernel=kernel)

    @property
    def n_words(self) -> int:
        """How many words there are to predict."""
        return int(self.ptr[1])

    def lengths(self) -> NDArray[np.int32]:
        """How many contexts each node stands for: 1 everywhere in a trie."""
        above = np.where(self.parent < 0, -1, self.depth[self.parent])
        return (self.depth - above).astype(np.int32)

    def of_pairs(self, values: NDArray) -> NDArray:
        """values[c] for every pair of context c."""
        return np.repeat(values, np.diff(self.ptr))
