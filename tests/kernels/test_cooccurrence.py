"""Kernels of words and their neighbours: what they count, and that they refuse bad arrays."""

from __future__ import annotations

import numpy as np
import pytest

from laconic import _core


def test_words_are_counted_as_they_come() -> None:
    counter = _core.WordCounter()
    first = counter.add(np.frombuffer("b a\xa0b\n\n \u2003\na".encode(), np.uint8), ord("\n"), None)
    second = counter.add(np.frombuffer(b" c\n", np.uint8), ord("\n"), None)
    assert (
        first.tolist() == [0, 1, 0, -1, 1]
        and second.tolist() == [2, -1]
        and counter.counts().tolist() == [2, 2, 1]
    )
    text, ptr = counter.spelled(np.array([2, 0], np.int64))
    assert text.tobytes() == b"cb" and ptr.tolist() == [0, 1, 2]
    listed = counter.add(np.frombuffer(b"a b,,c;", np.uint8), ord(";"), ord(","))
    assert listed.tolist() == [3, 2, -1]


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_of_counts_and_their_sums(threads: int) -> None:
    rng = np.random.default_rng(0)
    tokens = rng.integers(-2, 200, 3000).astype(np.int32)
    weights = np.array([3, 2, 1], np.uint32)
    expected = np.zeros((200, 200))
    for i, word in enumerate(tokens.tolist()):
        for j in range(i + 1, min(i + 4, len(tokens))):
            if tokens[j] == -1 or word == -1:
                break
            if word >= 0 and tokens[j] >= 0:
                expected[word, tokens[j]] += 4 - (j - i)
                expected[tokens[j], word] += 4 - (j - i)
    places = [
        _core.PlacesOfWords(tokens, 0, 1000, 200),
        _core.PlacesOfWords(tokens, 1000, 3000, 200),
    ]
    parts = [place.sums(0, 200, weights, 150, threads) for place in places]
    bounds = [np.concatenate([[0], np.cumsum(lengths)]) for lengths, _, _ in parts]
    lengths, contexts, values = _core.added_rows(
        np.concatenate([bounds[0], bounds[1] + bounds[0][-1]]),
        200,
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
        150,
        2.0,
        threads,
    )
    found = np.zeros((200, 150))
    found[np.repeat(np.arange(200), lengths), contexts] = values
    assert np.array_equal(found, expected[:, :150] / 2)


def test_kernels_refuse_bad_arrays() -> None:
    tokens = np.array([0, 1, -1, 1], np.int32)
    places = _core.PlacesOfWords(tokens, 0, 4, 2)
    weights = np.ones(2, np.uint32)
    assert places.counts().tolist() == [1, 2]
    for wrong in [
        (tokens, -1, 4, 2),
        (tokens, 3, 2, 2),
        (tokens, 0, 5, 2),
        (tokens, 0, 4, 1),
        (tokens, 0, 4, -1),
    ]:
        with pytest.raises(ValueError, match=r"must|holds"):
            _core.PlacesOfWords(*wrong)
    good = (0, 2, weights, 2, 1.0, 1)
    places.rows(*good)
    for at, value in [
        (0, -1),
        (1, 3),
        (2, np.zeros(1, np.uint32)),
        (3, -1),
        (4, -1.0),
        (4, 0.0),
        (4, np.nan),
        (5, 0),
    ]:
        with pytest.raises(ValueError, match="must"):
            places.rows(*(value if i == at else argument for i, argument in enumerate(good)))
    row = (np.array([0, 1], np.int64), 1, np.zeros(1, np.int32), np.ones(1, np.uint64), 1, 1.0, 1)
    _core.added_rows(*row)
    for at, array in [
        (0, np.array([0, 2], np.int64)),
        (0, np.array([1, 0], np.int64)),
        (0, np.array([0], np.int64)),
        (2, np.ones(1, np.int32)),
        (3, np.ones(2, np.uint64)),
        (1, -1),
    ]:
        with pytest.raises(ValueError, match=r"must|outside"):
            _core.added_rows(*(array if i == at else argument for i, argument in enumerate(row)))
    counter = _core.WordCounter()
    counter.add(np.frombuffer(b"a b\n", np.uint8), 10, None)
    with pytest.raises(ValueError, match="numbers"):
        counter.spelled(np.array([2], np.int64))
