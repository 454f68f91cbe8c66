"""Template files: the short form, CRF++ and Wapiti."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import InputError
from laconic.text.patterns import _python_regex, parse_templates, read_templates, templates_from
from laconic.text.template_sets import SETS, ready_templates
from laconic.text.templates import Templates
from laconic.text.views import make_view

COLUMNS = ("word", "pos")

CRFPP = """# Unigram
U00:%x[-2,0]
U01:%x[0,0]/%x[+1,1]
U02:%x[0,0]/%x[1,1]

# Bigram
B
B01:%x[0,1]
"""

WAPITI = r"""*
u:word lower=%X[ 0,0]   # a comment
*:tag=%x[-1,1]
u:prefix=%m[ 0,0,"^.?.?"]
u:small suffix=%M[ 0,0,".?.?$"]
u:capital=%t[ 1,0,"^\u"]
b:all=%t[0,0,"^\u*$"]/%x[0,1]
"""


def test_short_form() -> None:
    text = (
        "# tags\nword[-1] pos[0]\npairs: word[0]\nbias\nngrams(pos, 1..2, -1..0)\n"
        'ngrams(shape, 2..2, touching 0..0)\nmatch(pos,"^.| #")[+2]|suffix2[0]'
    )
    assert parse_templates(text, COLUMNS).names == [
        "word[-1]|pos[0]",
        "pairs:word[0]",
        "bias",
        *("pos[-1]", "pos[0]", "pos[-1]|pos[0]"),
        *("shape[-1]|shape[0]", "shape[0]|shape[1]"),
        'match(pos,"^.| #")[2]|suffix2[0]',
    ]


@pytest.mark.parametrize("name", SETS)
def test_names_are_the_short_form(name: str) -> None:
    templates = ready_templates(name)
    assert parse_templates("\n".join(templates.names), COLUMNS) == templates


def test_crfpp_files() -> None:
    assert parse_templates(CRFPP, COLUMNS).names == ["word[-2]", "word[0]|pos[1]", "pairs:pos[0]"]


def test_wapiti_files() -> None:
    templates = parse_templates(WAPITI, COLUMNS)
    assert templates.names[:4] == ["bias", "lower(word)[0]", "pos[-1]", "pairs:pos[-1]"]
    values = [
        make_view(template.atoms[0].view, COLUMNS).function("ROMe") for template in templates[4:]
    ]
    assert values == ["RO", "me", "true", "false"] and templates[-1].pairs
    assert parse_templates("\n".join(templates.names), COLUMNS) == templates, (
        "what was read can be written and read again"
    )


@given(st.text(alphabet="aB1.-", max_size=6), st.integers(0, 4))
def test_wapiti_affixes_are_affixes(word: str, length: int) -> None:
    prefix, suffix = (
        re.search(_python_regex(p), word) for p in ("^" + ".?" * length, ".?" * length + "$")
    )
    assert prefix and prefix.group() == word[:length]
    assert suffix and suffix.group() == (word[-length:] if length else "")


@pytest.mark.parametrize(
    ("pattern", "string", "expected"),
    [
        ("a*", "baaa", ""),
        ("ba*$", "baaa", "baaa"),
        (r"\d*-", "x12-", "12-"),
        (r"\p", 'a"b', '"'),
        ("a+", "aaa+", "a+"),
        ("(b)", "b(b)", "(b)"),
        (r"\U\S", "Ab", None),
        (r"\.$", "a.", "."),
        ("^$", "", ""),
    ],
)
def test_wapiti_regular_expressions(pattern: str, string: str, expected: str | None) -> None:
    found = re.search(_python_regex(pattern), string)
    assert (found.group() if found else None) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "word[0]\nchunk[0]",
            r"set\.txt:2: there is no view 'chunk': the input columns are word, pos",
        ),
        (
            "word[0] tags",
            r"set\.txt:1: expected views at offsets such as word\[-1\] pos\[0\], found 'tags'",
        ),
        ("pairs:", r"set\.txt:1: expected views after 'pairs:'"),
        ("ngrams(pos, 3..1, 0..1)", r"set\.txt:1: n-grams need sizes"),
        ("ngrams(tag, 1..2, 0..1)", r"set\.txt:1: there is no view 'tag'"),
        ("word[99999]", r"set\.txt:1: the offset of word\[99999\] lies outside"),
        (
            "U00:%x[0,0]\nU01:%x[0,2]",
            r"set\.txt:2: '%x\[0,2\]' asks for column 2, "
            r"but the input columns are 0\.\.1 \(word, pos\)",
        ),
        ("U00:%x[0,0]\nX:%x[0,0]", r"set\.txt:2: expected a pattern that begins with U, B or \*"),
        ("U00:%x[0,0]\nU01:%x[0]", r"set\.txt:2: expected %x\[row,column\]"),
        ("U00:%x[0,0]\nU01:%t[0,0]", r"set\.txt:2: .*take one"),
        ('U00:%x[0,0,"a"]', r"set\.txt:1: .*takes no regular expression"),
        ("u:%x[@1,0]", r"set\.txt:1: .*counts from an end of the sentence"),
        ('u:%t[0,0,"*a"]', r"set\.txt:1: .*repeats nothing"),
        ("# nothing\n\n", r"set\.txt: holds no templates"),
    ],
)
def test_what_cannot_be_understood(tmp_path, text: str, message: str) -> None:
    path = tmp_path / "set.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_templates(path, COLUMNS)


def test_sets_files_and_templates_are_all_taken(tmp_path) -> None:
    path = tmp_path / "set.txt"
    path.write_text("word[0]\r\ncluster4[0]\r\n")
    assert (
        templates_from(path, COLUMNS).names
        == ["word[0]", "cluster4[0]"]
        == templates_from(str(path), COLUMNS).names
    )
    assert templates_from("ner", COLUMNS) == ready_templates("ner")
    own = Templates(ready_templates("chunking")[:3])
    assert templates_from(own, COLUMNS) is own
    with pytest.raises(
        InputError,
        match="no such set: is no file of templates, nor one of the ready sets chunking, ",
    ):
        templates_from("no such set", COLUMNS)
