"""What a tagger has learned, for people: templates kept and dropped, the strongest features of each label, label bigrams."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.tag.model import Tagger

BEGINNING = "(start)"


class TemplateRow(NamedTuple):
    """A kept template: its features, their non-zero weights, and the Euclidean length of these."""

    template: str
    features: int
    weights: int
    norm: float


class FeatureRow(NamedTuple):
    """A feature and its weight for a label."""

    feature: str
    weight: float


class BigramRow(NamedTuple):
    """The weight of one label after another."""

    before: str
    label: str
    weight: float


def kept_templates(model: Tagger) -> list[TemplateRow]:
    """The templates with weights, longest vector of weights first."""
    check_is_fitted(model)
    rows = [
        TemplateRow(
            template.name, len(part), int(np.count_nonzero(part)), float(np.linalg.norm(part))
        )
        for template, part in zip(model.templates_, model.weights_.weights, strict=True)
    ]
    return sorted(rows, key=lambda row: -row.norm)


def dropped_templates(model: Tagger) -> list[str]:
    """The templates that lost all weights, in the order given."""
    check_is_fitted(model)
    kept = set(model.templates_.names)
    return [name for name in model.templates_given_.names if name not in kept]


def top_features(model: Tagger, n: int) -> dict[str, list[FeatureRow]]:
    """The n features that speak most for each label. Those of pairs of labels say after which label they do."""
    check_is_fitted(model)
    labels = model.classes_.tolist()
    return {label: _top_of_label(model, k, n) for k, label in enumerate(labels)}


def _top_of_label(model: Tagger, label: int, n: int) -> list[FeatureRow]:
    names, n_labels = model.classes_.tolist(), len(model.classes_)
    best: list[tuple[float, int, int, int]] = []  # weight, template, feature, label before or -1
    for m, (template, part) in enumerate(
        zip(model.templates_, model.weights_.weights, strict=True)
    ):
        weight = part[:, label::n_labels] if template.pairs else part[:, [label]]
        for place in np.argsort(-weight, axis=None, kind="stable")[:n].tolist():
            row, before = divmod(place, weight.shape[1])
            if weight[row, before] > 0:
                best.append((float(weight[row, before]), m, row, before if template.pairs else -1))
    best.sort(key=lambda entry: -entry[0])
    found = []
    for weight_, m, row, before in best[:n]:
        (name,) = model.feature_names(m, [row])
        found.append(FeatureRow(name if before < 0 else f"{name} after {names[before]}", weight_))
    return found


def label_bigrams(model: Tagger, n: int) -> tuple[list[BigramRow], list[BigramRow]]:
    """The n pairs of neighbouring labels with the largest weights, and the n with the smallest; a sentence's start is one."""
    check_is_fitted(model)
    labels = model.classes_.tolist()
    table = np.vstack([model.weights_.edge, model.weights_.start])
    before = [*labels, BEGINNING]
    order = np.argsort(-table, axis=None, kind="stable")
    order = order[table.ravel()[order] != 0]

    def rows(chosen: np.ndarray) -> list[BigramRow]:
        return [
            BigramRow(before[i // len(labels)], labels[i % len(labels)], float(table.flat[i]))
            for i in chosen.tolist()
        ]

    return rows(order[:n]), rows(order[::-1][:n])
