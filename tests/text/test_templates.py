"""Templates: their names, arrays, ready sets and the order from coarse to fine."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from laconic.text.patterns import parse_templates
from laconic.text.template_sets import SETS, for_cluster_column, for_list_columns, ready_templates
from laconic.text.templates import Atom, Template, Templates, at_or_below, ngrams, view_at_or_below


def conjunction(text: str, pairs: bool = False) -> Template:
    """`p0 w-1` -> pos[0]|word[-1]."""
    names = {"p": "pos", "w": "word", "s": "shape"}
    return Template(tuple(Atom(names[part[0]], int(part[1:])) for part in text.split()), pairs)


def test_ngrams_inside_and_touching_a_window() -> None:
    inside = [template.name for template in ngrams("pos", (1, 2), (-1, 1))]
    assert inside == ["pos[-1]", "pos[0]", "pos[1]", "pos[-1]|pos[0]", "pos[0]|pos[1]"]
    touching = [template.name for template in ngrams("pos", (2, 2), (0, 0), touching=True)]
    assert touching == ["pos[-1]|pos[0]", "pos[0]|pos[1]"]
    assert ngrams("pos", (3, 3), (0, 1)) == []
    for sizes, window in (((0, 2), (0, 1)), ((2, 1), (0, 1)), ((1, 2), (1, 0))):
        with pytest.raises(ValueError, match="n-grams need"):
            ngrams("pos", sizes, window)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("chunking", 96),
        ("chunking72", 72),
        ("chunking_pairs", 116),
        ("chunking_compact", 20),
        ("ner", 452),
        ("ner_clusters", 138),
    ],
)
def test_sizes_of_the_ready_sets(name: str, size: int) -> None:
    templates = ready_templates(name)
    assert len(templates) == size == len(set(templates.names))


def test_parts_of_the_ready_sets() -> None:
    def parts(name: str) -> Counter:
        return Counter(
            "+".join(sorted({atom.view for atom in template.atoms}))
            for template in ready_templates(name)
        )

    assert parts("chunking") == {"pos": 65, "word": 24, "shape": 7}
    assert parts("chunking72") == {"pos": 45, "word": 18, "shape": 9}
    affixes = {f"{end}{length}": 24 for end in ("prefix", "suffix") for length in (1, 2, 3)}
    assert parts("ner") == {
        "pos": 65,
        "word": 24,
        "shape": 24,
        **affixes,
        "case": 65,
        "punct": 65,
        "digit": 65,
    }
    clusters = ready_templates("ner_clusters")
    for bits in ("4", "6", "8", "10", "12", "16", ""):
        offsets = {
            t.atoms[0].offset
            for t in clusters
            if len(t.atoms) == 1 and t.atoms[0].view == f"cluster{bits}"
        }
        assert offsets == {-2, -1, 0, 1, 2}
    with pytest.raises(ValueError, match="no ready set of templates 'pos'; the sets are chunking"):
        ready_templates("pos")


def test_templates_of_columns_with_clusters_and_with_lists() -> None:
    bits = for_cluster_column("more")
    assert len(bits) == 45 and {"prefix4(more)[-2]", "more[2]", "more[-1]|more[0]"} <= set(
        bits.names
    )
    lists = for_list_columns(["city", "first"])
    assert {
        "city[0]",
        "first[-1]|class[0]",
        "city[0]|first[0]",
        "first[0]|first[1]|class[1]",
    } <= set(lists.names)
    assert len(lists) == len(set(lists.names)) == 2 * 13 + 1


def test_arrays_give_the_atoms_back() -> None:
    templates = Templates(
        [conjunction("w-1 p0"), conjunction("p3", pairs=True), Template(()), conjunction("p0 w-1")]
    )
    assert len(templates) == 3 and templates.names == ["word[-1]|pos[0]", "pairs:pos[3]", "bias"]
    assert templates.views == ("word", "pos")
    arrays = templates.arrays({"pos": 4, "word": 2})
    assert arrays.atom_ptr.tolist() == [0, 2, 3, 3] and arrays.atom_ptr.dtype == np.int64
    assert arrays.atom_view.tolist() == [2, 4, 4] and arrays.atom_view.dtype == np.int32
    assert arrays.atom_offset.tolist() == [-1, 0, 3] and arrays.atom_offset.dtype == np.int32
    assert arrays.pairs.tolist() == [0, 1, 0] and arrays.pairs.dtype == np.uint8
    assert templates.subset([1]) == templates[1:2] and templates.subset([1])[0] == templates[1]
    with pytest.raises(ValueError, match="use the views word, but the encoder has pos"):
        templates.arrays({"pos": 0})
    with pytest.raises(ValueError, match="outside"):
        Template((Atom("pos", 5000),))


@pytest.mark.parametrize(
    ("coarse", "fine"),
    [
        ("p0", "p0 p1"),
        ("p0 p1", "w0 w1"),
        ("p0", "w0"),
        ("p0 p1", "w0 p1"),
        ("", "p0"),
        ("s0", "s0 w1"),
    ],
)
def test_order_of_the_article(coarse: str, fine: str) -> None:
    a, b = conjunction(coarse), conjunction(fine)
    assert at_or_below(a, b) and at_or_below(a, a) and not at_or_below(b, a)


def test_templates_that_are_not_comparable() -> None:
    for a, b in (("p0 p-1", "p0 p1"), ("p0", "p1"), ("p0 w1", "w0 p1"), ("p0", "s0"), ("s0", "w0")):
        assert not at_or_below(conjunction(a), conjunction(b)) and not at_or_below(
            conjunction(b), conjunction(a)
        )
    assert at_or_below(conjunction("p0"), conjunction("p0", pairs=True))
    assert not at_or_below(conjunction("p0", pairs=True), conjunction("p0 p1"))
    for coarse, fine in (
        ("prefix1", "prefix3"),
        ("cluster4", "cluster"),
        ("case", "class"),
        ("pos", "word"),
    ):
        assert view_at_or_below(coarse, fine) and not view_at_or_below(fine, coarse)
    assert not view_at_or_below("prefix1", "suffix2") and not view_at_or_below("shape", "pos")


@pytest.mark.parametrize("name", SETS)
def test_order_is_a_partial_order(name: str) -> None:
    """Reflexive, antisymmetric, transitive; and the matrix is the relation of two templates."""
    templates = ready_templates(name)
    below = templates.order()
    assert below.diagonal().all() and not (below & below.T & ~np.eye(len(below), dtype=bool)).any()
    assert not ((below.astype(np.float32) @ below.astype(np.float32) > 0) & ~below).any()
    for a, b in np.random.default_rng(0).integers(0, len(templates), (50, 2)):
        assert at_or_below(templates[a], templates[b]) == below[a, b]


@pytest.mark.parametrize(
    "line",
    [
        "ngrams(word, 1..99999999, -5..5)",
        "ngrams(word, 1..99999999, touching -5..5)",
        "ngrams(word, 1..2, -99999999..99999999)",
    ],
)
def test_lines_with_too_many_ngrams_are_refused(line: str) -> None:
    """A line of a file must not take minutes and all memory."""
    with pytest.raises(ValueError, match="are too many: sizes times places must not exceed"):
        parse_templates(line, ("word",))
