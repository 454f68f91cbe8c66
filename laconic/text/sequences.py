"""Sentences to integer columns: the value of every view at every token.

Strings go no further than here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from laconic.core.arrays import Ints, Ints32
from laconic.text.token_columns import Token, TokenColumns
from laconic.text.views import View, WordClusters, make_view
from laconic.text.vocab import UNKNOWN, Vocab

# Values at positions outside the sentence: d steps before its first token, or after its last one.
BEFORE_BASE = -(2**31)
AFTER_BASE = BEFORE_BASE + 4096


class EncodedSentences(NamedTuple):
    """The ids of all views at all tokens.

    columns[v, t] is the value of view v at token t, -1 for none or an unknown one; sentence s is
    tokens ptr[s]:ptr[s+1].
    """

    columns: Ints32
    ptr: Ints


def name_outside(value: int) -> str:
    """Return how a negative value is written: (none), _B-1 before a sentence, _B+1 after it."""
    if value == UNKNOWN:
        return "(none)"
    return f"_B+{value - AFTER_BASE}" if value > AFTER_BASE else f"_B-{value - BEFORE_BASE}"


class _ViewValues:
    """A view and the ids of its values, with the value of each string of its column so far."""

    def __init__(self, view: View, values: Iterable[str] = ()) -> None:
        self.view = view
        self.vocab = Vocab(values)
        self.of_string = np.zeros(0, np.int32)

    def ids(self, strings: Sequence[str], look_up: Callable[[Iterable[str]], Ints32]) -> Ints32:
        """Return the value of the view for each of `strings`, numbered by `look_up`."""
        computed = list(map(self.view.function, strings))
        known = [value for value in computed if value is not None]
        if len(known) == len(computed):
            return look_up(known)
        present = np.fromiter((value is not None for value in computed), bool, len(computed))
        ids = np.full(len(computed), UNKNOWN, np.int32)
        ids[present] = look_up(known)
        return ids

    def learn(self, strings: Sequence[str]) -> None:
        """Remember the values of strings that the column shows from now on."""
        look_up = self.vocab.ids if self.vocab.frozen else self.vocab.grow
        self.of_string = np.concatenate([self.of_string, self.ids(strings, look_up)])


class SequenceEncoder:
    """Ids of the values of views: `grow` on training sentences, `freeze`, `encode` any others.

    Parameters
    ----------
    views : sequence of str
        What is made of a token, see `laconic.text.views`.
    columns : sequence of str, default=("word", "pos")
        Names of the input columns of a token.
    clusters : WordClusters, optional
        The clusters of words, where a view needs them.

    Examples
    --------
    >>> encoder = SequenceEncoder(["word", "shape"], columns=["word"])
    >>> encoder.grow([["The", "cat"], ["A", "cat"]]).columns.tolist()
    [[0, 1, 2, 1], [0, 1, 2, 1]]
    >>> encoder.freeze().encode([["A", "dog"]]).columns.tolist()
    [[2, -1], [2, 1]]
    """

    def __init__(
        self,
        views: Sequence[str],
        columns: Sequence[str] = ("word", "pos"),
        clusters: WordClusters | None = None,
    ):
        if not columns or len(set(columns)) != len(columns):
            raise ValueError(f"expected distinct names of input columns, got {list(columns)}")
        if len(set(views)) != len(views):
            raise ValueError(f"expected distinct views, got {list(views)}")
        self.columns = tuple(columns)
        self.views = tuple(views)
        self.clusters = clusters
        self._values = [_ViewValues(make_view(name, self.columns, clusters)) for name in self.views]
        # The distinct strings that each column has shown.
        self._strings = {column: Vocab() for column in self.columns}

    @property
    def view_index(self) -> dict[str, int]:
        """Row of each view in the encoded columns."""
        return {name: row for row, name in enumerate(self.views)}

    @property
    def n_values(self) -> Ints:
        """Number of values of each view."""
        return np.array([len(values.vocab) for values in self._values], dtype=np.int64)

    @property
    def frozen(self) -> bool:
        """Whether strings unseen so far have no ids any more."""
        return all(strings.frozen for strings in self._strings.values())

    def grow(self, sentences: Iterable[Sequence[Token]] | TokenColumns) -> EncodedSentences:
        """Encode training sentences, giving ids to new values; ValueError once frozen."""
        tokens = TokenColumns.of(sentences, self.columns)
        of_column: dict[str, Ints32] = {}
        for column, vocab in self._strings.items():
            known = len(vocab)
            of_column[column] = vocab.grow(tokens.column(column))
            fresh = vocab.words[known:]
            for values in self._of(column):
                values.learn(fresh)
        return self._take(of_column, tokens)

    def freeze(self) -> SequenceEncoder:
        """Give no new ids from now on."""
        for vocab in (*self._strings.values(), *(values.vocab for values in self._values)):
            vocab.freeze()
        return self

    def encode(self, sentences: Iterable[Sequence[Token]] | TokenColumns) -> EncodedSentences:
        """Encode any sentences; a value that has no id is -1.

        Nothing is learned, so that several threads may call it at once.
        """
        tokens = TokenColumns.of(sentences, self.columns)
        strings = {
            column: vocab.ids(tokens.column(column)) for column, vocab in self._strings.items()
        }
        encoded = self._take(strings, tokens)
        for column, ids in strings.items():
            self._fill_unseen(
                encoded.columns, np.flatnonzero(ids == UNKNOWN), column, tokens.column(column)
            )
        return encoded

    def _fill_unseen(
        self, columns: Ints32, where: npt.NDArray[np.intp], column: str, strings: Sequence[str]
    ) -> None:
        """Set the values of strings never seen, which may have a known shape, suffix or cluster.

        Each distinct string is looked at once.
        """
        if not len(where):
            return
        distinct = Vocab()
        ids = distinct.grow([strings[t] for t in where.tolist()])
        for row, values in enumerate(self._values):
            if values.view.column == column:
                columns[row, where] = values.ids(distinct.words, values.vocab.ids)[ids]

    def _of(self, column: str) -> list[_ViewValues]:
        return [values for values in self._values if values.view.column == column]

    def _take(self, strings: Mapping[str, Ints32], tokens: TokenColumns) -> EncodedSentences:
        columns = np.empty((len(self.views), int(tokens.ptr[-1])), dtype=np.int32)
        for row, values in zip(columns, self._values, strict=True):
            if len(values.of_string):  # a string without an id is put right by _fill_unseen
                np.take(values.of_string, strings[values.view.column], out=row, mode="wrap")
        return EncodedSentences(columns, tokens.ptr)

    def value_name(self, view: str, value: int) -> str:
        """Return what a value of a view stands for.

        It is a string, or _B-1, _B+1 .. for positions outside the sentence.
        """
        if value >= 0:
            return self._values[self.views.index(view)].vocab.words[value]
        return name_outside(value)

    def thawed(self) -> SequenceEncoder:
        """Return an encoder that grows on from the values that this one has."""
        encoder = type(self)(self.views, self.columns, self.clusters)
        encoder._values = [_ViewValues(entry.view, entry.vocab.words) for entry in self._values]
        return encoder

    def narrowed(
        self, keep: Mapping[str, Sequence[int] | npt.NDArray[np.integer[Any]]]
    ) -> SequenceEncoder:
        """Return a frozen encoder of the views in `keep` alone.

        Its value k of a view is value keep[view][k] of this one's.
        """
        values = {
            view: self._values[self.views.index(view)].vocab.renumber(ids).words
            for view, ids in keep.items()
        }
        return self._restore(values, self.columns, self.clusters)

    def to_state(self) -> dict[str, Any]:
        """Return plain data for a model file.

        It has the names of columns and views, the strings of each view and the clusters in use.
        """
        return {
            "columns": list(self.columns),
            "values": {
                view: list(values.vocab.words)
                for view, values in zip(self.views, self._values, strict=True)
            },
            "clusters": self._clusters_in_use(),
        }

    def _clusters_in_use(self) -> dict[str, list[str]] | None:
        """Return the words of bit strings that are values of a view; None if no view needs them."""
        views = [values for values in self._values if values.view.name.startswith("cluster")]
        if self.clusters is None or not views:
            return None
        words_of = self.clusters.to_state()
        used = {
            bits: words
            for bits, words in words_of.items()
            if any(v.view.function(words[0]) in v.vocab for v in views)
        }
        known = {word for words in used.values() for word in words}
        # A word of another cluster stays if its lower-case form, which is looked up for words
        # without a cluster, is known.
        for bits, words in words_of.items():
            if bits not in used and (
                masks := [word for word in words if word.lower() != word and word.lower() in known]
            ):
                used[bits] = masks
        return used

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> SequenceEncoder:
        """Return the frozen encoder that gave `state`."""
        clusters = state["clusters"]
        return cls._restore(
            state["values"],
            state["columns"],
            None if clusters is None else WordClusters.from_state(clusters),
        )

    @classmethod
    def _restore(
        cls,
        values: Mapping[str, Sequence[str]],
        columns: Sequence[str],
        clusters: WordClusters | None,
    ) -> SequenceEncoder:
        encoder = cls(list(values), columns, clusters)
        encoder._values = [
            _ViewValues(entry.view, values[entry.view.name]) for entry in encoder._values
        ]
        encoder.freeze()
        for column in encoder.columns:
            # Strings that are values of the column itself are frequent: compute their views now.
            encoder._strings[column] = Vocab(values.get(column, ())).freeze()
            for entry in encoder._of(column):
                entry.learn(encoder._strings[column].words)
        return encoder
