"""From raw text to trees on seven treebanks, beside UDPipe 1: the table of the shared task of 2018,
time, memory and file sizes.
"""

from __future__ import annotations

import gzip
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.page import table
from benchmarks.pipeline_peers import (
    OPTIONS,
    PUBLISHED_GOLD,
    PUBLISHED_RAW,
    QUICK,
    trained_udpipe,
    udpipe_scores,
)
from benchmarks.timing import measure_in_subprocess, peak_megabytes_so_far
from laconic import Pipeline, load
from laconic.pipeline.rounding import rounded_parts
from laconic.pipeline.segment import raw_text
from laconic.pipeline.shared_task import TITLES, SpanScore, shared_task_scores
from laconic.text.conllu import PARAGRAPH, Conllu
from laconic.text.conllu_files import parse_conllu

TITLE = "From raw text to trees"
# By the names of sections, from 6,000 words to learn from to 205,000.
TREEBANKS = {
    "ttb": "Tamil-TTB",
    "udt": "Uyghur-UDT",
    "vtb": "Vietnamese-VTB",
    "imst": "Turkish-IMST",
    "partut": "Italian-ParTUT",
    "sequoia": "French-Sequoia",
    "ewt": "English-EWT",
}
OF_WORDS = tuple(key for key in TITLES if key not in ("tokens", "sentences", "words"))
QUOTED_RAW = ("words", "sentences", *(key for key in OF_WORDS if key != "clas"))
QUOTED_GOLD = QUOTED_RAW[2:]
N_VALUES = 8
# The file as it is written, and as `laconic compress` makes it: titles of rows.
FORMS = {"file": "{}", "few": "{}, 8 values"}
LEAST_SECONDS = 1.0  # of a measured speed
QUICK_SENTENCES = 20

TEXT = """\
`Pipeline()` with its defaults learns from train, and test is scored once; dev is not used. F1 in \
percent as in the shared task of CoNLL 2018 (`laconic evaluate MODEL test.conllu --raw`, and \
without `--raw` from gold words). Raw text is that of the test part, sentences joined by blanks, \
paragraphs by blank lines where the treebank has them; `documents alone` leaves those out within \
documents. `8 values`: the file that `laconic compress` makes, each part with 8 weight values of \
its own."""
QUOTED = """\
Quoted: F1 as published with UDPipe's own models of release 2.5 of the treebank (README of the \
models, http://hdl.handle.net/11234/1-3131), with settings tuned for each treebank and \
precomputed word vectors. Texts are nearly the same as in this release (those of Turkish-IMST \
were cut into parts anew), annotations were corrected in between, and English-EWT had documents \
alone, no paragraphs, until release 2.6: differences of a point mean little."""

UDPIPE_TEXT = """\
UDPipe 1 (`ufal.udpipe`) learns from train with its trainer's defaults, all iterations, and \
stops early by dev, which laconic does not see. Its training was measured once, on the date \
given; both are scored in this run, on the same text, in processes of their own. CPU seconds and \
words per CPU second on one thread, from raw text to CoNLL-U; MB of memory that training added."""


class Parts(NamedTuple):
    """A treebank: the texts of train, dev and test in CoNLL-U."""

    name: str
    train: str
    dev: str
    test: str


def treebank(name: str, data: Path, quick: bool = False, corpus: Path | None = None) -> str:
    """Our scores from raw text and gold words, with few values too, and what they cost."""
    folder = data / "ud_raw" / name if corpus is None else corpus
    ours = _measured(_parts(folder, quick))
    rows = []
    for given, keys in (("raw", tuple(TITLES)), ("gold", OF_WORDS)):
        title = "raw text" if given == "raw" else "gold words"
        for form in FORMS:
            rows.append([FORMS[form].format(title), *_percent(ours[form][given], keys)])
        if given == "raw" and "documents" in ours["file"]:
            row = _percent(ours["file"]["documents"], keys)
            rows.append([f"{title}, documents alone", *row])
        if corpus is None and not quick:
            known = PUBLISHED_RAW[name] if given == "raw" else PUBLISHED_GOLD[name]
            quoted = dict(zip(QUOTED_RAW if given == "raw" else QUOTED_GOLD, known, strict=True))
            rows.append([f"{title}, UDPipe 1.2, quoted", *_quoted(quoted)])
    costs = [
        [
            FORMS[form].format("file"),
            ours["seconds"],
            ours["megabytes"],
            ours[form]["size"],
            ours[form]["rate"],
        ]
        for form in FORMS
    ]
    parts = [
        f"## {folder.name}, {ours['words']:,} words to learn from",
        TEXT,
        table(["", *TITLES.values()], rows).rstrip(),
        QUOTED if corpus is None and not quick else "",
        "One thread; words per CPU second from raw text to CoNLL-U:",
        table(["", "training, CPU s", "MB", "file, MB", "words/s"], costs),
    ]
    return "\n\n".join(part for part in parts if part)


def tamil(data: Path, quick: bool = False, corpus: Path | None = None) -> str:
    """Beside UDPipe on the treebank that costs it least, or on one of your own."""
    folder = data / "ud_raw" / "Tamil-TTB" if corpus is None else corpus
    title = f"## {folder.name} beside UDPipe 1 in one run"
    return f"{title}\n\n{UDPIPE_TEXT}\n\n{_beside_udpipe([folder], quick)}"


def _beside_udpipe(folders: Sequence[Path], quick: bool) -> str:
    """Both trained on the same treebanks."""
    rows, gold_rows, costs, dates = [], [], [], []
    for folder in folders:
        parts = _parts(folder, quick)
        figures = trained_udpipe(parts.name, parts.train, parts.dev, QUICK if quick else OPTIONS)
        ours, theirs = _measured(parts), udpipe_scores(figures, parse_conllu(parts.test))
        peer = f"{parts.name}, UDPipe {figures['version']}"
        dates.append(f"{parts.name} on {figures['date']}")
        for title, scores in ((parts.name, ours["file"]), (peer, theirs)):
            rows.append([f"{title}, raw text", *_percent(scores["raw"], tuple(TITLES))])
            gold_rows.append([f"{title}, gold words", *_percent(scores["gold"], OF_WORDS)])
        form, few = ours["file"], ours["few"]
        training = [parts.name, ours["seconds"], ours["megabytes"]]
        costs.append([*training, form["size"], few["size"], form["rate"]])
        training = [peer, figures["seconds"], figures["megabytes"]]
        costs.append([*training, theirs["size"], None, theirs["rate"]])
    return "\n\n".join(
        [
            f"UDPipe was trained: {', '.join(dates)}.",
            table(["", *TITLES.values()], [*rows, *gold_rows]).rstrip(),
            table(["", "CPU s", "MB", "file MB", "8 values, MB", "words/s"], costs),
        ]
    )


SECTIONS: dict[str, Callable[..., str]] = {
    "tamil": tamil,
    **{section: partial(treebank, name) for section, name in TREEBANKS.items()},
}


def run(data: Path, quick: bool = False, section: str | None = None) -> str:
    """The page as Markdown: all sections, or the one that is named."""
    chosen = SECTIONS if section is None else {section: SECTIONS[section]}
    return "\n".join([f"# {TITLE}\n", *(make(data, quick) for make in chosen.values())])


def _parts(folder: Path, quick: bool) -> Parts:
    """Train, dev and test of a folder: train.conllu or xx_yy-ud-train.conllu, plain or .gz."""

    def text(part: str) -> str:
        found = sorted([*folder.glob(f"*{part}.conllu"), *folder.glob(f"*{part}.conllu.gz")])
        if not found:
            raise SystemExit(f"{folder}: expected a file *{part}.conllu or *{part}.conllu.gz")
        content = found[0].read_bytes()
        content = gzip.decompress(content) if found[0].suffix == ".gz" else content
        sentences = content.decode("utf-8").split("\n\n")
        return "\n\n".join([*sentences[:QUICK_SENTENCES], ""]) if quick else content.decode("utf-8")

    return Parts(folder.name, text("train"), text("dev"), text("test"))


def _measured(parts: Parts) -> dict[str, Any]:
    found: dict[str, Any] = measure_in_subprocess(_trained, parts.train, parts.test).value
    return found


def _trained(train: str, test: str) -> dict[str, Any]:
    """In a process of its own: train, write files, read them and score what they say."""
    sentences, gold = parse_conllu(train), parse_conllu(test)
    before, start = peak_megabytes_so_far(), time.process_time()
    model = Pipeline().fit(sentences)
    seconds = time.process_time() - start
    found: dict[str, Any] = {
        "seconds": seconds,
        "words": len(sentences.word_rows),
        "megabytes": peak_megabytes_so_far() - before,
    }
    with tempfile.TemporaryDirectory() as directory:
        for form in FORMS:
            path = Path(directory) / f"{form}.laconic"
            (model if form == "file" else rounded_parts(model, N_VALUES)).save(str(path))
            found[form] = {**_scored(load(str(path)), gold), "size": path.stat().st_size / 2**20}
    return found


def _scored(model: Any, gold: Conllu) -> dict[str, Any]:
    """Scores from raw text and from gold words, and words per CPU second from raw text."""
    paragraphs = raw_text(gold).paragraphs
    found = model.predict(paragraphs)
    start, n_words = time.process_time(), 0
    while time.process_time() - start < LEAST_SECONDS:
        again = model.predict(paragraphs)
        again.to_text()
        n_words += len(again.word_rows)
    scores = {
        "rate": n_words / (time.process_time() - start),
        "raw": shared_task_scores(gold, found),
        "gold": shared_task_scores(gold, model.annotate(gold)),
    }
    joined = _without_paragraphs(gold)
    if len(joined) == len(paragraphs):
        return scores
    return {**scores, "documents": shared_task_scores(gold, model.predict(joined))}


def _without_paragraphs(gold: Conllu) -> list[str]:
    """Return the texts of documents, their paragraphs joined by blanks."""
    mark = f"# {PARAGRAPH}"
    before = [[line for line in lines if not line.startswith(mark)] for lines in gold.before]
    return raw_text(replace(gold, before=before)).paragraphs


def _percent(scores: Mapping[str, SpanScore], keys: Sequence[str]) -> list[str]:
    return [f"{100 * scores[key].f1:.2f}" if key in keys else "–" for key in TITLES]


def _quoted(known: Mapping[str, float | None]) -> list[str]:
    """Published values in the columns of a table; – where none is given."""
    return ["–" if (value := known.get(key)) is None else f"{value:.1f}" for key in TITLES]
