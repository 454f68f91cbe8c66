"""Language models in model files: words, contexts, and what is mixed with them.

word_data, word_ptr   the words, <unk> and </s> first
children, pairs       of every context: number of contexts with it as parent, and of its pairs
oldest                of every context but the empty one: its oldest word
target, gain, base    as in ContextModel, gain and base in single precision
borrowed              1 for pairs that are not n-grams, if there are such pairs

The n-th model mixed with that of words has the same arrays, their names after `n.`, and:

n.classes, n.log_share    of every word: its class, and the logarithm of its share of the class

Whole numbers have the smallest type that holds them.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.errors import InputError
from laconic.lm.described import checked_meta, model_meta
from laconic.lm.mixture import MixturePart
from laconic.lm.model import LanguageModel
from laconic.lm.running import SentenceEncoder
from laconic.lm.stored_contexts import pack_contexts, unpack_contexts
from laconic.models import file as files
from laconic.models.checks import (
    Arrays,
    Contents,
    check_names,
    check_storable,
    numbers,
    smallest,
    whole,
)

WORDS, SHARES = {"word_data", "word_ptr"}, {"classes", "log_share"}
NUMBERED = re.compile(r"\d+\.")  # arrays of the parts of a mixture


def pack(model: LanguageModel) -> Contents:
    """Return the arrays and the JSON of a fitted model."""
    check_is_fitted(model)
    check_storable(model.encoder_.words)
    word_data, word_ptr = files.encode_strings(model.encoder_.words)
    arrays: Arrays = {"word_data": word_data, "word_ptr": word_ptr, **pack_contexts(model.model_)}
    for number, part in enumerate(model.others_, 1):
        own = {
            **pack_contexts(part.model),
            "classes": smallest(part.classes),
            "log_share": part.log_share.astype(np.float32),
        }
        arrays |= {f"{number}.{name}": array for name, array in own.items()}
    return arrays, model_meta(model)


def unpack(arrays: Arrays, meta: dict[str, Any]) -> LanguageModel:
    """Return the model of these arrays; a ValueError says what is wrong with them."""
    report, weights = checked_meta(meta)
    others = [_without_prefix(arrays, f"{n}.") for n in range(1, len(weights) + 1)]
    own = {name: arrays[name] for name in arrays if not NUMBERED.match(name)}
    if len(own) + sum(map(len, others)) != len(arrays):
        raise InputError("the numbers of parts and of weights do not agree")
    spelled = {name: own.pop(name) for name in WORDS if name in own}
    check_names(spelled, WORDS)
    contexts = unpack_contexts(own)
    words = SentenceEncoder(files.decode_strings(spelled["word_data"], spelled["word_ptr"]))
    parts = tuple(
        _part(part, weight, len(words)) for part, weight in zip(others, weights, strict=True)
    )
    return LanguageModel(order=meta["order"], min_count=meta["min_count"])._adopt(
        words, contexts, report, parts
    )


def _without_prefix(arrays: Arrays, prefix: str) -> Arrays:
    return {name[len(prefix) :]: arrays[name] for name in arrays if name.startswith(prefix)}


def _part(arrays: Arrays, weight: float, n_words: int) -> MixturePart:
    """Return a part of a mixture over `n_words` words."""
    rest = {name: array for name, array in arrays.items() if name not in SHARES}
    check_names({name: arrays[name] for name in SHARES & arrays.keys()}, SHARES)
    classes = whole(arrays, "classes", 2**31 - 1).astype(np.int32)
    log_share = numbers(arrays, "log_share", (n_words,), np.float32).astype(np.float64)
    return MixturePart(unpack_contexts(rest), classes, log_share, float(weight)).checked(n_words)
