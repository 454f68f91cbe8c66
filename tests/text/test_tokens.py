"""Words as scikit-learn has them; sentences that survive real messages."""

from __future__ import annotations

import gzip
import json
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from laconic.text.scripts import has_own_rules
from laconic.text.tokens import sentences, words

TRICKY = st.text(alphabet="aBI1.!?…\"')(>|:<-_* \t\n\r", max_size=60)


def split(text: str, boundary="auto") -> list[str]:
    """The sentences themselves, their white space made single."""
    return [" ".join(text[start:end].split()) for start, end in sentences(text, boundary)]


@given(st.text(max_size=50))
def test_words_are_those_of_count_vectorizer(text: str) -> None:
    """Where scripts have no rules of their own (tests/text/test_scripts.py)."""
    for lowercase in (True, False):
        if not has_own_rules(text.lower() if lowercase else text):
            peer = CountVectorizer(lowercase=lowercase).build_analyzer()
            assert words(text, lowercase) == peer(text)


@given(TRICKY, st.sampled_from(["auto", "line", "double-space"]))
def test_spans_are_ordered_disjoint_and_trimmed(text: str, boundary) -> None:
    spans = sentences(text, boundary)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert all(
        0 <= start < end <= len(text) and text[start:end] == text[start:end].strip()
        for start, end in spans
    )


@given(
    TRICKY.map(lambda text: text.replace(">", "")),
    st.sampled_from(["auto", "line", "double-space"]),
)
def test_no_word_is_lost(text: str, boundary) -> None:
    assert [
        word for start, end in sentences(text, boundary) for word in words(text[start:end])
    ] == words(text)


@pytest.mark.parametrize(
    "expected",
    [
        ["Dr. Jones met Mr. Smith.", "They talked."],
        ["See e.g. Unix or i.e. VMS.", "It works."],
        ["The U.S. Government said so.", "He lives in the U.S.", "The end."],
        ["J. R. Smith et al. wrote it.", "No. 5 is alive."],
        ["Pi is 3.14 and costs $2.50.", "Version 1.0 is out."],
        ["Pens, paper, etc. are here.", "Pens, paper, etc.", "The rest follows."],
        ["Well... maybe not.", "Well...", "Maybe."],
        ["Wait . . . what?", "Nothing."],
        ["Mail joe@site.edu or ftp.site.com. Now.", ""][:1],
        ["What?!", "Really??", "Yes!!!", "no doubt."],
        ['"Why not?" he asked.', 'He said "No."', "Then he left."],
        ["(This is one.)", "[And two.]", "Three."],
        ["So do I.", "But A. Lincoln did not."],
        ["we all write small here.", "it is usual."],
        ["On Jan. 5 at 5 p.m. we met.", "See vol. 3, pp. 4-5 and fig. 2."],
        ["tokenised text ends so .", "a new one starts ."],
        ["It was 1990.", "5 people came."],
    ],
)
def test_stops(expected: list[str]) -> None:
    if expected == ["Mail joe@site.edu or ftp.site.com. Now."]:
        expected = ["Mail joe@site.edu or ftp.site.com.", "Now."]
    assert split(" ".join(expected)) == expected


def test_hard_wrapped_lines_are_joined_and_blank_lines_end() -> None:
    assert split("One sentence\nover two lines. Second\n\nA title without stop\n  \nLast") == [
        "One sentence over two lines.",
        "Second",
        "A title without stop",
        "Last",
    ]


def test_headers_are_units() -> None:
    message = (
        "From: a@b.c (A. B. See)\nSubject: Re: What? Why?\n  going on\n"
        "Article-I.D.: x.1\nLines: 2\n\nHi. There\n"
    )
    assert split(message) == [
        "From: a@b.c (A. B. See)",
        "Subject: Re: What? Why? going on",
        "Article-I.D.: x.1",
        "Lines: 2",
        "Hi.",
        "There",
    ]
    assert split("Note: one line is no header. It is text.") == [
        "Note: one line is no header.",
        "It is text.",
    ]
    assert split("I got this\nFrom: x@y.z\nSubject: Hello there") == [
        "I got this",
        "From: x@y.z",
        "Subject: Hello there",
    ]


def test_quotes_are_read_as_text_and_their_depth_separates() -> None:
    message = (
        "Joe writes:\n>> deep text that\n>> goes on. More\n> shallow text\n>\n"
        "> new paragraph\nmy answer\n"
    )
    assert [sentence.replace(">> ", "") for sentence in split(message)] == [
        "Joe writes:",
        "deep text that goes on.",
        "More",
        "shallow text",
        "new paragraph",
        "my answer",
    ]
    assert split("|> barred text\n|> goes on\nanswer") == ["barred text |> goes on", "answer"]
    assert split("JD> initials mark\nJD> this text\nanswer") == [
        "initials mark JD> this text",
        "answer",
    ]
    assert split("<x@y.z> wrote\nthis") == ["<x@y.z> wrote this"]


def test_signatures_rules_lists_and_columns() -> None:
    assert split("Bye\n-- \nJoe Doe\nSite Inc") == ["Bye", "Joe Doe Site Inc"]
    assert split("Above\n=======\nBelow\n- - - -\nEnd") == ["Above", "Below", "End"]
    assert split("We have:\n - apples and\n   pears\n 1. Nuts\n (2) figs\n b) plums\n* dates") == [
        "We have:",
        "- apples and pears",
        "1. Nuts",
        "(2) figs",
        "b) plums",
        "* dates",
    ]
    assert split("Team      Won    Lost\nPens      5      2\nHawks\t3\t4\nall so far") == [
        "Team Won Lost",
        "Pens 5 2",
        "Hawks 3 4",
        "all so far",
    ]


def test_windows_line_ends_change_nothing() -> None:
    text = "From: a\nLines: 1\n\nOne line\ngoes on. Two\n\nThree\n> quoted\n"
    assert split(text.replace("\n", "\r\n")) == split(text)


def test_given_boundaries() -> None:
    assert split("a dr. b . c\n\nsecond line", "line") == ["a dr. b . c", "second line"]
    assert split("mr. speaker , i rise .  it is so . yes .\nend", "double-space") == [
        "mr. speaker , i rise .",
        "it is so . yes .",
        "end",
    ]
    with pytest.raises(ValueError, match="double-space"):
        sentences("a", "paragraph")  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", [".", "\n", " ", "\t", ">", "a>", "\n>", '."', "- ", "\n1.", "A: b\n", "(", "\n "]
)
def test_time_is_linear_in_hostile_text(unit: str) -> None:
    text = unit * (200_000 // len(unit)) + "a"
    start = time.process_time()
    sentences(text)
    assert time.process_time() - start < 2


BINARY_TASKS = {
    "science": ("sci.med", "sci.space"),
    "sports": ("rec.sport.baseball", "rec.sport.hockey"),
    "religion": ("alt.atheism", "soc.religion.christian"),
    "computer": ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
}


@pytest.fixture(scope="module")
def messages(data: Path) -> list[dict[str, str]]:
    with gzip.open(data / "20news_bydate" / "train.jsonl.gz", "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


@pytest.mark.slow
@pytest.mark.parametrize("task", BINARY_TASKS)
def test_newsgroup_messages_give_sentences_of_sensible_length(
    messages: list[dict[str, str]], task: str
) -> None:
    texts = [message["text"] for message in messages if message["label"] in BINARY_TASKS[task]]
    lengths = sorted(
        len(words(text[start:end])) for text in texts for start, end in sentences(text)
    )
    assert 20_000 < len(lengths) < 40_000
    assert 6 <= lengths[len(lengths) // 2] <= 12
    assert lengths[len(lengths) * 99 // 100] <= 50, "one sentence in a hundred may be longer"


def test_rules_agree_with_the_marked_sentences_of_speeches(data: Path) -> None:
    with gzip.open(data / "convote" / "dev.jsonl.gz", "rt", encoding="utf-8") as stream:
        texts = [json.loads(line)["text"] for line in stream]
    pairs = [(set(sentences(text)), set(sentences(text, "double-space"))) for text in texts]
    agreed = sum(len(found & marked) for found, marked in pairs)
    assert agreed > 0.9 * sum(len(marked) for _, marked in pairs)
