"""Compact files damaged by chance or by malice: each is refused in one sentence, or harmless."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.compact_fuzz import MUTATIONS, damaged, small_models, tally, use
from laconic.models import file as files
from laconic.models.checks import pack_json, unpack_json
from laconic.models.save import load


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    return small_models(tmp_path_factory.mktemp("models"))


@pytest.mark.slow
def test_thousands_of_damaged_files(tmp_path: Path, contents: list[bytes]) -> None:
    counts = tally(tmp_path / "m", contents, 2000, 1)
    outcomes: Counter[str] = Counter()
    for (mutation, outcome), n in counts.items():
        outcomes[outcome] += n
        # A header may be written anew and say the same; whoever forges a checksum may as well
        # write a sound model.
        assert mutation in ("reheaded", "forged") or outcome == "refused", (
            f"{mutation} was {outcome}"
        )
    assert sum(outcomes.values()) == 2000
    assert outcomes["refused"] > 1500 and outcomes["used"] > 0  # some forgeries are sound models


def test_every_truncation_of_a_small_model_is_refused(
    tmp_path: Path, contents: list[bytes]
) -> None:
    smallest = min(contents, key=len)
    for length in range(0, len(smallest), 7):
        (tmp_path / "m").write_bytes(smallest[:length])
        with pytest.raises(files.InputError):
            load(tmp_path / "m")


def test_mutations_are_many_and_change_something(contents: list[bytes]) -> None:
    seen = {name for name, content in damaged(contents, 200) if content not in contents}
    assert seen == {mutation.__name__ for mutation in MUTATIONS}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("n_shared", 10**9, "shared rows"),
        ("n_shared", -1, "rows"),
        ("n_cells", 2**62, "number"),
        ("paths", [1], "paths"),
        ("paths", ["0"], "code"),
        ("labels", ["O"], "labels"),
        ("templates", ["word[0]"], "templates"),
    ],
)
def test_lies_of_the_description_are_named(
    tmp_path: Path, contents: list[bytes], key: str, value: Any, words: str
) -> None:
    (tmp_path / "m").write_bytes(contents[0])
    file = files.load(tmp_path / "m", lambda kind: kind.endswith(".compact"))
    about = {**unpack_json(file.arrays["about"]), key: value}
    files.save(tmp_path / "bad", file.kind, {**file.arrays, "about": pack_json(about)}, file.meta)
    with pytest.raises(files.InputError, match=words):
        load(tmp_path / "bad")


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("parser", {}, "nonzero"),
        ("parser", None, "parser"),
        ("pruner", None, "no description"),
        ("labels", False, "no description of them"),
        ("templates", ["h.word|m.word"], "kept"),
        ("kept", [0, 1, 2, 3, 4], "map|views|template"),
        ("single_root", 1, "single_root"),
    ],
)
def test_lies_of_the_description_of_a_parser_are_named(
    tmp_path: Path, contents: list[bytes], key: str, value: Any, words: str
) -> None:
    (tmp_path / "m").write_bytes(contents[4])
    file = files.load(tmp_path / "m", lambda kind: kind.endswith(".compact"))
    about = {**unpack_json(file.arrays["about"]), key: value}
    files.save(tmp_path / "bad", file.kind, {**file.arrays, "about": pack_json(about)}, file.meta)
    with pytest.raises(files.InputError, match=words):
        load(tmp_path / "bad")


def test_sound_models_are_used(tmp_path: Path, contents: list[bytes]) -> None:
    for content in contents:
        (tmp_path / "m").write_bytes(content)
        use(load(tmp_path / "m"))
