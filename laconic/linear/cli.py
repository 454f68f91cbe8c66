"""Commands for linear models of matrices: they are inspected and shown; Python predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.cli.training import fit_facts

if TYPE_CHECKING:
    from laconic.linear.base import SparseLinear
    from laconic.linear.search import StrengthSearch


def inspect(model: SparseLinear | StrengthSearch, n: int, as_json: bool) -> dict[str, Any]:
    """Show the features with the largest weights per output."""
    from laconic.core.report import in_one_line
    from laconic.linear.explain import fitted_model, strongest

    best = fitted_model(model)
    facts = {
        "penalty": in_one_line(best.penalty) if best.penalty is not None else "l1",
        "loss": in_one_line(best.loss_),
        **fit_facts(model),
    }
    if best is not model:
        facts |= {"best_params": model.best_params_, "best_score": model.best_score_}
    weights = {
        output: [{"feature": name, "weight": weight} for name, weight in rows]
        for output, rows in strongest(best, n).items()
    }
    return {**facts, "weights": weights if as_json else _lines(weights)}


def _lines(weights: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return one row per output and feature, as tables of the command line show them."""
    return [{"output": output, **row} for output, rows in weights.items() for row in rows]
