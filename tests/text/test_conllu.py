"""CoNLL-U comes back as it was read, and says where it is wrong."""

from __future__ import annotations

import gzip
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.core.ragged import cut, pointers
from laconic.errors import InputError
from laconic.text.conllu import EMPTY, FORM, HEAD, ID, MISC, MULTIWORD, UPOS, WORD, conllu_of
from laconic.text.conllu_files import conllu_writer, iterate_conllu, parse_conllu, read_conllu
from laconic.text.treebanks import read_treebank

SAMPLE = """\
# newdoc id = d1
# sent_id = 1
# text = Vámonos al mar.
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tV\tMood=Imp|Number=Plur\t0\troot\t0:root\t_
2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t1:obj|4.1:obj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\tTypo=No
3\ta\ta\tADP\tS\t_\t5\tcase\t_\t_
4\tel\tel\tDET\tD\t_\t5\tdet\t_\tSpaceAfter=No
4.1\tsand\t_\tNOUN\t_\t_\t_\t_\t1:obl\t_
5\tmar\tmar\tNOUN\tN\t_\t1\tobl\t_\tSpaceAfter=No|Gloss=sea
6\t.\t.\tPUNCT\tF\t_\t1\tpunct\t_\t_


# newpar
# a comment without a value
1\t34 470\t34 470\tNUM\tZ\t_\t0\troot\t_\t_

# the end
"""
ROW = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n"
TWO = ROW + "2\tb\tb\tX\t_\t_\t1\tdep\t_\t_\n"
SPAN = "1-2\tab" + "\t_" * 8 + "\n"


def test_what_is_read_is_written_again() -> None:
    assert parse_conllu(SAMPLE).to_text() == SAMPLE
    assert parse_conllu(SAMPLE.replace("\n", "\r\n")).to_text() == SAMPLE
    assert parse_conllu(ROW).to_text() == ROW + "\n"


def test_rows_words_and_tokens() -> None:
    found = parse_conllu(SAMPLE)
    assert len(found) == 2
    assert found.kinds.tolist() == [MULTIWORD, 0, 0, MULTIWORD, 0, 0, EMPTY, WORD, 0, 0]
    assert found.words(FORM) == ["Vamos", "nos", "a", "el", "mar", ".", "34 470"]
    assert found.word_ptr.tolist() == [0, 6, 7]
    assert found.heads().tolist() == [0, 1, 5, 5, 1, 1, 0]
    rows, ptr, word_ptr = found.surface
    assert [found.fields[FORM][row] for row in rows] == ["Vámonos", "al", "mar", ".", "34 470"]
    assert ptr.tolist() == [0, 4, 5] and word_ptr.tolist() == [0, 2, 4, 5, 6, 7]
    assert found.space_after().tolist() == [True, True, False, True, True]
    assert found.texts() == ["Vámonos al mar.", "34 470"]


def test_comments_have_values() -> None:
    found = parse_conllu(SAMPLE)
    assert found.comment("text") == ["Vámonos al mar.", None]
    assert found.comment("newpar") == [None, ""]
    assert found.before[1] == ["", "# newpar", "# a comment without a value"]
    assert found.after == ["# the end"]


def test_fields_of_words_are_replaced() -> None:
    found = parse_conllu(SAMPLE)
    other = found.with_words({UPOS: list("ABCDEFG"), HEAD: ["_"] * 7})
    assert other.words(UPOS) == list("ABCDEFG") and other.heads().tolist() == [-1] * 7
    assert other.fields[UPOS][0] == "_" and other.fields[UPOS][6] == "NOUN"
    assert other.with_words({UPOS: found.words(UPOS), HEAD: found.words(HEAD)}).to_text() == SAMPLE
    with pytest.raises(ValueError, match="upos has 1 values for 7 words"):
        found.with_words({UPOS: ["A"]})


def test_some_sentences() -> None:
    found = parse_conllu(SAMPLE)
    assert found.some(np.array([1])).to_text() == SAMPLE[SAMPLE.index("\n# newpar") :][:-10]
    assert found.some(np.array([1, 0])).texts() == found.texts()[::-1]


def test_batches_hold_every_line(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress((SAMPLE * 3).encode()))
    for size in (1, 2, 4, 100):
        batches = list(iterate_conllu(path, size))
        assert "".join(batch.to_text() for batch in batches) == SAMPLE * 3
    with conllu_writer(tmp_path / "b.conllu") as writer:
        for batch in iterate_conllu(path, 2):
            writer.write(batch)
    assert (tmp_path / "b.conllu").read_text("utf-8") == SAMPLE * 3


BAD = {
    "nothing": ("\n# only a comment\n\n", r"the text: holds no tokens"),
    "columns": (ROW + "2\tb\n", r":2: expected the 10 columns of CoNLL-U, .* found 2"),
    "no form": (ROW.replace("\ta\ta", "\t\ta"), r":1: the form \(column 2\) is empty"),
    "inner comment": (TWO.replace("2\t", "# here\n2\t"), r":2: a comment stands above the tokens"),
    "number": (ROW.replace("1\t", "2\t"), r":1: expected .* found '2'"),
    "jump": (ROW + TWO[len(ROW) :].replace("2\t", "3\t"), r":2: .* such as 3, 3-4 .* found '3'"),
    "span too late": (TWO + SPAN, r":3: expected token number 3, found '1-2'"),
    "span of one": (SPAN.replace("1-2", "1-1") + TWO, r":1: expected token number 1, found '1-1'"),
    "span too long": (SPAN.replace("-2", "-3") + TWO, r":1: the multiword token 1-3 ends behind"),
    "spans overlap": (SPAN + ROW + SPAN.replace("1-2", "2-3") + TWO[len(ROW) :], "found '2-3'"),
    "empty node": (ROW + "2.1" + "\tb" * 9 + "\n", r":2: expected token number 2, found '2.1'"),
    "odd number": (ROW.replace("1\t", "x-2\t"), r":1: expected a token number such as"),
    "no words": ("0.1" + "\tb" * 9 + "\n", r":1: the sentence has no words"),
    "head": (ROW.replace("\t0\t", "\tx\t"), r":1: the head must be a number from 0 on, found 'x'"),
    "head behind": (TWO.replace("\t0\t", "\t3\t"), r":1: the head is 3, but .* 2 tokens"),
    "cycle": (TWO.replace("\t0\t", "\t2\t"), r":1: the heads form a cycle"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD.keys())
def test_mistakes_are_named_by_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_conllu(text)


def test_trees_are_optional(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(TWO.replace("\t0\t", "\t2\t").replace("1\tdep", "_\tdep"), "utf-8")
    assert read_conllu(path, trees=False).heads().tolist() == [2, -1]
    with pytest.raises(InputError, match=r"a\.conllu:2: the head must"):
        read_conllu(path)


FORMS = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1)
TOKENS = st.tuples(FORMS, st.lists(FORMS, min_size=1, max_size=3), st.booleans())


@given(st.lists(st.lists(TOKENS, min_size=1, max_size=5), min_size=1, max_size=4))
def test_tokens_become_rows_and_come_back(
    sentences: list[list[tuple[str, list[str], bool]]],
) -> None:
    tokens = list(chain.from_iterable(sentences))
    words = [word for _, parts, _ in tokens for word in parts]
    surface = [form if len(parts) > 1 else parts[0] for form, parts, _ in tokens]
    made = conllu_of(
        surface,
        words,
        pointers(len(parts) for _, parts, _ in tokens),
        pointers(map(len, sentences)),
        np.array([space for *_, space in tokens], bool),
    )
    found = parse_conllu(made.to_text(), trees=False)
    assert found.fields == made.fields and found.ptr.tolist() == made.ptr.tolist()
    assert found.kinds.tolist() == made.kinds.tolist()
    assert found.words(FORM) == words
    assert [found.fields[FORM][row] for row in found.surface.rows] == surface
    assert found.space_after().tolist() == [space for *_, space in tokens]
    lengths = cut(np.diff(found.surface.word_ptr), found.surface.ptr)
    assert [part.tolist() for part in lengths] == [
        [len(parts) for _, parts, _ in sentence] for sentence in sentences
    ]
    assert set(found.fields[MISC]) <= {"_", "SpaceAfter=No"}
    assert found.fields[ID][0] in ("1", f"1-{len(tokens[0][1])}")


@pytest.mark.slow
def test_every_treebank_comes_back_byte_for_byte(data: Path) -> None:
    for path in sorted((data / "ud_raw").glob("*/[dt]e*.gz")):
        found, text = read_conllu(path), gzip.decompress(path.read_bytes()).decode()
        assert found.to_text() == text, path
        rebuilt = [ours.split() for ours in found.texts()]
        assert rebuilt == [text.split() for text in found.comment("text") if text], path


@pytest.mark.slow
def test_all_other_treebanks_too(data: Path) -> None:
    """The same words as the reader of trees alone finds, and every byte."""
    paths = set(data.glob("ud/*/test.*"))
    # The same trees are among those with texts.
    again = {*data.glob("ud/English-EWT/*"), *data.glob("ud/Turkish-IMST/*")}
    assert len(paths - again) > 8
    for path in sorted(paths - again):
        found = read_conllu(path)
        assert found.to_text().encode() == gzip.decompress(path.read_bytes()), path
        bank, ours = read_treebank(path), found.treebank()
        assert [list(column) for column in ours.tokens.values] == bank.tokens.values
        assert ours.heads.tolist() == bank.heads.tolist() and ours.labels == bank.labels
