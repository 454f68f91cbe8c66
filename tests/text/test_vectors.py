"""Files of word vectors, and their clusters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from laconic.errors import InputError
from laconic.text import vectors as module
from laconic.text.clusters import read_paths, write_paths
from laconic.text.vectors import cluster_vectors, read_vectors, write_vectors
from laconic.text.views import WordClusters


def directions(seed: int = 0) -> np.ndarray:
    """Four directions, two pairs of near ones, of 25 noisy vectors of any length each."""
    rng = np.random.default_rng(seed)
    centres = np.array([[10, 1, 0], [10, -1, 0], [-10, 0, 1], [-10, 0, -1]], dtype=float)
    noisy = np.repeat(centres, 25, axis=0) + rng.normal(scale=0.05, size=(100, 3))
    return noisy * rng.uniform(0.1, 5, size=(100, 1))


def test_clusters_are_directions_and_near_ones_share_bits() -> None:
    paths = cluster_vectors(directions(), 4, random_state=1).paths()
    of_direction = [set(paths[25 * k : 25 * k + 25]) for k in range(4)]
    assert all(len(found) == 1 for found in of_direction)
    bits = [found.pop() for found in of_direction]
    assert len(set(bits)) == 4
    assert bits[0][0] == bits[1][0] != bits[2][0] == bits[3][0]


def test_words_beyond_those_learned_from_go_to_the_nearest() -> None:
    given = directions()
    shuffled = np.random.default_rng(1).permutation(100)
    paths = cluster_vectors(given[shuffled], 2, n_learn=40).paths()
    sides = {
        (path, bool(given[k, 0] > 0)) for path, k in zip(paths, shuffled.tolist(), strict=True)
    }
    assert len(sides) == 2


def test_clusters_make_a_paths_file(tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("4 2\na 1 0\nb 2 0.1\nc -1 0\na 9 9\n")
    vocab, found = read_vectors(vectors)
    assert list(vocab.words) == ["a", "b", "c"]
    assert found.tolist() == np.array([[1, 0], [2, 0.1], [-1, 0]], dtype=np.float32).tolist()
    write_paths(tmp_path / "paths", vocab, cluster_vectors(found, 2))
    clusters = WordClusters.read(tmp_path / "paths")
    assert clusters.bits("a") == clusters.bits("b") != clusters.bits("c")
    assert len(read_paths(tmp_path / "paths")[0]) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1 x\n", r"vectors\.txt:1: expected a word and numbers, found 'a 1 x"),
        ("a 1 2\nb 1\n", r"vectors\.txt:2: expected 2 numbers as before, found 1"),
        ("\n", "expected a word and numbers per line, found none"),
    ],
)
def test_bad_files_of_vectors_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_vectors(path)


def test_parameters_that_make_no_sense_raise() -> None:
    with pytest.raises(ValueError, match=r"n_clusters must lie in 2\.\.100"):
        cluster_vectors(directions(), 101)
    with pytest.raises(ValueError, match="a matrix of finite numbers"):
        cluster_vectors([[1.0, np.nan]], 2)


WORDS = ["the", "naïve", "of", "#number#"]


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("name", ["vectors", "vectors.gz"])
def test_what_is_written_is_read(
    tmp_path: Path, binary: bool, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(4, 5)).astype(np.float32) * 10.0 ** rng.integers(-9, 9, (4, 5))
    vectors[1] = np.frombuffer(b" \n \n" * 5, np.float32)  # bytes that look like marks
    for batch, chunk in ((10_000, 2**24), (1, 1)):
        monkeypatch.setattr(module, "BATCH", batch)
        monkeypatch.setattr(module, "CHUNK", chunk)
        monkeypatch.setattr(module, "HEAD", 2**20 if batch > 1 else 12)
        write_vectors(tmp_path / name, WORDS, vectors, binary)
        for given in (None, binary) if batch > 1 else (binary,):
            vocab, found = read_vectors(tmp_path / name, given)
            assert vocab.words == WORDS and found.tolist() == vectors.astype(np.float32).tolist()


def test_gensim_reads_and_writes_the_same(tmp_path: Path) -> None:
    keyed = pytest.importorskip("gensim.models").KeyedVectors
    vectors = np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32)
    for binary in (False, True):
        write_vectors(tmp_path / "ours", WORDS, vectors, binary)
        theirs = keyed.load_word2vec_format(tmp_path / "ours", binary=binary)
        assert theirs.index_to_key == WORDS and theirs.vectors.tolist() == vectors.tolist()
        theirs.save_word2vec_format(tmp_path / "theirs", binary=binary)
        vocab, found = read_vectors(tmp_path / "theirs")
        assert vocab.words == WORDS
        np.testing.assert_allclose(found, vectors, rtol=1e-6)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"2 2\na \0\0\0\0", "cut off: of 2 words 0 are there"),
        (b"1 1\n\xff\xff \0\0\0\0", "a word is no UTF-8 text"),
        (b"1 1\na \0\0\xc0\x7f", "expected words and vectors of 1 finite numbers"),
        (b"99999999999 99999999999\na b", "cut off"),
        (b"hello\n", "1: expected the number of words and of dimensions"),
        (b"3 0\n", "1: expected the number of words"),
        (b"", "1: expected the number of words"),
    ],
)
def test_bad_binary_files(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "vectors.bin").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_vectors(tmp_path / "vectors.bin", binary=True)


def test_words_that_a_file_cannot_hold(tmp_path: Path) -> None:
    for word in ("", "New York", "a\n", "\0"):
        with pytest.raises(ValueError, match="cannot hold the word"):
            write_vectors(tmp_path / "vectors", ["a", word], np.ones((2, 2)))
    with pytest.raises(ValueError, match="one vector for each of 1 words"):
        write_vectors(tmp_path / "vectors", ["a"], np.ones((2, 2)))
    assert not list(tmp_path.iterdir())


def test_numbers_as_people_write_them(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_text("a 1 2e3\nb .5 -1_0\n")
    assert read_vectors(tmp_path / "vectors")[1].tolist() == [[1, 2000], [0.5, -10]]
    (tmp_path / "vectors").write_text("a 1 nan\n")
    with pytest.raises(InputError, match="expected a word and numbers"):
        read_vectors(tmp_path / "vectors")
