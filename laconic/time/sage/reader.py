"""Dated documents with fields as matrices: counts of words, and columns of effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from laconic.errors import InputError
from laconic.text.documents import DocumentEncoder, DocumentLike
from laconic.text.vocab import Vocab


class NumericEffect(NamedTuple):
    """A field of numbers: one column (value - mean) / scale, 0 where a value is missing (NaN)."""

    name: str
    mean: float
    scale: float

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return [self.name]


class CategoricalEffect(NamedTuple):
    """A field of categories: one column of 0 and 1 per category; other values have zeros."""

    name: str
    categories: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return [f"{self.name}={category}" for category in self.categories]


Field: TypeAlias = NumericEffect | CategoricalEffect
FieldValues: TypeAlias = Sequence[float] | Sequence[str]


class DatedReader(NamedTuple):
    """Words that are counted, fields that are effects, and names of the text and date fields."""

    words: tuple[str, ...]
    fields: tuple[Field, ...]
    text_field: str = "text"
    date_field: str = "date"

    @property
    def effects(self) -> list[str]:
        """Names of the effects' columns."""
        return [name for field in self.fields for name in field.columns]

    def count(self, documents: Sequence[DocumentLike]) -> sp.csr_matrix:
        """Return counts of words (documents, words)."""
        encoder = DocumentEncoder()
        encoder.vocab = Vocab(self.words).freeze()
        return encoder.encode(documents).counts(len(self.words))

    def describe(self, values: Mapping[str, FieldValues]) -> sp.csr_matrix:
        """Return the effects (documents, effects) of the fields' values."""
        return sp.hstack(
            [_columns(field, values[field.name]) for field in self.fields], format="csr"
        )


def learn_reader(
    documents: Sequence[DocumentLike],
    values: Mapping[str, FieldValues],
    first_rank: int = 1,
    max_words: int = 5000,
) -> DatedReader:
    """Return a reader of the most frequent words from a rank on, and of the given fields.

    Words that occur once are left out.
    """
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
            f"fewer than two words are left: {len(ranked):,} words occur twice or more, "
            f"and the first rank is {first_rank:,}."
        )
    return DatedReader(words, learn_fields(values))


def learn_fields(values: Mapping[str, FieldValues]) -> tuple[Field, ...]:
    """Return the fields of these values: strings are categories, others are numbers."""
    return tuple(_learn_field(name, column) for name, column in values.items())


def _learn_field(name: str, values: FieldValues) -> Field:
    categories = {value for value in values if isinstance(value, str)}
    if all(isinstance(value, str) for value in values):
        return CategoricalEffect(name, tuple(sorted(categories)))
    numbers = np.asarray(values, dtype=np.float64)
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return NumericEffect(name, 0.0, 1.0)
    scale = float(known.std())
    mean = float(known.mean())
    return NumericEffect(name, mean, scale if scale > 1e-12 * (1 + abs(mean)) else 1.0)


def _columns(field: Field, values: FieldValues) -> sp.csr_matrix:
    if isinstance(field, NumericEffect):
        numbers = (np.asarray(values, dtype=np.float64) - field.mean) / field.scale
        return sp.csr_matrix(np.nan_to_num(numbers, nan=0.0)[:, None])
    place: dict[object, int] = {name: column for column, name in enumerate(field.categories)}
    found = np.array([place.get(value, -1) for value in values], dtype=np.int64)
    rows = np.flatnonzero(found >= 0)
    return sp.csr_matrix((np.ones(len(rows)), (rows, found[rows])), shape=(len(found), len(place)))
