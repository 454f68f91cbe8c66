"""Columns about a token's place in a dependency tree: of its head, its children and its siblings.

    word, lemma, coarse, fine, morph          of the token itself
    head.word .. head.morph                   of its head
    head.before, head.after                   coarse tags of the head's neighbours
    side, distance                            left or right of its head, or root; how far from it
    grand.coarse, grand.lemma, grand.side     of the head's head
    left.coarse, left.lemma, right...         of its outermost children on either side
    inner.coarse, inner.lemma                 of its nearest left child
    children, head.children                   coarse tags of the children on the left and the right
    previous.coarse, previous.lemma, next..   of the nearest siblings to the left and to the right
    rank                                      number of siblings between the token and its head

Everything is sorting and indexing, for all tokens at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.core.arrays import Ints
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import COLUMNS

ROOT, NONE = "<root>", "<none>"
FAR = (1, 2, 3, 4, 5, 7, 10, 15, 20)  # distances that begin a bin
MANY = 3  # larger counts are counted as this one

RELATION_COLUMNS = (
    *COLUMNS,
    *(f"head.{column}" for column in (*COLUMNS, "before", "after", "children")),
    *("side", "distance", "rank", "children"),
    *("grand.coarse", "grand.lemma", "grand.side"),
    *(
        f"{place}.{column}"
        for place in ("left", "right", "inner", "previous", "next")
        for column in ("coarse", "lemma")
    ),
)


class _Forest(NamedTuple):
    """Tokens 0..n-1 of all sentences; n + s is the root of sentence s.

    The children of x are sorted[start[x]:start[x+1]], of which n_left[x] stand before x.
    """

    n: int
    head: Ints
    sorted: Ints
    place: Ints  # of each token in `sorted`
    start: Ints
    n_left: Ints

    def child(self, place: Ints, exists: NDArray[np.bool_]) -> Ints:
        """Return the tokens at places of `sorted`, -1 where there is none."""
        return np.where(exists, np.take(self.sorted, place, mode="clip"), -1)


def relation_columns(tokens: TokenColumns, heads: ArrayLike) -> TokenColumns:
    """Return the columns RELATION_COLUMNS of a treebank's tokens.

    Heads count from 1 within the sentence, 0 is the root.
    """
    tree = _tree(tokens.ptr, np.asarray(heads, dtype=np.int64))
    table = {name: _table(tokens, name) for name in COLUMNS}
    here = np.arange(tree.n)
    head = tree.head[: tree.n]
    found: dict[str, NDArray[np.object_]] = {name: table[name][:-2] for name in COLUMNS}
    for name in COLUMNS:
        found[f"head.{name}"] = _take(table[name], head, tree.n)
    for name, step in (("before", -1), ("after", 1)):
        found[f"head.{name}"] = _take(
            table["coarse"], _neighbour(tokens.ptr, head, step, tree.n), tree.n
        )
    grand = tree.head[head]
    relatives = {"grand": grand, **_children(tree), **_siblings(tree)}
    for relative, token in relatives.items():
        for name in ("coarse", "lemma"):
            found[f"{relative}.{name}"] = _take(table[name], token, tree.n)
    found["side"] = _side(here, head, tree.n)
    found["grand.side"] = np.where(head >= tree.n, NONE, _side(head, grand, tree.n)).astype(object)
    found["distance"] = _distance(here, head, tree.n)
    found["rank"] = _names(_rank(tree), MANY)
    sets = _tag_sets(tree, table["coarse"][:-2])
    found["children"], found["head.children"] = sets[: tree.n], sets[head]
    return TokenColumns(
        RELATION_COLUMNS, [found[name].tolist() for name in RELATION_COLUMNS], tokens.ptr
    )


def _tree(ptr: Ints, heads: Ints) -> _Forest:
    n, n_sentences = int(ptr[-1]), len(ptr) - 1
    if len(heads) != n:
        raise ValueError(f"expected a head for each of {n} tokens, got {len(heads)}")
    sentence = np.repeat(np.arange(n_sentences), np.diff(ptr))
    if np.any(heads < 0) or np.any(heads > np.diff(ptr)[sentence]):
        raise ValueError("a head is a place in the sentence, counted from 1, or 0 for the root")
    head = np.where(heads > 0, ptr[sentence] + heads - 1, n + sentence)
    order = np.argsort(head, kind="stable")
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    start = np.concatenate([[0], np.cumsum(np.bincount(head, minlength=n + n_sentences))])
    n_left = np.bincount(head[np.arange(n) < head], minlength=n + n_sentences)
    n_left[n:] = 0  # a root stands before its sentence
    up = np.concatenate([head, np.arange(n, n + n_sentences)])  # the root is its own head
    return _Forest(n, up, order, place, start, n_left)


def _table(tokens: TokenColumns, name: str) -> NDArray[np.object_]:
    """Return the strings of a column, then those for the root and for nothing."""
    return np.array([*tokens.column(name), ROOT, NONE], dtype=object)


def _take(table: NDArray[np.object_], token: Ints, n: int) -> NDArray[np.object_]:
    """Return the strings of tokens; n and more are roots, -1 is nothing."""
    return table[np.where(token < 0, n + 1, np.minimum(token, n))]


def _neighbour(ptr: Ints, token: Ints, step: int, n: int) -> Ints:
    """Return the token `step` after each, -1 at an end of the sentence and beside a root."""
    sentence = np.searchsorted(ptr, np.minimum(token, n - 1), side="right") - 1
    other = token + step
    return np.where((token < n) & (ptr[sentence] <= other) & (other < ptr[sentence + 1]), other, -1)


def _children(tree: _Forest) -> dict[str, Ints]:
    """Return the outermost left and right children of every token, and its nearest left one."""
    begin, end = tree.start[: tree.n], tree.start[1 : tree.n + 1]
    n_left = tree.n_left[: tree.n]
    has_left, has_right = n_left > 0, end - begin > n_left
    places = {
        "left": (begin, has_left),
        "right": (end - 1, has_right),
        "inner": (begin + n_left - 1, has_left),
    }
    return {name: tree.child(*place) for name, place in places.items()}


def _siblings(tree: _Forest) -> dict[str, Ints]:
    """Return the nearest siblings to the left and to the right of every token."""
    head = tree.head[: tree.n]
    previous, following = tree.place - 1, tree.place + 1
    return {
        "previous": tree.child(previous, previous >= tree.start[head]),
        "next": tree.child(following, following < tree.start[head + 1]),
    }


def _rank(tree: _Forest) -> Ints:
    """Return the number of siblings between every token and its head."""
    head = tree.head[: tree.n]
    from_head = tree.place - tree.start[head] - tree.n_left[head]
    return np.where(from_head < 0, -from_head - 1, from_head)


def _side(token: Ints, head: Ints, n: int) -> NDArray[np.object_]:
    return np.where(head >= n, "root", np.where(token < head, "left", "right")).astype(object)


def _distance(token: Ints, head: Ints, n: int) -> NDArray[np.object_]:
    """Return the side and the binned distance, such as left3."""
    apart = np.searchsorted(FAR, np.abs(token - head), side="right") - 1
    return np.where(
        head >= n,
        "root",
        _side(token, head, n) + np.array([str(far) for far in FAR], dtype=object)[apart],
    )


def _names(counts: Ints, most: int) -> NDArray[np.object_]:
    return np.array([str(k) for k in range(most + 1)], dtype=object)[np.minimum(counts, most)]


def _tag_sets(tree: _Forest, tags: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return the tags of the left and the right children of every token and root.

    They are text such as ADP+DET/PUNCT. The pairs (parent, side) and tag are sorted, and each run
    of one parent is a set. To find equal sets, each tag gets a random number, a set their sum.
    """
    names, code = np.unique(tags.astype(str), return_inverse=True)
    n_nodes = len(tree.n_left)
    head = tree.head[: tree.n]
    side = (np.arange(tree.n) > head) | (head >= tree.n)
    pairs = np.unique((2 * head + side) * len(names) + code)
    owner, tag = np.divmod(pairs, len(names))
    numbers = np.random.default_rng(0).integers(1, 2**63, len(names), dtype=np.uint64)
    sums = np.zeros(2 * n_nodes, dtype=np.uint64)
    np.add.at(sums, owner, numbers[tag])
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    begin = np.searchsorted(owner, first)
    end = np.searchsorted(owner, first, side="right")
    texts = np.array(
        ["+".join(names[tag[b:e]]) for b, e in zip(begin, end, strict=True)], dtype=object
    )
    both = texts[which].reshape(n_nodes, 2)
    joined: NDArray[np.object_] = both[:, 0] + "/" + both[:, 1]
    return joined
