"""What a tagger has learned, in words: templates kept and dropped, strongest features, bigrams."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from laconic.tag.predict import TagPredictor

BEGINNING = "(start)"


class TemplateRow(NamedTuple):
    """A kept template: number of features and of non-zero weights, and their Euclidean norm."""

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


def kept_templates(model: TagPredictor) -> list[TemplateRow]:
    """Return the templates with weights, largest norm first."""
    check_is_fitted(model)
    rows = [
        TemplateRow(
            template.name, len(part), int(np.count_nonzero(part)), float(np.linalg.norm(part))
        )
        for template, part in zip(model.templates_, model.weights_.weights, strict=True)
    ]
    return sorted(rows, key=lambda row: -row.norm)


def dropped_templates(model: TagPredictor) -> list[str]:
    """Return the templates without any weight, in the order given."""
    check_is_fitted(model)
    kept = set(model.templates_.names)
    return [name for name in model.templates_given_.names if name not in kept]


def top_features(model: TagPredictor, n: int) -> dict[str, list[FeatureRow]]:
    """Return the n features with the largest positive weights for each label.

    Features of pairs of labels name the label before.
    """
    check_is_fitted(model)
    labels = model.classes_.tolist()
    return {label: _top_of_label(model, k, n) for k, label in enumerate(labels)}


def _top_of_label(model: TagPredictor, label: int, n: int) -> list[FeatureRow]:
    names, n_labels = model.classes_.tolist(), len(model.classes_)
    best: list[tuple[float, int, int, int]] = []  # weight, template, row, label before or -1
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


def label_bigrams(model: TagPredictor, n: int) -> tuple[list[BigramRow], list[BigramRow]]:
    """Return the n pairs of neighbouring labels with the largest weights, and n with the smallest.

    The start of a sentence counts as a label.
    """
    check_is_fitted(model)
    labels = model.classes_.tolist()
    table = np.vstack([model.weights_.edge, model.weights_.start])
    before = [*labels, BEGINNING]
    order = np.argsort(-table, axis=None, kind="stable")
    order = order[table.ravel()[order] != 0]

    def rows(chosen: NDArray[np.intp]) -> list[BigramRow]:
        return [
            BigramRow(before[i // len(labels)], labels[i % len(labels)], float(table.flat[i]))
            for i in chosen.tolist()
        ]

    return rows(order[:n]), rows(order[::-1][:n])
