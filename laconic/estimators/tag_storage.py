"""Taggers in model files: templates, the values that their features mention, and the weights that are not zero.

    feature_count (M)      features of each kept template, M templates
    atom                   values of the features' atoms, feature after feature
    weight_count           how many weights each feature has
    weight_label, weight   label (or pair of labels) and value of each
    value_count (views)    strings of each view, which are value_data and value_ptr
    cluster_*              words, bit strings, and the bit string of each word, where a view needs them

A loaded model predicts what the saved one did; learners are kept as text for people to read.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from laconic import files
from laconic.errors import InputError
from laconic.estimators.storage_checks import (
    Arrays,
    Contents,
    check_names,
    check_storable,
    finite,
    item,
    number_or_nan,
    numbers,
)
from laconic.estimators.tag import REFIT_FEATURES, Tagger
from laconic.estimators.tag_model import TagWeights, load_kernel, make_kernel
from laconic.solvers.online import Epoch
from laconic.text.labels import SCHEMES, is_chunk_label
from laconic.text.patterns import parse_template
from laconic.text.sequences import AFTER_BASE, BEFORE_BASE, SequenceEncoder
from laconic.text.templates import MOST_STEPS, Templates

WEIGHTS = {"feature_count", "atom", "weight_count", "weight_label", "weight", "edge", "start"}
VALUES = {"value_data", "value_ptr", "value_count"}
CLUSTERS = {"cluster_word_data", "cluster_word_ptr", "cluster_path_data", "cluster_path_ptr", "cluster_path"}
TRACE = {"trace", "held", "held_ptr"}
UNSIGNED = (np.uint8, np.uint16, np.uint32)


def pack_tagger(model: Tagger) -> Contents:
    """Arrays and JSON of a fitted model."""
    check_is_fitted(model)
    state = model.encoder_.to_state()
    labels = model.classes_.tolist()
    given, kept = model.templates_given_.names, model.templates_.names
    check_storable([*labels, *given, *state["columns"]])
    arrays = {**_pack_weights(model.weights_), **_pack_values(state), **_pack_trace(model.trace_)}
    meta = {
        "laconic": version("laconic"),
        "parameters": _parameters(model),
        "templates": given,
        "kept": [given.index(name) for name in kept],
        "labels": labels,
        "scheme": model.scheme_,
        "given_scheme": model.given_scheme_,
        "objective": finite(model.objective_),
        "certificate": finite(model.certificate_),
        "interrupted": bool(model.interrupted_),
        "features_total": int(model.n_features_total_),
    }
    _templates(meta, state["columns"])  # what could not be read back must not be written
    return arrays, meta


def unpack_tagger(arrays: Arrays, meta: dict[str, Any]) -> Tagger:
    """The model that gave these, or a ValueError that says what is wrong with them."""
    model = Tagger(**_checked_parameters(item(meta, "parameters", dict)))
    check_names(arrays, WEIGHTS | VALUES | TRACE | (CLUSTERS if CLUSTERS & arrays.keys() else set()))
    model.templates_given_, model.templates_ = _templates(meta, model.columns)
    model.templates = model.templates_given_
    model.classes_ = _labels(item(meta, "labels", list))
    model.scheme_, model.given_scheme_ = _schemes(meta, model.classes_.tolist())
    model.encoder_ = _unpack_values(arrays, model.templates_, model.columns)
    model.weights_ = _unpack_weights(arrays, model.templates_, model.encoder_, len(model.classes_))
    model.trace_ = _unpack_trace(arrays)
    model.objective_ = number_or_nan(meta, "objective")
    model.certificate_ = number_or_nan(meta, "certificate")
    model.interrupted_ = item(meta, "interrupted", bool)
    model.n_features_total_ = item(meta, "features_total", int)
    model.n_features_selected_ = model.weights_.n_nonzero
    kernel = load_kernel(make_kernel(model.templates_, model.encoder_, len(model.classes_)), model.weights_)
    if kernel.sizes.tolist() != [len(part) for part in model.weights_.atoms]:
        raise InputError("a feature occurs twice")
    model._kernel = kernel
    return model


def _parameters(model: Tagger) -> dict[str, Any]:
    def text(value: Any) -> str | None:
        return value if value is None or isinstance(value, str) else " ".join(repr(value).split())

    clusters = model.clusters
    return {
        "learner": text(model.learner),
        "refit": text(model.refit),
        "refit_features": model.refit_features,
        "columns": list(model.columns),
        "scheme": model.scheme,
        "clusters": os.fspath(clusters) if isinstance(clusters, str | os.PathLike) else None,
        "constrained": bool(model.constrained),
        "n_jobs": None if model.n_jobs is None else int(model.n_jobs),
    }


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


_PARAMETERS: dict[str, Callable[[Any], bool]] = {
    "learner": _is_text,
    "refit": _is_text,
    "refit_features": lambda value: value in REFIT_FEATURES,
    "columns": lambda value: isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value),
    "scheme": lambda value: value is None or value in SCHEMES,
    "clusters": _is_text,
    "constrained": lambda value: isinstance(value, bool),
    "n_jobs": lambda value: value is None or (type(value) is int and abs(value) < 2**31),
}


def _checked_parameters(given: dict[str, Any]) -> dict[str, Any]:
    if given.keys() != _PARAMETERS.keys():
        raise InputError(f"expected the parameters {', '.join(sorted(_PARAMETERS))}")
    for name, value in given.items():
        if not _PARAMETERS[name](value):
            raise InputError(f"the parameter {name} has an impossible value")
    return {**given, "columns": tuple(given["columns"])}


def _templates(meta: dict[str, Any], columns: Any) -> tuple[Templates, Templates]:
    """All templates and the kept ones."""
    names, kept = item(meta, "templates", list), item(meta, "kept", list)
    if not all(isinstance(name, str) for name in names):
        raise InputError("expected templates as text")
    given = Templates(parse_template(name, columns) for name in names)
    if given.names != names:
        raise InputError("a template cannot be read back from its name, or occurs twice")
    if not all(type(m) is int and 0 <= m < len(names) for m in kept) or sorted(set(kept)) != kept:
        raise InputError("expected the numbers of kept templates in ascending order")
    return given, given.subset(kept)


def _labels(labels: list[Any]) -> NDArray[Any]:
    found = np.array(labels) if labels and all(isinstance(label, str) for label in labels) else np.array([])
    if len(labels) < 2 or len(set(labels)) != len(labels) or found.tolist() != labels:
        raise InputError("expected at least two different labels as text")
    return found


def _schemes(meta: dict[str, Any], labels: list[str]) -> tuple[str, str]:
    found = item(meta, "scheme", str), item(meta, "given_scheme", str)
    if not set(found) <= set(SCHEMES) or (found[0] == "plain") != (found[1] == "plain"):
        raise InputError(f"expected two schemes of labels among {', '.join(SCHEMES)}")
    if found[0] != "plain" and not all(map(is_chunk_label, labels)):
        raise InputError("a label is not one of chunks, as the scheme of labels says")
    return found


def _pack_weights(found: TagWeights) -> Arrays:
    rows, columns = [], []
    for part in found.weights:
        row, column = np.nonzero(part)
        rows.append(np.bincount(row, minlength=len(part)))
        columns.append((column, part[row, column]))
    label = np.concatenate([np.zeros(0, np.int64), *(column for column, _ in columns)])
    return {
        "feature_count": np.array([len(part) for part in found.atoms], dtype=np.int64),
        "atom": np.concatenate([np.zeros(0, np.int32), *(part.ravel() for part in found.atoms)]),
        "weight_count": _smallest(np.concatenate([np.zeros(0, np.int64), *rows])),
        "weight_label": _smallest(label),
        "weight": np.concatenate([np.zeros(0, np.float32), *(value for _, value in columns)]),
        "edge": found.edge,
        "start": found.start,
    }


def _smallest(values: NDArray[np.int64]) -> NDArray[Any]:
    """The same numbers in the smallest unsigned type that holds them."""
    largest = int(values.max(initial=0))
    return values.astype(next(kind for kind in UNSIGNED if largest <= np.iinfo(kind).max))


def _unpack_weights(arrays: Arrays, templates: Templates, encoder: SequenceEncoder, n_labels: int) -> TagWeights:
    features = _counts(arrays, "feature_count", len(templates))
    per_feature = _row(arrays, "weight_count", UNSIGNED, int(features.sum())).astype(np.int64)
    if not np.all(per_feature > 0):
        raise InputError("a feature has no weight")
    n_weights = int(per_feature.sum())
    label = _row(arrays, "weight_label", UNSIGNED, n_weights)
    value = numbers(arrays, "weight", (n_weights,), np.float32)
    sizes = [len(template.atoms) for template in templates]
    atom = _row(arrays, "atom", (np.int32,), int(features @ np.array(sizes, dtype=np.int64)))
    atoms, weights, used, paid = [], [], 0, 0
    for template, size, count in zip(templates, sizes, features.tolist(), strict=True):
        part = atom[: size * count].reshape(count, size)
        atom = atom[size * count :]
        for column, (view, _) in zip(part.T, template.atoms, strict=True):
            _check_values(column, int(encoder.n_values[encoder.view_index[view]]))
        width = n_labels**2 if template.pairs else n_labels
        length = per_feature[used : used + count]
        span = slice(paid, paid + int(length.sum()))
        if np.any(label[span] >= width):
            raise InputError(f"a weight belongs to label {int(label[span].max())}, but there are {width}")
        table = np.zeros((count, width), dtype=np.float32)
        table[np.repeat(np.arange(count), length), label[span]] = value[span]
        if np.count_nonzero(table) != span.stop - span.start:
            raise InputError("a weight is zero or occurs twice")
        atoms.append(part)
        weights.append(table)
        used, paid = used + count, span.stop
    edge, start = (numbers(arrays, name, (n_labels,) * n, np.float32) for name, n in (("edge", 2), ("start", 1)))
    return TagWeights(atoms, weights, edge, start)


def _check_values(values: NDArray[np.int32], n_values: int) -> None:
    """Known values, or positions outside the sentence."""
    before, after = values.astype(np.int64) - BEFORE_BASE, values.astype(np.int64) - AFTER_BASE
    outside = ((before >= 1) & (before <= MOST_STEPS)) | ((after >= 1) & (after <= MOST_STEPS))
    if not np.all(outside | ((values >= 0) & (values < n_values))):
        raise InputError("a feature mentions a value that is not there")


def _pack_values(state: dict[str, Any]) -> Arrays:
    values = state["values"].values()
    check_storable(word for words in values for word in words)
    data, ptr = files.encode_strings([word for words in values for word in words])
    arrays: Arrays = {
        "value_data": data,
        "value_ptr": ptr,
        "value_count": np.array([len(words) for words in values], dtype=np.int64),
    }
    if state["clusters"] is not None:
        paths = sorted(state["clusters"])
        owner = {word: k for k, path in enumerate(paths) for word in state["clusters"][path]}
        words = sorted(owner)
        check_storable(words)
        arrays["cluster_word_data"], arrays["cluster_word_ptr"] = files.encode_strings(words)
        arrays["cluster_path_data"], arrays["cluster_path_ptr"] = files.encode_strings(paths)
        arrays["cluster_path"] = np.array([owner[word] for word in words], dtype=np.int32)
    return arrays


def _unpack_values(arrays: Arrays, templates: Templates, columns: Any) -> SequenceEncoder:
    strings = files.decode_strings(arrays["value_data"], arrays["value_ptr"])
    counts = _counts(arrays, "value_count", len(templates.views))
    if counts.sum() != len(strings):
        raise InputError(f"the views have {counts.sum()} values, but there are {len(strings)}")
    ends = np.cumsum(counts).tolist()
    values = {view: strings[end - n : end] for view, end, n in zip(templates.views, ends, counts.tolist(), strict=True)}
    clusters: dict[str, list[str]] | None = None
    if "cluster_path" in arrays:
        words = files.decode_strings(arrays["cluster_word_data"], arrays["cluster_word_ptr"])
        paths = files.decode_strings(arrays["cluster_path_data"], arrays["cluster_path_ptr"])
        owner = _row(arrays, "cluster_path", (np.int32,), len(words))
        if len(set(words)) != len(words) or not np.array_equal(np.unique(owner), np.arange(len(paths))):
            raise InputError("expected different words, each of one of the clusters, and no cluster without words")
        clusters = {}
        for word, path in zip(words, owner.tolist(), strict=True):
            clusters.setdefault(paths[path], []).append(word)
    return SequenceEncoder.from_state({"values": values, "columns": columns, "clusters": clusters})


def _pack_trace(trace: list[Epoch]) -> Arrays:
    held = [pair for epoch in trace for pair in epoch.held]
    return {
        "trace": np.array([epoch[:4] for epoch in trace], dtype=np.float64).reshape(-1, 4),
        "held": np.array(held, dtype=np.int64).reshape(-1, 2),
        "held_ptr": np.cumsum([0, *(len(epoch.held) for epoch in trace)], dtype=np.int64),
    }


def _unpack_trace(arrays: Arrays) -> list[Epoch]:
    rows, held, ptr = arrays["trace"], arrays["held"], arrays["held_ptr"]
    numbers(arrays, "trace", (len(rows) if rows.ndim else 0, 4))
    if held.dtype != np.int64 or held.ndim != 2 or held.shape[1] != 2 or np.any(held < 0):
        raise InputError("expected the weights held by round as pairs of numbers")
    _row(arrays, "held_ptr", (np.int64,), len(rows) + 1)
    if ptr[0] != 0 or ptr[-1] != len(held) or np.any(ptr[1:] < ptr[:-1]):
        raise InputError("the boundaries of the passes do not ascend from 0 to the number of rounds")
    pairs = [(r, w) for r, w in held.tolist()]
    spans = zip(rows.tolist(), ptr[:-1].tolist(), ptr[1:].tolist(), strict=True)
    return [Epoch(int(n), loss, wrong, int(weights), pairs[a:b]) for (n, loss, wrong, weights), a, b in spans]


def _row(arrays: Arrays, name: str, kinds: tuple[Any, ...], length: int) -> NDArray[Any]:
    array = arrays[name]
    if array.dtype not in kinds or array.shape != (length,):
        raise InputError(f"the array {name} is {array.dtype} of shape {array.shape}, expected whole numbers of shape {(length,)}")
    return array


def _counts(arrays: Arrays, name: str, length: int) -> NDArray[np.int64]:
    array = _row(arrays, name, (np.int64,), length)
    if np.any((array < 0) | (array >= 2**31)):
        raise InputError(f"the array {name} holds impossible numbers")
    return array
