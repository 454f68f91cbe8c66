"""Expansion of templates against plain Python.

Also run under the sanitizers: imports stay light.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import _core

BEFORE, AFTER = -(2**31), -(2**31) + 4096
Atoms = tuple[tuple[int, int], ...]  # (view, offset)


def arrays(templates: list[Atoms]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    flat = [atom for atoms in templates for atom in atoms]
    return (
        np.cumsum([0, *map(len, templates)], dtype=np.int64),
        np.array([view for view, _ in flat], dtype=np.int32),
        np.array([offset for _, offset in flat], dtype=np.int32),
    )


def expand(
    templates: list[Atoms], columns: np.ndarray, ptr: np.ndarray
) -> list[list[tuple[int, ...] | None]]:
    """The atoms' values of every template at every token, None where one is missing."""
    found: list[list[tuple[int, ...] | None]] = []
    for begin, end in zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True):
        for t in range(begin, end):
            row: list[tuple[int, ...] | None] = []
            for atoms in templates:
                values = []
                for view, offset in atoms:
                    at = t + offset
                    if at < begin:
                        values.append(BEFORE + begin - at)
                    elif at >= end:
                        values.append(AFTER + at - end + 1)
                    else:
                        values.append(int(columns[view, at]))
                row.append(None if -1 in values else tuple(values))
            found.append(row)
    return found


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[Atoms], np.ndarray, np.ndarray]:
    n_views = draw(st.integers(1, 3))
    atom = st.tuples(st.integers(0, n_views - 1), st.integers(-3, 3))
    templates = draw(st.lists(st.lists(atom, max_size=3).map(tuple), max_size=6))
    ptr = np.cumsum([0, *draw(st.lists(st.integers(0, 6), max_size=6))], dtype=np.int64)
    seed, most = draw(st.integers(0, 2**31)), draw(st.sampled_from([1, 4, 2**31 - 1]))
    columns = np.random.default_rng(seed).integers(-1, most, (n_views, ptr[-1]), dtype=np.int32)
    return templates, columns, ptr


@pytest.mark.slow
@settings(max_examples=150)
@given(batches(), st.integers(1, 4))
def test_features_are_those_of_plain_python(
    batch: tuple[list[Atoms], np.ndarray, np.ndarray], threads: int
) -> None:
    templates, columns, ptr = batch
    expander = _core.Expander(*arrays(templates))
    flat, sizes = expander.number(columns, ptr, threads)
    ids = flat.reshape(-1, len(templates)) if templates else np.empty((ptr[-1], 0), np.int32)
    assert expander.size == len(templates)
    seen = _core.Tagger(expander, np.zeros(len(templates), np.uint8), 2).number(
        columns, ptr, threads
    )
    np.testing.assert_array_equal(seen.sizes, sizes)
    assert len(seen) == len(ptr) - 1
    expected = expand(templates, columns, ptr)
    start = np.cumsum([0, *sizes])
    for m in range(len(templates)):
        values = [row[m] for row in expected]
        named = {
            number: value
            for number, value in zip(ids[:, m].tolist(), values, strict=True)
            if number >= 0
        }
        assert [number >= 0 for number in ids[:, m].tolist()] == [
            value is not None for value in values
        ]
        assert all(
            value is None or named[number] == value
            for number, value in zip(ids[:, m].tolist(), values, strict=True)
        )
        assert sorted(named) == list(range(start[m], start[m + 1])), (
            "a slice of numbers, all in use"
        )
        assert len(set(named.values())) == len(named), "a feature has one number"


def test_numbers_do_not_depend_on_threads() -> None:
    rng = np.random.default_rng(0)
    columns, ptr = (
        rng.integers(-1, 50, (2, 20_000), dtype=np.int32),
        np.arange(0, 20_001, 20, dtype=np.int64),
    )
    expander = _core.Expander(*arrays([((0, -1), (1, 0)), ((0, 2),), ((1, 0),), ()]))
    one, four = expander.number(columns, ptr, 1), expander.number(columns, ptr, 4)
    for a, b in zip(one, four, strict=True):
        np.testing.assert_array_equal(a, b)


def test_words_in_another_order_are_another_feature() -> None:
    columns, ptr = np.array([[1, 2, 0, 2, 1]], np.int32), np.array([0, 2, 3, 5])
    ids, sizes = _core.Expander(*arrays([((0, 0), (0, 1))])).number(columns, ptr)
    assert sizes.tolist() == [5] and len(set(ids.tolist())) == 5


def test_the_farthest_steps_are_told_apart() -> None:
    columns, ptr = np.array([[0, 0]], np.int32), np.array([0, 2])
    templates: list[Atoms] = [((0, -4095),), ((0, 4095),)]
    ids, sizes = _core.Expander(*arrays(templates)).number(columns, ptr)
    assert sizes.tolist() == [2, 2] and sorted(ids.tolist()) == [0, 1, 2, 3]
    tagger = _core.Tagger(_core.Expander(*arrays(templates)), np.zeros(2, np.uint8), 2)
    tagger.add_features(0, np.array([[BEFORE + 4095]], np.int32), np.array([[1, 2]], np.float32))
    tagger.add_features(1, np.array([[AFTER + 4095]], np.int32), np.array([[3, 4]], np.float32))
    assert tagger.scores(columns, ptr).tolist() == [1, 2, 3, 4]


@settings(max_examples=60)
@given(batches(), st.integers(1, 3))
def test_scores_are_sums_of_weights(
    batch: tuple[list[Atoms], np.ndarray, np.ndarray], threads: int
) -> None:
    templates, columns, ptr = batch
    rng, n_labels = np.random.default_rng(1), 3
    tagger = _core.Tagger(
        _core.Expander(*arrays(templates)), np.zeros(len(templates), np.uint8), n_labels
    )
    expected = np.zeros((int(ptr[-1]), n_labels))
    rows = expand(templates, columns, ptr)
    for m, atoms in enumerate(templates):
        known = sorted({row[m] for row in rows if row[m] is not None})[::2]
        weights = rng.normal(size=(len(known), n_labels)).astype(np.float32)
        tagger.add_features(m, np.array(known, np.int32).reshape(len(known), len(atoms)), weights)
        of = dict(zip(known, weights, strict=True))
        for t, row in enumerate(rows):
            expected[t] += of.get(row[m], 0.0)
        values, back = tagger.features(m)
        assert values.reshape(len(known), len(atoms)).tolist() == [list(value) for value in known]
        np.testing.assert_array_equal(back.reshape(len(known), n_labels), weights)
    np.testing.assert_allclose(
        tagger.scores(columns, ptr, threads).reshape(-1, n_labels), expected, atol=1e-5
    )
    labels = tagger.tag(columns, ptr, threads)
    np.testing.assert_allclose(
        expected[np.arange(len(labels)), labels], expected.max(axis=1, initial=-np.inf), atol=1e-5
    )


def test_a_feature_given_twice_is_overwritten() -> None:
    tagger = _core.Tagger(_core.Expander(*arrays([((0, 0),)])), np.zeros(1, np.uint8), 2)
    for weights in ([[1, 2]], [[0, -3]]):
        tagger.add_features(0, np.array([[7]], np.int32), np.array(weights, np.float32))
    assert tagger.sizes.tolist() == [1] and tagger.features(0)[1].tolist() == [0, -3]
    assert tagger.norms[0] == pytest.approx(3)


def test_a_feature_with_a_missing_atom_is_no_feature() -> None:
    tagger: Any = _core.Tagger(
        _core.Expander(*arrays([((0, 0), (0, 1))])), np.zeros(1, np.uint8), 2
    )
    tagger.add_features(0, np.array([[7, -1]], np.int32), np.ones((1, 2), np.float32))
    assert tagger.sizes.tolist() == [0]
