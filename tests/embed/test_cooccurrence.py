"""How often words occur near each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.embed import cooccurrence
from laconic.embed.cooccurrence import Cooccurrences
from laconic.embed.word_counts import END, EncodedText, read_text

SENTENCES = st.lists(
    st.lists(st.sampled_from("abcdefgh"), max_size=20), min_size=1, max_size=20
).filter(any)


def brute_force(text: EncodedText, how: Cooccurrences) -> np.ndarray:
    ids = np.concatenate(list(text.ids(10**6))).tolist()
    counts = np.zeros((len(text), len(text)))
    for i, word in enumerate(ids):
        for step in (-1, 1):
            for d in range(1, how.window + 1):
                j = i + d * step
                if not 0 <= j < len(ids) or ids[j] == END or word < 0:
                    break
                if ids[j] >= 0:
                    counts[word, ids[j]] += (how.window - d + 1) / how.window if how.dynamic else 1
    return counts[:, : how.n_contexts]


@settings(max_examples=60)
@given(
    SENTENCES,
    st.builds(
        Cooccurrences,
        st.integers(1, 7),
        st.booleans(),
        st.sampled_from([None, 1, 3]),
        st.none(),
        st.none(),
    ),
    st.sampled_from(["gap", "drop", "mark"]),
    st.integers(1, 3),
)
def test_counts_are_those_of_a_loop(
    sentences: list[list[str]], how: Cooccurrences, rare: str, n_jobs: int
) -> None:
    with read_text(sentences, 1, 5, rare) as text:
        counts = how.count(text, n_jobs=n_jobs)
        assert counts.dtype == np.float32 and counts.has_canonical_format
        counts.check_format()
        np.testing.assert_allclose(counts.toarray(), brute_force(text, how), rtol=1e-6)
        assert np.all(counts.data > 0)


@settings(max_examples=60)
@given(
    SENTENCES,
    st.builds(Cooccurrences, st.integers(1, 7), st.booleans(), *[st.none()] * 3),
    st.sampled_from(["gap", "drop"]),
    st.integers(1, 30),
)
def test_memory_does_not_matter(
    sentences: list[list[str]], how: Cooccurrences, rare: str, size: int
) -> None:
    with read_text(sentences, 1, 5, rare) as text, pytest.MonkeyPatch.context() as patch:
        whole = how.count(text)
        patch.setattr(cooccurrence, "FEWEST", size)
        cut = how.count(text, memory=0)
        for name in ("data", "indices", "indptr"):
            assert getattr(whole, name).tolist() == getattr(cut, name).tolist()


def test_a_text_of_many_blocks_is_spilled(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    words = [f"w{i}" for i in range(50)]
    sentences = [[words[i] for i in random.integers(0, 50, 500)] for _ in range(100)]
    with read_text(sentences, 1, memory=2**12) as text:
        spilled = Cooccurrences(3, True).count(text, 2**12, n_jobs=2)
        monkeypatch.setattr(
            cooccurrence, "TemporaryFile", None
        )  # a text that fits into memory needs none
        whole = Cooccurrences(3, True).count(text, 2**30, n_jobs=2)
        with pytest.raises(TypeError):
            Cooccurrences(3, True).count(text, 2**12)
    assert (spilled != whole).nnz == 0 and spilled.sum() == pytest.approx(
        100 * (2 * (500 + 499 * 2 / 3 + 498 / 3) - 2), rel=1e-2
    )


def test_a_window_longer_than_any_line() -> None:
    with read_text([["a", "b"], ["a"]], 1) as text:
        assert Cooccurrences(100).count(text).toarray().tolist() == [[0, 1], [1, 0]]


def test_subsampling_in_expectation_is_the_mean_of_draws() -> None:
    random = np.random.default_rng(1)
    sentences = [
        [("a", "b", "c")[min(i, 2)] for i in random.geometric(0.7, 1000) - 1] for _ in range(20)
    ]
    with read_text(sentences, 1) as text:
        expected = Cooccurrences(2, subsample=0.05).count(text).toarray()
        drawn = np.mean(
            [Cooccurrences(2, subsample=0.05, seed=s).count(text).toarray() for s in range(30)],
            axis=0,
        )
        assert expected.sum() < Cooccurrences(2).count(text).sum() / 2
        np.testing.assert_allclose(drawn, expected, rtol=0.1)
        again = [
            Cooccurrences(2, subsample=0.05, seed=3).count(text, memory=memory)
            for memory in (0, 2**30)
        ]
        assert (again[0] != again[1]).nnz == 0


def test_bad_parameters() -> None:
    with read_text([["a", "b"]], 1) as text:
        for how in (
            Cooccurrences(0),
            Cooccurrences(1.5),  # type: ignore[arg-type]
            Cooccurrences(1001),
            Cooccurrences(n_contexts=0),
            Cooccurrences(subsample=0),
        ):
            with pytest.raises(ValueError, match="must be"):
                how.count(text)
