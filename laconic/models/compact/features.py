"""Strings and features with weights out of the arrays of compact files, searched where they lie.

With names every map of features is exact: the features can be listed, and what they are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Floats, Ints32
from laconic.errors import InputError
from laconic.models.checks import Arrays, item, typed
from laconic.models.compact.encoder import CompactClusters, CompactEncoder
from laconic.models.compact.packing import Place
from laconic.models.compact.rows import row_tables
from laconic.models.compact.strings import NAMELESS, Names, maps_of
from laconic.text.sequences import SequenceEncoder

CompactKernel: TypeAlias = _core.CompactTagger | _core.CompactParser


class PackedFeatures:
    """What `pack_features` wrote: an encoder of the views, maps and rows for a scoring kernel."""

    def __init__(
        self,
        arrays: Arrays,
        about: dict[str, Any],
        views: Sequence[str],
        columns: Sequence[str],
        n_columns: int,
    ) -> None:
        self.arrays = arrays
        self.n_nonzero, self.n_distinct = item(about, "nonzero", int), item(about, "distinct", int)
        self.encoder = _unpack_encoder(arrays, about, views, columns)
        self.maps = maps_of(arrays, "feature")
        self.n_shared = item(about, "n_shared", int)
        self.rows = _core.FloatRows(
            typed(arrays, "cells", np.uint64),
            item(about, "n_cells", int),
            typed(arrays, "values", np.float32),
            n_columns,
            item(about, "own_values", bool),
        )


class CompactWeights:
    """The features of a compact model and their weights, as plain models have them.

    They are read when they are asked for, which needs the names of features.

    Parameters
    ----------
    packed : PackedFeatures
        The contents of a file.
    kernel : CompactTagger or CompactParser
        The kernel that scores with them.
    places : callable
        Returns the places of the features of each template.
    widths : sequence of int
        Number of weights that a feature of each template may have.
    """

    def __init__(
        self,
        packed: PackedFeatures,
        kernel: CompactKernel,
        places: Callable[[], Sequence[Sequence[Place]]],
        widths: Sequence[int],
    ) -> None:
        # Not the model itself: a circle would keep the file open until the collector comes.
        self._encoder, self._rows, self._kernel = packed.encoder, packed.rows, kernel
        self._make_places, self._widths = places, widths
        self.n_nonzero, self.n_distinct = packed.n_nonzero, packed.n_distinct
        self._wide = (
            self._unpack_names(packed.arrays)
            if "name_text" in packed.arrays
            else np.zeros(0, np.int32)
        )

    def _unpack_names(self, arrays: Arrays) -> Ints32:
        """Give the encoder its names; return the values of features that no exact map numbers."""
        sizes = arrays["value_sizes"][:, 0].tolist()
        n_views, n_values = len(self._encoder.views), self._n_values()
        counts = [*sizes[:n_views], sum(sizes[n_views:])]
        self._encoder.names = Names(
            typed(arrays, "name_lengths", np.uint8), typed(arrays, "name_text", np.uint8), counts
        )
        wide, n_wide = typed(arrays, "wide_atoms", np.int32), 0
        for m, places in enumerate(self._places):
            if self._kernel.exact(m):
                continue
            count = int(self._kernel.sizes[m]) * len(places)
            part = wide[n_wide : n_wide + count]
            bounds = [n_values[place.view] + len(place.others) for place in places]
            if (
                len(part) != count
                or np.any(part < 0)
                or np.any(part.reshape(-1, len(bounds)) >= bounds)
            ):
                raise InputError("a feature mentions a value that is not there")
            n_wide += count
        if n_wide != len(wide):
            raise InputError("there are values of features that are not there")
        return wide

    @cached_property
    def _places(self) -> Sequence[Sequence[Place]]:
        return self._make_places()

    def _n_values(self) -> dict[str | None, int]:
        return {
            None: 0,
            **dict(zip(self._encoder.views, self._encoder.n_values.tolist(), strict=True)),
        }

    @cached_property
    def atoms(self) -> list[Ints32]:
        """The values that name each template's features."""
        if self._encoder.names is None:
            raise ValueError(NAMELESS)
        rest, found, n_values = self._wide, [], self._n_values()
        for m, places in enumerate(self._places):
            shape = int(self._kernel.sizes[m]), len(places)
            values: NDArray[np.integer[Any]]
            if self._kernel.exact(m):
                values = self._kernel.feature_values(m).reshape(shape)
            else:
                n_wide = shape[0] * shape[1]
                values, rest = rest[:n_wide].reshape(shape), rest[n_wide:]
            part = np.empty(shape, np.int32)
            for column, place in enumerate(places):
                known = np.concatenate([np.arange(n_values[place.view]), place.others]).astype(
                    np.int32
                )
                if values[:, column].max(initial=-1) >= len(known):
                    raise InputError("a feature mentions a value that is not there")
                part[:, column] = known[values[:, column]]
            found.append(part)
        return found

    @cached_property
    def weights(self) -> list[Floats]:
        """Weights of each template's features, one row per feature."""
        feature_rows = map(self._kernel.feature_rows, range(len(self._widths)))
        return [
            row_tables(self._rows, rows, width, np.float32)
            for rows, width in zip(feature_rows, self._widths, strict=True)
        ]


def named_encoder(encoder: CompactEncoder) -> SequenceEncoder:
    """Return an ordinary encoder of the same values; ValueError if there are no names."""
    return SequenceEncoder.from_state(
        {**encoder.named_state(), "clusters": _named_clusters(encoder)}
    )


def _named_clusters(encoder: CompactEncoder) -> dict[str, list[str]] | None:
    clusters = encoder.clusters
    if clusters is None:
        return None
    assert encoder.names is not None
    found: dict[str, list[str]] = {}
    words = encoder.names.of(len(encoder.views))
    for word, code in zip(words, clusters.codes(words).tolist(), strict=True):
        if code < 0:
            raise InputError("the names of the model are not those of its clusters")
        found.setdefault(clusters.paths[code], []).append(word)
    return found


def _unpack_encoder(
    arrays: Arrays, about: dict[str, Any], views: Sequence[str], columns: Sequence[str]
) -> CompactEncoder:
    maps, paths = maps_of(arrays, "value"), about.get("paths")
    if paths is not None and not (
        isinstance(paths, list) and all(isinstance(path, str) for path in paths)
    ):
        raise InputError("expected the paths of clusters as text")
    if len(maps[1]) != len(views) + (0 if paths is None else 2):
        raise InputError(f"there are strings of {len(maps[1])} views, expected {len(views)}")
    strings = _core.CompactStrings(*maps)
    clusters = None if paths is None else CompactClusters(strings, len(views), paths)
    return CompactEncoder(views, columns, strings, clusters)
