"""What is known of models over time: steps, penalty, and the features that moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from laconic.core.report import in_one_line

if TYPE_CHECKING:
    from laconic.time.base import TemporalLinear
    from laconic.time.sage.model import TemporalTextModel

BINS = 10


def step_facts(model: TemporalLinear | TemporalTextModel) -> dict[str, Any]:
    """Return the steps of time, the mode and the penalty."""
    return {
        "steps": len(model.steps_),
        "first_step": model.steps_[0],
        "last_step": model.steps_[-1],
        "mode": model.mode,
        "penalty": in_one_line(model.penalty_),
    }


def label_facts(model: TemporalLinear) -> dict[str, Any]:
    """Return the labels of a classifier, nothing of a regressor."""
    return {"labels": model.classes_.tolist()} if hasattr(model, "classes_") else {}


def moved(
    model: TemporalLinear, names: Sequence[str], n: int, since: str | None, label: str | None
) -> dict[str, Any]:
    """Return the features that rose and fell most, those with the largest weights, and a histogram.

    The histogram is of the autocorrelations of an adaptive prior.
    """
    from laconic.time.explain import autocorrelations, movers, output_of, strongest

    output = output_of(model, label)
    found = movers(model, names, n, since, output)
    facts: dict[str, Any] = {
        "rising": [one._asdict() for one in found.rising],
        "falling": [one._asdict() for one in found.falling],
        "strongest now": [one._asdict() for one in strongest(model, names, n, since, output)],
    }
    if hasattr(model, "alpha_"):
        edges, counts = autocorrelations(model, BINS)
        facts["autocorrelations"] = [
            {"from": float(low), "to": float(high), "features": int(count)}
            for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
    return facts
