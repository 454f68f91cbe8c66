"""Word vectors that are learned once for all sections: models, CPU seconds and megabytes lie in
build/vectors and are read from there.

Learners of ours and gensim's get the same text, in processes of their own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from gzip import open as open_gzip
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.timing import cpu_seconds_so_far, measure_in_subprocess
from laconic import WordVectors, load

FOLDER = Path("build") / "vectors"
MIN_COUNT, WINDOW, EPOCHS, THREADS = 10, 5, 5, 1
Maker = Callable[..., WordVectors]


class Kept(NamedTuple):
    """A model, and what learning it took: CPU and wall-clock seconds from text to vectors, peak
    megabytes.
    """

    model: WordVectors
    cpu_seconds: float
    seconds: float
    megabytes: float


def corpus_files(data: Path) -> list[Path]:
    """Return the text, four files with one sentence per line."""
    return sorted((data / "embed_corpus").glob("*.txt.gz"))


def kept(name: str, make: Maker, *arguments: Any) -> Kept:
    """The model of this name: the kept one, or make(*arguments), in a process of its own."""
    file, numbers = FOLDER / f"{name}.laconic", FOLDER / f"{name}.json"
    if not numbers.is_file():
        FOLDER.mkdir(parents=True, exist_ok=True)
        found = measure_in_subprocess(_made, file, make, *arguments)
        numbers.write_text(json.dumps([*found.value, found.peak_megabytes]), encoding="utf-8")
        print(
            name,
            *(f"{value:.0f}" for value in json.loads(numbers.read_text(encoding="utf-8"))),
            flush=True,
        )
    return Kept(load(file), *json.loads(numbers.read_text(encoding="utf-8")))


def _made(file: Path, make: Maker, *arguments: Any) -> tuple[float, float]:
    start, began = cpu_seconds_so_far(), time.perf_counter()
    model = make(*arguments)
    spent = cpu_seconds_so_far() - start, time.perf_counter() - began
    model.save(file)
    return spent


def by_laconic(data: Path, learner: Any, settings: dict[str, Any], every: int = 1) -> WordVectors:
    """Vectors of ours; of one in `every` sentences."""
    text: Any = corpus_files(data) if every == 1 else Lines(corpus_files(data), every)
    return WordVectors(learner, window=WINDOW, min_count=MIN_COUNT, n_jobs=THREADS, **settings).fit(
        text
    )


def by_gensim(
    data: Path, size: int, skip_gram: bool, every: int = 1, epochs: int = EPOCHS
) -> WordVectors:
    """Skip-gram or CBOW by gensim, with its own settings but for window, least count and passes."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        Lines(corpus_files(data), every),
        vector_size=size,
        window=WINDOW,
        min_count=MIN_COUNT,
        sg=int(skip_gram),
        epochs=epochs,
        workers=THREADS,
        seed=0,
    )
    words = list(model.wv.index_to_key)
    counts = [model.wv.get_vecattr(word, "count") for word in words]
    return WordVectors(size=size)._adopt(
        words, counts, np.asarray(model.wv.vectors, dtype=np.float32)
    )


class Lines:
    """Sentences of files as lists of words, read anew for every pass.

    A part of them if asked for.
    """

    def __init__(self, files: list[Path], every: int = 1):
        self.files, self.every = files, every

    def __iter__(self) -> Iterator[list[str]]:
        for file in self.files:
            with open_gzip(file, "rt", encoding="utf-8") as lines:
                for number, line in enumerate(lines):
                    if number % self.every == 0:
                        yield line.split()
