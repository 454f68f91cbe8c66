"""What is told of models that move over time; those that take rows of numbers, which no file of documents has, can be inspected alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.time.base import TemporalLinear

BINS = 10


def inspect(
    model: TemporalLinear,
    n: int,
    as_json: bool,
    *,
    since: str | None = None,
    label: str | None = None,
) -> dict[str, Any]:
    """What the model is, the features that rose and fell most, and how many stand still."""
    names = [f"feature {number}" for number in range(model.n_features_in_)]
    return {
        **learned(model),
        "features_total": model.n_features_in_,
        **moved(model, names, n, since, label),
    }


def learned(model: TemporalLinear) -> dict[str, Any]:
    """Steps, penalty and how well it is solved."""
    labels = {"labels": model.classes_.tolist()} if hasattr(model, "classes_") else {}
    return {
        **labels,
        "steps": len(model.steps_),
        "first_step": model.steps_[0],
        "last_step": model.steps_[-1],
        "mode": model.mode,
        "penalty": " ".join(repr(model.penalty_).split()),
        "objective": model.objective_,
        "certificate": model.certificate_,
        "converged": model.converged_,
        "interrupted": model.interrupted_,
        "features_nonzero": model.n_selected_,
    }


def moved(
    model: TemporalLinear, names: Sequence[str], n: int, since: str | None, label: str | None
) -> dict[str, Any]:
    """Features that rose and fell most, those with the largest weights now, and a histogram of autocorrelations."""
    from laconic.time.explain import autocorrelations, movers, output_of, strongest

    output = output_of(model, label)
    found = movers(model, names, n, since, output)
    told: dict[str, Any] = {
        "rising": [one._asdict() for one in found.rising],
        "falling": [one._asdict() for one in found.falling],
        "strongest now": [one._asdict() for one in strongest(model, names, n, since, output)],
    }
    if hasattr(model, "alpha_"):
        edges, counts = autocorrelations(model, BINS)
        told["autocorrelations"] = [
            {"from": float(low), "to": float(high), "features": int(count)}
            for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
    return told
