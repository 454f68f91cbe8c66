"""Expressions from files: those that may take exponential time are refused, usual ones are not."""

from __future__ import annotations

import re
import time

import pytest

from laconic.text.expressions import checked_expression
from laconic.text.patterns import parse_templates


@pytest.mark.parametrize(
    "text",
    [
        "(a+)+b",
        "(a*)*b",
        "(a|a)*b",
        "(a|b|ab)*c",
        r"(\w+\s?)+$",
        "(?:a?a?)*b",
        "([a-z]+)*[A-Z]",
        "(?i:(a|A)+)+b",
        r"(.*,)+x",
        r"(a)(?:\1+)*b",
        r"\w*\w*\w*\w*\w*x",
        "(?:(?:ab?)+)+c",
    ],
)
def test_what_may_take_forever_is_refused(text: str) -> None:
    re.compile(text)
    with pytest.raises(ValueError, match="may take exponential time"):
        checked_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        r"(?u)\b\w\w+\b",
        r"\w+(?:[-']\w+)*",
        r"^\d+([.,]\d+)*$",
        r"^[A-Z][a-z]+$",
        r"[^\W\d_]+",
        r"(?:https?://)?\S+",
        r"^(?:[0-9]+-)+[0-9]+$",
        "(?i)^(mc|mac)[a-z]+",
        "-",
        "",
        r"(\w+\s)+",
        "(?:ab|cd)+",
        "(a|ab)*c",
    ],
)
def test_usual_expressions_are_taken(text: str) -> None:
    found = checked_expression(text)
    for word in ("a" * 400 + "!", "1-" * 200 + "x", "ab" * 200 + " ", "a b " * 100 + "!"):
        began = time.process_time()
        found.search(word)
        assert time.process_time() - began < 1


def test_templates_of_files_are_checked() -> None:
    with pytest.raises(ValueError, match="may take exponential time"):
        parse_templates('test(word,"(a+)+b")[0]', ("word",))
