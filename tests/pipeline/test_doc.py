"""Documents read from columns, and their trees drawn."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic import Doc
from laconic.errors import InputError
from laconic.pipeline.draw import Arcs, svg_of_tree, tree_in_text
from laconic.text.conllu import conllu_of

SVG = "{http://www.w3.org/2000/svg}"
SAMPLE = """\
# newpar
# text = Vámonos al mar.
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tV\tMood=Imp|Number=Plur\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t5\tcase\t_\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t_\t_
4.1\tx\t_\t_\t_\t_\t_\t_\t_\t_
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_

1\tSí\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No

# newpar
1\t_\t_\tSYM\t_\t_\t0\troot\t_\t_

"""


def test_a_document_is_a_sequence_of_sentences_of_words() -> None:
    doc = Doc(SAMPLE)
    assert len(doc) == 3 and [len(sentence) for sentence in doc] == [6, 1, 1]
    assert doc.text == "Vámonos al mar. Sí\n\n_" == str(doc)
    assert repr(doc) == "<Doc: 3 sentences, 8 words, 'Vámonos al mar. Sí\\n\\n_'>"
    assert doc.to_conllu() == SAMPLE
    assert [word.form for word in doc.words[:3]] == ["Vamos", "nos", "a"]
    assert [sentence.text for sentence in doc[1:]] == ["Sí", "_"]
    assert doc[0].comments == ["# newpar", "# text = Vámonos al mar."]
    assert "".join(sentence.to_conllu() for sentence in doc) == SAMPLE
    assert repr(doc[1]) == "<Sentence: 'Sí'>"


def test_tokens_hold_words() -> None:
    tokens = Doc(SAMPLE)[0].tokens
    assert [token.text for token in tokens] == ["Vámonos", "al", "mar", "."]
    assert [[word.id for word in token.words] for token in tokens] == [[1, 2], [3, 4], [5], [6]]
    assert [token.space_after for token in tokens] == [True, True, False, True]


def test_words_know_their_columns_and_each_other() -> None:
    first, second, third = Doc(SAMPLE)
    mar = first[4]
    assert (mar.form, mar.lemma, mar.upos, mar.xpos, mar.deprel) == (
        "mar",
        "mar",
        "NOUN",
        None,
        "obl",
    )
    assert mar.parent is first[0] and [str(word) for word in mar.children] == ["a", "el"]
    assert first[0].feats == {"Mood": "Imp", "Number": "Plur"} and first[0].parent is None
    assert [word.form for word in first.roots] == ["Vamos"] and first[0].head == 0
    assert (mar.misc, mar.deps) == ("SpaceAfter=No", None)
    assert second[0].head is None and second[0].parent is None and second[0].feats == {}
    assert third[0].form == "_" and repr(third[0]) == "<Word 1: '_' SYM root>"


def test_json_holds_everything() -> None:
    found = json.loads(Doc(SAMPLE).to_json())["sentences"]
    assert found[0]["text"] == "Vámonos al mar."
    assert found[0]["tokens"][1] == {"text": "al", "words": [3, 4], "space_after": True}
    assert found[0]["words"][0] == {
        "id": 1,
        "form": "Vamos",
        "lemma": "ir",
        "upos": "VERB",
        "xpos": "V",
        "feats": {"Mood": "Imp", "Number": "Plur"},
        "head": 0,
        "deprel": "root",
        "deps": None,
        "misc": None,
    }
    assert found[1]["words"][0]["head"] is None


def test_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(SAMPLE, "utf-8")
    assert Doc.read(path).to_conllu() == SAMPLE
    with pytest.raises(InputError, match="the text: holds no tokens"):
        Doc("")


def test_trees_in_lines_of_text() -> None:
    drawn = """\
─┬─── Vamos  VERB   root
 ├─── nos    PRON   obj
 │ ┌─ a      ADP    case
 │ ├─ el     DET    det
 ├─┴─ mar    NOUN   obl
 └─── .      PUNCT  punct"""
    assert Doc(SAMPLE)[0].draw() == drawn
    assert Doc(SAMPLE)[1].draw().split() == ["Sí"]


def test_lines_that_cross_are_told_apart() -> None:
    """The arc from d to a passes b, whose own line from the root passes on."""
    arcs = Arcs(list("abcd"), [""] * 4, [3, 4, 0, 3], [""] * 4)
    assert tree_in_text(arcs).splitlines() == [
        " ┌─── a",
        " │ ┌─ b",
        "─┼─│─ c",
        " └─┴─ d",
    ]


def test_heads_that_lead_to_no_root_are_drawn_as_unknown() -> None:
    arcs = Arcs(list("abc"), [""] * 3, [2, 1, 0], [""] * 3)
    assert [line.split()[-1] for line in tree_in_text(arcs).splitlines()] == ["a", "b", "c"]
    ET.fromstring(svg_of_tree(arcs))


@st.composite
def trees(draw: st.DrawFn) -> Arcs:
    n = draw(st.integers(1, 12))
    order = draw(st.permutations(range(n)))
    heads: list[int | None] = [None] * n
    for place, word in enumerate(order):
        above = draw(st.integers(-1, place - 1))
        heads[word] = 0 if above < 0 else order[above] + 1
    words = draw(st.lists(st.text("ab <&é\0", max_size=5), min_size=n, max_size=n))
    return Arcs(words, words, heads, [f"r{i}" for i in range(n)])


@given(trees())
def test_every_arc_is_drawn(arcs: Arcs) -> None:
    n = len(arcs.forms)
    lines = tree_in_text(arcs).split("\n")
    assert len(lines) == n
    assert all(line.endswith(label) for line, label in zip(lines, arcs.labels, strict=True))
    # Lines meet: what goes down from one row goes up from the next.
    down, up = set("╷┐┌┤├┬┼│"), set("╵┘└┤├┴┼│")
    for one, other in pairwise(lines):
        assert all((a in down) == (b in up) for a, b in zip(one, other, strict=False))
    picture = ET.fromstring(svg_of_tree(arcs))
    assert len(picture.findall(f"{SVG}path")) == 2 * n
    assert len(picture.findall(f"{SVG}text")) == 3 * n


def places(arcs: Arcs) -> list[float]:
    texts = ET.fromstring(svg_of_tree(arcs)).findall(f"{SVG}text")
    return [float(text.attrib["x"]) for text in texts[: 2 * len(arcs.forms) : 2]]


def test_pictures_are_escaped_and_run_as_the_script_does() -> None:
    arcs = Arcs(["<b>", "&", "\x00"], ["X"] * 3, [2, 0, 2], ["a", '"', "c"])
    picture = ET.fromstring(svg_of_tree(arcs))
    assert [text.text for text in picture.iter(f"{SVG}text")][:5:2] == ["<b>", "&", "\ufffd"]
    assert places(arcs) == sorted(places(arcs))
    arabic = arcs._replace(forms=["كتاب", "جديد", "."])
    assert places(arabic) == sorted(places(arabic), reverse=True)


def test_arcs_lie_above_those_they_span() -> None:
    long = Arcs(list("abcd"), [""] * 4, [0, 1, 2, 1], ["root", "x", "y", "z"])
    texts = ET.fromstring(svg_of_tree(long)).findall(f"{SVG}text")
    height = {text.text: float(text.attrib["y"]) for text in texts}
    assert height["z"] < height["x"] == height["y"] and height["root"] < height["z"]


def test_notebooks_show_the_trees() -> None:
    assert Doc(SAMPLE)._repr_html_().count("<svg") == 3


def test_nothing_is_a_document_too() -> None:
    none = np.zeros(1, np.int64)
    doc = Doc(conllu_of([], [], none, none, np.zeros(0, bool)))
    assert (len(doc), doc.text, doc.words, doc.to_conllu()) == (0, "", [], "")
    assert json.loads(doc.to_json()) == {"sentences": []} and doc._repr_html_() == ""
