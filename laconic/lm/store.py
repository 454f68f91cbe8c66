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

from laconic.core.report import FitReport
from laconic.errors import InputError
from laconic.lm.mixture import MixturePart
from laconic.lm.model import LanguageModel
from laconic.lm.running import SentenceEncoder
from laconic.lm.stored_contexts import pack_contexts, unpack_contexts
from laconic.models import file as files
from laconic.models.checks import (
    Arrays,
    Contents,
    certificate_kind,
    check_names,
    check_storable,
    converged,
    finite,
    is_count,
    is_number,
    item,
    number_or_nan,
    numbers,
    smallest,
    whole,
)
from laconic.version import __version__

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


def model_meta(model: LanguageModel) -> dict[str, Any]:
    """Return the JSON of a fitted model."""
    return {
        "laconic": __version__,
        "order": int(model.order),
        "min_count": int(model.min_count),
        "weights": [part.weight for part in model.others_],
        "account": _report_meta(model.report_) if model.report_.learner else None,
    }


def checked_meta(meta: dict[str, Any]) -> tuple[FitReport, list[float]]:
    """Return the fit report and the weights of the parts of a mixture."""
    for name in ("order", "min_count"):
        if not is_count(meta.get(name)):
            raise InputError(f"{name!r} is missing or not a number of at least 1")
    report, weights = _report(meta), meta.get("weights", [])
    if not isinstance(weights, list) or not all(is_number(w) and 0 < w < 1 for w in weights):
        raise InputError("'weights' must be numbers between 0 and 1")
    if sum(weights) >= 1 + 1e-9:
        raise InputError("'weights' must sum to less than 1")
    return report, weights


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


def _report_meta(report: FitReport) -> dict[str, Any]:
    """Return the fit report as files keep it, under the names of laconic 0.1.0."""
    return {
        "learner": report.learner,
        "n_ngrams": report.features_total,
        "n_contexts": report.groups_total,
        "objective": finite(report.objective),
        "certificate": finite(report.certificate),
        "certificate_kind": report.certificate_kind,
        "passes": report.n_iter,
        "converged": report.converged,
        "interrupted": report.interrupted,
    }


def _report(meta: dict[str, Any]) -> FitReport:
    """Return the fit report of a file."""
    if "account" in meta and meta["account"] is None:
        return FitReport()
    meta = item(meta, "account", dict)
    n_ngrams, n_contexts = (item(meta, name, int) for name in ("n_ngrams", "n_contexts"))
    return FitReport(
        learner=item(meta, "learner", str),
        objective=number_or_nan(meta, "objective"),
        certificate=number_or_nan(meta, "certificate"),
        certificate_kind=certificate_kind(meta),
        n_iter=item(meta, "passes", int),
        converged=converged(meta),
        interrupted=item(meta, "interrupted", bool),
        features_total=n_ngrams,
        groups_total=n_contexts,
    )
