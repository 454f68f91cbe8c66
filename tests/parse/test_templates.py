"""Templates of parts: how they are written, kinds, families, arrays, ready sets, their order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import InputError
from laconic.parse.families import families_of
from laconic.parse.template_sets import SETS
from laconic.parse.templates import (
    KINDS,
    ROLES,
    SPECIALS,
    PartAtom,
    PartTemplate,
    PartTemplates,
    parse_part_template,
    parse_part_templates,
    part_templates_from,
)
from laconic.text.treebanks import COLUMNS


def refines(a: str, b: str) -> bool:
    """Whether b refines a; of equal templates a set would keep one."""
    return bool(parse_part_templates([a, b]).order()[0, -1])


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("bias", "bias", "arc"),
        ("dist", "dist", "arc"),
        ("dir h.word", "h.word|dir", "arc"),
        ("h.word m.fine[-1] | dist", "h.word|m.fine[-1]|dist", "arc"),
        ("h.coarse|between.coarse|m.coarse", "h.coarse|m.coarse|between.coarse", "arc"),
        ("m.fine[+1]|s.fine|dir", "m.fine[+1]|s.fine", "sibling"),
        ("g.suffix3|m.prefix1(fine)|dist", "g.suffix3|m.prefix1(fine)|dist", "grandchild"),
        ("s.coarse|g.cluster4", "s.coarse|g.cluster4", "grand_sibling"),
        (
            r't.fine|m.match(morph,"Case=\w+|Gender=\w+")[0]',
            r't.fine|m.match(morph,"Case=\w+|Gender=\w+")',
            "tri_sibling",
        ),
    ],
)
def test_writing_and_kinds(text: str, name: str, kind: str) -> None:
    template = parse_part_template(text)
    assert template.name == name and KINDS[template.kind] == kind
    assert parse_part_template(name) == template


@given(
    st.lists(
        st.tuples(
            st.sampled_from("hms"), st.sampled_from(["word", "fine", "suffix2"]), st.integers(-3, 3)
        ),
        max_size=5,
    ),
    st.sampled_from(SPECIALS),
)
def test_names_are_read_back(atoms: list[tuple[str, str, int]], special: str) -> None:
    template = PartTemplate(tuple(PartAtom(*atom) for atom in atoms), special)
    assert parse_part_template(template.name) == template


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("h.word|x.fine", "expected views of roles .* found 'x.fine'"),
        ("h.wrd", "no view 'wrd'"),
        ("h.suffix2(tag)", "needs a column 'tag'"),
        ("h.word[1", "expected views of roles"),
        ("hm", "expected views of roles"),
        ("h.word|dir|dist", "one of dir and dist"),
        ("bias|h.word", "bias alone"),
        ("between.fine|between.coarse", "at most one view between"),
        ("between.fine[1]|h.fine", "expected views of roles"),
        ("s.fine|between.fine", "only seen with arcs"),
        ("g.fine|t.fine", "both the head's head"),
        ("h.fine[5000]", "outside"),
    ],
)
def test_errors_name_the_line(line: str, message: str) -> None:
    with pytest.raises(InputError, match=f"mine:3: .*{message}"):
        parse_part_templates(["# tags", "h.fine", line], "mine")


def test_impossible_templates() -> None:
    with pytest.raises(ValueError, match="no role 'x'"):
        PartTemplate((PartAtom("x", "word"),))
    with pytest.raises(ValueError, match="'dir', 'dist' or neither"):
        PartTemplate((), "left")
    with pytest.raises(InputError, match="nothing: holds no templates"):
        parse_part_templates(["", "# none"], "nothing")


def test_sets_are_sequences() -> None:
    templates = parse_part_templates(["h.fine|m.fine", "m.fine|h.fine", "dir", "between.lemma"])
    assert templates.names == ["h.fine|m.fine", "dir", "between.lemma"] and templates.views == (
        "fine",
        "lemma",
    )
    assert templates.subset([2, 0]).names == ["between.lemma", "h.fine|m.fine"] and templates[
        1:
    ] == templates.subset([1, 2])
    assert (
        len({templates, parse_part_templates(templates.names)}) == 1 and templates != templates[1:]
    )
    assert repr(templates) == "PartTemplates(3: h.fine|m.fine, dir, between.lemma)"


def test_arrays() -> None:
    templates = parse_part_templates(
        ["h.fine|m.word[-1]|dist", "bias", "between.fine|dir", "h.word|t.fine[2]", "g.word"]
    )
    arrays = templates.arrays({"word": 3, "fine": 1})
    assert arrays.kind.tolist() == [0, 0, 0, 4, 2]
    assert arrays.special.tolist() == [2, 0, 1, 0, 0]
    assert arrays.between.tolist() == [-1, -1, 1, -1, -1]
    assert arrays.atom_ptr.tolist() == [0, 2, 2, 2, 4, 5] and arrays.atom_ptr.dtype == np.int64
    assert [ROLES[role] for role in arrays.atom_role] == ["h", "m", "h", "t", "g"]
    assert arrays.atom_view.tolist() == [1, 3, 3, 1, 3] and arrays.atom_offset.tolist() == [
        0,
        -1,
        0,
        2,
        0,
    ]
    assert {array.dtype for name, array in arrays._asdict().items() if name != "atom_ptr"} == {
        np.dtype(np.int32)
    }
    with pytest.raises(ValueError, match="use the views fine, but the encoder has word"):
        templates.arrays({"word": 0})


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("bias", ("bias",)),
        ("dist", ("distance",)),
        ("h.word|m.lemma|dir", ("bilexical", "direction")),
        ("h.word|h.fine|m.fine", ("lexical x POS",)),
        ("h.fine|m.suffix2", ("POS x lexical",)),
        ("h.coarse|m.fine|m.fine[-1]|between.fine", ("POS x POS", "middle POS", "context POS")),
        ("h.coarse|h.morph|m.shape(word)", ("head alone", "morphology", "shape")),
        ('m.match(morph,"x")|m.prefix1(fine)', ("modifier alone", "morphology")),
        ("h.lemma[+1]|between.lemma", ("middle words", "context words")),
        ("g.word|s.fine", ("grand-sibling",)),
    ],
)
def test_families(name: str, families: tuple[str, ...]) -> None:
    assert families_of(parse_part_template(name)) == families


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("arcs", [100, 0, 0, 0, 0]),
        ("arcs684", [684, 0, 0, 0, 0]),
        ("pruner", [31, 0, 0, 0, 0]),
        ("second", [100, 27, 27, 0, 0]),
        ("third", [100, 27, 27, 20, 20]),
    ],
)
def test_sizes_of_the_ready_sets(name: str, sizes: list[int]) -> None:
    templates = part_templates_from(name, COLUMNS)
    assert np.bincount([template.kind for template in templates], minlength=5).tolist() == sizes
    assert len(templates) == len(SETS[name]()), "no template is written twice"


def test_684_are_228_in_three_versions() -> None:
    templates = part_templates_from("arcs684", COLUMNS)
    versions = [
        {(t.atoms, t.between) for t in templates if t.special == special} for special in SPECIALS
    ]
    assert versions[0] == versions[1] == versions[2] and len(versions[0]) == 228 == 6 * 6 * 6 + 12
    assert {
        "bias",
        "dir",
        "h.word|m.shape",
        "h.lemma|m.coarse|h.coarse[+1]|m.coarse[-1]|dist",
    } <= set(templates.names)


def test_sets_from_files(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("# arcs\nh.tag|m.tag   # both\n\ndist\n")
    templates = part_templates_from(path, ("form", "tag"))
    assert (
        templates.names == ["h.tag|m.tag", "dist"]
        and part_templates_from(templates, ()) is templates
    )
    with pytest.raises(InputError, match=r"mine.txt:2: there is no view 'tag'"):
        part_templates_from(path, COLUMNS)
    with pytest.raises(
        InputError, match="is no file of templates, nor one of the ready sets arcs, arcs684"
    ):
        part_templates_from("arc", COLUMNS)


@pytest.mark.parametrize(
    ("coarse", "fine"),
    [
        ("bias", "dir"),
        ("dir", "dist"),
        ("h.fine", "h.fine|m.fine"),
        ("h.coarse|m.coarse", "h.word|m.lemma|dist"),
        ("h.fine", "h.word|h.fine"),
        ("h.word", "h.word|h.fine"),
        ("h.coarse|h.fine", "h.fine|h.lemma"),
        ("h.fine", "h.fine|between.coarse"),
        ("h.fine|between.coarse", "h.fine|between.lemma"),
        ("h.fine|m.fine|dir", "h.fine|m.fine|s.fine"),
        ("m.fine[-1]|s.fine", "m.word[-1]|s.fine|h.fine|dist"),
        ("h.cluster4", "h.cluster"),
    ],
)
def test_order(coarse: str, fine: str) -> None:
    assert refines(coarse, coarse) and refines(coarse, fine) and not refines(fine, coarse)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("h.fine", "m.fine"),
        ("m.fine", "m.word[-1]"),
        ("h.word|h.fine", "h.word|dir"),
        ("h.morph", "h.word"),
        ("between.fine", "dir"),
        ("h.fine|m.fine|dist", "h.fine|m.fine|s.fine"),
    ],
)
def test_templates_that_are_not_comparable(a: str, b: str) -> None:
    assert not refines(a, b) and not refines(b, a)


@pytest.mark.parametrize("name", SETS)
def test_order_is_a_partial_order(name: str) -> None:
    """Reflexive, antisymmetric and transitive."""
    templates = part_templates_from(name, COLUMNS)
    below = templates.order()
    assert below.diagonal().all() and not (below & below.T & ~np.eye(len(below), dtype=bool)).any()
    assert not ((below.astype(np.float32) @ below.astype(np.float32) > 0) & ~below).any()
    assert isinstance(templates, PartTemplates) and below.sum() > len(below)
