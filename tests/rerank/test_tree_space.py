"""Basic features of arcs against a plain reading of the templates."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from parsers import SENTENCES, UNSEEN, fitted

from laconic import _core
from laconic.parse.explain import named
from laconic.parse.lists import TreeLists, k_best
from laconic.parse.templates import PartTemplate, parse_part_templates, part_templates_from
from laconic.rerank.tree_space import TreeSpace
from laconic.text.sequences import SequenceEncoder
from laconic.text.treebanks import COLUMNS

LINES = [
    "bias",
    "h.word[+1]|m.fine[-2]|dir",
    "h.coarse[-1]|between.coarse|dist",
    "m.suffix2",
    "h.morph|m.morph[+1]",
]
TEMPLATES = {"basic": part_templates_from("basic"), "others": parse_part_templates(LINES)}


def new_space(name: str) -> TreeSpace:
    return TreeSpace(TEMPLATES[name], SequenceEncoder(TEMPLATES[name].views, COLUMNS))


@pytest.fixture(scope="module")
def lists() -> TreeLists:
    parser = fitted()
    return k_best(parser, parser._tokens([*SENTENCES, []]), 4)


def texts(space: TreeSpace) -> list[str]:
    """Every basic feature as text."""
    features = space.features
    found = [""] * len(space)
    for template, (rows, where) in zip(
        space.templates, features.places(space.templates), strict=True
    ):
        for row, text in zip(
            rows.tolist(), named(template, space.encoder, features.value[where]), strict=True
        ):
            found[row] = text
    return found


def plain(
    template: PartTemplate, sentence: list[tuple[str, ...]], head: int, modifier: int
) -> list[str]:
    """The features of one arc, as the templates are explained to people."""

    def value(view: str, place: int) -> str:
        if place < 0:
            return f"_B-{-place}"
        if place == 0:
            return "(root)"
        if place > len(sentence):
            return f"_B+{place - len(sentence)}"
        token = dict(zip(COLUMNS, sentence[place - 1], strict=True))
        return token["word"][-2:] if view == "suffix2" else token[view]

    told = [
        f"{atom}={value(atom.view, {'h': head, 'm': modifier}[atom.role] + atom.offset)}"
        for atom in template.atoms
    ]
    if template.special:
        side, distance = "right" if head < modifier else "left", abs(head - modifier)
        assert distance <= 5
        told.append(side if template.special == "dir" else f"{side} {distance}")
    if template.between is None:
        return ["|".join(told) or "bias"]
    inside = range(min(head, modifier) + 1, max(head, modifier))
    return [
        "|".join([*told, f"between.{template.between}={shown}"])
        for shown in {value(template.between, p) for p in inside}
    ]


def plain_arcs(space: TreeSpace, lists: TreeLists) -> list[list[set[str]]]:
    """Of every tree the features of its arcs, token by token."""
    found = []
    sentences = list(lists.tokens.sentences())
    for tree, s in enumerate(lists.sentence.tolist()):
        heads = lists.heads[lists.tree_ptr[tree] : lists.tree_ptr[tree + 1]].tolist()
        arcs = [
            {text for t in space.templates for text in plain(t, sentences[s], h, m)}
            for m, h in enumerate(heads, 1)
        ]
        found.append(arcs)
    return found


@pytest.mark.parametrize("name", TEMPLATES)
def test_features_of_arcs(name: str, lists: TreeLists) -> None:
    space = new_space(name)
    arc, ptr, basic = space._arcs(lists, grow=True)
    names = texts(space)
    assert len(set(names)) == len(names)
    expected = [features for tree in plain_arcs(space, lists) for features in tree]
    for token, features in enumerate(expected):
        assert {names[b] for b in basic[ptr[arc[token]] : ptr[arc[token] + 1]]} == features
    assert set(names) == set().union(*expected), "nothing else is in the inventory"


@pytest.mark.parametrize("name", TEMPLATES)
def test_what_structures_hold(name: str, lists: TreeLists) -> None:
    """Trees have the features of all arcs, sets those of arcs that some trees of the list lack."""
    space = new_space(name)
    trees, sets = space.trees(lists, grow=True), space.sets(lists)
    names, arcs = texts(space), plain_arcs(space, lists)
    miner = _core.Miner(10, 4, 4)
    miner.add(np.zeros(len(space), np.uint32), np.arange(len(space), dtype=np.uint32))
    for structures, is_set in ((trees, False), (sets, True)):
        ptr, fired = miner.fired(structures)
        for tree, s in enumerate(lists.sentence.tolist()):
            rivals = range(int(lists.ptr[s]), int(lists.ptr[s + 1]))
            heads = [lists.heads[lists.tree_ptr[k] : lists.tree_ptr[k + 1]] for k in rivals]
            own = heads[tree - rivals[0]]
            shown = [
                m
                for m in range(len(own))
                if not is_set or any(other[m] != own[m] for other in heads)
            ]
            assert {names[f - 1] for f in fired[ptr[tree] : ptr[tree + 1]]} == set().union(
                *(arcs[tree][m] for m in shown)
            )


def test_unknown_features_are_passed_over_and_do_not_grow(lists: TreeLists) -> None:
    space = new_space("basic")
    space.trees(lists, grow=True)
    space.encoder.freeze()
    names = texts(space)
    parser = fitted()
    others = k_best(parser, parser._tokens(UNSEEN), 3)
    arc, ptr, basic = space._arcs(others, grow=False)
    assert texts(space) == names
    for token, features in enumerate(
        features for tree in plain_arcs(space, others) for features in tree
    ):
        assert {names[b] for b in basic[ptr[arc[token]] : ptr[arc[token] + 1]]} == features & set(
            names
        )


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_narrowed_space_knows_some_features_in_the_same_order(
    name: str, lists: TreeLists
) -> None:
    space = new_space(name)
    arc, ptr, basic = space._arcs(lists, grow=True)
    space.encoder.freeze()
    names = texts(space)
    used = np.flatnonzero(np.random.default_rng(0).random(len(space)) < 0.2)
    for small in (space.narrowed(used), pickle.loads(pickle.dumps(space.narrowed(used)))):
        assert texts(small) == [names[b] for b in used]
        small_arc, small_ptr, small_basic = small._arcs(lists, grow=False)
        assert np.array_equal(small_arc, arc)
        for a in range(len(ptr) - 1):
            expected = np.intersect1d(basic[ptr[a] : ptr[a + 1]], used)
            assert np.array_equal(used[small_basic[small_ptr[a] : small_ptr[a + 1]]], expected)
    assert space.narrowed(used[:2]).encoder.n_values.sum() < space.encoder.n_values.sum()
    assert len(space.narrowed(used[:0])) == 0 == len(space.narrowed(used[:0]).templates)
