"""What a parser has learned, in words: templates by family and kind of part, strongest features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Floats, Ints32
from laconic.parse.described import NOBODY, ROOT
from laconic.parse.families import families_of
from laconic.parse.predict import ParsePredictor
from laconic.parse.templates import BETWEEN, GRAND_SIBLING, GRANDCHILD, KINDS, PartTemplate
from laconic.text.sequences import SequenceEncoder
from laconic.text.templates import BIAS

if TYPE_CHECKING:
    from laconic.models.compact.encoder import CompactEncoder

DISTANCES = ("", "1", "2", "3", "4", "5", "6-10", "11-20", "over 20")


class PartTemplateRow(NamedTuple):
    """A kept template: number of its features, and the Euclidean norm of their weights."""

    template: str
    part: str
    features: int
    norm: float


class FamilyRow(NamedTuple):
    """A family of templates: number kept, of how many, and number of weights."""

    family: str
    kept: int
    given: int
    weights: int


class PartRow(NamedTuple):
    """A kind of part: number of templates kept, of how many, and number and norm of weights."""

    part: str
    kept: int
    given: int
    weights: int
    norm: float


class PartFeatureRow(NamedTuple):
    """A feature and its weight."""

    feature: str
    weight: float


def kept_templates(model: ParsePredictor) -> list[PartTemplateRow]:
    """Return the templates with weights, largest norm first."""
    check_is_fitted(model)
    rows = [
        PartTemplateRow(template.name, KINDS[template.kind], len(part), float(np.linalg.norm(part)))
        for template, part in zip(model.scorer_.templates, model.weights_.weights, strict=True)
    ]
    return sorted(rows, key=lambda row: -row.norm)


def dropped_templates(model: ParsePredictor) -> list[str]:
    """Return the templates without any weight, in the order given."""
    check_is_fitted(model)
    kept = set(model.scorer_.templates.names)
    return [name for name in model.templates_given_.names if name not in kept]


def families(model: ParsePredictor) -> list[FamilyRow]:
    """Return what was kept of each family, largest family first.

    Most templates belong to several families.
    """
    check_is_fitted(model)
    given = Counter(
        family for template in model.templates_given_ for family in families_of(template)
    )
    kept, weights = Counter[str](), Counter[str]()
    for template, part in zip(model.scorer_.templates, model.weights_.weights, strict=True):
        for family in families_of(template):
            kept[family] += 1
            weights[family] += len(part)
    return [
        FamilyRow(family, kept[family], n, weights[family]) for family, n in given.most_common()
    ]


def parts(model: ParsePredictor) -> list[PartRow]:
    """Return what was kept of each kind of part that the model scores."""
    check_is_fitted(model)
    rows = []
    for kind in model.shape_.kinds:
        given = sum(template.kind == kind for template in model.templates_given_)
        found = [
            part
            for t, part in zip(model.scorer_.templates, model.weights_.weights, strict=True)
            if t.kind == kind
        ]
        norm = float(np.sqrt(sum(float(np.linalg.norm(part)) ** 2 for part in found)))
        rows.append(PartRow(KINDS[kind], len(found), given, sum(map(len, found)), norm))
    return rows


def top_features(model: ParsePredictor, n: int) -> dict[str, list[PartFeatureRow]]:
    """Return the n features with the largest weights, of either sign, of each kind of part."""
    check_is_fitted(model)
    found: dict[str, list[PartFeatureRow]] = {}
    for kind in model.shape_.kinds:
        best: list[tuple[float, int, int]] = []  # weight, template, feature
        for m, (template, part) in enumerate(
            zip(model.scorer_.templates, model.weights_.weights, strict=True)
        ):
            if template.kind == kind:
                best += [(float(part[row, 0]), m, row) for row in _largest(part[:, 0], n)]
        best.sort(key=lambda entry: -abs(entry[0]))
        found[KINDS[kind]] = [
            PartFeatureRow(next(iter(feature_names(model, m, [row]))), weight)
            for weight, m, row in best[:n]
        ]
    return found


def _largest(weights: Floats, n: int) -> list[int]:
    """Return the places of the n largest absolute values, largest first."""
    size = np.abs(weights)
    if n < len(size):
        near = np.argpartition(-size, n)[:n] if n else np.zeros(0, np.intp)
        return list(near[np.argsort(-size[near], kind="stable")].tolist())
    return list(np.argsort(-size, kind="stable").tolist())


def feature_names(
    model: ParsePredictor, template: int, rows: Sequence[int] | None = None
) -> Iterable[str]:
    """Yield the features of a kept template as text, or only those of some rows."""
    atoms = model.weights_.atoms[template]
    return named(
        model.scorer_.templates[template],
        model.scorer_.encoder,
        atoms if rows is None else atoms[rows],
    )


def named(
    of: PartTemplate, encoder: SequenceEncoder | CompactEncoder, atoms: Ints32
) -> Iterable[str]:
    """Yield features of a template as text, such as h.fine=VBD|m.fine=NN|right 1.

    They are given as rows of the values that name them. The words after the values say on which
    side of the head (h) the modifier stands and how far, and on which side of h its own head is.
    """
    names = [
        *map(str, of.atoms),
        *([""] if of.n_signs else []),
        *([f"{BETWEEN}.{of.between}"] if of.between is not None else []),
    ]
    for values in atoms.tolist():
        parts = []
        for name, view, value in zip(names, of.value_views, values, strict=True):
            if view is None:
                parts.append(_direction(value, of.kind, of.special == "dist"))
            else:
                outside = {ROOT: "(root)", NOBODY: "(nobody)"}.get(value)
                parts.append(f"{name}={outside or encoder.value_name(view, value)}")
        yield "|".join(parts) or BIAS


def _direction(code: int, kind: int, distance: bool) -> str:
    """Return the kernel's code of directions and distance in words.

    The code is (bin of the distance * 2 + (h < m)) * 2 + (g < h).
    """
    rest, grand = divmod(code, 2)
    length, right = divmod(rest, 2)
    far = f" {DISTANCES[length]}" if distance and length < len(DISTANCES) else ""
    above = (
        f", g {'left' if grand else 'right'} of h" if kind in (GRANDCHILD, GRAND_SIBLING) else ""
    )
    return f"{'right' if right else 'left'}{far}{above}"
