"""ARPA files: reading, writing, and error messages."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ngrams import arpas, as_dictionaries

from laconic.errors import InputError
from laconic.lm import arpa as arpa_module
from laconic.lm.arpa import Arpa, NgramTable, read_arpa, write_arpa

SMALL = """a line before the data

\\data\\
ngram 1=3
ngram  2 = 2

\\1-grams:
-99\t<s>\t-0.25
-0.5 b\u00a0c
-1e-1\té\t-0.5

\\2-grams:
-0.125\t<s> é
-0.25\té\tb\u00a0c

\\end\\
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "model.arpa"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_small_file(tmp_path: Path) -> None:
    found = read_arpa(written(tmp_path, SMALL))
    assert found.vocabulary == ["<s>", "b\u00a0c", "é"]
    assert found.tables[0].log10_prob.tolist() == [-99, -0.5, -0.1]
    assert found.tables[0].log10_backoff.tolist() == [-0.25, 0, -0.5]
    assert found.tables[1].words.tolist() == [[0, 2], [2, 1]]


@pytest.mark.parametrize("chunk", [1, 50_000])
@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
def test_what_is_written_is_read_again(
    tmp_path: Path, name: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arpa_module, "CHUNK", chunk)
    first = read_arpa(written(tmp_path, SMALL))
    write_arpa(tmp_path / name, first)
    again = read_arpa(tmp_path / name)
    assert again.vocabulary == first.vocabulary
    for table, same in zip(first.tables, again.tables, strict=True):
        for left, right in zip(table, same, strict=True):
            assert np.array_equal(left, right)
    assert (tmp_path / name).read_bytes()[:2] == (
        gzip.compress(b"")[:2] if name.endswith(".gz") else b"\\d"
    )


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arpas())
def test_any_tables_come_back(tmp_path: Path, arpa: Arpa) -> None:
    write_arpa(tmp_path / "any.arpa", arpa)
    assert as_dictionaries(read_arpa(tmp_path / "any.arpa")) == as_dictionaries(arpa)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("\\data\\", "data", ":16: expected an ARPA file, found no line \\data\\."),
        (
            "ngram 1=3",
            "ngram 2=3",
            ":4: expected 'ngram 1=' and a number, or \\1-grams:, found 'ngram 2=3'.",
        ),
        (
            "ngram 1=3",
            "ngram 1=x",
            ":4: expected 'ngram 1=' and a number, or \\1-grams:, found 'ngram 1=x'.",
        ),
        (
            "ngram 1=3",
            "ngram 1=4",
            ":11: expected another 1-gram: the file promises more of them.",
        ),
        (
            "ngram 1=3",
            "ngram 1=2",
            ":10: expected \\2-grams: after 2 1-grams, found '-1e-1\\té\\t-0.5'.",
        ),
        (
            "ngram  2 = 2",
            "ngram 2=3",
            ":15: expected another 2-gram: the file promises more of them.",
        ),
        (
            "ngram  2 = 2",
            "ngram 2=1",
            ":14: expected \\end\\ after 1 2-grams, found '-0.25\\té\\tb\\xa0c'.",
        ),
        ("\\end\\", "", ":16: expected \\end\\ after 2 2-grams, found the end of the file."),
        ("-0.5 b", "-0,5 b", ":9: expected a finite number, found '-0,5'."),
        ("-0.5 b", "-inf b", ":9: expected a finite number, found '-inf'."),
        ("\té\t-0.5", "\té\tnan", ":10: expected a finite number, found 'nan'."),
        (
            "\té\t-0.5",
            "\té\t-0.5\tx",
            ":10: expected a number, 1 word and perhaps a number, found 4 fields.",
        ),
        ("\té\t-0.5", "\t<s>\t-0.5", ":10: the word '<s>' occurs twice."),
        ("<s> é", "<s> x", ":13: the word 'x' is not one of the 1-grams."),
        ("<s> é", "é", ":13: expected a number, 2 words and perhaps a number, found 2 fields."),
        ("<s> é", "<s> é\t-1", ":13: n-grams of the highest order have no back-off weight."),
    ],
)
def test_messages_name_the_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = written(tmp_path, SMALL.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_arpa(path)
    assert str(caught.value) == f"{path}{says}"


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(0, len(SMALL) - 1),
    st.sampled_from(["", "0", "-", " ", "\n", "\t", "e9", "\\", "é"]),
    st.integers(0, 2),
)
def test_damaged_files_are_read_or_refused(tmp_path: Path, at: int, put: str, cut: int) -> None:
    path = written(tmp_path, SMALL[:at] + put + SMALL[at + cut :])
    try:
        found = read_arpa(path)
    except InputError as error:
        assert str(error).startswith(f"{path}:") and "\n" not in str(error)
    else:
        assert len(found.tables[0].words) == len(found.vocabulary)


def test_a_file_that_ends_too_early(tmp_path: Path) -> None:
    path = written(tmp_path, SMALL[: SMALL.index("-0.25\té\tb")])
    with pytest.raises(InputError, match=":13: expected 2 2-grams, but the file ends after 1"):
        read_arpa(path)
    with pytest.raises(InputError, match="no line"):
        read_arpa(written(tmp_path, ""))
    with pytest.raises(InputError, match="at least one"):
        read_arpa(written(tmp_path, "\\data\\\n\\1-grams:\n\\end\\\n"))


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-0.5",
        "+1.25",
        "-.5",
        "5.",
        "1e-3",
        "-12345678901234567890",
        "0.1234567890123456789",
        "1e-400",
        "3.14159e2",
        "-99",
    ],
)
def test_numbers_are_read_as_python_reads_them(tmp_path: Path, text: str) -> None:
    found = read_arpa(
        written(tmp_path, f"\\data\\\nngram 1=1\n\n\\1-grams:\n{text} a\n\n\\end\\\n")
    )
    assert found.tables[0].log10_prob.tolist() == [float(text)]


@pytest.mark.parametrize("text", ["0x10", "1_0", "--1", "1e", "1e999", "infinity", ".", "1.2.3"])
def test_other_numbers_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=":5: expected a finite number, found"):
        read_arpa(written(tmp_path, f"\\data\\\nngram 1=1\n\n\\1-grams:\n{text} a\n\n\\end\\\n"))


@pytest.mark.parametrize("word", ["", "a b", "a\n", "\ud800"])
def test_words_that_a_file_cannot_hold(tmp_path: Path, word: str) -> None:
    table = NgramTable(np.zeros((1, 1), np.int32), np.zeros(1), np.zeros(1))
    with pytest.raises(ValueError, match="cannot hold the word"):
        write_arpa(tmp_path / "none.arpa", Arpa([word], [table]))
    assert not (tmp_path / "none.arpa").exists()
