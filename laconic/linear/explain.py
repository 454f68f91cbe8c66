"""What a linear model looks at: its features by weight, per output."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.linear.base import SparseLinear
from laconic.linear.search import StrengthSearch
from laconic.linear.stability import StabilitySelection


def fitted_model(model: SparseLinear | StrengthSearch) -> SparseLinear:
    """Return the model itself, or the best one of a search."""
    if isinstance(model, StrengthSearch):
        check_is_fitted(model, "best_estimator_")
        best: SparseLinear = model.best_estimator_
        return best
    check_is_fitted(model, "coef_")
    return model


def feature_names(model: SparseLinear | StabilitySelection) -> list[str]:
    """Return the names of the features, or their numbers."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        return [str(name) for name in names]
    return [f"feature {number}" for number in range(model.n_features_in_)]


def strongest(model: SparseLinear, n: int) -> dict[str, list[tuple[str, float]]]:
    """Return up to `n` features per output with their weights, the largest first.

    Of two classes the output is the second one.
    """
    coef, names = np.atleast_2d(model.coef_), feature_names(model)
    classes: Any = getattr(model, "classes_", None)
    if classes is None:
        outputs = ["target"] if len(coef) == 1 else [f"target {k}" for k in range(len(coef))]
    else:
        outputs = [str(label) for label in classes[-len(coef) :]]
    found = {}
    for output, row in zip(outputs, coef, strict=True):
        order = np.argsort(-np.abs(row), kind="stable")[:n]
        found[output] = [(names[j], float(row[j])) for j in order.tolist() if row[j] != 0]
    return found
