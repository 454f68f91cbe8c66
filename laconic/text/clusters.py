"""Brown clusters: a binary hierarchy over words, learned from text or read from a `paths` file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from laconic._core import brown_merges
from laconic.core.arrays import Ints, Ints32
from laconic.errors import InputError
from laconic.text.io import PathLike, atomic_writer, name_of, open_text
from laconic.text.vocab import Vocab

NONE = -1
MOST_DIGITS = 18  # of a count: what 64 bits hold


def _shared_length(a: str, b: str) -> int:
    """Return the length of the longest common prefix."""
    shorter = min(len(a), len(b))
    return next((i for i in range(shorter) if a[i] != b[i]), shorter)


@dataclass(frozen=True, eq=False)
class Clusters:
    """A binary tree over words; nodes are in the order of their bit strings.

    Node 0 is the root, and what lies below a node is a slice of nodes.

    parent  (n_nodes)  node above each node, -1 at the root; parent[v] < v
    bit     (n_nodes)  which child of its parent each node is
    leaf    (n_words)  node of each word, -1 for a word in no cluster
    count   (n_words)  occurrences of each word in the text it was learned from, 0 where unknown
    """

    parent: Ints32
    bit: npt.NDArray[np.uint8]
    leaf: Ints32
    count: Ints

    @classmethod
    def from_paths(
        cls, paths: Sequence[str | None], count: npt.ArrayLike | None = None
    ) -> Clusters:
        """Return the tree of the bit strings of words; None for a word in no cluster."""
        parent, bit, node_of = [NONE], [0], {"": 0}
        branch, last = [0], ""
        for path in sorted({path for path in paths if path}):
            shared = _shared_length(last, path)
            del branch[shared + 1 :]
            for side in path[shared:]:
                parent.append(branch[-1])
                bit.append(side == "1")
                branch.append(len(parent) - 1)
            node_of[path], last = branch[-1], path
        leaf = [NONE if path is None else node_of[path] for path in paths]
        return cls(
            np.array(parent, dtype=np.int32),
            np.array(bit, dtype=np.uint8),
            np.array(leaf, dtype=np.int32),
            np.zeros(len(leaf), dtype=np.int64)
            if count is None
            else np.asarray(count, dtype=np.int64),
        )

    def node_paths(self) -> list[str]:
        """Return the bit string of each node, from the root."""
        paths = [""]
        for parent, bit in zip(self.parent[1:].tolist(), self.bit[1:].tolist(), strict=True):
            paths.append(paths[parent] + "01"[bit])
        return paths

    def paths(self) -> list[str | None]:
        """Return the bit string of each word; None for a word in no cluster."""
        of_node = self.node_paths()
        return [None if node == NONE else of_node[node] for node in self.leaf.tolist()]

    def depth(self) -> Ints32:
        """Return the number of bits of each node."""
        depth = np.zeros(len(self.parent), dtype=np.int32)
        above = np.maximum(self.parent, 0)
        ancestor = np.arange(len(self.parent))
        while ancestor.any():
            depth += ancestor > 0
            ancestor = above[ancestor]
        return depth

    def cut(self, n_bits: int) -> Ints32:
        """Return the node of each word when bit strings are cut after `n_bits`; -1 for none."""
        if n_bits < 0:
            raise ValueError(f"n_bits must be at least 0, not {n_bits}")
        depth, node = self.depth(), self.leaf.copy()
        while (deep := (node >= 0) & (depth[node] > n_bits)).any():
            node[deep] = self.parent[node[deep]]
        return node


def brown_clusters(
    ids: npt.ArrayLike, ptr: npt.ArrayLike, n_words: int, n_clusters: int = 1000, min_count: int = 1
) -> Clusters:
    """Learn Brown clusters of words 0 .. n_words - 1 from the sentences `ids[ptr[s]:ptr[s+1]]`.

    Words seen fewer than `min_count` times are left out: they are in no cluster, and their
    neighbours do not count as adjacent. Ties between merges go to the more frequent words, then to
    the smaller ids.
    """
    given = np.asarray(ids)
    if given.size and given.dtype.kind not in "iu":
        raise ValueError(f"ids must be integers, not of type {given.dtype}")
    if given.size and not (given.min() >= 0 and given.max() < n_words):
        raise ValueError(f"ids must lie in 0..{n_words - 1}, not {given.min()}..{given.max()}")
    words = np.ascontiguousarray(given, dtype=np.int32)
    kept, gone, _ = brown_merges(
        words, np.ascontiguousarray(ptr, dtype=np.int64), n_words, n_clusters, min_count
    )
    count = np.bincount(words, minlength=n_words)
    clustered = count >= min_count
    within = len(kept) - (min(n_clusters, int(clustered.sum())) - 1) if clustered.any() else 0

    owner = np.arange(n_words)
    owner[gone[:within]] = kept[:within]
    while not np.array_equal(above := owner[owner], owner):
        owner = above
    path: dict[int, str] = {}
    for first, second in zip(
        kept[within:][::-1].tolist(), gone[within:][::-1].tolist(), strict=True
    ):
        shared = path.get(first, "")
        path[first], path[second] = shared + "0", shared + "1"
    paths = [
        path.get(o, "") if known else None
        for o, known in zip(owner.tolist(), clustered.tolist(), strict=True)
    ]
    return Clusters.from_paths(paths, count)


def learn_clusters(
    documents: Iterable[Sequence[Sequence[str]]], n_clusters: int = 1000, min_count: int = 1
) -> tuple[Vocab, Clusters]:
    """Learn Brown clusters of the words of `documents`: lists of sentences, which are lists."""
    sentences = list(chain.from_iterable(documents))
    vocab = Vocab()
    ids = vocab.grow(chain.from_iterable(sentences))
    ptr = np.concatenate(
        ([0], np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64))
    )
    return vocab.freeze(), brown_clusters(ids, ptr, len(vocab), n_clusters, min_count)


def read_paths(path: PathLike) -> tuple[Vocab, Clusters]:
    """Read the words and clusters of a `paths` file, plain or gzip.

    Each line is a bit string, a tab, a word and, optionally, a tab and a count.
    """
    paths: list[str | None] = []
    count: list[int] = []
    line_of: dict[str, int] = {}
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            where = f"{name_of(path)}:{number}"
            bits, *rest = line.rstrip("\n").split("\t")
            if not rest and not bits:
                continue
            if len(rest) not in (1, 2):
                raise InputError(
                    f"{where}: expected bit string TAB word TAB count, found {len(rest)} tabs."
                )
            if bits.strip("01"):
                raise InputError(
                    f"{where}: expected a string of bits 0 and 1, found {bits[:40]!r}."
                )
            word, seen = rest[0], rest[1] if len(rest) == 2 else "0"
            if not word:
                raise InputError(f"{where}: the word is empty.")
            if word in line_of:
                raise InputError(
                    f"{where}: the word {word[:40]!r} stands in line {line_of[word]} already."
                )
            if not (seen.isascii() and seen.isdigit() and len(seen) <= MOST_DIGITS):
                raise InputError(f"{where}: expected a count after the word, found {seen[:40]!r}.")
            line_of[word] = number
            paths.append(bits)
            count.append(int(seen))
    if not paths:
        raise InputError(f"{name_of(path)}: holds no words.")
    return Vocab(line_of).freeze(), Clusters.from_paths(paths, count)


def write_paths(path: PathLike, vocab: Vocab, clusters: Clusters) -> None:
    """Write the words in clusters, with their counts if known, as `read_paths` reads them."""
    if len(vocab) != len(clusters.leaf):
        raise ValueError(
            f"the vocabulary has {len(vocab)} words, but the clusters {len(clusters.leaf)}"
        )
    counted = bool(clusters.count.any())
    with atomic_writer(path) as stream:
        for word, bits, count in zip(
            vocab.words, clusters.paths(), clusters.count.tolist(), strict=True
        ):
            if bits is None:
                continue
            if not word or any(mark in word for mark in "\t\n\r"):
                raise ValueError(f"a paths file cannot hold the word {word!r}")
            stream.write(f"{bits}\t{word}\t{count}\n" if counted else f"{bits}\t{word}\n")
