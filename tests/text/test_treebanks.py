"""Dependency treebanks in and out, and what is wrong with them in one sentence."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from laconic.core.ragged import cut
from laconic.errors import InputError
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import (
    Treebank,
    check_trees,
    first_on_cycle,
    iterate_treebank,
    read_treebank,
    treebank_writer,
    write_treebank,
)

CONLLU = """\
# sent_id = 1
1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\tV\tMood=Imp\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\t_
3\tal\ta\tADP\tS\t_\t4\tcase\t_\t_
3.1\tel\t_\t_\t_\t_\t_\t_\t_\t_
4\tmar\tmar\tNOUN\tN\t_\t1\tobl\t_\tSpaceAfter=No

# newdoc
1\tYa\tya\tADV\tR\t_\t0\troot\t_\t_
"""
CONLL09 = (
    "1\tla\tl\tpl\tD\tpD\tg=f\t_\t2\t2\tspec\tspec\t_\t_\n"
    "2\tcasa\tc\tpc\tN\tpN\t_\t_\t0\t0\tROOT\tROOT\tY\tc.1\n"
)
FOUR = "1\tPierre\tNNP\t2\n2\tVinken\tNNP\t0\n"


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_conllu_is_read_without_what_is_no_word(tmp_path: Path) -> None:
    bank = read_treebank(written(tmp_path / "a.conllu", CONLLU))
    assert len(bank) == 2
    assert list(bank.tokens.column("word")) == ["vamos", "nos", "al", "mar", "Ya"]
    assert list(bank.tokens.column("coarse")) == ["VERB", "PRON", "ADP", "NOUN", "ADV"]
    assert bank.heads.tolist() == [0, 1, 4, 1, 0]
    assert bank.labels == ["root", "obj", "case", "obl", "root"]


def test_other_formats(tmp_path: Path) -> None:
    bank = read_treebank(written(tmp_path / "a.conll09", CONLL09))
    assert bank.heads.tolist() == [2, 0]
    assert bank.labels == ["spec", "ROOT"]
    assert list(bank.tokens.column("fine")) == ["D", "N"]
    packed = tmp_path / "a.dep.gz"
    packed.write_bytes(gzip.compress(FOUR.encode()))
    bank = read_treebank(packed)
    assert bank.heads.tolist() == [2, 0]
    assert bank.labels == []


def test_a_treebank_is_written_with_other_trees_and_all_its_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "a.conllu", CONLLU)
    bank = read_treebank(path, keep_lines=True)
    write_treebank(tmp_path / "same.conllu", bank, bank.heads, bank.labels)
    assert (tmp_path / "same.conllu").read_text(encoding="utf-8") == CONLLU
    write_treebank(tmp_path / "other.conllu", bank, np.array([4, 1, 4, 0, 0], np.int32), ["x"] * 5)
    again = read_treebank(tmp_path / "other.conllu")
    assert again.heads.tolist() == [4, 1, 4, 0, 0]
    assert again.labels == ["x"] * 5
    with pytest.raises(ValueError, match="keep_lines"):
        write_treebank(tmp_path / "no.conllu", read_treebank(path), bank.heads)


def test_heads_may_be_missing_where_no_trees_are_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path / "a.conll", CONLLU.replace("\t0\troot", "\t_\t_"))
    assert read_treebank(path, trees=False).heads.tolist() == [-1, 1, 4, 1, -1]
    with pytest.raises(InputError, match=r"a.conll:3: the head must be a number"):
        read_treebank(path)


BAD = {
    "empty": ("", "holds no tokens"),
    "ragged": (
        CONLLU + "2\tx\t_\n",
        r":11: expected CoNLL-X or CoNLL-U, separated by tabs, found 3 columns",
    ),
    "unknown columns": ("1\ta\tb\n", r":1: expected 4 columns, CoNLL-X or -U \(10\) or CoNLL-2009"),
    "blanks for tabs": (FOUR.replace("\t", " "), r":1: expected 4 columns"),
    "head out of range": (
        FOUR.replace("\t2\n", "\t3\n"),
        r":1: the head is 3, but the sentence has 2 tokens",
    ),
    "head no number": (
        FOUR.replace("\t2\n", "\tx\n"),
        r":1: the head must be a number from 0 on, found 'x'",
    ),
    "head negative": (FOUR.replace("\t2\n", "\t-1\n"), r":1: the head must be a number"),
    "head too long": (
        FOUR.replace("\t2\n", "\t" + "9" * 5000 + "\n"),
        r":1: the head must be a number",
    ),
    "cycle": (
        FOUR.replace("\t0\n", "\t1\n"),
        r":1: the heads form a cycle: token 1 never leads to a root",
    ),
    "own head": (FOUR.replace("\t0\n", "\t2\n"), r":1: the heads form a cycle"),
    "numbers jump": (
        FOUR.replace("2\tVinken", "3\tVinken"),
        r":2: expected token number 2, found '3'",
    ),
    "two heads": (
        FOUR.replace("\t0\n", "\t0\n2\tVinken\tNNP\t1\n"),
        r":3: expected token number 3, found '2'",
    ),
    "odd number": (
        FOUR.replace("2\tVinken", "2-x\tVinken"),
        r":2: expected a token number such as",
    ),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD.keys())
def test_bad_treebanks_are_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_treebank(written(tmp_path / "bad.conll", text))


def test_long_sentences_and_windows_lines(tmp_path: Path) -> None:
    n = 3000
    text = "".join(f"{i}\tw\tt\t{i - 1}\r\n" for i in range(1, n + 1))
    bank = read_treebank(written(tmp_path / "long.dep", text))
    assert bank.heads.tolist() == list(range(n))


@pytest.mark.parametrize("labels", [True, False])
def test_some_sentences(tmp_path: Path, labels: bool) -> None:
    bank = read_treebank(
        written(tmp_path / "a", CONLLU if labels else FOUR + "\n1\tYes\tUH\t0\n"), keep_lines=True
    )
    part = bank.some(np.array([1, 0]))
    first, second = bank.tokens.sentences()
    assert list(part.tokens.sentences()) == [second, first] and part.lines is None
    assert part.heads.tolist() == [0, *bank.heads[: len(first)].tolist()]
    assert part.labels == (["root", "root", "obj", "case", "obl"] if labels else [])


def test_the_first_token_on_a_cycle() -> None:
    assert first_on_cycle([0, 1, 2]) is None
    assert first_on_cycle([0, 3, 2, 3]) == 1


def test_treebanks_of_the_data_are_read(data: Path) -> None:
    bank = read_treebank(data / "ud" / "English-EWT" / "dev.conllu.gz")
    assert len(bank) > 1900
    roots = [sum(head == 0 for head in heads) for heads in cut(bank.heads.tolist(), bank.ptr)]
    assert set(roots) == {1}


def test_batches_hold_all_lines_and_sentences(tmp_path: Path) -> None:
    block = (
        "# a comment\n1-2\tdu"
        + "\t_" * 8
        + "\n1\tde\tde\tADP\tP\t_\t_\t_\t_\t_\n2\tle\tle\tDET\tD\t_\t1\tdet\t_\t_\n\n"
    )
    path = tmp_path / "bank"
    path.write_text(block * 5 + "# the end\n\n")
    batches = list(iterate_treebank(path, batch_sentences=2))
    assert [len(batch) for batch in batches] == [2, 2, 1] and all(
        batch.heads.tolist() == [-1, 1] * len(batch) for batch in batches
    )
    with treebank_writer(tmp_path / "out") as writer:
        for batch in batches:
            writer.write(batch, batch.heads.clip(0), batch.labels)
    assert (tmp_path / "out").read_text() == path.read_text().replace("P\t_\t_\t_", "P\t_\t0\t_")
    with treebank_writer(tmp_path / "ranked") as writer:
        writer.write_ranked(batches[0], [[(([2, 0], ["a", "b"]), 1.5), (([0, 1], None), -2.0)], []])
    lines = (tmp_path / "ranked").read_text().splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "# a comment",
        "# score = 1.5000",
        "# a comment",
        "# score = -2.0000",
    ]
    assert [line.split("\t")[6:8] for line in lines if line[:2] in ("1\t", "2\t")] == [
        ["2", "a"],
        ["0", "b"],
        ["0", "_"],
        ["1", "det"],
    ]


def test_heads_that_make_no_tree() -> None:
    tokens = TokenColumns.from_sentences([["a", "b"]], ("word",))
    for heads, words in (
        ([0, 3], "is 3, but there are 2"),
        ([-1, 0], "is -1"),
        ([2, 1], "form a cycle"),
    ):
        with pytest.raises(ValueError, match=words):
            check_trees(Treebank(tokens, np.array(heads, np.int32), []))
    check_trees(Treebank(tokens, np.array([0, 0], np.int32), []))
