"""Commands run in this process: their outcome, their result, or their refusal."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from typer.testing import CliRunner

from laconic.cli.main import app

RUNNER = CliRunner()


class InFolder(Protocol):
    """The files of one test."""

    folder: Path


class JsonFiles:
    """Files of rows as JSON lines, training rows among them, and where the model goes."""

    def __init__(self, folder: Path, train: list[dict[str, Any]]):
        self.folder = folder
        self.train = self.write("train.jsonl", train)
        self.model = str(folder / "m.laconic")

    def write(self, name: str, content: list[dict[str, Any]] | str) -> str:
        path = self.folder / name
        path.write_text(
            content
            if isinstance(content, str)
            else "".join(json.dumps(row) + "\n" for row in content)
        )
        return str(path)


class TokenFiles:
    """Sentences to learn from, others to tune on (compressed), and where the model goes."""

    def __init__(
        self, folder: Path, suffix: str, sentences: Callable[[int, int], str], n: tuple[int, int]
    ):
        self.folder = folder
        self.train = str(folder / f"train.{suffix}")
        self.dev = str(folder / f"dev.{suffix}.gz")
        self.templates = str(folder / "templates")
        self.model = str(folder / "m.laconic")
        Path(self.train).write_text(sentences(n[0], 0))
        Path(self.dev).write_bytes(gzip.compress(sentences(n[1], 1).encode()))


def run(*arguments: str, text: str | bytes | None = None) -> Any:
    return RUNNER.invoke(app, arguments, input=text)


def result_of(*arguments: str, text: str | None = None) -> Any:
    outcome = run(*arguments, "--json", text=text)
    assert outcome.exit_code == 0, outcome.output
    return json.loads(outcome.stdout)


def refused(
    given: InFolder, sentence: str, *arguments: str, text: str | bytes | None = None
) -> None:
    """Exit code 2, one sentence on stderr, nothing on stdout, nothing new in the folder."""
    before = sorted(os.listdir(given.folder))
    outcome = run(*arguments, text=text)
    assert outcome.exit_code == 2, outcome.output
    assert outcome.stderr.startswith("laconic: error: ") and outcome.stderr.count("\n") == 1
    assert sentence in outcome.stderr and outcome.stdout == ""
    assert sorted(os.listdir(given.folder)) == before
