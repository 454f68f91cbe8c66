"""Tokens are those of English treebanks, and hold all that is no white space."""

from __future__ import annotations

import gzip
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.parse.tokens import treebank_tokens


def tokens(text: str) -> list[str]:
    return [text[start:end] for start, end in treebank_tokens(text)]


@pytest.mark.parametrize(
    "text",
    [
        "I did|n't say he|'s wo|n't|-|go , they|'ve .",
        "It can|not|, shall|n't|; DO|N'T|!",
        "See http://www.nasa.gov/shuttle.html|, or write to jones@jpl.nasa.gov|.",
        "In comp.sys.mac|, Mr. O'Brien of the U.S. paid |$|2,664,098.50 on 11/17/1993 at 10:30|.",
        "A 3.5mm jack :-) |-|-- so what ... |?!",
    ],
)
def test_what_is_parted_and_what_is_whole(text: str) -> None:
    text = text.replace("|-|--", "--")  # marks in a run are one token
    assert tokens(text.replace("|", "")) == text.replace("|", " ").split()


@given(st.text(alphabet="ab'nt.-@:/()! \n9éA", max_size=40))
def test_tokens_are_in_order_and_leave_nothing_out(text: str) -> None:
    spans = treebank_tokens(text)
    assert all(start < end for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    outside = set(range(len(text))) - {place for start, end in spans for place in range(start, end)}
    assert all(text[place].isspace() for place in outside)


@pytest.mark.parametrize(
    "piece", ["a", "a-", "a.", ".", ". ", "9,", "a'", "-", "n't", "www.", "A. "]
)
def test_long_runs_take_linear_time(piece: str) -> None:
    began = time.process_time()
    treebank_tokens(piece * 20_000)
    assert time.process_time() - began < 5


def test_the_tokens_of_a_treebank(data: Path) -> None:
    """Nearly all tokens of the treebank are found in its text."""
    right = found = wanted = 0
    with gzip.open(data / "ud" / "English-EWT" / "dev.conllu.gz", "rt", encoding="utf-8") as file:
        for block in file.read().split("\n\n"):
            rows = [line.split("\t") for line in block.split("\n") if line and line[0] != "#"]
            covered = {
                n
                for row in rows
                if "-" in row[0]
                for n in range(int(row[0].split("-")[0]), int(row[0].split("-")[1]) + 1)
            }
            written = [row[1] for row in rows if "-" in row[0] or int(row[0]) not in covered]
            gold = [row[1] for row in rows if "-" not in row[0]]
            ours, theirs = _places(tokens(" ".join(written))), _places(gold)
            right, found, wanted = (
                right + len(ours & theirs),
                found + len(ours),
                wanted + len(theirs),
            )
    assert wanted > 25_000
    assert 2 * right / (found + wanted) > 0.99


def _places(words: list[str]) -> set[tuple[int, int]]:
    """Spans of words in the text without its blanks."""
    places, begin = set(), 0
    for word in words:
        places.add((begin, begin + len(word)))
        begin += len(word)
    return places
