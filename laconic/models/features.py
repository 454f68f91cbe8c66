"""Features with weights, template by template: which templates are kept, and which values their features mention.

Every function is for taggers and parsers alike: templates name the views whose values make up a feature, and weights are rows of
features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from laconic.text.sequences import SequenceEncoder
from laconic.text.templates import TemplateSet


class FeatureWeights(Protocol):
    """Features of template m: atoms[m] (n_m, values that name a feature) and weights[m] (n_m, weights of a feature)."""

    @property
    def atoms(self) -> list[NDArray[np.int32]]: ...
    @property
    def weights(self) -> list[NDArray[np.float32]]: ...
    def subset(self, keep: Sequence[int]) -> Any: ...


Found = TypeVar("Found", bound=FeatureWeights)
Set = TypeVar("Set", bound=TemplateSet[Any])


def kept_templates(templates: Set, found: Found) -> tuple[Set, Found]:
    """The templates that have weights, and these."""
    keep = [m for m, weights in enumerate(found.weights) if weights.any()]
    return templates.subset(keep), found.subset(keep)


def narrow(templates: Any, encoder: SequenceEncoder, found: Found) -> tuple[SequenceEncoder, Found]:
    """An encoder of the values alone that features with weights mention, and the features in its numbers.

    Numbers change in place where all features of a template have weights: `found` must not be used any more.
    """
    alive = [weights.any(axis=1) for weights in found.weights]
    atoms = [
        part if live.all() else part[live] for part, live in zip(found.atoms, alive, strict=True)
    ]
    used = {view: np.zeros(1, dtype=bool) for view in templates.views}
    for view, values in columns_of(templates, atoms):
        mark = np.zeros(max(len(used[view]), int(values.max(initial=0)) + 1), dtype=bool)
        mark[values[values >= 0]] = True  # others lie outside the sentence
        mark[: len(used[view])] |= used[view]
        used[view] = mark
    place = {view: np.cumsum(mark, dtype=np.int32) - 1 for view, mark in used.items()}
    for view, values in columns_of(templates, atoms):
        inside = values >= 0
        values[inside] = place[view][values[inside]]
    keep = {view: np.flatnonzero(mark).astype(np.int32) for view, mark in used.items()}
    weights = [
        rows if live.all() else rows[live] for rows, live in zip(found.weights, alive, strict=True)
    ]
    return encoder.narrowed(keep), found._replace(atoms=atoms, weights=weights)  # type: ignore[attr-defined]


def columns_of(
    templates: TemplateSet[Any], atoms: list[NDArray[np.int32]]
) -> Iterator[tuple[str, NDArray[np.int32]]]:
    """Every value of a view that names features of a template: the view, and its values as a view of `atoms`."""
    for template, part in zip(templates, atoms, strict=True):
        for column, view in enumerate(template.value_views):
            if view is not None:
                yield view, part[:, column]
