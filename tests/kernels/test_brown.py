"""Brown clustering against a clustering that computes everything afresh at every step."""

from __future__ import annotations

import math
import os
import signal
import threading
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic._core import brown_merges

SCALE = 2**24


def h(n: int) -> int:
    return round(n * math.log(n) * SCALE) if n > 1 else 0


def information(bigrams: Counter[tuple[int, int]], cluster: dict[int, int]) -> int:
    """N times the mutual information of neighbouring clusters, in the kernel's fixed point."""
    cells, left, right = Counter(), Counter(), Counter()
    for (a, b), n in bigrams.items():
        cells[cluster[a], cluster[b]] += n
        left[cluster[a]] += n
        right[cluster[b]] += n
    positive = sum(map(h, cells.values())) + h(sum(cells.values()))
    return positive - sum(map(h, left.values())) - sum(map(h, right.values()))


def brute_force(sentences: list[list[int]], n_clusters: int, min_count: int = 1):
    """The same greedy choices, every candidate clustering scored from nothing."""
    count = Counter(w for s in sentences for w in s)
    words = sorted((w for w in count if count[w] >= min_count), key=lambda w: (-count[w], w))
    rank = {w: i for i, w in enumerate(words)}
    bigrams = Counter((a, b) for s in sentences for a, b in pairwise(s) if a in rank and b in rank)
    total = sum(bigrams.values())
    cluster = {w: w for w in words}
    merges, values = [], [information(bigrams, cluster)]

    def merge(active: list[int]) -> None:
        def loss(pair: tuple[int, int]) -> tuple[int, int, int]:
            trial = {w: pair[0] if c == pair[1] else c for w, c in cluster.items()}
            return values[-1] - information(bigrams, trial), rank[pair[0]], rank[pair[1]]

        keep, gone = min(combinations(sorted(active, key=rank.__getitem__), 2), key=loss)
        cluster.update({w: keep for w, c in cluster.items() if c == gone})
        active.remove(gone)
        merges.append((keep, gone))
        values.append(information(bigrams, cluster))

    active: list[int] = []
    for w in words:
        active.append(w)
        if len(active) > n_clusters:
            merge(active)
    while len(active) > 1:
        merge(active)
    return merges, [v / SCALE / total if total else 0.0 for v in values]


def run(
    sentences: list[list[int]], n_clusters: int, min_count: int = 1, n_words: int | None = None
):
    ids = np.array([w for s in sentences for w in s], dtype=np.int32)
    ptr = np.cumsum([0] + [len(s) for s in sentences], dtype=np.int64)
    return brown_merges(ids, ptr, n_words or int(ids.max(initial=-1)) + 1, n_clusters, min_count)


@pytest.mark.slow
@settings(max_examples=150)
@given(
    sentences=st.lists(st.lists(st.integers(0, 8), max_size=12), max_size=8),
    n_clusters=st.sampled_from([1, 2, 3, 4, 5, 6, 9, 10, 2**63 - 1]),
    min_count=st.integers(1, 2),
)
def test_every_merge_and_its_information_match_brute_force(sentences, n_clusters, min_count):
    kept, gone, value = run(sentences, n_clusters, min_count, n_words=9)
    merges, values = brute_force(sentences, n_clusters, min_count)
    assert list(zip(kept.tolist(), gone.tolist(), strict=True)) == merges
    np.testing.assert_allclose(value, values, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_clusters", [2, 7, 15])
def test_a_longer_skewed_text_matches_brute_force(n_clusters):
    rng = np.random.default_rng(n_clusters)
    sentences = [np.minimum(rng.zipf(1.4, 15) - 1, 27).tolist() for _ in range(30)]
    kept, gone, value = run(sentences, n_clusters)
    merges, values = brute_force(sentences, n_clusters)
    assert list(zip(kept.tolist(), gone.tolist(), strict=True)) == merges
    np.testing.assert_allclose(value, values, rtol=0, atol=1e-12)


def test_words_of_one_hidden_class_come_together():
    """A text whose classes follow each other in a ring: three clusters recover them."""
    rng = np.random.default_rng(0)
    sentences = [
        [int(3 * rng.integers(10) + (start + i) % 3) for i in range(20)] for start in range(200)
    ]
    kept, gone, value = run(sentences, 3)
    assert all(a % 3 == b % 3 for a, b in zip(kept[:-2], gone[:-2], strict=True))
    assert value[-3] == pytest.approx(math.log(3), rel=0.01)
    assert value[-1] == 0


def test_information_never_rises():
    rng = np.random.default_rng(1)
    sentences = [np.minimum(rng.zipf(1.3, 40) - 1, 499).tolist() for _ in range(200)]
    _, _, value = run(sentences, 40)
    assert np.diff(value).max() < 1e-9


def test_text_without_words_or_with_one_word_has_no_merges():
    for sentences in ([], [[]], [[0]], [[0, 0, 0]]):
        kept, gone, value = run(sentences, 4)
        assert len(kept) == len(gone) == 0
        assert value.tolist() == [0.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ids": [0, 5]}, "ids holds 5"),
        ({"ids": [-1, 0]}, "ids holds -1"),
        ({"ptr": [0, 1]}, "ptr must end at 2"),
        ({"ptr": [0, 2, 1, 2]}, "ptr must not decrease"),
        ({"ptr": []}, "ptr must have"),
        ({"n_words": -1}, "n_words"),
        ({"n_clusters": 0}, "n_clusters must be at least 1"),
        ({"min_count": 0}, "min_count must be at least 1"),
    ],
)
def test_bad_arrays_are_refused(change, message):
    given = {"ids": [0, 1], "ptr": [0, 2], "n_words": 2, "n_clusters": 2, "min_count": 1} | change
    given["ids"] = np.array(given["ids"], dtype=np.int32)
    given["ptr"] = np.array(given["ptr"], dtype=np.int64)
    with pytest.raises(ValueError, match=message):
        brown_merges(**given)


def test_ctrl_c_stops_the_work():
    rng = np.random.default_rng(2)
    ids = rng.integers(0, 20_000, 1_000_000).astype(np.int32)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        brown_merges(ids, np.array([0, len(ids)]), 20_000, 4_000, 1)
    timer.join()
