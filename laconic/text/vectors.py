"""Files of word vectors (word2vec's text and binary forms, GloVe's text), and their clusters."""

from __future__ import annotations

import gzip
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import KMeans

from laconic.core.arrays import Floats
from laconic.errors import InputError
from laconic.text.clusters import Clusters
from laconic.text.io import PathLike, atomic_writer, name_of, open_bytes, open_text
from laconic.text.vocab import Vocab

N_LEARN, N_STEPS = 100_000, 20
BATCH = 10_000  # lines or vectors that are read or written at once
CHUNK = 2**24  # bytes that are read at once
LONGEST_COUNTS = 50  # bytes of a line of two counts
HEAD = 2**20  # bytes in which the first line of a file must end


def read_vectors(path: PathLike, binary: bool | None = None) -> tuple[Vocab, Floats]:
    """Read the words and vectors of a file, plain or gzip; of a word that occurs twice, the first.

    A text file has one line `word SPACE numbers` per word; a first line of two counts is passed
    over. A binary file of word2vec has that first line, and then for each word its letters, a blank
    and float32 numbers. With None, what follows the first line decides.
    """
    if binary is None:
        binary = _is_binary(path)
    words, vectors = _read_binary(path) if binary else _read_text(path)
    first = {
        word: place
        for place, word in zip(range(len(words) - 1, -1, -1), reversed(words), strict=True)
    }
    if len(first) == len(words):
        return Vocab(words).freeze(), vectors
    kept = sorted(first.values())
    return Vocab(words[k] for k in kept).freeze(), vectors[kept]


def write_vectors(
    path: PathLike, words: Sequence[str], vectors: npt.ArrayLike, binary: bool = False
) -> None:
    """Write a file that word2vec, gensim, spaCy and others read, whole or not at all.

    It is compressed by gzip if its name ends in .gz.
    """
    rows = np.ascontiguousarray(vectors, dtype="<f4")
    if rows.ndim != 2 or len(rows) != len(words):
        raise ValueError(
            f"expected one vector for each of {len(words)} words, "
            f"got an array of shape {rows.shape}"
        )
    for word in words:
        if not word or word.split() != [word] or "\0" in word:
            raise ValueError(
                f"such a file cannot hold the word {word!r}: "
                "words must not be empty and not hold blanks"
            )
    with _writer(path) as stream:
        stream.write(f"{len(words)} {rows.shape[1]}\n".encode())
        for first in range(0, len(words), BATCH):
            some, batch = words[first : first + BATCH], rows[first : first + BATCH]
            if binary:
                content = b"".join(
                    word.encode() + b" " + row.tobytes() + b"\n"
                    for word, row in zip(some, batch, strict=True)
                )
            else:
                content = "".join(map(line_of, some, batch)).encode()
            stream.write(content)


def line_of(word: str, vector: Floats) -> str:
    """Return a word and its numbers as a line of text; nine digits give every float32 back."""
    return f"{word}{' %.9g' * len(vector) % tuple(vector.tolist())}\n"


@contextmanager
def _writer(path: PathLike) -> Iterator[IO[bytes]]:
    with atomic_writer(path, binary=True) as plain:
        if not os.fspath(path).endswith(".gz"):
            yield plain
            return
        with gzip.GzipFile(fileobj=plain, mode="wb", compresslevel=6, mtime=0) as zipped:
            yield zipped  # type: ignore[misc]


def _counts(line: bytes | str) -> tuple[int, int] | None:
    """Return the two counts of a first line; None if it is another line."""
    fields = line.split()
    return (
        (int(fields[0]), int(fields[1]))
        if len(fields) == 2 and all(map(_is_count, fields))
        else None
    )


def _is_count(field: bytes | str) -> bool:
    return field.isdigit() and len(field) <= 18


def is_word2vec(path: PathLike) -> bool:
    """Return whether a file, plain or gzip, begins with a line of two counts."""
    try:
        if not Path(path).is_file():
            return False
        with open_bytes(path) as stream:
            return _counts(stream.read(LONGEST_COUNTS).partition(b"\n")[0]) is not None
    except (InputError, OSError):
        return False


def _is_binary(path: PathLike) -> bool:
    """Return whether a line of counts is followed by anything but a line of as many numbers."""
    if os.fspath(path) == "-":
        return False
    with open_bytes(path) as stream:
        head = stream.read(HEAD)
    first, _, rest = head.partition(b"\n")
    counts = _counts(first)
    if counts is None:
        return False
    fields = rest.partition(b"\n")[0].rstrip().split(b" ")
    try:
        return len(np.array(fields[1:], dtype=np.float32)) != counts[1]
    except ValueError:
        return True


def _read_text(path: PathLike) -> tuple[list[str], Floats]:
    words: list[str] = []
    rows: list[Floats] = []
    size = 0
    with open_text(path) as stream:
        lines = enumerate(stream, 1)
        while batch := list(islice(lines, BATCH)):
            split = [(number, *line.rstrip().partition(" ")) for number, line in batch]
            split = [row for row in split if row[3] and not (row[0] == 1 and " " not in row[3])]
            if not split:
                continue
            size = size or len(split[0][3].split(" "))
            words.extend(word for _, word, _, _ in split)
            rows.append(
                _numbers([(number, text) for number, _, _, text in split], size, path, dict(batch))
            )
    if not words:
        raise InputError(f"{name_of(path)}: expected a word and numbers per line, found none.")
    return words, np.concatenate(rows)


def _numbers(
    texts: list[tuple[int, str]], size: int, path: PathLike, lines: dict[int, str]
) -> Floats:
    """Return the numbers of lines as rows of this size."""
    for number, text in texts:
        if text.count(" ") != size - 1:
            raise InputError(
                f"{name_of(path)}:{number}: expected {size} numbers as before, "
                f"found {text.count(' ') + 1}."
            )
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what is no number is a warning
        try:
            values = np.fromstring(" ".join(text for _, text in texts), dtype=np.float32, sep=" ")
            if len(values) == size * len(texts) and np.isfinite(values).all():
                return values.reshape(-1, size)
        except (DeprecationWarning, ValueError):
            pass
    for number, text in texts:
        try:
            if np.isfinite(np.array(text.split(" "), dtype=np.float32)).all():
                continue
        except ValueError:
            pass
        raise InputError(
            f"{name_of(path)}:{number}: expected a word and numbers, found {lines[number][:60]!r}."
        )
    # Numbers as only Python writes them.
    return np.stack([np.array(text.split(" "), dtype=np.float32) for _, text in texts])


def _read_binary(path: PathLike) -> tuple[list[str], Floats]:
    name = name_of(path)
    with open_bytes(path) as stream:
        buffer = stream.read(HEAD)
        first, _, buffer = buffer.partition(b"\n")
        counts = _counts(first)
        if counts is None or not counts[1]:
            raise InputError(
                f"{name}:1: expected the number of words and of dimensions, found {first[:60]!r}."
            )
        n_words, width = counts[0], 4 * counts[1]
        words: list[bytes] = []
        rows: list[Floats] = []
        while len(words) < n_words:
            some, values, used = _parsed(buffer, width, n_words - len(words))
            words.extend(some)
            rows.append(np.frombuffer(b"".join(values), "<f4").reshape(-1, counts[1]))
            buffer = buffer[used:]
            if len(words) < n_words:
                more = stream.read(CHUNK)
                if not more:
                    raise InputError(
                        f"{name}: the file is cut off: of {n_words} words {len(words)} are there."
                    )
                buffer += more
    try:
        spelled = [word.decode() for word in words]
    except UnicodeDecodeError:
        raise InputError(
            f"{name}: a word is no UTF-8 text, or the vectors do not have {counts[1]} numbers."
        ) from None
    vectors = np.concatenate(rows) if rows else np.empty((0, counts[1]), np.float32)
    if not spelled or not np.isfinite(vectors).all():
        raise InputError(f"{name}: expected words and vectors of {counts[1]} finite numbers.")
    return spelled, vectors


def _parsed(buffer: bytes, width: int, most: int) -> tuple[list[bytes], list[bytes], int]:
    """Return the words and vectors that lie whole in `buffer`, and their number of bytes."""
    words: list[bytes] = []
    values: list[bytes] = []
    at = 0
    while len(words) < most:
        blank = buffer.find(b" ", at)
        end = blank + 1 + width
        if blank < 0 or end > len(buffer):
            break
        words.append(buffer[at:blank].lstrip(b"\n"))
        values.append(buffer[blank + 1 : end])
        at = end
    return words, values, at


def cluster_vectors(
    vectors: npt.ArrayLike, n_clusters: int = 1000, n_learn: int = N_LEARN, random_state: int = 0
) -> Clusters:
    """Cluster words by the directions of their vectors: k-means, and Ward's tree over its centres.

    Bits from the root mean ever smaller clusters, as with Brown clusters: `write_paths` makes a
    file of them. The centres are learned from the first `n_learn` words, the most frequent ones in
    files of vectors; then every word goes to the nearest.
    """
    given = np.asarray(vectors, dtype=np.float32)
    if given.ndim != 2 or not np.isfinite(given).all():
        raise ValueError(
            "vectors must be a matrix of finite numbers, one row per word, "
            f"not an array of shape {given.shape}"
        )
    if not 2 <= n_clusters <= min(len(given), n_learn):
        raise ValueError(
            f"n_clusters must lie in 2..{min(len(given), n_learn)}, the number of words to learn "
            f"from, not {n_clusters}"
        )
    directions = given / np.maximum(
        np.linalg.norm(given, axis=1, keepdims=True), np.finfo(np.float32).tiny
    )
    means = KMeans(n_clusters, n_init=1, max_iter=N_STEPS, random_state=random_state).fit(
        directions[:n_learn]
    )
    paths = _paths(linkage(means.cluster_centers_, "ward")[:, :2].astype(int).tolist())
    return Clusters.from_paths([paths[k] for k in means.predict(directions).tolist()])


def _paths(merges: list[list[int]]) -> list[str]:
    """Return the bits of every leaf 0 .. n; merge k makes node n + 1 + k, the last is the root."""
    n_leaves = len(merges) + 1
    bits = [""] * (2 * n_leaves - 1)
    for node in range(2 * n_leaves - 2, n_leaves - 1, -1):
        for bit, child in enumerate(merges[node - n_leaves]):
            bits[child] = bits[node] + "01"[bit]
    return bits[:n_leaves]
