"""Static maps: every key is found, others are not, impossible arrays are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import _core
from laconic.models.compact.rows import Cells, Codebook, equal_rows, pack_bits, row_tables
from laconic.models.compact.strings import code_widths, join_maps, pack_strings

NO_CODES = np.zeros(0, np.uint32)


def strings_of(
    words: Sequence[str], codes: Any = None, widths: tuple[int, int] = (0, 0)
) -> tuple[Any, np.ndarray]:
    packed, number = pack_strings(words, codes, widths)
    return _core.CompactStrings(*join_maps([packed])), number


@given(
    st.lists(st.text(max_size=12), unique=True, max_size=80),
    st.lists(st.text(max_size=12), max_size=40),
)
def test_strings_are_numbered_and_others_unknown(words: list[str], others: list[str]) -> None:
    index, number = strings_of(words)
    assert sorted(number.tolist()) == list(range(len(words)))
    assert index.numbers(0, words).tolist() == number.tolist()
    unknown = [word for word in others if word not in words]
    assert (
        sum(n >= 0 for n in index.numbers(0, unknown).tolist()) <= 1
    )  # at most one in 262,144 is mistaken
    assert index.numbers(0, [None, "\ud800"]).tolist() == [-1, -1]


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=300))
def test_codes_short_and_long_come_back(codes: list[int]) -> None:
    words = [f"w{i}" for i in range(len(codes))]
    uses = np.bincount(codes)
    order = np.argsort(-uses, kind="stable")
    rank = np.argsort(order)[codes].astype(np.uint32)
    index, number = strings_of(words, rank, code_widths(uses[order]))
    assert index.codes(0, words).tolist() == rank.tolist()
    assert index.codes_of(0, number.astype(np.int32)).tolist() == rank.tolist()
    index.check_codes(0, int(rank.max()) + 1)
    with pytest.raises(ValueError, match="code"):
        index.check_codes(0, int(rank.max()))


def test_many_strings_and_their_mistakes() -> None:
    rng = np.random.default_rng(0)
    words = [f"{n:x}" for n in rng.choice(10**9, 70_000, replace=False).tolist()]
    index, number = strings_of(words)
    assert np.array_equal(np.sort(number), np.arange(len(words)))
    mistaken = int((index.numbers(0, [f"other {i}" for i in range(200_000)]) >= 0).sum())
    assert mistaken <= 8  # less than one is expected


def test_keys_that_a_map_cannot_tell_apart_spill() -> None:
    words = [f"w{i}" for i in range(30_000)]
    *packed, number = _core.pack_strings(words, NO_CODES, 0, 0, 8, True)
    left = int((number < 0).sum())
    assert 10 < left < 500
    index = _core.CompactStrings(*join_maps([tuple(packed)]))
    assert index.size(0) == len(words) - left
    with pytest.raises(ValueError, match="distinguish"):
        _core.pack_strings(words, NO_CODES, 0, 0, 8, False)


@settings(max_examples=60)
@given(
    st.lists(st.integers(1, 60), min_size=0, max_size=4),
    st.integers(0, 2**32 - 1),
    st.integers(20, 64),
)
def test_exact_maps_of_features_list_what_was_packed(
    radix: list[int], seed: int, error_bits: int
) -> None:
    rng = np.random.default_rng(seed)
    values = np.unique(
        np.stack([rng.integers(r, size=200) for r in radix], axis=1)
        if radix
        else np.zeros((1, 0), np.int64),
        axis=0,
    )
    rows = np.arange(len(values), dtype=np.uint32)
    packed = _core.pack_features(values, np.array(radix, np.int64), rows, 0, 0, 64)
    *maps, number = packed
    kernel = tagger_of(radix, tuple(maps), len(values))
    found = kernel.feature_values(0).reshape(len(values), len(radix))
    assert np.array_equal(found[number], values)
    assert kernel.exact(0)
    *maps, _ = _core.pack_features(values, np.array(radix, np.int64), rows, 0, 0, error_bits)
    assert len(maps[0]) <= len(packed[0])  # never more bits for more mistakes


def tagger_of(radix: list[int], maps: Any, n: int, words: Any = None) -> Any:
    """A tagger of one template whose feature k has the weight k + 1 for label k % 2.

    It has no shared rows but row 0.
    """
    cells = Cells(np.arange(n + 1), np.arange(n) % 2, np.arange(1, n + 1, dtype=np.float32))
    packed, values = Codebook.of(cells.value).pack(cells, 2)
    rows = _core.FloatRows(packed, n, values, 2, False)
    k = len(radix)
    templates = (
        np.array([0, k]),
        np.arange(k, dtype=np.int32),
        np.zeros(k, np.int32),
        np.zeros(1, np.uint8),
    )
    joined = join_maps([maps])
    given = (joined[0] if words is None else words, *joined[1:])
    return _core.CompactTagger(
        templates,
        np.array(radix, np.int64),
        given,
        rows,
        1,
        np.zeros(4, np.float32),
        np.zeros(2, np.float32),
    )


@pytest.mark.slow
def test_forged_words_are_refused_or_stay_inside() -> None:
    values = np.arange(300, dtype=np.int64)[:, None] * 7
    *maps, _ = _core.pack_features(
        values, np.array([5000]), np.arange(300, dtype=np.uint32), 0, 0, 64
    )
    words = join_maps([tuple(maps)])[0]
    columns, ptr = np.arange(-1, 4999, dtype=np.int32)[None], np.array([0, 5000])
    tagger_of([5000], tuple(maps), 300).scores(columns, ptr)
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(2000):
        forged = words.copy()
        forged[rng.integers(len(forged))] ^= np.uint64(1) << np.uint64(rng.integers(64))
        try:
            kernel = tagger_of([5000], tuple(maps), 300, forged)
        except ValueError:
            refused += 1
            continue
        kernel.scores(columns, ptr)
    assert 0 < refused < 2000


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ((1, 0, 0), -1),
        ((1, 0, 0), 2**31 - 1),
        ((1, 0, 1), 301),
        ((2, 0, 0), 31),
        ((2, 0, 1), 63),
        ((2, 0, 2), 32),
        ((2, 0, 3), 255),
    ],
)
def test_impossible_shapes_are_refused(place: tuple[int, int, int], value: int) -> None:
    packed, _ = pack_strings([f"w{i}" for i in range(300)])
    maps = [array.copy() for array in join_maps([packed])]
    maps[place[0]][place[1:]] = value
    with pytest.raises(ValueError, match="map"):
        _core.CompactStrings(*maps)


def test_columns_with_values_that_no_view_has_are_refused() -> None:
    *maps, _ = _core.pack_features(np.array([[1]]), np.array([5]), np.zeros(1, np.uint32), 0, 0, 64)
    kernel = tagger_of([5], tuple(maps), 1)
    for columns, message in (
        (np.array([[5]], np.int32), "value"),
        (np.zeros((2, 1), np.int32), "view"),
    ):
        with pytest.raises(ValueError, match=message):
            kernel.tag(columns, np.array([0, 1]))


@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_rows_come_back(n_labels: int, seed: int, n_values: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.choice(rng.normal(size=n_values), (30, n_labels)) * (
        rng.random((30, n_labels)) < 0.5
    )
    table[np.arange(30), rng.integers(n_labels, size=30)] = 1.0  # no row without a weight
    cells = Cells.of_tables([table])
    kinds = equal_rows(cells)
    assert len(kinds.first) == len(np.unique(table, axis=0))
    assert np.array_equal(table[kinds.first[kinds.kind]], table)
    assert np.all(np.diff(kinds.uses) <= 0)
    for own in (False, True):
        book = Codebook(cells.value[:0], True) if own else Codebook.of(cells.value)
        packed, values = book.pack(cells, n_labels)
        rows = _core.DoubleRows(packed, len(cells.label), values, n_labels, own)
        assert np.array_equal(row_tables(rows, np.arange(30), n_labels, np.float64), table)


def test_linear_scores_of_rows() -> None:
    table = np.array([[0.5, 0.0, -1.0], [0.0, 2.0, 0.0]])
    cells = Cells.of_tables([table])
    packed, values = Codebook.of(cells.value).pack(cells, 3)
    rows = _core.DoubleRows(packed, 3, values, 3, False)
    found = rows.score(
        np.array([0, 2, 2, 3]), np.array([0, 1, -1], np.int32), np.array([2.0, 3.0, 9.0]), 3
    ).reshape(3, 3)
    assert np.array_equal(found, [[1.0, 6.0, -2.0], [0, 0, 0], [0, 0, 0]])
    for row, message in ((2, "row"), (-2, "row")):
        with pytest.raises(ValueError, match=message):
            rows.score(np.array([0, 1]), np.array([row], np.int32), np.ones(1), 3)


@pytest.mark.parametrize(
    ("cells", "n_cells", "values", "message"),
    [
        (pack_bits(np.array([1], np.uint64), 2), 1, [np.inf], "finite"),
        (pack_bits(np.array([0], np.uint64), 2), 1, [1.0], "no end"),
        (pack_bits(np.array([1], np.uint64), 2), 2, [1.0], "no end"),
        (pack_bits(np.array([1], np.uint64), 2), 100, [1.0], "length"),
        (pack_bits(np.array([1], np.uint64), 2), -1, [1.0], "number"),
        (pack_bits(np.array([1 | 3 << 2], np.uint64), 4), 1, [1.0, 2.0, 3.0], "value"),
    ],
)
def test_impossible_rows_are_refused(
    cells: np.ndarray, n_cells: int, values: list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        _core.DoubleRows(cells, n_cells, np.array(values), 2, False)
