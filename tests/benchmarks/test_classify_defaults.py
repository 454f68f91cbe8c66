"""The defaults section runs on a folder of one's own: files in any form, with and without test."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import classify_defaults
from benchmarks.__main__ import main

ANIMALS = {"cat": "purr mouse whiskers", "dog": "bark bone leash", "bird": "nest wing egg"}


def rows(n: int, seed: int) -> list[dict[str, str]]:
    generator = np.random.default_rng(seed)
    names = list(ANIMALS)
    return [
        {
            "text": " ".join(generator.choice([*ANIMALS[names[i % 3]].split(), "the", "a"], 6)),
            "label": names[i % 3],
        }
        for i in range(n)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    def write(path: Path, n: int, seed: int) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows(n, seed)), "utf-8")

    write(tmp_path / "own" / "loose.jsonl", 90, 0)
    write(tmp_path / "own" / "pets" / "train.jsonl", 60, 1)
    write(tmp_path / "own" / "pets" / "test.jsonl", 30, 2)
    return tmp_path / "own"


def test_corpora_of_a_folder(folder: Path) -> None:
    found = {corpus.name: corpus for corpus in classify_defaults.corpora_of(folder)}
    assert {name: (len(c.train), len(c.test)) for name, c in found.items()} == {
        "loose": (72, 18),
        "pets": (60, 30),
    }
    assert not any(corpus.is_large for corpus in found.values())


def test_the_section_compares_on_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def here(call, *arguments):  # type: ignore[no-untyped-def]
        return classify_defaults.Run(*call(*arguments), 0.0)

    monkeypatch.setattr(classify_defaults, "measured", here)
    command = ["classify", "--data", str(folder), "--section", "defaults", "--quick"]
    assert main([*command, "--corpus", str(folder)]) == 0
    shown = capsys.readouterr().out
    table = {line.split(" | ")[0].strip("| ") for line in shown.splitlines() if " | " in line}
    assert {"loose", "pets", "**mean**"} <= table
    for wrong in (["--corpus", str(folder / "none")], ["--corpus", str(folder), "--write"]):
        with pytest.raises(SystemExit):
            main([*command, *wrong])
    with pytest.raises(SystemExit):
        main(["classify", "--data", str(folder), "--corpus", str(folder), "--section", "speed"])
