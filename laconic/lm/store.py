"""Language models in model files: words, and contexts level by level, so that parents are implied.

word_data, word_ptr   the words, <unk> and </s> first
children, pairs       of every context: number of contexts with it as parent, and of its pairs
oldest                of every context but the empty one: its oldest word
target, gain, base    as in ContextModel, gain and base in single precision
borrowed              1 for pairs that are not n-grams, if there are such pairs

Whole numbers have the smallest type that holds them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.core.ragged import pointers
from laconic.core.report import FitReport
from laconic.errors import InputError
from laconic.lm.context_model import ContextModel
from laconic.lm.model import LanguageModel
from laconic.lm.running import SentenceEncoder
from laconic.models import file as files
from laconic.models.checks import (
    Arrays,
    Contents,
    check_names,
    check_storable,
    converged,
    finite,
    is_count,
    item,
    number_or_nan,
    numbers,
    smallest,
    whole,
)
from laconic.version import __version__

NAMES = {"word_data", "word_ptr", "children", "pairs", "oldest", "target", "gain", "base"}


def pack(model: LanguageModel) -> Contents:
    """Return the arrays and the JSON of a fitted model."""
    check_is_fitted(model)
    check_storable(model.encoder_.words)
    by_level = level_order(model.model_)
    word_data, word_ptr = files.encode_strings(model.encoder_.words)
    arrays: Arrays = {
        "word_data": word_data,
        "word_ptr": word_ptr,
        "children": smallest(np.bincount(by_level.parent[1:], minlength=by_level.n_contexts)),
        "pairs": smallest(np.diff(by_level.ptr)),
        "oldest": smallest(by_level.word[1:]),
        "target": smallest(by_level.target),
        "gain": by_level.gain.astype(np.float32),
        "base": by_level.base.astype(np.float32),
    }
    if by_level.borrowed is not None:
        arrays["borrowed"] = by_level.borrowed
    meta = {
        "laconic": __version__,
        "order": int(model.order),
        "min_count": int(model.min_count),
        "account": _report_meta(model.report_) if model.report_.learner else None,
    }
    return arrays, meta


def unpack(arrays: Arrays, meta: dict[str, Any]) -> LanguageModel:
    """Return the model of these arrays; a ValueError says what is wrong with them."""
    check_names(arrays, NAMES | ({"borrowed"} & arrays.keys()))
    for name in ("order", "min_count"):
        if not is_count(meta.get(name)):
            raise InputError(f"{name!r} is missing or not a number of at least 1")
    report = _report(meta)
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
    contexts = ContextModel(
        np.concatenate([[-1], np.repeat(np.arange(n), children)]).astype(np.int32),
        np.concatenate([[-1], oldest]).astype(np.int32),
        pointers(pairs),
        target.astype(np.int32),
        numbers(arrays, "gain", target.shape, np.float32).astype(np.float64),
        numbers(arrays, "base", children.shape, np.float32).astype(np.float64),
        borrowed,
    )
    words = SentenceEncoder(files.decode_strings(arrays["word_data"], arrays["word_ptr"]))
    return LanguageModel(order=meta["order"], min_count=meta["min_count"])._adopt(
        words, contexts, report
    )


def _report_meta(report: FitReport) -> dict[str, Any]:
    """Return the fit report as files keep it, under the names of laconic 0.1.0."""
    return {
        "learner": report.learner,
        "n_ngrams": report.features_total,
        "n_contexts": report.groups_total,
        "objective": finite(report.objective),
        "certificate": finite(report.certificate),
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
        n_iter=item(meta, "passes", int),
        converged=converged(meta),
        interrupted=item(meta, "interrupted", bool),
        features_total=n_ngrams,
        groups_total=n_contexts,
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
