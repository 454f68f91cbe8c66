"""Documents from files: every accepted form, and one clear sentence for each that is not."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import InputError
from laconic.text.jsonl import Documents, read_documents, read_jsonl, write_jsonl

STRINGS = st.text(st.characters(), max_size=8)  # lone surrogates included
TEXTS = (
    STRINGS | st.lists(STRINGS, max_size=3) | st.lists(st.lists(STRINGS, max_size=3), max_size=3)
)


@given(st.lists(st.tuples(TEXTS, STRINGS), min_size=1, max_size=6))
def test_written_rows_are_read_back(rows) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        write_jsonl(path, ({"text": text, "label": label} for text, label in rows))
        assert read_jsonl(path) == Documents(
            [text for text, _ in rows], [label for _, label in rows]
        )
        assert os.listdir(folder) == ["rows.jsonl"]


def write(folder: Path, content: str | bytes, name: str = "in.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_fields_labels_and_blank_lines(tmp_path: Path) -> None:
    content = '{"t": "a", "y": 1}\n\n{"t": "b", "y": true, "more": {}}\n{"t": "", "y": "x"}'
    path = write(tmp_path, gzip.compress(content.encode()))
    assert read_jsonl(path, "t", "y") == Documents(["a", "b", ""], ["1", "True", "x"])
    assert read_jsonl(path, "t", label_field=None).labels is None


def test_labels_may_be_absent_when_not_required(tmp_path: Path) -> None:
    path = write(tmp_path, '{"text": "a"}\n{"text": "b"}\n')
    assert read_jsonl(path, require_labels=False) == Documents(["a", "b"], None)
    with pytest.raises(
        InputError, match=r"in\.jsonl:1: the field 'label' is missing; found 'text'"
    ):
        read_jsonl(path)


@pytest.mark.parametrize(
    "rows", ['{"text":"a"}\n{"text":"b","label":"x"}', '{"text":"b","label":"x"}\n{"text":"a"}']
)
def test_labels_are_on_all_rows_or_none(tmp_path: Path, rows: str) -> None:
    with pytest.raises(InputError, match=":2: some rows have the field 'label'"):
        read_jsonl(write(tmp_path, rows), require_labels=False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"in\.jsonl: the file is empty"),
        (b"\n  \n", r"in\.jsonl: the file is empty"),
        (
            b'{"text": "a", "label": "x"}\n{"text": "caf\xe9", "label": "x"}\n',
            r":2: expected UTF-8",
        ),
        (
            b'{"text": "a", "label": "x"}\n{"text": \n',
            r"in\.jsonl:2: expected one JSON object per line",
        ),
        (b"[1]\n", r":1: expected a JSON object, found a list of an integer"),
        (b"[" * 100_000 + b"\n", r":1: the JSON is nested too deeply"),
        (b'{"label": "x"}\n', r":1: the field 'text' is missing; found 'label'"),
        (b"{}\n", r":1: the field 'text' is missing; found no field"),
        (b'{"text": 3, "label": "x"}\n', r":1: 'text' is a string.* not an integer"),
        (b'{"text": null, "label": "x"}\n', r"not null"),
        (b'{"text": ["a", ["b"]], "label": "x"}\n', r"not a list"),
        (b'{"text": [["a", 1]], "label": "x"}\n', r"not a list"),
        (b'{"text": "a", "label": 1.5}\n', r":1: 'label' is a string.* not a number"),
        (b'{"text": "a", "label": null}\n', r"not null"),
        (b'{"text": "a", "label": ["x"]}\n', r"not a list of a string"),
    ],
)
def test_bad_rows_are_named_with_file_and_line(
    tmp_path: Path, content: bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_jsonl(write(tmp_path, content))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sys.stdin", SimpleNamespace(buffer=io.BytesIO(b'{"text": "a", "label": 2}\nnot json'))
    )
    with pytest.raises(InputError, match="standard input:2"):
        read_documents("-")


def test_tab_separated(tmp_path: Path) -> None:
    path = write(tmp_path, "x\ta text\twith a tab\r\n\ny\tb\n", "in.tsv")
    assert read_documents(path) == Documents(["a text\twith a tab", "b"], ["x", "y"])
    bare = write(tmp_path, "one\ntwo\n", "bare.tsv")
    assert read_documents(bare, require_labels=False) == Documents(["one", "two"], None)
    assert read_documents(path, label_field=None).documents == ["x\ta text\twith a tab", "y\tb"]
    with pytest.raises(InputError, match=r"bare\.tsv:1: expected a label, a tab and the text"):
        read_documents(bare)
    with pytest.raises(InputError, match=r":2: some rows have a label"):
        read_documents(write(tmp_path, "x\ta\nb\n", "mixed.tsv"), require_labels=False)


def test_trees_and_json_lines_are_told_apart(tmp_path: Path) -> None:
    trees = read_documents(
        write(tmp_path, gzip.compress(b"\n(3 (2 a) (3 b))\n(1 c)\n"), "in.txt.gz")
    )
    assert trees.labels == ["3", "1"] and [tree.words for tree in trees.documents] == [
        ["a", "b"],
        ["c"],
    ]  # type: ignore[union-attr]
    assert read_documents(tmp_path / "in.txt.gz", label_field=None).labels is None
    assert read_documents(write(tmp_path, '{"text": "a", "label": "x"}', "in.txt")).labels == ["x"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = write(tmp_path, "old")
    with pytest.raises(TypeError):
        write_jsonl(path, [{"a": 1}, {"b": object()}])
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["in.jsonl"]


def test_newsgroups(data: Path) -> None:
    documents, labels = read_documents(data / "20news_bydate" / "test.jsonl.gz")
    assert labels is not None and len(documents) == len(labels) == 7532 and len(set(labels)) == 20
    with gzip.open(data / "20news_bydate" / "test.jsonl.gz", "rb") as stream:
        assert documents[0] == json.loads(stream.readline())["text"]
