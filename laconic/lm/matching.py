"""Which contexts and n-grams of a text are those of a model."""

from __future__ import annotations

import numpy as np

from laconic.core.arrays import Ints
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Contexts


def numbers_in(contexts: Contexts, model: ContextModel) -> Ints:
    """Return the context of a text that each context of a model is; -1 for none."""
    number: Ints = np.full(model.n_contexts, -1, np.int64)
    number[0] = 0
    depth, width = model.depth, model.n_words + 1
    for at in range(1, int(depth.max()) + 1):
        these, theirs = np.flatnonzero(depth == at), np.flatnonzero(contexts.depth == at)
        above = number[model.parent[these]]
        number[these] = _found(
            np.asarray(above * width + model.word[these], np.int64),
            contexts.parent[theirs].astype(np.int64) * width + contexts.word[theirs],
            theirs,
        )
        number[these[above < 0]] = -1
    return number


def pairs_in(contexts: Contexts, model: ContextModel) -> Ints:
    """Return the pair of the contexts of a text that each pair of a model is; -1 for none."""
    number, width = numbers_in(contexts, model), model.n_words + 1
    context: Ints = number[model.context_of_pairs()]
    keys = contexts.of_pairs(np.arange(len(contexts.parent))) * width + contexts.target
    wanted = np.asarray(context * width + model.target, np.int64)
    found = _found(wanted, keys, np.arange(len(keys)))
    return np.where(context < 0, -1, found)


def _found(wanted: Ints, keys: Ints, values: Ints) -> Ints:
    """Return values[i] where keys[i] is what is wanted, -1 where there is none."""
    if not len(keys):
        return np.full(len(wanted), -1)
    order = np.argsort(keys, kind="stable")
    at = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
    return np.where(keys[at] == wanted, values[at], -1)
