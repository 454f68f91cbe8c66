"""Files of parsers on small treebanks, and what `laconic compress` leaves of their scores."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page import table
from laconic.models import file
from laconic.models.save import load
from laconic.parse.model import Parser
from laconic.parse.predict import TreeModel
from laconic.parse.scores import scores
from laconic.parse.store import pack
from laconic.text.treebanks import read_treebank

# Treebank, the file that is learned from, and the number of its sentences.
TREEBANKS = (
    ("Danish-DDT", "dev", 300),
    ("Turkish-IMST", "train", 600),
    ("Slovenian-SSJ", "dev", 250),
)
ORDERS: dict[int, TreeModel] = {1: "arcs", 2: "carreras"}
VALUES = 8
TEXT = """\
## Small files

Parsers with default settings, learned from small treebanks (for two of them dev is at hand, and \
train is not). Every second sentence of
test chooses the values (`laconic compress MODEL --values 8 --dev HALF`), the others are scored. \
`plain` is the form of files that lists
every feature, `file` what `save` writes: the same trees and scores."""


def section(data: Path, quick: bool = False) -> str:
    """The section of the page."""
    rows = []
    for name, part, most in TREEBANKS[: 1 if quick else None]:
        for order in ORDERS:
            print(name, order, flush=True)
            with tempfile.TemporaryDirectory() as folder:
                row = compressed(data / "ud" / name, part, 60 if quick else most, order, folder)
            rows.append([name, order, *row])
    head = ["treebank", "order", "sentences", "plain MB", "file MB", "opens, ms", "8 values MB"]
    scored = ["dev UAS", "8 values", "test UAS", "8 values", "test LAS", "8 values"]
    shown = [[*row[:7], *(f"{100 * share:.2f}" for share in row[7:])] for row in rows]
    lost = np.array([[100 * (row[a] - row[a + 1]) for a in (9, 11)] for row in rows])
    (uas, las), errors = lost.mean(axis=0), lost.std(axis=0) / max(1, len(lost) - 1) ** 0.5
    verdict = (
        f"{VALUES} values cost {uas:.2f} points of UAS on test text on average over the rows "
        f"(standard error {errors[0]:.2f}), and {las:.2f} of LAS ({errors[1]:.2f})."
    )
    return "\n".join([TEXT + "\n", table([*head, *scored], shown), verdict + "\n"])


def compressed(treebank: Path, part: str, most: int, order: int, folder: str) -> list[Any]:
    """Sizes, time to open, and the scores of a parser before and after it got few values."""
    train = read_treebank(treebank / f"{part}.conllu.gz").some(np.arange(most))
    parser = Parser(ORDERS[order]).fit(train)
    plain, saved, small = (Path(folder) / name for name in ("plain", "saved", "small"))
    file.save(plain, "parse", *pack(parser))
    parser.save(saved)
    halves = split(treebank / "test.conllu.gz", Path(folder))
    command = ["compress", str(saved), "--values", str(VALUES), "--dev", str(halves[0])]
    done = subprocess.run(
        [sys.executable, "-m", "laconic", *command, "-o", str(small), "--json", "--quiet"],
        check=True,
        capture_output=True,
        text=True,
    )
    report = json.loads(done.stdout)
    start = time.process_time()
    before = load(saved)
    opened = 1000 * (time.process_time() - start)
    gold = read_treebank(halves[1])
    first, last = scores(before, gold), scores(load(small), gold)
    megabytes = [f"{path.stat().st_size / 2**20:.2f}" for path in (plain, saved, small)]
    shares = [report["score_before"], report["score"]]
    shares += [one[key] for key in ("uas", "las") for one in (first, last)]
    return [len(train), *megabytes[:2], f"{opened:.0f}", megabytes[2], *shares]


def split(path: Path, folder: Path) -> list[Path]:
    """Write every second sentence of a file to one file and the others to another one."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        blocks = stream.read().strip().split("\n\n")
    written = []
    for half in (0, 1):
        written.append(folder / f"half{half}.conllu")
        written[-1].write_text("\n\n".join(blocks[half::2]) + "\n\n", "utf-8")
    return written
