"""Dated documents with fields from JSON lines."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from laconic.errors import InputError
from laconic.time.dated import (
    CATEGORY,
    EITHER,
    NUMBER,
    OPTIONAL_CATEGORY,
    OPTIONAL_NUMBER,
    read_dated,
    read_series,
)


def write(path: Path, *rows: Any) -> Path:
    path.write_text(
        "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n", "utf-8"
    )
    return path


def test_texts_dates_and_fields(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        {"text": "a", "date": "2008-07-31", "district": "at", "rate": 3, "target": 0.5},
        "",
        {"text": ["b", "c"], "date": 2009, "district": 7, "rate": -1.5, "target": None},
        {"text": "d", "date": "2010-02T12:30", "district": True, "rate": True},
    )
    read = read_dated(path, {"district": CATEGORY, "rate": NUMBER, "target": OPTIONAL_NUMBER})
    assert read.documents == ["a", ["b", "c"], "d"] and read.dates == [
        "2008-07-31",
        "2009",
        "2010-02",
    ]
    assert read.fields["district"] == ["at", "7", "True"] and read.fields["rate"] == [
        3.0,
        -1.5,
        1.0,
    ]
    assert read.fields["target"][0] == 0.5 and all(
        math.isnan(float(value)) for value in read.fields["target"][1:]
    )
    assert read_dated(path, {"rate": EITHER}).fields == {"rate": [3.0, -1.5, 1.0]}
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_dated(packed, {}) == read._replace(fields={})


GOOD = {"text": "a", "date": "2008-07-31", "x": "at", "n": 1}


@pytest.mark.parametrize(
    ("row", "fields", "complaint"),
    [
        ({"date": "2008"}, {}, ":2: the field 'text' is missing; found 'date'."),
        ({"text": "a"}, {}, ":2: the field 'date' is missing; found 'text'."),
        (
            {**GOOD, "date": "31.7.2008"},
            {},
            ":2: 'date' is a date such as 2008-07-31, 2008-07 or 2008, not '31.7.2008'.",
        ),
        ({**GOOD, "date": "2008-13"}, {}, "not '2008-13'"),
        ({**GOOD, "date": "2009-02-29"}, {}, "not '2009-02-29'"),
        ({**GOOD, "date": None}, {}, "not null"),
        ({**GOOD, "date": 2008.5}, {}, "not 2008.5"),
        ({**GOOD, "date": 12}, {}, "not 12"),
        ({**GOOD, "n": "x"}, {"n": EITHER}, ":2: 'n' is a number, not 'x'."),
        (
            {**GOOD, "x": 3.5},
            {"x": EITHER},
            ":2: 'x' is a category: a string, an integer or a boolean, not a number.",
        ),
        ({**GOOD, "n": None}, {"n": NUMBER}, "'n' is a number, not null"),
        ({**GOOD, "n": "1"}, {"n": OPTIONAL_NUMBER}, "'n' is a number, not '1'"),
        ({**GOOD, "n": [1]}, {"n": NUMBER}, "'n' is a number, not a list"),
        ({**GOOD, "n": 10**400}, {"n": NUMBER}, "'n' is a number, not 1000"),
        ('{"text": "a", "date": "2008", "n": NaN}', {"n": NUMBER}, "'n' is a number, not nan"),
        (GOOD, {"y": NUMBER}, "the field 'y' is missing; found 'text', 'date', 'x', 'n'."),
        ({**GOOD, "text": 3}, {}, "'text' is a string, a list of sentences"),
        ("{", {}, "expected one JSON object per line"),
    ],
)
def test_bad_rows_are_named(
    tmp_path: Path, row: Any, fields: dict[str, str], complaint: str
) -> None:
    path = write(tmp_path / "a.jsonl", {**GOOD, **({"y": 1} if "y" in fields else {})}, row)
    with pytest.raises(InputError) as caught:
        read_dated(path, fields)
    assert str(caught.value).startswith(f"{path}:2: ") and complaint in str(caught.value)


def test_what_may_be_missing(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl", {"text": "a", "up": "yes"}, {"text": "b"}, {"text": "c", "up": None}
    )
    read = read_dated(path, {"up": OPTIONAL_CATEGORY}, date_field=None)
    assert read.fields == {"up": ["yes", "", ""]} and read.dates == []


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the file is empty; expected at least one document"):
        read_dated(write(tmp_path / "a.jsonl"), {})


def test_a_series(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("date,rate\n2008-01,4.5\n2008-02,\n2008-03,5.1,revised\n")
    assert read_series(tmp_path / "s.csv") == (["2008-01", "2008-03"], [4.5, 5.1])
    (tmp_path / "t.tsv").write_text("date\trate\n2008\t4.5\n")
    assert read_series(tmp_path / "t.tsv") == (["2008"], [4.5])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "expected a line of names"),
        ("date,rate\n", "expected a line of names"),
        ("date\n", "s:1: expected a date and a value"),
        ("date,rate\n2008,x\n", "s:2: expected a number after the date, not 'x'"),
        ("date,rate\n2008,inf\n", "expected a number after the date"),
        ("date,rate\nMay,1\n", "s:2: 'date' is a date such as"),
    ],
)
def test_series_that_cannot_be_used(tmp_path: Path, content: str, says: str) -> None:
    (tmp_path / "s").write_text(content)
    with pytest.raises(InputError) as caught:
        read_series(tmp_path / "s")
    assert says in str(caught.value)
