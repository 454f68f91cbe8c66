"""Dated documents with fields as matrices: counts of the words of some ranks, and effects, one column for a number and one for each category."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.errors import InputError
from laconic.text.documents import DocumentEncoder
from laconic.text.vocab import Vocab


class NumberField(NamedTuple):
    """A field of numbers: its column is (value - mean) / scale, 0 where a value is missing (NaN)."""

    name: str
    mean: float
    scale: float

    @property
    def columns(self) -> list[str]:
        """What the columns are called."""
        return [self.name]


class CategoryField(NamedTuple):
    """A field of categories: a column of 0 and 1 for each. A value that is none of them has zeros."""

    name: str
    categories: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        """What the columns are called."""
        return [f"{self.name}={category}" for category in self.categories]


Field = NumberField | CategoryField


class DatedReader(NamedTuple):
    """Words that are counted, fields that are effects, and what the fields of text and date are called."""

    words: tuple[str, ...]
    fields: tuple[Field, ...]
    text_field: str = "text"
    date_field: str = "date"

    @property
    def effects(self) -> list[str]:
        """Names of the effects' columns."""
        return [name for field in self.fields for name in field.columns]

    def count(self, documents: Sequence[Any]) -> sp.csr_matrix:
        """(documents, words), how often each occurs."""
        encoder = DocumentEncoder()
        encoder.vocab = Vocab(self.words).freeze()
        return encoder.encode(documents).counts(len(self.words))

    def describe(self, values: Mapping[str, Sequence[Any]]) -> sp.csr_matrix:
        """(documents, effects) of the fields' values."""
        return sp.hstack(
            [_columns(field, values[field.name]) for field in self.fields], format="csr"
        )


def learn_reader(
    documents: Sequence[Any],
    values: Mapping[str, Sequence[Any]],
    first_rank: int = 1,
    max_words: int = 5000,
) -> DatedReader:
    """The most frequent words from a rank on, of those that occur at least twice, and the fields of these documents."""
    encoder = DocumentEncoder()
    seen = Counter(
        word for document in documents for unit in encoder.sentence_words(document) for word in unit
    )
    ranked = sorted(
        (word for word, n in seen.items() if n > 1), key=lambda word: (-seen[word], word)
    )
    words = tuple(ranked[first_rank - 1 : first_rank - 1 + max_words])
    if len(words) < 2:
        raise InputError(
            f"fewer than two words are left: {len(ranked):,} words occur twice or more, and the first rank is {first_rank:,}."
        )
    return DatedReader(words, learn_fields(values))


def learn_fields(values: Mapping[str, Sequence[Any]]) -> tuple[Field, ...]:
    """Fields of these values: all strings are categories, all else are numbers."""
    return tuple(_learn_field(name, column) for name, column in values.items())


def _learn_field(name: str, values: Sequence[Any]) -> Field:
    if all(isinstance(value, str) for value in values):
        return CategoryField(name, tuple(sorted(set(values))))
    numbers = np.asarray(values, dtype=np.float64)
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return NumberField(name, 0.0, 1.0)
    scale = float(known.std())
    return NumberField(
        name, float(known.mean()), scale if scale > 1e-12 * (1 + abs(float(known.mean()))) else 1.0
    )


def _columns(field: Field, values: Sequence[Any]) -> sp.csr_matrix:
    if isinstance(field, NumberField):
        numbers = (np.asarray(values, dtype=np.float64) - field.mean) / field.scale
        return sp.csr_matrix(np.nan_to_num(numbers, nan=0.0)[:, None])
    place = {category: column for column, category in enumerate(field.categories)}
    found = np.array([place.get(value, -1) for value in values], dtype=np.int64)
    rows = np.flatnonzero(found >= 0)
    return sp.csr_matrix((np.ones(len(rows)), (rows, found[rows])), shape=(len(found), len(place)))
