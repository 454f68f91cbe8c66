"""Numbers and categories beside the text, as features beside the words.

    z_ij = (v_ij - mean_j) / deviation_j      of a number; 0, the mean, where it is missing
    z_ik = 1 if document i has category k     of all but the most frequent, which others compare to

Their weights are not penalised unless the model says so, so that they explain what they can and
the words the rest.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from laconic.core.arrays import Array, Bools, Ints
from laconic.core.penalties import Penalty
from laconic.errors import InputError
from laconic.models.checks import Arrays, item

if TYPE_CHECKING:
    import scipy.sparse as sp


class NumberColumn(NamedTuple):
    """A column of numbers, and how it is standardised."""

    name: str
    mean: float
    deviation: float


class CategoryColumn(NamedTuple):
    """A column of categories: the most frequent value, and those that have a feature each."""

    name: str
    usual: str
    values: tuple[str, ...]


class Beside(NamedTuple):
    """Columns that a model needs beside the text."""

    numbers: tuple[NumberColumn, ...] = ()
    categories: tuple[CategoryColumn, ...] = ()

    @property
    def names(self) -> list[str]:
        """Return the names of the features: "stars", "shop=Rome"."""
        names = [number.name for number in self.numbers]
        return names + [f"{one.name}={value}" for one in self.categories for value in one.values]

    def added(self, columns: Mapping[str, Sequence[Any]], n_rows: int, weights: Array) -> Array:
        """Return what columns add to the scores (documents, outputs), by NumPy alone."""
        scores = np.zeros((n_rows, len(weights)))
        for k, number in enumerate(self.numbers):
            scores += _standardised(columns, number)[:, None] * weights[:, k]
        first = len(self.numbers)
        for one in self.categories:
            row, at = _category_cells(columns, one)
            scores[row] += weights[:, first + at].T
            first += len(one.values)
        return scores

    def rows(self, columns: Mapping[str, Sequence[Any]], n_rows: int) -> sp.csr_matrix:
        """Return features of columns, (documents, features); unknown categories have none."""
        import scipy.sparse as sp  # not needed to predict from compact files

        blocks: list[Any] = [sp.csr_matrix((n_rows, 0))]
        for number in self.numbers:
            blocks.append(sp.csr_matrix(_standardised(columns, number)[:, None]))
        for one in self.categories:
            cells = _category_cells(columns, one)
            shape = (n_rows, len(one.values))
            blocks.append(sp.csr_matrix((np.ones(len(cells[0])), cells), shape=shape))
        return sp.csr_matrix(sp.hstack(blocks, format="csr"))


def _standardised(columns: Mapping[str, Sequence[Any]], number: NumberColumn) -> Array:
    """Return a column of numbers in deviations from the mean, 0 where one is missing."""
    values = numbers_in(columns[number.name], number.name)
    z: Array = np.nan_to_num((values - number.mean) / number.deviation)
    return z


def _category_cells(columns: Mapping[str, Sequence[Any]], one: CategoryColumn) -> tuple[Ints, Ints]:
    """Return the documents with a category that has a feature, and its number."""
    place = {value: k for k, value in enumerate(one.values)}
    at = np.array([place.get(_text(value), -1) for value in columns[one.name]], dtype=np.int64)
    row = np.flatnonzero(at >= 0)
    return row, at[row]


def learn_beside(
    columns: Mapping[str, Sequence[Any]], numbers: Sequence[str], categories: Sequence[str]
) -> Beside:
    """Learn means, deviations and the values of categories from training documents."""
    found = []
    for name in numbers:
        values = numbers_in(columns[name], name)
        known = values[~np.isnan(values)]
        if not len(known):
            raise ValueError(f"the column {name!r} has no number in any document")
        deviation = float(known.std())
        found.append(NumberColumn(name, float(known.mean()), deviation if deviation > 0 else 1.0))
    kinds = []
    for name in categories:
        times = Counter(value for value in map(_text, columns[name]) if value)
        if not times:
            raise ValueError(f"the column {name!r} has no category in any document")
        usual = max(times, key=lambda value: (times[value], value))
        kinds.append(CategoryColumn(name, usual, tuple(sorted(times.keys() - {usual}))))
    return Beside(tuple(found), tuple(kinds))


def numbers_in(values: Sequence[Any], name: str) -> Array:
    """Return a column as numbers, NaN where one is missing."""
    numbers = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if value is None or value == "" or type(value).__name__ == "NAType":
            continue
        try:
            numbers[row] = float(value)
        except (TypeError, ValueError):
            raise ValueError(
                f"the column {name!r} holds numbers, but document {row} has {value!r:.60}"
            ) from None
        if math.isinf(numbers[row]):
            raise ValueError(f"the column {name!r} holds an infinite number in document {row}")
    return numbers


def _text(value: object) -> str:
    """Return a category as text, "" where it is missing."""
    missing = value is None or value != value or type(value).__name__ == "NAType"
    return "" if missing else str(value)


def without_cost(penalty: Penalty, free: Bools) -> Penalty:
    """Return a penalty of numbered features under which the weights of `free` ones cost nothing.

    Features in no group are free of a penalty over groups.
    """
    given = penalty.get_params(deep=False)
    if "terms" in given:
        return penalty.replace(terms=[without_cost(term, free) for term in given["terms"]])
    if "factors" in given:
        own = np.ones(len(free)) if given["factors"] is None else np.ravel(given["factors"])
        if "groups" not in given:
            return penalty.replace(factors=np.where(free, 0.0, own))
    elif "groups" not in given:
        raise ValueError(
            f"{type(penalty).__name__} cannot leave single features out: columns beside the text "
            "go with lasso, ridge, elastic and penalties over groups, or with free_columns=False"
        )
    return penalty


def pack_beside(beside: Beside, weights: Array, arrays: Arrays) -> dict[str, Any]:
    """Return the columns as JSON, and put their weights among the arrays."""
    arrays["column_weight"] = weights
    return {
        "numbers": [list(number) for number in beside.numbers],
        "categories": [[one.name, one.usual, list(one.values)] for one in beside.categories],
    }


def read_beside(meta: Mapping[str, Any]) -> Beside:
    """Return the columns of a model file, checked."""
    stored = meta.get("columns")
    if stored is None:
        return Beside()
    if not isinstance(stored, dict):
        raise InputError("expected the columns beside the text as an object")
    numbers, categories = item(stored, "numbers", list), item(stored, "categories", list)
    for one in numbers:
        fits = isinstance(one, list) and len(one) == 3 and isinstance(one[0], str)
        if not fits or not all(type(v) in (int, float) and math.isfinite(v) for v in one[1:]):
            raise InputError("expected a column of numbers as name, mean and deviation")
        if one[2] <= 0:
            raise InputError("expected a deviation above 0")
    for one in categories:
        fits = isinstance(one, list) and len(one) == 3 and isinstance(one[2], list)
        if not fits or not all(isinstance(v, str) for v in (*one[:2], *one[2])):
            raise InputError("expected a column of categories as name, usual value and values")
    return Beside(
        tuple(NumberColumn(*one) for one in numbers),
        tuple(CategoryColumn(name, usual, tuple(values)) for name, usual, values in categories),
    )
