"""Trees over the words of a sentence, as flat arrays: brackets, or subtrees of dependency heads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Ints32
from laconic.errors import InputError
from laconic.text.io import PathLike, name_of, open_text


class Tree(NamedTuple):
    """A tree (or forest) whose nodes are in preorder: parents first, and a subtree is a slice.

    words   (n_words)  the sentence
    label   (n_nodes)  name of each node
    parent  (n_nodes)  node above each node, -1 at a root; parent[k] < k
    owner   (n_words)  lowest node that holds each word
    start   (n_nodes)  first word of each node's subtree
    end     (n_nodes)  one past its last word; words start..end-1 are all its own unless the tree
                       is non-projective
    """

    words: list[str]
    label: list[str]
    parent: Ints32
    owner: Ints32
    start: Ints32
    end: Ints32


# White space is ASCII only: treebanks hold words such as "2 1/2" written with a no-break space.
_PIECE = re.compile(r"\([ \t\r\n\f\v]*[^ \t\r\n\f\v()]*|\)|[^ \t\r\n\f\v()]+")
_BRACKETS = {"LRB": "(", "RRB": ")", "LSB": "[", "RSB": "]", "LCB": "{", "RCB": "}"}
_ESCAPED = re.compile(r"\\([\\/*-])|-(LRB|RRB|LSB|RSB|LCB|RCB)-")
_TO_ESCAPE = re.compile(r"\\|[()]|-(?=(?:LRB|RRB|LSB|RSB|LCB|RCB)-)")
_ESCAPES = {"\\": "\\\\", "(": "-LRB-", ")": "-RRB-", "-": "\\-"}
_UNREADABLE = re.compile(r"[ \t\r\n\f\v()]")


def parse_tree(text: str) -> Tree:
    """Return the one bracketed tree in `text`.

    >>> tree = parse_tree("(S (NP (DT the) (NN cat)) (VP (VBZ sits)))")
    >>> tree.words, tree.label[:2]
    (['the', 'cat', 'sits'], ['S', 'NP'])
    """
    trees = list(_parse_all(text, "the bracketed text"))
    if len(trees) != 1:
        raise InputError(f"expected one bracketed tree, found {len(trees)}.")
    return trees[0]


def read_trees(path: PathLike) -> list[Tree]:
    """Read all bracketed trees of a file, plain or compressed.

    A tree may span lines, and a line may hold several trees.
    """
    with open_text(path) as stream:
        return trees_in(stream, name_of(path))


def trees_in(stream: Iterable[str], name: str) -> list[Tree]:
    """Return all bracketed trees of the lines of a file of this name."""
    trees: list[Tree] = []
    lines: list[str] = []
    depth, first_line = 0, 1
    for number, line in enumerate(stream, 1):
        if not lines:
            first_line = number
        lines.append(line)
        depth += line.count("(") - line.count(")")
        if depth <= 0:
            trees.extend(_parse_all("".join(lines), f"{name}:{first_line}"))
            lines, depth = [], 0
    if lines:
        raise InputError(
            f"{name}:{first_line}: the tree that begins here is never closed: a ')' is missing."
        )
    if not trees:
        raise InputError(f"{name}: expected bracketed trees, found none.")
    return trees


def _parse_all(text: str, place: str) -> Iterator[Tree]:
    """Yield the trees of `text`, each by a pass over its brackets and words with a stack."""
    words: list[str] = []
    owner: list[int] = []
    label: list[str] = []
    parent: list[int] = []
    start: list[int] = []
    end: list[int] = []
    node = -1  # the innermost open node
    for piece in _PIECE.findall(text):
        if piece == ")":
            if node < 0:
                raise InputError(f"{place}: a ')' closes nothing.")
            if start[node] == len(words):
                raise InputError(
                    f"{place}: the node ({label[node]}) has no word; expected (LABEL word)."
                )
            end[node] = len(words)
            node = parent[node]
            if node < 0:
                yield _checked(Tree(words, label, *map(_int32, (parent, owner, start, end))), place)
                words, owner, label, parent, start, end = [], [], [], [], [], []
        elif piece[0] == "(":
            parent.append(node)
            node = len(label)
            label.append(piece[1:].lstrip())
            start.append(len(words))
            end.append(-1)
        elif node < 0:
            raise InputError(f"{place}: expected '(', found {piece!r}.")
        else:
            words.append(
                _ESCAPED.sub(_unescaped, piece) if "-" in piece or "\\" in piece else piece
            )
            owner.append(node)
    if node >= 0:
        raise InputError(f"{place}: the tree is never closed: a ')' is missing.")


def _checked(tree: Tree, place: str) -> Tree:
    """Return `tree` without the unlabelled bracket that the Penn Treebank writes around it.

    No other label may be missing.
    """
    if (
        not tree.label[0]
        and np.count_nonzero(tree.parent == 0) == 1
        and not (tree.owner == 0).any()
    ):
        parent = np.maximum(tree.parent[1:] - 1, -1)
        tree = Tree(
            tree.words, tree.label[1:], parent, tree.owner - 1, tree.start[1:], tree.end[1:]
        )
    if not all(tree.label):
        raise InputError(
            f"{place}: a bracket has no label; expected (LABEL word) or (LABEL (...) ...)."
        )
    return tree


def _int32(values: Sequence[int]) -> Ints32:
    return np.array(values, dtype=np.int32)


def _unescaped(match: re.Match[str]) -> str:
    return match[1] or _BRACKETS[match[2]]


def to_bracketed(tree: Tree) -> str:
    """Return one line that `parse_tree` reads back.

    ValueError if `tree` has several roots or crossing branches.
    """
    pieces: list[str] = []
    open_nodes: list[int] = []
    parent, owner, start, end = (array.tolist() for array in tree[2:])
    n_nodes, node = len(tree.label), 0
    if parent.count(-1) != 1 or [start[0], end[0]] != [0, len(tree.words)]:
        raise ValueError(
            f"a bracketed tree has one root over all words, this one has {parent.count(-1)} roots"
        )
    for position, word in enumerate(tree.words):
        while open_nodes and end[open_nodes[-1]] <= position:
            open_nodes.pop()
            pieces.append(")")
        while node < n_nodes and start[node] == position:
            if parent[node] != (open_nodes[-1] if open_nodes else -1):
                raise ValueError("a tree with crossing branches cannot be written with brackets")
            pieces.append(f" ({_readable(tree.label[node], 'label')}")
            open_nodes.append(node)
            node += 1
        if not open_nodes or open_nodes[-1] != owner[position]:
            raise ValueError("a tree with crossing branches cannot be written with brackets")
        pieces.append(
            f" {_readable(_TO_ESCAPE.sub(lambda match: _ESCAPES[match[0]], word), 'word')}"
        )
    return "".join(pieces).lstrip() + ")" * len(open_nodes)


def _readable(text: str, kind: str) -> str:
    if not text or _UNREADABLE.search(text):
        raise ValueError(
            f"a {kind} between brackets is not empty and has no blank or bracket, not {text!r}"
        )
    return text


def leaves(tree: Tree, node: int = 0) -> list[str]:
    """Return the words below `node`, in the order of the sentence."""
    # In preorder the subtree ends before the first node whose parent lies before `node`.
    after = np.flatnonzero(tree.parent[node + 1 :] < node)
    last = node + 1 + int(after[0]) if after.size else len(tree.label)
    inside = np.flatnonzero((tree.owner >= node) & (tree.owner < last))
    return [tree.words[i] for i in inside.tolist()]


def tree_from_heads(
    words: Sequence[str], heads: Sequence[int], labels: Sequence[str] | None = None
) -> Tree:
    """Return the forest in which each word's node holds the word and the nodes of its dependents.

    Parameters
    ----------
    words : sequence of str, (n_words)
        The sentence.
    heads : sequence of int, (n_words)
        Place of each word's head counted from 1, 0 at a root, as in CoNLL files.
    labels : sequence of str, (n_words), optional
        Relation of each word to its head; "_" when not given.
    """
    n_words = len(words)
    names = ["_"] * n_words if labels is None else list(labels)
    if len(heads) != n_words or len(names) != n_words:
        raise InputError(
            f"{n_words} words need as many heads and labels, not {len(heads)} and {len(names)}."
        )
    dependents: list[list[int]] = [[] for _ in range(n_words + 1)]
    for word, head in enumerate(heads, 1):
        if not 0 <= head <= n_words:
            raise InputError(
                f"word {word} ({words[word - 1]!r}) has head {head}; expected 0..{n_words}."
            )
        dependents[head].append(word)
    node_of = [-1] * (n_words + 1)
    order: list[int] = []  # the words in preorder
    waiting = dependents[0][::-1]
    while waiting:
        word = waiting.pop()
        node_of[word] = len(order)
        order.append(word)
        waiting.extend(reversed(dependents[word]))
    if len(order) != n_words:
        stuck = node_of.index(-1, 1)
        raise InputError(
            f"the heads form a cycle: word {stuck} ({words[stuck - 1]!r}) never leads to a root."
        )
    parent = [node_of[heads[word - 1]] if heads[word - 1] else -1 for word in order]
    start, end = [word - 1 for word in order], list(order)
    for node in range(n_words - 1, -1, -1):  # children before parents
        above = parent[node]
        if above >= 0:
            start[above] = min(start[above], start[node])
            end[above] = max(end[above], end[node])
    sentence, label = list(words), [names[word - 1] for word in order]
    return Tree(sentence, label, *map(_int32, (parent, node_of[1:], start, end)))


def over_words(tree: Tree, words: Sequence[str], place: Sequence[int]) -> Tree:
    """Return the same tree over other words: word w hangs where the old word place[w] hung.

    Nodes without any word are left out.
    """
    parent = tree.parent.tolist()
    node_of = [int(tree.owner[at]) for at in place]
    start, end = [len(words)] * len(parent), [0] * len(parent)
    for word, node in enumerate(node_of):
        start[node], end[node] = min(start[node], word), word + 1
    for node in range(len(parent) - 1, -1, -1):  # children before parents
        above = parent[node]
        if above >= 0:
            start[above] = min(start[above], start[node])
            end[above] = max(end[above], end[node])
    kept = [node for node in range(len(parent)) if start[node] < end[node]]
    number = dict(zip(kept, range(len(kept)), strict=True)) | {-1: -1}
    heads, owner = [number[parent[node]] for node in kept], [number[node] for node in node_of]
    starts, ends = [start[node] for node in kept], [end[node] for node in kept]
    return Tree(
        list(words), [tree.label[node] for node in kept], *map(_int32, (heads, owner, starts, ends))
    )
