"""Taggers in compact files: static maps of features, rows of weight codes, strings as hashes; predicting reads them where they lie.

    about                              compressed JSON: parameters, templates, labels, and what the arrays do not say
    value_words, value_sizes, value_widths     maps of the views' strings, and one of words in clusters
    feature_words, _sizes, _widths     maps of the templates' features
    cells, values                      rows of weights and the values that their codes mean
    edge, start                        transitions
    name_lengths, name_text            the strings, sorted within views; only with names
    wide_atoms                         values of features that are too many to be numbered; only with names

With names every map of features is exact, so that features can be listed. Without, a feature that was never seen is taken for one
with weights at most once in 2^FEATURE_ERROR_BITS; most templates have so few possible features that their maps are exact as well.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from laconic import _core, files
from laconic.errors import InputError
from laconic.estimators.compact_rows import row_tables
from laconic.estimators.compact_tag_packing import Summary
from laconic.estimators.storage_checks import Arrays, Contents, check_names, item, number_or_nan, numbers, unpack_json
from laconic.estimators.tag import Tagger
from laconic.estimators.tag_model import TagWeights
from laconic.estimators.tag_predicting import TagPredictor
from laconic.estimators.tag_storage import checked_labels, checked_parameters, checked_schemes, checked_templates
from laconic.text.compact import NAMELESS, CompactClusters, CompactEncoder, Maps, Names
from laconic.text.io import PathLike
from laconic.text.sequences import AFTER_BASE, BEFORE_BASE, SequenceEncoder
from laconic.text.templates import Templates

KIND = "tag.compact"
ARRAYS = {"about", "cells", "values", "edge", "start"} | {
    f"{what}_{part}" for what in ("value", "feature") for part in ("words", "sizes", "widths")
}
NAMES = {"name_lengths", "name_text", "wide_atoms"}


class CompactWeights:
    """The weights of a compact tagger, read when asked for: as TagWeights has them, if the model has names."""

    def __init__(self, model: CompactTagger, about: dict[str, Any], edge: Any, start: Any, rows: Any, wide: Any) -> None:
        self.edge, self.start = edge, start
        self.n_nonzero, self.n_distinct = item(about, "nonzero", int), item(about, "distinct", int)
        # Not the model itself: a circle would keep the file open until the collector comes.
        self._kernel, self._encoder, self._templates = model._kernel, model.encoder_, model.templates_
        self._rows, self._wide = rows, wide

    @cached_property
    def atoms(self) -> list[NDArray[np.int32]]:
        """Values of the atoms of each template's features."""
        if self._encoder.names is None:
            raise ValueError(NAMELESS)
        encoder, rest, found = self._encoder, self._wide, []
        for m, template in enumerate(self._templates):
            shape = int(self._kernel.sizes[m]), len(template.atoms)
            if self._kernel.exact(m):
                values = self._kernel.feature_values(m).reshape(shape)
            else:
                values, rest = rest[: shape[0] * shape[1]].reshape(shape), rest[shape[0] * shape[1] :]
            part = values.astype(np.int32)
            for column, atom in enumerate(template.atoms):
                steps = part[:, column] - int(encoder.n_values[encoder.view_index[atom.view]]) + 1
                outside = (BEFORE_BASE if atom.offset < 0 else AFTER_BASE) + steps
                part[:, column] = np.where(steps > 0, outside, part[:, column])
            found.append(part)
        return found

    @cached_property
    def weights(self) -> list[NDArray[np.float32]]:
        """Weights of each template's features, a column a label or pair of labels."""
        n_labels = len(self.start)
        return [
            row_tables(self._rows, self._kernel.feature_rows(m), n_labels**2 if t.pairs else n_labels, np.float32)
            for m, t in enumerate(self._templates)
        ]


class CompactTagger(TagPredictor):
    """A tagger read from a compact file: predicts, evaluates and, if the file has names, can be inspected; it learns no more."""

    def partial_fit(self, X: Any, y: Any, labels: Any = None) -> NoReturn:
        """A compact model does not learn."""
        raise ValueError("a compact model predicts and does not learn: go on with the model from which it was made")

    fit = partial_fit

    def plain(self) -> Tagger:
        """The same model as an ordinary Tagger, which can be saved plainly; ValueError if it has no names."""
        model = Tagger(**self.get_params())
        for name in ("templates_given_", "templates_", "classes_", "scheme_", "given_scheme_", "trace_", "interrupted_"):
            setattr(model, name, getattr(self, name))
        for name in ("objective_", "certificate_", "n_features_total_", "n_features_selected_"):
            setattr(model, name, getattr(self, name))
        model.encoder_ = SequenceEncoder.from_state({**self.encoder_.named_state(), "clusters": self._named_clusters()})
        model.weights_ = TagWeights(self.weights_.atoms, self.weights_.weights, self.weights_.edge, self.weights_.start)
        model.__setstate__(model.__dict__)
        return model

    def _named_clusters(self) -> dict[str, list[str]] | None:
        clusters = self.encoder_.clusters
        if clusters is None:
            return None
        assert self.encoder_.names is not None
        found: dict[str, list[str]] = {}
        words = self.encoder_.names.of(len(self.encoder_.views))
        for word, code in zip(words, clusters.codes(words), strict=True):
            found.setdefault(clusters.paths[code], []).append(word)
        return found

    def __reduce__(self) -> Any:
        return unpack_tagger, (self._contents[0], self._contents[1])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "weights_")

    encoder_: Any
    weights_: Any
    templates_given_: Templates
    _contents: Contents

    def save(self, path: PathLike) -> None:
        """Write the same compact file again."""
        files.save(path, KIND, *self._contents)


def unpack_tagger(arrays: Arrays, meta: dict[str, Any]) -> CompactTagger:
    """The model of these, or a ValueError that says what is wrong with them."""
    names = item(meta, "names", bool)
    check_names(arrays, ARRAYS | (NAMES if names else set()))
    about = unpack_json(arrays["about"])
    model = CompactTagger(**checked_parameters(item(about, "parameters", dict)))
    model.templates_given_, model.templates_ = checked_templates(about, model.columns)
    model.templates = model.templates_given_
    model.classes_ = checked_labels(item(about, "labels", list))
    model.scheme_, model.given_scheme_ = checked_schemes(about, model.classes_.tolist())
    model.encoder_ = _unpack_encoder(arrays, about, model)
    n_labels = len(model.classes_)
    edge, start = (numbers(arrays, name, (n_labels,) * n, np.float32) for name, n in (("edge", 2), ("start", 1)))
    template_arrays = model.templates_.arrays(model.encoder_.view_index)
    summary = Summary(item(about, "n_shared", int), item(about, "n_cells", int), item(about, "own_values", bool))
    n_columns = n_labels**2 if template_arrays.pairs.any() else n_labels
    rows = _core.FloatRows(
        typed(arrays, "cells", np.uint64), summary.n_cells, typed(arrays, "values", np.float32), n_columns, summary.own_values
    )
    model._kernel = _core.CompactTagger(
        tuple(template_arrays),
        model.encoder_.n_values,
        maps_of(arrays, "feature"),
        rows,
        summary.n_shared,
        edge.ravel(),
        start,
    )
    wide = _unpack_names(arrays, model) if names else None
    model.weights_ = CompactWeights(model, about, edge, start, rows, wide)
    model.trace_ = []
    model.objective_, model.certificate_ = number_or_nan(about, "objective"), number_or_nan(about, "certificate")
    model.interrupted_ = item(about, "interrupted", bool)
    model.n_features_total_ = item(about, "features_total", int)
    model.n_features_selected_ = model.weights_.n_nonzero
    model._contents = arrays, meta
    return model


def typed(arrays: Arrays, name: str, kind: Any, n_dimensions: int = 1) -> NDArray[Any]:
    """The array of this name, which must have this type and number of dimensions."""
    array = arrays[name]
    if array.dtype != kind or array.ndim != n_dimensions:
        raise InputError(f"the array {name} is {array.dtype} of shape {array.shape}, expected {np.dtype(kind)}")
    return array


def maps_of(arrays: Arrays, what: str) -> Maps:
    """The three arrays of some maps."""
    words = typed(arrays, f"{what}_words", np.uint64)
    return words, typed(arrays, f"{what}_sizes", np.int32, 2), typed(arrays, f"{what}_widths", np.uint8, 2)


def _unpack_encoder(arrays: Arrays, about: dict[str, Any], model: CompactTagger) -> CompactEncoder:
    maps = maps_of(arrays, "value")
    views, paths = model.templates_.views, about.get("paths")
    if paths is not None and not (isinstance(paths, list) and all(isinstance(path, str) for path in paths)):
        raise InputError("expected the paths of clusters as text")
    if len(maps[1]) != len(views) + (0 if paths is None else 2):
        raise InputError(f"there are strings of {len(maps[1])} views, expected {len(views)}")
    strings = _core.CompactStrings(*maps)
    clusters = None if paths is None else CompactClusters(strings, len(views), paths)
    return CompactEncoder(views, model.columns, strings, clusters)


def _unpack_names(arrays: Arrays, model: CompactTagger) -> NDArray[np.int32]:
    """Gives the encoder its names; the values of features that no exact map numbers."""
    sizes, n_views = arrays["value_sizes"][:, 0].tolist(), len(model.encoder_.views)
    counts = [*sizes[:n_views], sum(sizes[n_views:])]
    model.encoder_.names = Names(typed(arrays, "name_lengths", np.uint8), typed(arrays, "name_text", np.uint8), counts)
    wide = typed(arrays, "wide_atoms", np.int32)
    n_features, n_wide = model._kernel.sizes, 0
    for m, template in enumerate(model.templates_):
        if model._kernel.exact(m):
            continue
        count = int(n_features[m]) * len(template.atoms)
        part = wide[n_wide : n_wide + count]
        bounds = [int(model.encoder_.n_values[model.encoder_.view_index[a.view]]) + abs(a.offset) for a in template.atoms]
        if len(part) != count or np.any(part < 0) or np.any(part.reshape(-1, len(bounds)) >= bounds):
            raise InputError("a feature mentions a value that is not there")
        n_wide += count
    if n_wide != len(wide):
        raise InputError("there are values of features that are not there")
    return wide
