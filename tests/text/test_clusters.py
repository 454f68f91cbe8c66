"""Brown clusters as a tree over words, and the files that hold them."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import InputError
from laconic.text.clusters import Clusters, brown_clusters, learn_clusters, read_paths, write_paths
from laconic.text.vocab import Vocab

BITS = st.none() | st.text("01", max_size=12)


def assert_tree(clusters: Clusters) -> None:
    """Parents first, at most one child a side, every leaf a node."""
    nodes = np.arange(len(clusters.parent))
    assert clusters.parent[0] == -1
    assert ((clusters.parent[1:] >= 0) & (clusters.parent[1:] < nodes[1:])).all()
    sides = list(zip(clusters.parent[1:].tolist(), clusters.bit[1:].tolist(), strict=True))
    assert len(set(sides)) == len(sides)
    assert ((clusters.leaf >= -1) & (clusters.leaf < len(nodes))).all()


@given(st.lists(BITS, max_size=20))
def test_the_tree_gives_back_the_paths_it_was_made_of(paths):
    clusters = Clusters.from_paths(paths)
    assert_tree(clusters)
    assert clusters.paths() == paths
    of_node = clusters.node_paths()
    assert of_node == sorted({p[:i] for p in paths if p for i in range(len(p) + 1)} | {""})
    assert clusters.depth().tolist() == [len(p) for p in of_node]


@given(st.lists(BITS, max_size=20), st.integers(0, 13))
def test_cutting_the_tree_is_cutting_the_bit_strings(paths, n_bits):
    clusters = Clusters.from_paths(paths)
    of_node = clusters.node_paths()
    cut = [None if node < 0 else of_node[node] for node in clusters.cut(n_bits).tolist()]
    assert cut == [None if p is None else p[:n_bits] for p in paths]


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.integers(0, 11), max_size=15), max_size=10),
    st.integers(1, 14),
    st.integers(1, 3),
)
def test_learned_clusters_are_a_full_binary_tree_with_the_asked_number_of_leaves(
    sentences, n_clusters, min_count
):
    ids = [w for s in sentences for w in s]
    clusters = brown_clusters(
        ids, np.cumsum([0] + [len(s) for s in sentences]), 12, n_clusters, min_count
    )
    assert_tree(clusters)
    assert clusters.count.tolist() == [ids.count(w) for w in range(12)]
    assert ((clusters.leaf >= 0) == (clusters.count >= min_count)).all()
    used = set(clusters.leaf.tolist()) - {-1}
    assert len(used) == min(n_clusters, int((clusters.count >= min_count).sum()))
    inner, children = np.unique(clusters.parent[1:], return_counts=True)
    assert (children == 2).all()
    assert used.isdisjoint(inner.tolist())


def test_words_used_alike_share_a_path():
    documents = [
        [["the", animal, sound, "a", animal, sound, "the"]]
        for animal in ("dog", "cat", "cow")
        for sound in ("barks", "mews", "moos")
        for _ in range(4)
    ]
    vocab, clusters = learn_clusters(documents, n_clusters=3)
    path = dict(zip(vocab.words, clusters.paths(), strict=True))
    assert path["dog"] == path["cat"] == path["cow"]
    assert path["barks"] == path["mews"] == path["moos"]
    assert path["the"] == path["a"]
    assert len({path["dog"], path["barks"], path["the"]}) == 3


def test_the_first_bits_part_the_last_merge():
    """Two clusters: paths are 0 (with the most frequent word) and 1."""
    vocab, clusters = learn_clusters([[["x", "y", "x", "y", "x"]]], n_clusters=2)
    assert dict(zip(vocab.words, clusters.paths(), strict=True)) == {"x": "0", "y": "1"}


def test_bad_ids_are_refused():
    with pytest.raises(ValueError, match=r"ids must lie in 0\.\.1, not 0\.\.4294967296"):
        brown_clusters(np.array([0, 2**32]), [0, 2], 2)
    with pytest.raises(ValueError, match="ids must be integers"):
        brown_clusters([0.5, 1.0], [0, 2], 2)
    with pytest.raises(ValueError, match="n_clusters must be at least 1"):
        learn_clusters([[["a", "b"]]], n_clusters=0)
    with pytest.raises(ValueError, match="n_bits"):
        Clusters.from_paths(["0"]).cut(-1)


WORDS = st.text(
    st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1, max_size=8
)


@settings(max_examples=60)
@given(
    st.dictionaries(
        WORDS, st.tuples(st.text("01", max_size=8), st.integers(0, 10**18 - 1)), min_size=1
    )
)
def test_a_written_file_reads_back(tmp_path_factory, entries):
    file = tmp_path_factory.mktemp("paths") / "paths"
    clusters = Clusters.from_paths(
        [bits for bits, _ in entries.values()], [n for _, n in entries.values()]
    )
    write_paths(file, Vocab(entries), clusters)
    vocab, again = read_paths(file)
    assert vocab.words == list(entries)
    for name in ("parent", "bit", "leaf", "count"):
        np.testing.assert_array_equal(getattr(again, name), getattr(clusters, name))


def test_words_in_no_cluster_are_not_written(tmp_path):
    write_paths(tmp_path / "paths", Vocab(["a", "b", "c"]), Clusters.from_paths(["01", None, "1"]))
    assert (tmp_path / "paths").read_text() == "01\ta\n1\tc\n"


@pytest.mark.parametrize("word", ["", "a\tb", "a\nb", "a\rb"])
def test_a_word_that_the_format_cannot_hold_is_refused(tmp_path, word):
    with pytest.raises(ValueError, match="cannot hold the word"):
        write_paths(tmp_path / "paths", Vocab([word]), Clusters.from_paths(["0"]))
    assert not (tmp_path / "paths").exists()


def test_vocabulary_and_clusters_of_different_size_are_refused(tmp_path):
    with pytest.raises(ValueError, match="2 words, but the clusters 1"):
        write_paths(tmp_path / "paths", Vocab(["a", "b"]), Clusters.from_paths(["0"]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"paths: holds no words\.$"),
        (b"0\ta\t1\n01 b 2\n", r"paths:2: expected bit string TAB word TAB count, found 0 tabs\.$"),
        (b"0\ta\t1\tx\n", "paths:1: expected bit string TAB word TAB count, found 3 tabs"),
        (b"0\ta\n\n02\tb\n", "paths:3: expected a string of bits 0 and 1, found '02'"),
        (b"0\ta\t-1\n", "paths:1: expected a count after the word, found '-1'"),
        (b"0\ta\t\xc2\xb2\n", "paths:1: expected a count after the word"),
        (b"0\ta\t" + b"9" * 30 + b"\n", "paths:1: expected a count after the word"),
        (b"0\t\t1\n", "paths:1: the word is empty"),
        (b"0\ta\t1\n1\ta\t1\n", "paths:2: the word 'a' stands in line 1 already"),
        (b"0\ta\n1\t\xff\n", "paths:2: expected UTF-8"),
        (gzip.compress(b"0\ta\n", mtime=0)[:-4], "damaged or cut off"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(tmp_path, content, message):
    file = tmp_path / "paths"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_paths(file)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n_words", "n_leaves", "n_nodes", "counted"),
    [
        ("bllip-clusters.txt.gz", 316_710, 1_000, 1_999, True),
        ("ark-6mpaths.txt.gz", 111_844, 800, 1_599, True),
        ("ritter-60k.txt.gz", 60_000, 39_034, 155_667, False),
    ],
)
def test_published_clusters_are_read(data, name, n_words, n_leaves, n_nodes, counted):
    vocab, clusters = read_paths(data / "brown_clusters" / name)
    assert len(vocab) == len(clusters.leaf) == n_words
    assert len(np.unique(clusters.leaf)) == n_leaves
    assert len(clusters.parent) == n_nodes
    assert bool(clusters.count.any()) == counted
    with gzip.open(data / "brown_clusters" / name, "rb") as stream:
        first = stream.readline().decode().rstrip("\n").split("\t")
    assert [clusters.paths()[0], vocab.words[0]] == first[:2]
