"""The command for selections of stable features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.linear.stability import StabilitySelection


def inspect(model: StabilitySelection, n: int, as_json: bool) -> dict[str, Any]:
    """Show the features that most halves of the rows selected, the stable ones first."""
    import numpy as np

    from laconic.core.report import in_one_line
    from laconic.linear.explain import feature_names

    names, stable = feature_names(model), model.get_support()
    order = np.argsort(-model.frequencies_, kind="stable")[:n].tolist()
    return {
        "estimator": in_one_line(model.estimator),
        "threshold": model.threshold,
        "halves": model.entered_.shape[0],
        "features_total": model.n_features_in_,
        "features_stable": int(stable.sum()),
        "mean_selected": model.mean_selected_,
        "expected_false": model.expected_false_,
        "expected_false_any": model.expected_false_any_,
        "frequencies": [
            {
                "feature": names[j],
                "frequency": float(model.frequencies_[j]),
                "stable": bool(stable[j]),
            }
            for j in order
            if model.frequencies_[j] > 0
        ],
    }
