"""What a tagger selected, as results of the command line show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.tag.explain import dropped_templates, kept_templates, label_bigrams, top_features

if TYPE_CHECKING:
    from laconic.tag.model import Tagger


def selection(model: Tagger, n: int, as_json: bool) -> dict[str, Any]:
    """Return templates kept and dropped, the n strongest features of each label, and bigrams."""
    kept, dropped = [row._asdict() for row in kept_templates(model)], dropped_templates(model)
    features = {
        label: [row._asdict() for row in rows] for label, rows in top_features(model, n).items()
    }
    likely, unlikely = ([row._asdict() for row in rows] for rows in label_bigrams(model, n))
    if as_json:
        bigrams = {"likely": likely, "unlikely": unlikely}
        return {
            "templates": {"kept": kept, "dropped": dropped},
            "features": features,
            "bigrams": bigrams,
        }
    lines = [
        {
            "label": label,
            "strongest first": "  ".join(f"{row['feature']} {row['weight']:.2f}" for row in rows),
        }
        for label, rows in features.items()
    ]
    more = [f"and {len(dropped) - n} more"] if len(dropped) > n else []
    return {
        "templates dropped": ", ".join([*dropped[:n], *more]),
        "templates kept": kept,
        "features": lines,
        "label bigrams with the largest weights": likely,
        "label bigrams with the smallest weights": unlikely,
    }
