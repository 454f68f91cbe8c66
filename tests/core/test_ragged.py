"""Flat lists of lists: bounds from lengths, parts and positions from bounds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from laconic.core.ragged import cut, pointers, ranges, spans


def test_pointers() -> None:
    for lengths in (np.array([2, 0, 3]), [2, 0, 3], iter([2, 0, 3])):
        assert pointers(lengths).tolist() == [0, 2, 2, 5] and pointers([]).tolist() == [0]


@given(st.lists(st.lists(st.integers())))
def test_parts_of_what_was_joined_are_the_parts(parts: list[list[int]]) -> None:
    flat = [item for part in parts for item in part]
    ptr = pointers(map(len, parts))
    assert ptr.dtype == np.int64 and list(cut(flat, ptr)) == parts
    assert [part.tolist() for part in cut(np.array(flat, dtype=object), ptr)] == parts


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5))))
def test_ranges(spans: list[tuple[int, int]]) -> None:
    begins, lengths = np.array(spans, np.int64).reshape(-1, 2).T
    assert ranges(begins, begins + lengths).tolist() == [
        k for begin, n in spans for k in range(begin, begin + n)
    ]


@given(st.lists(st.integers(0, 9)), st.integers(0, 20))
def test_spans_cover_all_parts_and_are_as_long_as_they_may(lengths: list[int], size: int) -> None:
    found = list(spans(pointers(lengths), size))
    assert [part for first, last in found for part in range(first, last)] == list(
        range(len(lengths))
    )
    for first, last in found:
        assert sum(lengths[first:last]) <= size or last == first + 1
        assert last == len(lengths) or sum(lengths[first : last + 1]) > size
