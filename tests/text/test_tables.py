"""The same documents from every form of file; what cannot be read is one sentence with its line."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import InputError
from laconic.text.columns import Columns
from laconic.text.jsonl import Documents, iterate_rows, read_corpus, read_documents
from laconic.text.tables import table_rows

TEXTS = ['He said "no", twice;\nthen\tleft | so', "Ünïcode, 文字", '"', " spaces ", "x" * 200_000]
LABELS = ["good", "bad", "good", "bad", "bad"]
SAME = Documents(TEXTS, LABELS)


def as_table(delimiter: str, names: tuple[str, str] = ("text", "label")) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter)
    writer.writerows([names, *zip(TEXTS, LABELS, strict=True)])
    return stream.getvalue().encode()


def zstandard(content: bytes) -> bytes:
    packer = pytest.importorskip("zstandard").ZstdCompressor()
    return packer.compress(content[:100]) + packer.compress(content[100:])  # two frames


ROWS = [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)]
FORMS = {
    "a.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
    "a.json": json.dumps(ROWS, indent=2).encode(),
    "b.json": json.dumps(ROWS).encode(),
    "a.csv": as_table(","),
    "b.csv": b"\xef\xbb\xbf" + as_table(";"),
    "c.csv": as_table("\t", ("Review", "Sentiment")),
    "d.csv": as_table("|", ("some name", "class")),
    "a.tsv": as_table("\t"),
    "b.tsv": as_table("\t", ("sentence", "anything")),
    "a.txt": as_table(","),
}
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard,
}


def put(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_documents(tmp_path: Path, name: str, suffix: str) -> None:
    path = put(tmp_path, name + suffix, PACKERS[suffix](FORMS[name]))
    assert read_documents(path) == SAME
    assert read_documents(path, label_field=None) == Documents(TEXTS, None)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv"])
def test_standard_input_is_known_by_its_content(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(FORMS[name])))
    assert read_documents("-") == SAME


def test_parquet(tmp_path: Path) -> None:
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    table = {"review": TEXTS, "label": [1, 0, 1, 0, 0], "stars": [1.5, 2, 3, None, 5]}
    parquet.write_table(arrow.table(table), path)
    found = read_corpus(path, Columns(numbers=("stars",)))
    assert found.documents == TEXTS and found.labels == ["1", "0", "1", "0", "0"]
    assert str(found.columns) == "{'stars': [1.5, 2.0, 3.0, nan, 5.0]}"
    assert "the text is the column 'review', the label the column 'label'" in found.taken
    with pytest.raises(InputError, match=r"a\.parquet: row 1: the column 'body' is missing"):
        read_documents(path, "body")
    with pytest.raises(InputError, match=r"b\.parquet: expected a Parquet file"):
        read_documents(put(tmp_path, "b.parquet", b"text,label\n"))


@pytest.mark.parametrize(
    ("module", "name", "sentence"),
    [
        ("pyarrow", "a.parquet", r'pip install "laconic\[tables\]"'),
        ("zstandard", "a.csv.zst", "pip install zstandard"),
    ],
)
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python 3.14 reads zstandard itself")
def test_a_missing_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str, sentence: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=sentence):
        read_documents(put(tmp_path, name, b"\x28\xb5\x2f\xfd or Parquet"))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_cut_compressed_files_are_named(tmp_path: Path, suffix: str) -> None:
    path = put(tmp_path, "a.csv" + suffix, PACKERS[suffix](FORMS["a.csv"])[:-12])
    with pytest.raises(InputError, match=rf"a\.csv\{suffix}: the \w+ file is damaged or cut off"):
        read_documents(path)


CELLS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\r"), max_size=8)


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=5), st.sampled_from(",;\t|"))
def test_written_tables_are_read_back(rows: list[list[str]], delimiter: str) -> None:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([["a", "b", "c"], *rows])
    lines = io.StringIO(stream.getvalue(), newline=None)
    found = [[*row.values()] for _, row in table_rows(lines, "x", delimiter)]
    assert found == rows


def test_tab_separated_tables_in_which_quotes_are_letters(tmp_path: Path) -> None:
    content = 'label\tsentence\n1\t"oh no\n0\t"oh" yes\n1\tfine "\n'
    path = put(tmp_path, "a.tsv", content)
    assert read_documents(path) == Documents(['"oh no', '"oh" yes', 'fine "'], ["1", "0", "1"])


def test_columns_by_name_and_by_position(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "id,when,body,mood\n1,May,nice,up\n2,June,sad,down\n")
    assert read_documents(path, "body", "mood") == Documents(["nice", "sad"], ["up", "down"])
    bare = put(tmp_path, "b.csv", '3,"Wall St.",Short\n4,Oil,Up\n3,Stocks,Down\n4,Gas,Low\n')
    assert read_documents(bare, "2", "1").documents == ["Wall St.", "Oil", "Stocks", "Gas"]
    named = put(tmp_path, "c.csv", "Class Index,Title\n4,Oil\n3,Stocks\n4,Gas\n3,Coal\n")
    found = read_corpus(named, Columns("2", "1"))
    assert found.labels == ["4", "3", "4", "3"] and "names of columns" in found.taken
    tabs = put(tmp_path, "d.tsv", "kind\twords\nx\ta\ny\tb\nx\tc\ny\td\n")
    assert read_documents(tabs).documents == ["a", "b", "c", "d"]


def test_numbers_and_categories_beside_the_text(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "text,label,stars,shop\na,x,3,Rome\nb,y,,\nc,x,1e2, Oslo\n")
    found = read_corpus(path, Columns(numbers=("stars",), categories=("shop",)))
    assert str(found.columns) == "{'stars': [3.0, nan, 100.0], 'shop': ['Rome', '', 'Oslo']}"
    with pytest.raises(InputError, match=r"a\.csv:2: the column 'price' is missing; found 'text'"):
        read_corpus(path, Columns(numbers=("price",)))
    with pytest.raises(InputError, match=r"a\.csv:2: 'shop' is a number, not 'Rome'"):
        read_corpus(path, Columns(numbers=("shop",)))
    with pytest.raises(InputError, match=r"the column 'stars' is missing: only JSON"):
        read_corpus(put(tmp_path, "a.txt", "a\n"), Columns(label=None, numbers=("stars",)))


def test_folders_and_plain_text(tmp_path: Path) -> None:
    put(tmp_path, "f/pos/2.txt", "fine\nfilm")
    put(tmp_path, "f/pos/1.txt.gz", gzip.compress(b"good"))
    put(tmp_path, "f/neg/.hidden.txt", "x")
    put(tmp_path, "f/neg/deep/a.txt", "bad")
    put(tmp_path, "f/neg/urls.md", "no document")
    put(tmp_path, "f/README.txt", "no document either")
    assert read_documents(tmp_path / "f") == Documents(
        ["bad", "good", "fine\nfilm"], ["neg", "pos", "pos"]
    )
    found = read_corpus(tmp_path / "f" / "pos", Columns(label=None))
    assert found.documents == ["good", "fine\nfilm"] and found.files is not None
    assert [Path(file).name for file in found.files] == ["1.txt.gz", "2.txt"]
    text = put(tmp_path, "t.txt", "text, and more\n\n(This is one.) And two\n")
    assert read_documents(text, label_field=None).documents == [
        "text, and more",
        "(This is one.) And two",
    ]
    assert read_corpus(text, Columns(label=None), whole=True).documents == [text.read_text()]
    messages = put(tmp_path, "bare/x/17", "a message without a suffix").parent.parent
    assert read_documents(messages).labels == ["x"]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"", r"a\.csv: the file is empty"),
        ("a.csv", b"text,label\n", r"a\.csv: the file is empty; expected at least one document"),
        ("a.csv", b"text\na\nb\n", r"a\.csv:2: the column 'label' is missing; found 'text'"),
        ("a.csv", b"text,label\na,x\nb\n", r"a\.csv:3: expected 2 cells .* found 1"),
        ("a.csv", b"text,label\na,x\nb, c,y\n", r"a\.csv:3: .* ',' is put between double quotes"),
        ("a.csv", b'text,label\n"a\nb",x\n"c,y\n', r"a\.csv:4: a quoted cell that opens here"),
        ("a.csv", b"text,label,text\na,x,b\n", r"a\.csv:1: two columns have the name 'text'"),
        ("a.csv", b"text,label\na,x\nb,\n", r"a\.csv:3: the label in the column 'label' is empty"),
        ("a.csv", b"id,words,mood\n1,a,x\n", r"a\.csv:2: the column 'text' is missing; found 'id'"),
        ("a.csv", b"text,label\na,x\ncaf\xe9,x\n", r"a\.csv:3: expected UTF-8 text"),
        ("a.csv", "text,label\na,x\n".encode("utf-16"), "the file is UTF-16: save it as UTF-8"),
        ("a.csv", b"text,label\na,x\nb\0,x\n", r"a\.csv:3: .* found a zero byte"),
        ("a.txt", b"just\nsome text\n", r"a\.txt:1: expected documents with labels"),
        ("a.json", b'[{"text": "a",\n"label": 1},\n{"text": }]', r"a\.json:3: expected a JSON"),
        ("a.json", b'[{"text": "a",\n"label": 1}\n{"text": "b"}]', r"a\.json:3: expected a comma"),
        ("a.json", b'[{"text": "a", "label": 1},\n3]', r"a\.json:2: .* found an integer"),
        ("a.json", b'[{"text": "a", "label": 1}]\nmore', r"a\.json:2: expected nothing after"),
        ("a.json", b"[]", r"a\.json: the file is empty"),
        ("a.json", b'[{"text": "a", "label": 1},', r"a\.json:1: expected a JSON object"),
        ("a.csv/b", b"text", r"a\.csv: expected a folder of \.txt files per label"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    path = put(tmp_path, name, content)
    with pytest.raises(InputError, match=sentence):
        read_documents(path if path.parent == tmp_path else path.parent)


def test_rows_of_tables_serve_other_readers(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "text,date\na,2008\n")
    assert list(iterate_rows(path)) == [(f"{path}:2", {"text": "a", "date": "2008"})]
