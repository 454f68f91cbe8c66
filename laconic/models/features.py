"""Features with weights, template by template: the templates and values that are still needed.

Every function is for taggers and parsers alike: templates name the views whose values make up a
feature, and weights are rows of features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from laconic.core.arrays import Floats, Ints32
from laconic.text.sequences import SequenceEncoder
from laconic.text.templates import TemplateSet

if TYPE_CHECKING:
    from typing_extensions import Self  # of typing itself from Python 3.11 on


class FeatureWeights(Protocol):
    """The features of each template and their weights.

    atoms[m]    (n_m, values that name a feature)
    weights[m]  (n_m, weights of a feature)
    """

    @property
    def atoms(self) -> list[Ints32]: ...
    @property
    def weights(self) -> list[Floats]: ...
    def subset(self, keep: Sequence[int]) -> Self: ...
    def _replace(self, *, atoms: list[Ints32], weights: list[Floats]) -> Self: ...


WeightsT = TypeVar("WeightsT", bound=FeatureWeights)
TemplatesT = TypeVar("TemplatesT", bound=TemplateSet[Any])


def kept_templates(templates: TemplatesT, found: WeightsT) -> tuple[TemplatesT, WeightsT]:
    """Return the templates that have weights, and these."""
    keep = [m for m, weights in enumerate(found.weights) if weights.any()]
    return templates.subset(keep), found.subset(keep)


def narrow(
    templates: TemplateSet[Any], encoder: SequenceEncoder, found: WeightsT
) -> tuple[SequenceEncoder, WeightsT]:
    """Return an encoder of the values that features with weights mention, and these features.

    Numbers of values change in place where all features of a template have weights: `found` must
    not be used any more.
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
    return encoder.narrowed(keep), found._replace(atoms=atoms, weights=weights)


def columns_of(templates: TemplateSet[Any], atoms: list[Ints32]) -> Iterator[tuple[str, Ints32]]:
    """Yield each view that names features of a template, and its values as a view of `atoms`."""
    for template, part in zip(templates, atoms, strict=True):
        for column, view in enumerate(template.value_views):
            if view is not None:
                yield view, part[:, column]
