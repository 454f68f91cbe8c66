"""Kneser-Ney from text to an ARPA file in bounded memory, through temporary files.

Files are read in batches of sentences; ids of words go to a file that is mapped into memory, so do
back-off weights; n-grams are counted and estimated block by block (cpp/lm/blocks.hpp), and the
lines of each order are written as they come.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from laconic import _core
from laconic.core.ragged import pointers
from laconic.core.report import FitReport, Reported
from laconic.lm.arpa import arpa_writer, check_vocabulary
from laconic.lm.contexts import Text
from laconic.lm.kneser_ney import KneserNey
from laconic.lm.running import END, END_ID, MARK, UNKNOWN, UNKNOWN_ID
from laconic.lm.sentences import filled
from laconic.text.io import PathLike
from laconic.text.spelling import as_bytes, flat, words_of

DEFAULT_MEMORY = 2**30
CHUNK, COPIED = 2**22, 2**20  # ids that are renumbered together, bytes that are copied together


@dataclass(frozen=True)
class WrittenModel(Reported):
    """What is known of a model that was written as it was estimated."""

    report_: FitReport
    sentences: int
    words: int
    vocabulary: int
    n_ngrams_: list[int]


def write_kneser_ney(
    paths: Iterable[PathLike],
    arpa: PathLike,
    learner: KneserNey,
    order: int = 5,
    min_count: int = 1,
    memory: int = DEFAULT_MEMORY,
    encoding: str = "utf-8",
) -> WrittenModel:
    """Estimate a Kneser-Ney model of the sentences of files, and write it as an ARPA file.

    Temporary files, where `tempfile` puts them, take up to 40 bytes per word and order.
    """
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="laconic-") as folder:
        words, text = encode_files(paths, min_count, encoding, Path(folder))
        check_vocabulary(words)
        counts, discounts = learner.estimate(text, order, memory, folder)
        sizes = [int(n) for n in counts.n_pairs() if n]
        names = [str(Path(folder) / f"{k}-grams") for k in range(1, order + 1)]
        room = (int(counts.n_contexts().sum()),)
        weights = np.memmap(Path(folder) / "weights", np.float32, "w+", shape=room)
        counts.write_lines(discounts, weights, *flat(words), names)
        with arpa_writer(arpa, [sizes[0] + (order > 1), *sizes[1:]]) as (stream, begin_order):
            for k, name in enumerate(names[: len(sizes)], 1):
                begin_order(k)
                with open(name, "rb") as lines:
                    shutil.copyfileobj(lines, stream, COPIED)
        n_sentences = len(text.ptr) - 1
        return WrittenModel(
            replace(learner.report(counts), seconds=time.perf_counter() - began),
            n_sentences,
            len(text.tokens) - n_sentences,
            len(words),
            sizes,
        )


def encode_files(
    paths: Iterable[PathLike], min_count: int, encoding: str, folder: Path
) -> tuple[list[str], Text]:
    """Return the words that occur at least `min_count` times, and the text with ids in a file."""
    index, counts = _core.WordIndex(*flat([UNKNOWN, END])), np.zeros(2, np.int64)
    lengths = []
    with open(folder / "ids", "wb") as stream:
        for path in paths:
            for batch in filled(path, encoding):
                ids, ptr = index.learn(as_bytes(MARK.join(batch)), ord(MARK), END_ID)
                ids.tofile(stream)
                counts = np.concatenate([counts, np.zeros(index.size() - len(counts), np.int64)])
                counts += np.bincount(ids, minlength=len(counts))
                lengths.append(np.diff(ptr))
    tokens = np.memmap(folder / "ids", np.int32, "r+")
    kept = counts >= min_count
    kept[:2] = True
    if not kept.all():
        new_id = np.where(kept, np.cumsum(kept) - 1, UNKNOWN_ID).astype(np.int32)
        for begin in range(0, len(tokens), CHUNK):
            tokens[begin : begin + CHUNK] = new_id[tokens[begin : begin + CHUNK]]
    words = words_of(*index.spelled(np.flatnonzero(kept)))
    return words, Text(tokens, pointers(np.concatenate(lengths)), len(words))
