"""Trees: what is written is read back, heads become subtrees, and bad input is named."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import InputError
from laconic.text.trees import (
    Tree,
    leaves,
    over_words,
    parse_tree,
    read_trees,
    to_bracketed,
    tree_from_heads,
)

NAMES = st.text(alphabet="abS1-=\\/*", min_size=1, max_size=4)
WORDS = st.one_of(
    st.text(alphabet="ab-\\/*()[]{}LRB\xa0é", min_size=1, max_size=6),
    st.sampled_from(["-LRB-", "\\/", "\\\\-RRB-"]),
)
BRACKETED = st.recursive(
    st.tuples(NAMES, st.lists(WORDS, min_size=1, max_size=2)),
    lambda inner: st.tuples(NAMES, st.lists(inner | WORDS, min_size=1, max_size=4)),
    max_leaves=12,
)


def build(spec) -> Tree:
    """The flat tree of nested (label, children)."""
    words: list[str] = []
    columns: tuple[list, ...] = ([], [], [], [], [])
    label, parent, owner, start, end = columns

    def visit(node, above: int) -> None:
        here = len(label)
        label.append(node[0])
        parent.append(above)
        start.append(len(words))
        end.append(0)
        for child in node[1]:
            if isinstance(child, str):
                words.append(child)
                owner.append(here)
            else:
                visit(child, here)
        end[here] = len(words)

    visit(spec, -1)
    return Tree(words, label, *(np.array(column, dtype=np.int32) for column in columns[1:]))


def same(a: Tree, b: Tree) -> bool:
    return all(list(x) == list(y) for x, y in zip(a, b, strict=True))


@given(BRACKETED)
def test_written_trees_are_read_back(spec) -> None:
    tree = build(spec)
    assert same(parse_tree(to_bracketed(tree)), tree)


def test_constituents() -> None:
    tree = parse_tree("(S (NP (DT the)\n (NN cat)) (VP (VBZ sits) (. .)))")
    assert tree.words == ["the", "cat", "sits", "."]
    assert tree.label == ["S", "NP", "DT", "NN", "VP", "VBZ", "."]
    assert tree.parent.tolist() == [-1, 0, 1, 1, 0, 4, 4]
    assert tree.owner.tolist() == [2, 3, 5, 6]
    assert list(zip(tree.start.tolist(), tree.end.tolist(), strict=True))[:2] == [(0, 4), (0, 2)]
    assert (
        leaves(tree) == tree.words
        and leaves(tree, 1) == ["the", "cat"]
        and leaves(tree, 6) == ["."]
    )


def test_escapes_and_the_outer_bracket_of_the_penn_treebank() -> None:
    assert parse_tree(r"(2 (2 -LRB-) (2 and\/or) (3 2\*x) (1 -RCB-))").words == [
        "(",
        "and/or",
        "2*x",
        "}",
    ]
    assert same(parse_tree("( (S (NN a) ))"), parse_tree("(S (NN a))"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (NN a)", "never closed"),
        ("(S (NN a)))", "closes nothing"),
        ("(S )", "no word"),
        ("(S (NP) (NN a))", "no word"),
        ("(S ((NN a) (NN b)))", "no label"),
        ("( (NN a) (NN b))", "no label"),
        ("S (NN a)", "expected '\\(', found 'S'"),
        ("", "found 0"),
        ("(A a) (B b)", "found 2"),
    ],
)
def test_bad_brackets_are_named(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_tree(text)


def test_deep_trees_do_not_exhaust_the_stack() -> None:
    depth = 50_000
    tree = parse_tree("(X " * depth + "a" + ")" * depth)
    assert len(tree.label) == depth and same(parse_tree(to_bracketed(tree)), tree)
    chain = tree_from_heads(["a"] * depth, range(depth))
    assert (
        chain.parent.tolist() == list(range(-1, depth - 1))
        and chain.start[7] == 7
        and chain.end[7] == depth
    )


def test_files_of_trees_over_lines(tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text("\n( (S (A a)\n   (B b)))\n(A a) (B b)\n\n")
    assert [tree.words for tree in read_trees(path)] == [["a", "b"], ["a"], ["b"]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("(A a)\n\n(S (A a)\n(B b)\n", r"bad\.txt:3: .*never closed"),
        ("(A a)\n(A a))\n", r"bad\.txt:2: .*closes nothing"),
        ("(A a)\nstray\n", r"bad\.txt:2: expected '\('"),
        ("(A a)\n(S (A\n))\n", r"bad\.txt:2: .*no word"),
        ("\n \n", r"bad\.txt: expected bracketed trees, found none"),
    ],
)
def test_bad_files_are_named_with_the_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_trees(path)


HEADS = st.integers(1, 12).flatmap(lambda n: st.tuples(*(st.integers(0, n) for _ in range(n))))


@given(HEADS)
def test_heads_give_each_word_its_subtree_or_name_a_cycle(heads: tuple[int, ...]) -> None:
    words = [f"w{place}" for place in range(1, len(heads) + 1)]

    def ancestors(word: int) -> list[int]:
        path = [word]
        while heads[path[-1] - 1] and len(path) <= len(heads):
            path.append(heads[path[-1] - 1])
        return path

    paths = {word: ancestors(word) for word in range(1, len(heads) + 1)}
    if any(len(path) > len(heads) for path in paths.values()):
        with pytest.raises(InputError, match="cycle"):
            tree_from_heads(words, heads)
        return
    tree = tree_from_heads(words, heads)
    assert (tree.parent < np.arange(len(words))).all()
    for word in paths:
        node = int(tree.owner[word - 1])
        below = [other for other, path in paths.items() if word in path]
        assert leaves(tree, node) == [f"w{other}" for other in below]
        assert (tree.start[node], tree.end[node]) == (min(below) - 1, max(below))


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(st.permutations(range(n)), st.lists(st.integers(0, n - 1), min_size=1))
    )
)
def test_a_tree_over_other_words(drawn: tuple[list[int], list[int]]) -> None:
    """A node holds the words that hang on the old words below it; none is without words."""
    order, places = drawn[0], sorted(drawn[1])
    heads = [
        0 if place == 0 else order[(place - 1) // 2] + 1
        for place in map(order.index, range(len(order)))
    ]
    old = tree_from_heads([str(place) for place in range(len(order))], heads)
    new = over_words(old, [f"{place}/{k}" for k, place in enumerate(places)], places)
    expected = []
    for node in range(len(old.label)):
        below = set(leaves(old, node))
        held = [word for word in new.words if word.split("/")[0] in below]
        if held:
            expected.append(held)
    assert [leaves(new, node) for node in range(len(new.label))] == expected
    assert (new.parent < np.arange(len(new.parent))).all()
    for node, held in enumerate(expected):
        assert (new.start[node], new.end[node]) == (
            new.words.index(held[0]),
            new.words.index(held[-1]) + 1,
        )


def test_dependencies_with_labels() -> None:
    tree = tree_from_heads(["the", "cat", "sits"], [2, 3, 0], ["det", "nsubj", "root"])
    assert tree.label == ["root", "nsubj", "det"] and tree.owner.tolist() == [2, 1, 0]
    assert to_bracketed(tree) == "(root (nsubj (det the) cat) sits)"


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([0, 3], "head 3; expected 0..2"),
        ([-1, 0], "head -1"),
        ([2, 1], "cycle"),
        ([0], "2 words need"),
    ],
)
def test_bad_heads_are_named(heads: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tree_from_heads(["a", "b"], heads)


def test_what_brackets_cannot_say_is_refused() -> None:
    with pytest.raises(ValueError, match="crossing"):
        to_bracketed(tree_from_heads(list("abcd"), [3, 4, 0, 3]))
    with pytest.raises(ValueError, match="2 roots"):
        to_bracketed(tree_from_heads(list("ab"), [0, 0]))
    with pytest.raises(ValueError, match="no blank"):
        to_bracketed(tree_from_heads(["a b"], [0]))


@pytest.mark.slow
def test_sentiment_treebank(data: Path) -> None:
    start = time.process_time()
    trees = read_trees(data / "sst" / "train.txt.gz")
    assert time.process_time() - start < 2
    assert len(trees) == 8544 and sum(tree.label[0] != "2" for tree in trees) == 6920
    with gzip.open(data / "sst" / "train.txt.gz", "rt", encoding="utf-8") as stream:
        lines = [line.strip() for line in stream]
    plain = [k for k, line in enumerate(lines) if "\\" not in line]
    assert len(plain) > 8000 and all(
        to_bracketed(trees[k]) == lines[k] for k in plain if "-LSB-" not in lines[k]
    )


def test_penn_treebank(data: Path) -> None:
    trees = read_trees(data / "ptb_sample" / "wsj_sample.mrg.gz")
    spoken = sum(tree.label[node] != "-NONE-" for tree in trees for node in tree.owner.tolist())
    assert (len(trees), spoken) == (3914, 94_084)
