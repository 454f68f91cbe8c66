"""What a parser has learned, for people: templates kept and dropped, by family and by kind of part, and the strongest features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from laconic.parse.model import Parser
from laconic.parse.store import NOBODY, ROOT
from laconic.parse.templates import BETWEEN, GRAND_SIBLING, GRANDCHILD, KINDS, PartTemplate
from laconic.text.sequences import SequenceEncoder
from laconic.text.templates import BIAS

DISTANCES = ("", "1", "2", "3", "4", "5", "6-10", "11-20", "over 20")


class TemplateRow(NamedTuple):
    """A kept template: its features with weights, and the Euclidean length of these."""

    template: str
    part: str
    features: int
    norm: float


class FamilyRow(NamedTuple):
    """How many templates of a family were kept, of how many."""

    family: str
    kept: int
    given: int
    weights: int


class PartRow(NamedTuple):
    """A kind of part: templates kept, of how many, and their weights."""

    part: str
    kept: int
    given: int
    weights: int
    norm: float


class FeatureRow(NamedTuple):
    """A feature and its weight."""

    feature: str
    weight: float


def kept_templates(model: Parser) -> list[TemplateRow]:
    """The templates with weights, longest vector of weights first."""
    check_is_fitted(model)
    rows = [
        TemplateRow(template.name, KINDS[template.kind], len(part), float(np.linalg.norm(part)))
        for template, part in zip(model.scorer_.templates, model.weights_.weights, strict=True)
    ]
    return sorted(rows, key=lambda row: -row.norm)


def dropped_templates(model: Parser) -> list[str]:
    """The templates that lost all weights, in the order given."""
    check_is_fitted(model)
    kept = set(model.scorer_.templates.names)
    return [name for name in model.templates_given_.names if name not in kept]


def families(model: Parser) -> list[FamilyRow]:
    """Templates kept of each family, the largest family first; most templates belong to several."""
    check_is_fitted(model)
    given = Counter(family for template in model.templates_given_ for family in template.families)
    kept, weights = Counter[str](), Counter[str]()
    for template, part in zip(model.scorer_.templates, model.weights_.weights, strict=True):
        for family in template.families:
            kept[family] += 1
            weights[family] += len(part)
    return [
        FamilyRow(family, kept[family], n, weights[family]) for family, n in given.most_common()
    ]


def parts(model: Parser) -> list[PartRow]:
    """Templates kept and weights of each kind of part that the model scores."""
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


def top_features(model: Parser, n: int) -> dict[str, list[FeatureRow]]:
    """The n features with the largest weights, for or against, of each kind of part that the model scores."""
    check_is_fitted(model)
    found: dict[str, list[FeatureRow]] = {}
    for kind in model.shape_.kinds:
        best: list[tuple[float, int, int]] = []  # weight, template, feature
        for m, (template, part) in enumerate(
            zip(model.scorer_.templates, model.weights_.weights, strict=True)
        ):
            if template.kind == kind:
                best += [(float(part[row, 0]), m, row) for row in _largest(part[:, 0], n)]
        best.sort(key=lambda entry: -abs(entry[0]))
        found[KINDS[kind]] = [
            FeatureRow(next(iter(feature_names(model, m, [row]))), weight)
            for weight, m, row in best[:n]
        ]
    return found


def _largest(weights: Any, n: int) -> list[int]:
    size = np.abs(weights)
    if n < len(size):
        near = np.argpartition(-size, n)[:n] if n else np.zeros(0, np.intp)
        return list(near[np.argsort(-size[near], kind="stable")].tolist())
    return list(np.argsort(-size, kind="stable").tolist())


def feature_names(model: Parser, template: int, rows: Any = slice(None)) -> Iterable[str]:
    """The features of a kept template (or the numbered ones) as text."""
    return named(
        model.scorer_.templates[template],
        model.scorer_.encoder,
        model.weights_.atoms[template][rows],
    )


def named(of: PartTemplate, encoder: SequenceEncoder, atoms: NDArray[np.int32]) -> Iterable[str]:
    """Features of a template as text, such as h.fine=VBD|m.fine=NN|right 1, from rows of the values that name them.

    The words after the values tell on which side of the head (h) the modifier stands and how far, and on which side of h its own head.
    """
    names = [
        *map(str, of.atoms),
        *([""] if of.n_signs else []),
        *([f"{BETWEEN}.{of.between}"] if of.between is not None else []),
    ]
    for values in atoms.tolist():
        told = []
        for name, view, value in zip(names, of.value_views, values, strict=True):
            if view is None:
                told.append(_direction(value, of.kind, of.special == "dist"))
            else:
                outside = {ROOT: "(root)", NOBODY: "(nobody)"}.get(value)
                told.append(f"{name}={outside or encoder.value_name(view, value)}")
        yield "|".join(told) or BIAS


def _direction(code: int, kind: int, distance: bool) -> str:
    """What the kernel's code of directions and distance stands for: ((bin of the distance * 2 + (h < m)) * 2 + (g < h))."""
    rest, grand = divmod(code, 2)
    length, right = divmod(rest, 2)
    far = f" {DISTANCES[length]}" if distance and length < len(DISTANCES) else ""
    above = (
        f", g {'left' if grand else 'right'} of h" if kind in (GRANDCHILD, GRAND_SIBLING) else ""
    )
    return f"{'right' if right else 'left'}{far}{above}"
