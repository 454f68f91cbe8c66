"""Sentences to ids by maps of hashes: an encoder and word clusters that hold no string."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from laconic import _core
from laconic.core.arrays import Ints, Ints32
from laconic.models.compact.strings import NAMELESS, Names, in_order
from laconic.text.sequences import EncodedSentences, name_outside
from laconic.text.token_columns import Token, TokenColumns
from laconic.text.views import View, make_view

MOST_REMEMBERED = 100_000  # strings of a column whose views are kept in memory


class CompactClusters:
    """The cluster of a word as a string of bits.

    Parameters
    ----------
    strings : CompactStrings
        Maps of strings.
    number : int
        Maps `number` and `number + 1` have a code for each word in a cluster.
    paths : sequence of str
        The bits of each code.
    """

    def __init__(self, strings: _core.CompactStrings, number: int, paths: Sequence[str]) -> None:
        strings.check_codes(number, len(paths))
        strings.check_codes(number + 1, len(paths))
        self.paths = list(paths)
        self._strings = strings
        self._number = number
        self._known: dict[str, str | None] = {}

    def remember(self, words: Sequence[str]) -> None:
        """Look up these words at once."""
        if len(self._known) > MOST_REMEMBERED:
            self._known = {}
        codes = self.codes(words)
        missing = np.flatnonzero(codes < 0)
        codes[missing] = self.codes([words[i].lower() for i in missing.tolist()])
        for word, code in zip(words, codes.tolist(), strict=True):
            self._known[word] = None if code < 0 else self.paths[code]

    def codes(self, words: Sequence[str]) -> Ints32:
        """Return the place of each word's path, as the word is written; -1 for none."""
        exceptions: Ints32 = self._strings.codes(self._number + 1, list(words))
        others: Ints32 = self._strings.codes(self._number, list(words))
        return np.where(exceptions >= 0, exceptions, others)

    def bits(self, word: str, n_bits: int | None = None) -> str | None:
        """Return the first `n_bits` bits of the word's cluster (None: all); None for no cluster."""
        if word not in self._known:
            self.remember([word])
        found = self._known[word]
        return None if found is None else found[:n_bits]


class _RecentStrings:
    """The strings that an input column has shown lately, and the values of its views at each."""

    def __init__(self, rows: Sequence[int]) -> None:
        self.rows = rows
        self.index: dict[str, int] = {}
        self.values = np.zeros((len(rows), 0), np.int32)

    def append(self, strings: Sequence[str], values: Sequence[Ints32]) -> None:
        """Add strings that are not there yet; `values` has one array per view."""
        begin, end = len(self.index), len(self.index) + len(strings)
        if end > self.values.shape[1]:
            grown = np.zeros((len(self.rows), 2 * end), np.int32)
            grown[:, :begin] = self.values[:, :begin]
            self.values = grown
        for row, found in zip(self.values, values, strict=True):
            row[begin:end] = found
        self.index.update(zip(strings, range(begin, end), strict=True))


class CompactEncoder:
    """Encodes sentences as SequenceEncoder does, with the numbers of maps of strings.

    Parameters
    ----------
    views : sequence of str
        Names of the views; map v of `strings` has the values of view v.
    columns : sequence of str
        Names of the input columns of a token.
    strings : CompactStrings
        Maps of strings.
    clusters : CompactClusters or None
        The clusters of words, where a view needs them.
    """

    def __init__(
        self,
        views: Sequence[str],
        columns: Sequence[str],
        strings: _core.CompactStrings,
        clusters: CompactClusters | None,
    ) -> None:
        self.columns = tuple(columns)
        self.views = tuple(views)
        self.clusters = clusters
        self.names: Names | None = None
        self._strings = strings
        self._views: list[View] = [make_view(name, self.columns, clusters) for name in self.views]
        self._lock = threading.Lock()
        self._recent: dict[str, _RecentStrings] = {}
        self._named: dict[int, list[str]] = {}

    @property
    def view_index(self) -> dict[str, int]:
        """Row of each view in the encoded columns."""
        return {name: row for row, name in enumerate(self.views)}

    @property
    def n_values(self) -> Ints:
        """Number of values of each view."""
        return np.array([self._strings.size(v) for v in range(len(self.views))], dtype=np.int64)

    def encode(self, sentences: Iterable[Sequence[Token]] | TokenColumns) -> EncodedSentences:
        """Return the values of all views at all tokens; -1 for none or an unknown one.

        Several threads may call it at once.
        """
        tokens = TokenColumns.of(sentences, self.columns)
        columns = np.empty((len(self.views), int(tokens.ptr[-1])), dtype=np.int32)
        with self._lock:
            for column in dict.fromkeys(view.column for view in self._views):
                strings = tokens.column(column)
                known = self._remembered(column, strings)
                ids = np.fromiter(map(known.index.__getitem__, strings), np.int32, len(strings))
                for place, row in enumerate(known.rows):
                    np.take(known.values[place], ids, out=columns[row])
        return EncodedSentences(columns, tokens.ptr)

    def _remembered(self, column: str, strings: Sequence[str]) -> _RecentStrings:
        """Return the recent strings of a column, with all of `strings` among them."""
        known = self._recent.get(column)
        if known is None or len(known.index) > MOST_REMEMBERED:
            known = self._recent[column] = _RecentStrings(
                [v for v, view in enumerate(self._views) if view.column == column]
            )
        fresh = [string for string in dict.fromkeys(strings) if string not in known.index]
        if fresh:
            if self.clusters is not None and column == self.columns[0]:
                self.clusters.remember(fresh)
            values = [
                self._strings.numbers(v, list(map(self._views[v].function, fresh)))
                for v in known.rows
            ]
            known.append(fresh, values)
        return known

    def value_name(self, view: str, value: int) -> str:
        """Return what a value of a view stands for.

        It is a string, or _B-1, _B+1 .. for positions outside the sentence.
        """
        if value >= 0:
            return self.value_names(self.views.index(view))[value]
        return name_outside(value)

    def value_names(self, v: int) -> list[str]:
        """Return the strings of the values of view v; ValueError if the model has no names."""
        if self.names is None:
            raise ValueError(NAMELESS)
        if v not in self._named:
            self._named[v] = in_order(self.names.of(v), self._strings.numbers(v, self.names.of(v)))
        return self._named[v]

    def named_state(self) -> Mapping[str, Any]:
        """Return the state of a SequenceEncoder with the same values, without clusters."""
        values = {view: self.value_names(v) for v, view in enumerate(self.views)}
        return {"columns": list(self.columns), "values": values, "clusters": None}
