"""Sentences column by column: the tokens that every encoder, treebank and tagger reads.

A sentence is a list (or an array) of tokens; a token is a string, with several input columns a
tuple or list of strings, or a dict of features.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from laconic.core.arrays import Ints
from laconic.core.ragged import cut, pointers
from laconic.text.token_dicts import dict_columns

Token: TypeAlias = str | Sequence[str] | Mapping[str, object]


@dataclass(frozen=True, eq=False)
class TokenColumns:
    """Sentences column by column.

    Token t has values[c][t] in column names[c]; sentence s is tokens ptr[s]:ptr[s+1]. `of_dicts`
    says that tokens were given as dicts of features.
    """

    names: tuple[str, ...]
    values: list[Sequence[str]]
    ptr: Ints
    of_dicts: bool = False

    @classmethod
    def of(
        cls, sentences: Iterable[Sequence[Token]] | TokenColumns, names: Sequence[str] | None
    ) -> TokenColumns:
        """Return the columns of sentences, which may be given as columns already."""
        if isinstance(sentences, TokenColumns):
            return sentences
        return cls.from_sentences(sentences, names)

    @classmethod
    def from_sentences(
        cls, sentences: Iterable[Sequence[Token]], names: Sequence[str] | None
    ) -> TokenColumns:
        """Return the columns of sentences whose tokens have one string for each of `names`.

        Without names they are those of `column_names`: word, pos, and so on. Tokens may also be
        dicts of features, see `laconic.text.token_dicts`.
        """
        given: list[Any] = [
            sentence.tolist() if isinstance(sentence, np.ndarray) else sentence
            for sentence in sentences
        ]
        if any(issubclass(kind, str) for kind in set(map(type, given))):
            raise ValueError(
                "a sentence is a list of tokens, but one is a string; split it into tokens first"
            )
        ptr = pointers(len(sentence) for sentence in given)
        tokens: list[Any] = list(chain.from_iterable(given))
        if tokens and isinstance(tokens[0], Mapping):
            columns = dict_columns(tokens, names)
            return cls(tuple(columns), list(columns.values()), ptr, of_dicts=True)
        if names is None:
            names = _names_of(tokens)
        types = set(map(type, tokens))
        if np.ndarray in types:
            tokens = [
                token.tolist() if isinstance(token, np.ndarray) else token for token in tokens
            ]
            types = set(map(type, tokens))
        if len(names) == 1 and all(issubclass(kind, str) for kind in types):
            return cls(tuple(names), [tokens], ptr)
        if not all(issubclass(kind, (tuple, list)) for kind in types) or set(map(len, tokens)) - {
            len(names)
        }:
            bad = next(
                t for t in tokens if not isinstance(t, (tuple, list)) or len(t) != len(names)
            )
            raise ValueError(
                f"a token needs {len(names)} strings ({', '.join(names)}), but one is {bad!r}"
            )
        values: list[Sequence[str]] = (
            list(zip(*tokens, strict=True)) if tokens else [()] * len(names)
        )
        return cls(tuple(names), values, ptr)

    def __len__(self) -> int:
        """Number of sentences."""
        return len(self.ptr) - 1

    def column(self, name: str) -> Sequence[str]:
        """Return the strings of column `name`, one per token."""
        if name not in self.names:
            raise ValueError(
                f"there is no column {name!r}; the columns are {', '.join(self.names)}"
            )
        return self.values[self.names.index(name)]

    def split(self) -> Iterator[TokenColumns]:
        """Yield each sentence by itself."""
        for begin, end in pairwise(self.ptr.tolist()):
            yield TokenColumns(
                self.names,
                [column[begin:end] for column in self.values],
                np.array([0, end - begin], np.int64),
            )

    def some(self, chosen: npt.NDArray[np.integer[Any]]) -> TokenColumns:
        """Return the sentences of these numbers, in this order; one may come several times."""
        begins, ends = self.ptr[:-1][chosen], self.ptr[1:][chosen]
        spans = [slice(*span) for span in zip(begins.tolist(), ends.tolist(), strict=True)]
        values: list[Sequence[str]] = [
            list(chain.from_iterable(map(column.__getitem__, spans))) for column in self.values
        ]
        return TokenColumns(self.names, values, pointers(ends - begins))

    def with_columns(self, added: Mapping[str, Sequence[str]]) -> TokenColumns:
        """Return these columns and more of them, each with one string per token.

        They may be cluster bits, marks of phrases, or anything else that is known of the words.
        """
        n_tokens = int(self.ptr[-1])
        for name, column in added.items():
            if name in self.names:
                raise ValueError(
                    f"there is a column {name!r} already; the columns are {', '.join(self.names)}"
                )
            if len(column) != n_tokens:
                raise ValueError(f"column {name!r} has {len(column)} strings for {n_tokens} tokens")
        return TokenColumns((*self.names, *added), [*self.values, *added.values()], self.ptr)

    def sentences(self) -> Iterator[list[tuple[str, ...]]]:
        """Yield one list of tokens (tuples of strings) per sentence."""
        return cut(list(zip(*self.values, strict=True)), self.ptr)


def column_names(n: int) -> tuple[str, ...]:
    """Return the names of n columns that have no names of their own: word, pos, column3, ..

    >>> column_names(3)
    ('word', 'pos', 'column3')
    """
    return ("word", "pos", *(f"column{number}" for number in range(3, n + 1)))[:n]


def _names_of(tokens: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of the columns of tokens, by the first one.

    A list of strings is as likely a sentence as a token: only a tuple is one without being named.
    """
    first = tokens[0] if tokens else ""
    if isinstance(first, list):
        raise ValueError(
            f"a token is the list {first!r}: give a string, or a tuple such as ('dog', 'NN'); if "
            "lists are tokens here, name their columns, as in columns=('word', 'pos')"
        )
    return column_names(len(first) if isinstance(first, tuple) else 1)


def token_list(given: object, n_columns: int) -> list[Any]:
    """Return a sentence of JSON: a list of strings, or of lists of one string per column.

    A ValueError says what else was given.
    """
    parts = [[token] if isinstance(token, str) else token for token in _listed(given)]
    if not all(
        len(_listed(row)) == n_columns and all(isinstance(one, str) for one in row) for row in parts
    ):
        raise ValueError(f"a token has {n_columns} strings: one per column.")
    return [row[0] if n_columns == 1 else tuple(row) for row in parts]


def _listed(given: object) -> list[Any]:
    if not isinstance(given, list):
        raise ValueError("an input is a list of tokens: strings, or lists of strings.")
    return given
