"""Models inside web pages beside Python: sizes, agreement, speed, and how soon a page answers."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import laconic
from benchmarks.page import number, table
from laconic import (
    KneserNey,
    LanguageModel,
    Mira,
    Parser,
    Sparseptron,
    Tagger,
    TextClassifier,
    load,
    quantize,
    save_compact,
)
from laconic.core.ragged import cut
from laconic.tag.conll import read_columns
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import read_treebank
from laconic.web.export import export_page

READER = Path(laconic.__file__).parent / "web" / "laconic.js"
OPENINGS, WAITED = 5, 4  # cold starts; seconds that a page has to answer
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-web-security", "--allow-file-access-from-files", "--dump-dom"),
)
FRAME = """<!DOCTYPE html><iframe src="PAGE"></iframe><img src="http://127.0.0.1:PORT/"><script>
setInterval(() => {
  const { ready } = document.querySelector("iframe").contentDocument.body.dataset;
  if (ready) document.body.dataset.ready = ready;
}, 20);
</script>"""
SCRIPT = """
import { readFileSync } from "node:fs";
import { load } from "READER";
const { path, inputs, call } = JSON.parse(readFileSync(0));
const model = await load(readFileSync(path)), answer = new Function("model", "x", `return ${call}`);
const times = [], rounds = 3;
let answers;
for (let round = 0; round < rounds; ++round) {
  const begun = process.cpuUsage();
  answers = inputs.map((one) => answer(model, one));
  const { user, system } = process.cpuUsage(begun);
  times.push((user + system) / 1e6);
}
process.stdout.write(JSON.stringify({ answers, seconds: Math.min(...times) }));
"""


class Case(NamedTuple):
    """A model, what it is asked in Python and in JavaScript, and what a unit of speed is."""

    name: str
    model: Any
    inputs: list[Any]
    python: Callable[[Any], list[Any]]
    call: str
    unit: str
    units: int


def run(data: Path, quick: bool) -> str:
    """Return the page."""
    rows, sizes = [], []
    for case in cases(data, quick):
        with tempfile.TemporaryDirectory() as folder:
            row, size = measured(case, Path(folder))
        rows.append(row)
        sizes.append(size)
    columns = ["model", "inputs", "same answers", "largest difference of scores"]
    speeds = ["unit", "node, per CPU s", "Python, per CPU s"]
    opened = ["model", "file (bytes)", "page (bytes)", "first answer (ms)"]
    return (
        "# Models in web pages\n\n"
        "The reader in JavaScript (`laconic/web`) beside Python, on the same files and inputs. "
        "CPU seconds are the least of three rounds in node, and of one in Python.\n\n"
        f"{table([*columns, *speeds], rows)}\n"
        "A page holds the style, the script and the model, deflated, in base64. The first answer "
        f"is counted from the opening in headless Chromium, median of {OPENINGS} cold starts.\n\n"
        f"{table(opened, sizes)}\n"
        "Aims: a classifier's page within 15,000 bytes, a chunker's within 250,000, 100,000 tokens "
        "per second for a chunker in node, the first answer within 100 ms.\n"
    )


def measured(case: Case, folder: Path) -> tuple[list[Any], list[Any]]:
    """Return a row on answers and speed, and one on sizes."""
    path = folder / "model"
    save_compact(case.model, path, names=False)
    compact = load(path)
    begun = time.process_time()
    expected = case.python(compact)
    seconds = time.process_time() - begun
    given = {"path": str(path), "inputs": case.inputs, "call": case.call}
    found = json.loads(node(SCRIPT.replace("READER", READER.as_uri()), given, folder))
    labels = [(a[0], b[0]) for a, b in zip(found["answers"], expected, strict=True)]
    gaps = [
        np.abs(np.subtract(a[1], b[1])).max(initial=0.0)
        for a, b in zip(found["answers"], expected, strict=True)
        if b[1]
    ]
    page = folder / "page.html"
    exported = export_page(compact, page, case.name)
    same = sum(a == b for a, b in labels)
    return [
        case.name,
        len(case.inputs),
        same,
        f"{max(gaps):.1e}" if gaps else "-",
        case.unit,
        number(case.units / found["seconds"], 0),
        number(case.units / seconds, 0),
    ], [case.name, exported.model_bytes, exported.n_bytes, first_answer(page)]


def node(script: str, given: Any, folder: Path) -> str:
    """Return what a module prints."""
    program = shutil.which("node")
    if program is None:
        raise SystemExit("this page needs node on the path.")
    (folder / "script.mjs").write_text(script, "utf-8")
    done = subprocess.run(
        [program, str(folder / "script.mjs")],
        input=json.dumps(given).encode(),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


class Slow(BaseHTTPRequestHandler):
    """Answers late: the document that waits for it is complete only then."""

    def do_GET(self) -> None:
        time.sleep(WAITED)
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        pass


def first_answer(page: Path) -> str:
    """Return the median of the milliseconds from opening a page to its first answer."""
    program = shutil.which("chromium")
    if program is None:
        return "-"
    found = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        frame = page.with_name("frame.html")
        frame.write_text(FRAME.replace("PAGE", page.name).replace("PORT", str(server.server_port)))
        for _ in range(OPENINGS):
            with tempfile.TemporaryDirectory() as profile:
                command = [program, *FLAGS, f"--user-data-dir={profile}", frame.as_uri()]
                done = subprocess.run(command, capture_output=True, check=True)
            ready = re.search(r'data-ready="([0-9.]+)"', done.stdout.decode())
            found.append(float(ready[1]) if ready else np.nan)
        server.shutdown()
    return number(float(np.median(found)), 0)


def cases(data: Path, quick: bool) -> list[Case]:
    """Return the models."""
    step = 40 if quick else 1
    return [*classifiers(data, step), chunker(data, step), words(data, step), trees(data, step)]


def messages(data: Path, part: str, step: int) -> tuple[list[str], list[str]]:
    with gzip.open(data / "20news_bydate" / f"{part}.jsonl.gz", "rt") as stream:
        rows = [json.loads(line) for line in stream][::step]
    return [row["text"] for row in rows], [row["label"] for row in rows]


def classifiers(data: Path, step: int) -> list[Case]:
    """Return a classifier of two labels, with eight weight values, and one of twenty."""
    texts, labels = messages(data, "train", max(3, step // 4))
    test, _ = messages(data, "test", step)
    two = TextClassifier("lasso", strength=0.3, weighting="log").fit(
        texts, [label.startswith("comp") for label in labels]
    )
    many = TextClassifier("lasso", strength=1.0, weighting="log", ngrams=2).fit(texts, labels)
    n_words = sum(len(text.split()) for text in test)
    call = "((p) => [p.label, [...p.scores]])(model.predict(x))"

    def asked(model: Any) -> list[Any]:
        scores = model.all_scores(test)
        return list(zip(model.decide(scores).tolist(), scores.tolist(), strict=True))

    return [
        Case("2 labels, 8 weight values", quantize(two, 8), test, asked, call, "words", n_words),
        Case("20 labels, pairs of words", many, test, asked, call, "words", n_words),
    ]


def chunker(data: Path, step: int) -> Case:
    """Return a chunker with twenty chosen templates and eight weight values."""
    train, test = (
        read_columns(data / "conll2000" / f"{part}.txt.gz", None) for part in ("train", "test")
    )
    train = train.some(np.arange(0, len(train), step))
    tokens = TokenColumns(train.names[:-1], train.values[:-1], train.ptr)
    model = Tagger(learner=Sparseptron(20), refit=Mira(8))
    model.fit(tokens, list(cut(train.values[-1], train.ptr)))
    test = TokenColumns(test.names[:-1], test.values[:-1], test.ptr)
    sentences = [list(zip(*s.values, strict=True)) for s in test.split()]
    return Case(
        "chunker, 20 templates, 8 weight values",
        quantize(model, 8),
        sentences,
        lambda compact: [[labels, []] for labels in compact.predict(test)],
        "[model.predict(x), []]",
        "tokens",
        sum(map(len, sentences)),
    )


def words(data: Path, step: int) -> Case:
    """Return a trigram model of the Penn Treebank's validation part."""
    with gzip.open(data / "ptb" / "ptb.valid.txt.gz", "rt") as stream:
        train = [line.strip() for line in stream]
    with gzip.open(data / "ptb" / "ptb.test.txt.gz", "rt") as stream:
        test = [line.strip() for line in stream][::step]
    return Case(
        "trigrams",
        LanguageModel(3, KneserNey(), min_count=2).fit(train),
        test,
        lambda compact: [[0, [compact.log_prob(sentence)]] for sentence in test],
        "[0, [model.logProb(x)]]",
        "words",
        sum(len(sentence.split()) for sentence in test),
    )


def trees(data: Path, step: int) -> Case:
    """Return a parser of order 2 of a small treebank."""
    folder = data / "ud" / "Danish-DDT"
    train, test = (read_treebank(folder / f"{part}.conllu.gz") for part in ("dev", "test"))
    model = Parser("carreras", learner=Mira(3)).fit(train.some(np.arange(0, len(train), step)))
    test = test.some(np.flatnonzero(np.diff(test.ptr) <= 40)[:: 2 * step])
    sentences = [list(zip(*s.values, strict=True)) for s in test.tokens.split()]

    def asked(compact: Any) -> list[Any]:
        found = compact.predict(test.tokens)
        return [[[list(map(int, tree.heads)), tree.labels], []] for tree in found]

    call = "((tree) => [[tree.heads, tree.labels], []])(model.predict(x))"
    n_tokens = sum(map(len, sentences))
    return Case("parser of order 2", model, sentences, asked, call, "tokens", n_tokens)
