"""The section `files` of the classify page: how large models of 500 words are on disk."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks import corpora
from benchmarks.page import percent, table
from laconic import load
from laconic.text.jsonl import write_jsonl

WORDS, TASK = 500, "science"
WEIGHTINGS = ("count", "binary", "log", "tfidf", "logtfidf")
FIXED = ("--penalty", "elastic", "--ngrams", "1", "--prefixes", "none", "--contrast", "0.5")
FIXED += ("--frequency", "0", "--folds", "2")
TEXT = f"""\
`laconic train classify train.jsonl -o model --small {WORDS} --weighting W` on {TASK}, and beside it
`{" ".join(FIXED)}`; then `laconic compress model -o compact`. A compact file with names can be
inspected; `--no-names` leaves the words out."""


def section(data: Path, quick: bool) -> str:
    """Return the section as Markdown."""
    task = corpora.load(TASK, data)
    whole = task.pool or task.train
    rows = []
    with TemporaryDirectory() as folder:
        place = Path(folder)
        pairs = zip(whole.texts, whole.labels.tolist(), strict=True)
        write_jsonl(place / "train.jsonl", [{"text": t, "label": g} for t, g in pairs])
        for weighting in WEIGHTINGS[2:4] if quick else WEIGHTINGS:
            laconic(
                place,
                "train",
                "classify",
                "train.jsonl",
                "-o",
                "model",
                "--small",
                str(WORDS),
                "--weighting",
                weighting,
                *FIXED,
            )
            laconic(place, "compress", "model", "-o", "compact")
            laconic(place, "compress", "model", "-o", "nameless", "--no-names")
            model: Any = load(place / "model")
            right = np.mean(model.predict(task.test.texts) == task.test.labels)
            sizes = [(place / name).stat().st_size for name in ("model", "compact", "nameless")]
            rows.append([weighting, model.report_.features_kept, percent(float(right)), *sizes])
    head = ["weighting", "words", "accuracy", "bytes", "compact", "compact, no names"]
    return "\n\n".join([f"## Files of {WORDS} words", TEXT, table(head, rows)])


def laconic(folder: Path, *arguments: str) -> None:
    """Run the command line in a folder."""
    command: Sequence[str] = [sys.executable, "-m", "laconic", *arguments, "--quiet"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
