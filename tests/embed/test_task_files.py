"""Files of evaluation tasks of word vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from laconic import InputError
from laconic.embed.task_files import (
    Completion,
    read_analogies,
    read_completions,
    read_similarity,
    task_of,
)

HEADING = "id\tleft\tright\ta\tb\tanswer\n"


def written(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "task.txt"
    path.write_text(content)
    return path


def test_similarity(tmp_path: Path) -> None:
    task = read_similarity(written(tmp_path, "tiger\tcat\t7.35\n\nLove sex  -1e1\n"))
    assert (task.first, task.second, task.scores.tolist()) == (
        ["tiger", "Love"],
        ["cat", "sex"],
        [7.35, -10],
    )


def test_analogies(tmp_path: Path) -> None:
    task = read_analogies(
        written(
            tmp_path, ": capitals of all\nAthens Greece Oslo Norway\n: gram1\na b c d\na b c e\n"
        )
    )
    assert task.sections == ["capitals of all", "gram1"] and task.section.tolist() == [0, 1, 1]
    assert task.words[0] == ("Athens", "Greece", "Oslo", "Norway")
    assert task.is_syntactic().tolist() == [False, True, True]
    assert read_analogies(written(tmp_path, "a b c d\n")).sections == ["all"]


def test_completions(tmp_path: Path) -> None:
    task = read_completions(
        written(tmp_path, f"{HEADING}1\tthe big\t\tcat\twell known\tb\n\n2\t\tis\tx\ty\ta\n")
    )
    assert task == [
        Completion(["the", "big"], [["cat"], ["well", "known"]], 1),
        Completion(["is"], [["x"], ["y"]], 0),
    ]


@pytest.mark.parametrize(
    ("content", "task"),
    [
        ("\n: family\nboy girl man woman\n", "analogies"),
        ("boy girl man woman\n", "analogies"),
        ("tiger cat 7.35\n", "similarity"),
        (HEADING, "completion"),
        ("(3 (2 good))\n", "sentiment"),
    ],
)
def test_the_form_determines_the_task(tmp_path: Path, content: str, task: str) -> None:
    assert task_of(written(tmp_path, content)) == task


@pytest.mark.parametrize(
    "content", ["", "some words\n", "tiger cat near\n", "tiger cat nan\n", "1,2,3,4,5\n"]
)
def test_other_files_have_none(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError, match="none of the tasks"):
        task_of(written(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "found none"),
        ("a b\n", "txt:1: expected two words and a score"),
        ("a b 1\na b inf\n", "txt:2: expected two words"),
    ],
)
def test_bad_similarity(tmp_path: Path, content: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_similarity(written(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "says"),
    [("", "found none"), (": a\n", "found none"), (": a\nx y z\n", "txt:2: expected four words")],
)
def test_bad_analogies(tmp_path: Path, content: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_analogies(written(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "txt:1: expected the columns"),
        ("id\tleft\tright\ta\tanswer\n", "txt:1: expected the columns"),
        (HEADING, "no sentences"),
        (
            f"{HEADING}1\t\t\tx\ty\tc\n",
            "txt:2: expected 6 columns, the last one of a, b, found 6, the last one 'c'",
        ),
        (f"{HEADING}1\tx\ty\ta\n", "txt:2: expected 6 columns"),
    ],
)
def test_bad_completions(tmp_path: Path, content: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_completions(written(tmp_path, content))
