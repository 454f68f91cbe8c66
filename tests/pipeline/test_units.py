"""Units of raw text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.pipeline.units import GLUED, LAST, SPACED, units_of


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Don't go, 3.5 kg!", ["Don", "'", "t", "go", ",", "3", ".", "5", "kg", "!"]),
        ("தமிழ்நாடு, ۱۲۳ مەن", ["தமிழ்நாடு", ",", "۱۲۳", "مەن"]),
        ("你好ab。", ["你", "好", "ab", "。"]),
        ("e\u0301te\u0301 x", ["e\u0301te\u0301", "x"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_units_are_runs_of_letters_or_digits_or_single_characters(text, wanted):
    assert list(units_of([text]).columns().values[0]) == wanted


def test_every_letter_with_its_marks_may_be_a_unit():
    assert list(units_of(["நாடு 12"], every_letter=True).columns().values[0]) == [
        "நா",
        "டு",
        "12",
    ]


def test_gaps_say_what_follows_and_paragraphs_are_sequences():
    units = units_of(["a b.", "", "c"])
    assert units.gaps == [SPACED, GLUED, LAST, LAST]
    assert units.ptr.tolist() == [0, 3, 3, 4]


@given(st.lists(st.text(max_size=30), max_size=4))
def test_units_and_blanks_make_up_the_text(texts):
    units = units_of(texts)
    found = units.columns()
    assert "".join(found.values[0]) == "".join(
        "".join(c for c in text if not (c.isspace() or c < " " or "\x7f" <= c < "\xa0"))
        for text in texts
    )
    assert len(units.gaps) == len(units.begins) == units.ptr[-1]
