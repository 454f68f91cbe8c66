"""Contexts and n-grams as arrays of a model file: level by level, so that parents are implied."""

from __future__ import annotations

import numpy as np

from laconic.core.ragged import pointers
from laconic.errors import InputError
from laconic.lm.context_model import ContextModel
from laconic.models.checks import Arrays, check_names, numbers, smallest, whole

NAMES = {"children", "pairs", "oldest", "target", "gain", "base"}


def pack_contexts(model: ContextModel) -> Arrays:
    """Return the arrays of a model."""
    by_level = level_order(model)
    arrays: Arrays = {
        "children": smallest(np.bincount(by_level.parent[1:], minlength=by_level.n_contexts)),
        "pairs": smallest(np.diff(by_level.ptr)),
        "oldest": smallest(by_level.word[1:]),
        "target": smallest(by_level.target),
        "gain": by_level.gain.astype(np.float32),
        "base": by_level.base.astype(np.float32),
    }
    if by_level.borrowed is not None:
        arrays["borrowed"] = by_level.borrowed
    return arrays


def unpack_contexts(arrays: Arrays) -> ContextModel:
    """Return the model of these arrays; an InputError says what is wrong with them."""
    check_names(arrays, NAMES | ({"borrowed"} & arrays.keys()))
    children, pairs, oldest, target = (
        whole(arrays, name) for name in ("children", "pairs", "oldest", "target")
    )
    n = len(children)
    if (
        n == 0
        or len(pairs) != n
        or len(oldest) != n - 1
        or int(children.sum()) != n - 1
        or int(pairs.sum()) != len(target)
    ):
        raise InputError("the numbers of contexts and of pairs do not agree")
    borrowed = arrays.get("borrowed")
    if borrowed is not None and (
        borrowed.dtype != np.uint8
        or borrowed.shape != target.shape
        or np.any(borrowed[: pairs[0]])
        or np.any(borrowed > 1)
    ):
        raise InputError("expected 1 for every borrowed pair and 0 for all others")
    return ContextModel(
        np.concatenate([[-1], np.repeat(np.arange(n), children)]).astype(np.int32),
        np.concatenate([[-1], oldest]).astype(np.int32),
        pointers(pairs),
        target.astype(np.int32),
        numbers(arrays, "gain", target.shape, np.float32).astype(np.float64),
        numbers(arrays, "base", children.shape, np.float32).astype(np.float64),
        borrowed,
    )


def level_order(model: ContextModel) -> ContextModel:
    """Return the model with contexts sorted by depth, then by the places of their parents."""
    depth, rank = model.depth, np.zeros(model.n_contexts, np.int64)
    order = [np.zeros(1, np.int64)]
    done = 1
    for level in range(1, int(depth.max()) + 1):
        these = np.flatnonzero(depth == level)
        these = these[np.argsort(rank[model.parent[these]], kind="stable")]
        rank[these] = done + np.arange(len(these))
        done += len(these)
        order.append(these)
    contexts = np.concatenate(order)
    sizes = np.diff(model.ptr)[contexts]
    ptr = pointers(sizes)
    pairs = np.repeat(model.ptr[:-1][contexts] - ptr[:-1], sizes) + np.arange(len(model.target))
    parent = np.where(model.parent[contexts] < 0, -1, rank[model.parent[contexts]]).astype(np.int32)
    borrowed = None if model.borrowed is None else model.borrowed[pairs]
    return ContextModel(
        parent,
        model.word[contexts],
        ptr,
        model.target[pairs],
        model.gain[pairs],
        model.base[contexts],
        borrowed,
    )
