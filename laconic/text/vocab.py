"""Words and their integer ids: grow while reading, freeze, then keep what the model still needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from laconic.core.arrays import Ints32

UNKNOWN = -1


class Vocab:
    """A one-to-one map word <-> id, ids 0, 1, ... in order of first sight.

    Parameters
    ----------
    words : iterable of str, default=()
        Different words, which get the first ids.

    Examples
    --------
    >>> vocab = Vocab()
    >>> vocab.grow(["the", "cat", "the"]).tolist()
    [0, 1, 0]
    >>> vocab.freeze().ids(["cat", "dog"]).tolist()
    [1, -1]
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        # The factory gives an unseen word the next id, so that growing is one pass at C speed.
        self._index: defaultdict[str, int] = defaultdict()
        self._index.default_factory = self._index.__len__
        given = list(words)
        self.grow(given)
        if len(self) != len(given):
            raise ValueError(
                "a vocabulary holds each word once, "
                f"but {len(given) - len(self)} of its words are repeated"
            )
        self._words = given

    def add(self, word: str) -> int:
        """Return the id of `word`, a new one if it is new."""
        return int(self.grow((word,))[0])

    def grow(self, words: Iterable[str]) -> Ints32:
        """Return the ids of `words`, giving ids to new ones; ValueError once frozen."""
        if self.frozen:
            raise ValueError(
                "the vocabulary is frozen and takes no new words; ids() looks words up"
            )
        return np.fromiter(map(self._index.__getitem__, words), np.int32)

    def ids(self, words: Iterable[str]) -> Ints32:
        """Return the ids of `words`, -1 for an unknown one; never grows."""
        return np.fromiter(map(self._index.get, words, repeat(UNKNOWN)), np.int32)

    def id(self, word: str) -> int:
        """Return the id of one word, -1 if it is unknown; never grows."""
        return self._index.get(word, UNKNOWN)

    def freeze(self) -> Vocab:
        """Take no new words from now on."""
        self._index.default_factory = None
        return self

    @property
    def frozen(self) -> bool:
        """Whether no new word is taken."""
        return self._index.default_factory is None

    @property
    def words(self) -> list[str]:
        """The word of each id."""
        if len(self._words) != len(self._index):
            self._words = list(self._index)
        return self._words

    def renumber(self, keep_ids: Sequence[int] | npt.NDArray[np.integer[Any]]) -> Vocab:
        """Return a frozen vocabulary whose word k is word `keep_ids[k]` of this one."""
        keep = np.asarray(keep_ids, dtype=np.int64)
        if keep.size and not (keep.min() >= 0 and keep.max() < len(self)):
            raise ValueError(
                f"ids to keep must lie in 0..{len(self) - 1}, not {keep.min()}..{keep.max()}"
            )
        words = self.words
        return Vocab(words[i] for i in keep.tolist()).freeze()

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, word: object) -> bool:
        return word in self._index

    def __repr__(self) -> str:
        return f"Vocab({len(self)} words{', frozen' if self.frozen else ''})"
