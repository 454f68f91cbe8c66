"""The arrays of a tagger's file.

feature_count (M)      number of features of each kept template, M templates
atom                   values of the features' atoms, feature after feature
weight_count           number of weights of each feature
weight_label, weight   label (or pair of labels) and value of each weight
value_count (views)    number of strings of each view; the strings are value_data and value_ptr
cluster_*              words, bit strings, and the bit string of each word, where a view needs them
trace, held, held_ptr  one row per pass; rounds and weights held, and which of them are of each pass
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Ints, Ints32
from laconic.core.ragged import cut, pointers
from laconic.core.report import Event, Pass, passes_of
from laconic.errors import InputError
from laconic.models import file as files
from laconic.models.checks import Arrays, check_storable, numbers
from laconic.tag.weights import TagWeights
from laconic.text.sequences import AFTER_BASE, BEFORE_BASE, SequenceEncoder
from laconic.text.templates import MOST_STEPS, Templates, TemplateSet

WEIGHTS = {"feature_count", "atom", "weight_count", "weight_label", "weight", "edge", "start"}
VALUES = {"value_data", "value_ptr", "value_count"}
CLUSTERS = {
    "cluster_word_data",
    "cluster_word_ptr",
    "cluster_path_data",
    "cluster_path_ptr",
    "cluster_path",
}
TRACE = {"trace", "held", "held_ptr"}
UNSIGNED = (np.uint8, np.uint16, np.uint32)


def names_of(arrays: Arrays) -> set[str]:
    """Return the names that the arrays must have; those of clusters if there is one of them."""
    return WEIGHTS | VALUES | TRACE | (CLUSTERS if CLUSTERS & arrays.keys() else set())


def pack_weights(found: TagWeights) -> Arrays:
    """Return the features, and their weights that are not zero."""
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


def _smallest(values: Ints) -> NDArray[Any]:
    """Return the same numbers in the smallest unsigned type that holds them."""
    largest = int(values.max(initial=0))
    return values.astype(next(kind for kind in UNSIGNED if largest <= np.iinfo(kind).max))


def unpack_weights(
    arrays: Arrays, templates: Templates, encoder: SequenceEncoder, n_labels: int
) -> TagWeights:
    """Return the features and weights of the kept templates, or raise an InputError."""
    features = _counts(arrays, "feature_count", len(templates))
    per_feature = _row(arrays, "weight_count", UNSIGNED, int(features.sum())).astype(np.int64)
    if not np.all(per_feature > 0):
        raise InputError("a feature has no weight")
    n_weights = int(per_feature.sum())
    label = _row(arrays, "weight_label", UNSIGNED, n_weights)
    value = numbers(arrays, "weight", (n_weights,), np.float32)
    sizes = [len(template.atoms) for template in templates]
    atom = _row(arrays, "atom", (np.int32,), int(features @ np.array(sizes, dtype=np.int64)))
    atoms, weights, n_features, done = [], [], 0, 0
    for template, size, count in zip(templates, sizes, features.tolist(), strict=True):
        part = atom[: size * count].reshape(count, size)
        atom = atom[size * count :]
        for column, (view, _) in zip(part.T, template.atoms, strict=True):
            _check_values(column, int(encoder.n_values[encoder.view_index[view]]))
        width = n_labels**2 if template.pairs else n_labels
        length = per_feature[n_features : n_features + count]
        span = slice(done, done + int(length.sum()))
        if np.any(label[span] >= width):
            raise InputError(
                f"a weight belongs to label {int(label[span].max())}, but there are {width}"
            )
        table = np.zeros((count, width), dtype=np.float32)
        table[np.repeat(np.arange(count), length), label[span]] = value[span]
        if np.count_nonzero(table) != span.stop - span.start:
            raise InputError("a weight is zero or occurs twice")
        atoms.append(part)
        weights.append(table)
        n_features, done = n_features + count, span.stop
    edge, start = (
        numbers(arrays, name, (n_labels,) * n, np.float32)
        for name, n in (("edge", 2), ("start", 1))
    )
    return TagWeights(atoms, weights, edge, start)


def _check_values(values: Ints32, n_values: int) -> None:
    """Raise an InputError unless these are known values, or positions outside the sentence."""
    before, after = values.astype(np.int64) - BEFORE_BASE, values.astype(np.int64) - AFTER_BASE
    outside = ((before >= 1) & (before <= MOST_STEPS)) | ((after >= 1) & (after <= MOST_STEPS))
    if not np.all(outside | ((values >= 0) & (values < n_values))):
        raise InputError("a feature mentions a value that is not there")


def pack_values(state: dict[str, Any]) -> Arrays:
    """Return the strings of each view, and the clusters in use, from the state of an encoder."""
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


def unpack_values(
    arrays: Arrays, templates: TemplateSet[Any], columns: Sequence[str]
) -> SequenceEncoder:
    """Return the frozen encoder of the kept templates' views."""
    strings = files.decode_strings(arrays["value_data"], arrays["value_ptr"])
    counts = _counts(arrays, "value_count", len(templates.views))
    if counts.sum() != len(strings):
        raise InputError(f"the views have {counts.sum()} values, but there are {len(strings)}")
    ends = np.cumsum(counts).tolist()
    values = {
        view: strings[end - n : end]
        for view, end, n in zip(templates.views, ends, counts.tolist(), strict=True)
    }
    clusters = _unpack_clusters(arrays) if "cluster_path" in arrays else None
    return SequenceEncoder.from_state({"values": values, "columns": columns, "clusters": clusters})


def _unpack_clusters(arrays: Arrays) -> dict[str, list[str]]:
    """Return the words of each cluster, by its bit string."""
    words = files.decode_strings(arrays["cluster_word_data"], arrays["cluster_word_ptr"])
    paths = files.decode_strings(arrays["cluster_path_data"], arrays["cluster_path_ptr"])
    owner = _row(arrays, "cluster_path", (np.int32,), len(words))
    used = np.unique(owner)
    if len(set(words)) != len(words) or not np.array_equal(used, np.arange(len(paths))):
        raise InputError(
            "expected different words, each in one of the clusters, and no cluster without words"
        )
    clusters: dict[str, list[str]] = {}
    for word, path in zip(words, owner.tolist(), strict=True):
        clusters.setdefault(paths[path], []).append(word)
    return clusters


def pack_trace(trace: Iterable[Event]) -> Arrays:
    """Return the passes of a fit, with the weights held by round; other steps are not stored."""
    passes = passes_of(trace)
    held = [pair for epoch in passes for pair in epoch.held]
    rows = [(epoch.done, epoch.value, epoch.wrong, epoch.features) for epoch in passes]
    return {
        "trace": np.array(rows, dtype=np.float64).reshape(-1, 4),
        "held": np.array(held, dtype=np.int64).reshape(-1, 2),
        "held_ptr": pointers(len(epoch.held) for epoch in passes),
    }


def unpack_trace(arrays: Arrays) -> tuple[Pass, ...]:
    """Return the passes, or raise an InputError."""
    rows, held, ptr = arrays["trace"], arrays["held"], arrays["held_ptr"]
    numbers(arrays, "trace", (len(rows) if rows.ndim else 0, 4))
    if held.dtype != np.int64 or held.ndim != 2 or held.shape[1] != 2 or np.any(held < 0):
        raise InputError("expected the weights held by round as pairs of numbers")
    _row(arrays, "held_ptr", (np.int64,), len(rows) + 1)
    if ptr[0] != 0 or ptr[-1] != len(held) or np.any(ptr[1:] < ptr[:-1]):
        raise InputError(
            "the boundaries of the passes do not ascend from 0 to the number of rounds"
        )
    pairs = [(r, w) for r, w in held.tolist()]
    passes = zip(rows.tolist(), cut(pairs, ptr), strict=True)
    return tuple(
        Pass("pass", int(n), value=loss, features=int(weights), wrong=wrong, held=part)
        for (n, loss, wrong, weights), part in passes
    )


def _row(
    arrays: Arrays, name: str, kinds: tuple[type[np.integer[Any]], ...], length: int
) -> NDArray[Any]:
    """Return a row of integers of one of these types, or raise an InputError."""
    array = arrays[name]
    if array.dtype not in kinds or array.shape != (length,):
        raise InputError(
            f"the array {name} is {array.dtype} of shape {array.shape}, "
            f"expected integers of shape {(length,)}"
        )
    return array


def _counts(arrays: Arrays, name: str, length: int) -> Ints:
    """Return a row of counts that fit into 31 bits, or raise an InputError."""
    array = _row(arrays, name, (np.int64,), length)
    if np.any((array < 0) | (array >= 2**31)):
        raise InputError(f"the array {name} holds impossible numbers")
    return array
