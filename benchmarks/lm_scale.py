"""Kneser-Ney from text to ARPA file by size of text, and files of models, beside KenLM's programs.

`lmplz` and `build_binary` are used where they are found on the path, and KenLM's Python package
where it is installed; rows that need one that is absent hold dashes.
"""

from __future__ import annotations

import importlib.util
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import laconic
from benchmarks.lm_texts import iterate_sentences, penn
from benchmarks.page import table
from laconic import KneserNey, LanguageModel
from laconic.lm.compact import pack
from laconic.models import file as files

ORDER = 5
MILLIONS = (1, 3, 10, math.inf)
PARTS = ("simplewiki-00", "enwiki_featured-00", "simplewiki-01", "enwiki_featured-01")
SCALE = """\
## Kneser-Ney by size of text

The first words of the text for word vectors (English Wikipedia, simple and featured), order \
{order}, from a text file to an ARPA file: `laconic train lm TEXT --learner kneser-ney \
--memory 1G --arpa FILE` with the start of Python, and `lmplz -S 1G`. CPU seconds of user and \
system of all threads, peak memory of the process.
"""
FILES = """\
## Files

The Kneser-Ney model of order {order} of the Penn Treebank text, and the perplexity of its test \
part. Compact files (`laconic compress`) by the number of values of each order; KenLM's binaries \
are made from our ARPA file (`-q 8 -b 8 -a 22`: eight bits). CPU milliseconds to open a file, and \
words and ends of sentences for each CPU second of one thread, one string per sentence; best of \
{repeats}.
"""
REPEATS = 5


class Cost(NamedTuple):
    """What a command took."""

    cpu: float
    megabytes: float


def section(data: Path, quick: bool = False) -> str:
    """Text to ARPA file by size of text."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        text, arpa = Path(name) / "text.txt", Path(name) / "model.arpa"
        for millions in (0.01,) if quick else MILLIONS:
            n_words = _write_text(data, text, millions * 1e6)
            command = [sys.executable, "-m", "laconic", "train", "lm", str(text), "--quiet"]
            ours = _cost(
                [*command, "--learner", "kneser-ney", "--memory", "1G", "--arpa", str(arpa)]
            )
            n_ngrams = _n_ngrams(arpa)
            rows.append([f"{n_words:,}", f"{n_ngrams:,}", *ours, *_lmplz(text, arpa)])
            rows[-1].append(ours.cpu / rows[-1][-2])
    columns = ["words", "n-grams", "CPU s", "MB", "lmplz, CPU s", "lmplz, MB", "ratio of CPU"]
    return "\n".join([SCALE.format(order=ORDER), table(columns, rows)])


def _write_text(data: Path, path: Path, most: float) -> int:
    """Write sentences of `most` words, and return the number of words."""
    n_words = 0
    with path.open("w", encoding="utf-8") as stream:
        for words in _lines(data):
            if n_words + len(words) > most:
                break
            n_words += len(words)
            stream.write(" ".join(words) + "\n")
    return n_words


def _lines(data: Path) -> Iterator[list[str]]:
    return chain.from_iterable(
        iterate_sentences(data / "embed_corpus" / f"{part}.txt.gz") for part in PARTS
    )


def _cost(command: list[str]) -> Cost:
    """Run a command and return its processor time and memory.

    The peak is read while it runs: what the system reports in the end is that of the process
    before it became the command, if that was larger.
    """
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    status, peak, pid = Path(f"/proc/{process.pid}/status"), 0, 0
    while pid == 0:
        for line in status.read_text().splitlines() if status.exists() else ():
            if line.startswith("VmHWM:"):
                peak = int(line.split()[1])
        time.sleep(0.01)
        pid, code, used = os.wait4(process.pid, os.WNOHANG)
    process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(used.ru_utime + used.ru_stime, peak / 1024)


def _n_ngrams(arpa: Path) -> int:
    with arpa.open(encoding="utf-8") as stream:
        return sum(int(line.split("=")[1]) for line in islice(stream, 1, 1 + ORDER))


def _lmplz(text: Path, arpa: Path) -> Cost:
    if shutil.which("lmplz") is None:
        return Cost(math.nan, math.nan)
    options = ["-S", "1G", "-T", str(arpa.parent), "--skip_symbols", "--discount_fallback"]
    places = ["--text", str(text), "--arpa", str(arpa)]
    return _cost(["lmplz", "-o", str(ORDER), *options, *places])


def file_section(data: Path, quick: bool = False) -> str:
    """Sizes, loading and scoring of files."""
    train, test = ([" ".join(words) for words in penn(data, part)] for part in ("train", "test"))
    model = LanguageModel(ORDER, KneserNey()).fit(train[: 2000 if quick else None])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [_row("plain", _saved(model, folder / "plain", None), test)]
        for n_values in (256, 64, 16):
            path = _saved(model, folder / f"{n_values}", n_values)
            rows.append(_row(f"compact, {n_values} values", path, test))
        model.to_arpa(folder / "model.arpa")
        for options in ("probing", "trie", "-q 8 -b 8 -a 22 trie"):
            rows.append(_kenlm_row(options, folder, test))
    columns = ["file", "MB", "perplexity", "ms to open", "words a second"]
    return "\n".join([FILES.format(order=ORDER, repeats=REPEATS), table(columns, rows)])


def _saved(model: LanguageModel, path: Path, n_values: int | None) -> Path:
    if n_values is None:
        model.save(path)
    else:
        files.save(path, "lm.compact", *pack(model, n_values=n_values))
    return path


def _row(name: str, path: Path, test: list[str]) -> list[object]:
    opening, model = _best(lambda: laconic.load(path))
    scoring, _ = _best(lambda: [model.log_prob(line) for line in test])
    return [
        name,
        path.stat().st_size / 1e6,
        f"{model.perplexity(test):.2f}",
        *_speeds(opening, scoring, test),
    ]


def _kenlm_row(options: str, folder: Path, test: list[str]) -> list[object]:
    missing = shutil.which("build_binary") is None or importlib.util.find_spec("kenlm") is None
    if missing:
        return [f"KenLM {options}", *[math.nan] * 4]
    import kenlm

    path = folder / options.replace(" ", "")
    command = ["build_binary", *options.split(), str(folder / "model.arpa"), str(path)]
    subprocess.run(command, check=True, capture_output=True)
    opening, model = _best(lambda: kenlm.Model(str(path)))
    scoring, scores = _best(lambda: [model.score(line) for line in test])
    perplexity = 10 ** (-sum(scores) / _n_tokens(test))
    speeds = _speeds(opening, scoring, test)
    return [f"KenLM {options}", path.stat().st_size / 1e6, f"{perplexity:.2f}", *speeds]


def _n_tokens(test: list[str]) -> int:
    return sum(len(line.split()) + 1 for line in test)


def _speeds(opening: float, scoring: float, test: list[str]) -> list[object]:
    return [1000 * opening, f"{_n_tokens(test) / scoring:,.0f}"]


def _best(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the least CPU seconds of a few calls, and what the last one gave."""
    seconds = []
    for _ in range(REPEATS):
        began = time.thread_time()
        found = call()
        seconds.append(time.thread_time() - began)
    return min(seconds), found
