"""A page about one linear model of a matrix: facts, weights, and the scores of a search."""

from __future__ import annotations

import numpy as np

from laconic.core.report import in_one_line
from laconic.linear.base import SparseLinear
from laconic.linear.cv import StrengthCV
from laconic.linear.explain import fitted_model, strongest
from laconic.linear.plots import plot_scores
from laconic.linear.search import StrengthSearch
from laconic.report.html import bar_cards, drawn, facts, page, section, text
from laconic.text.io import PathLike, atomic_writer

N_FEATURES = 20  # per sign and output


def write_report(model: SparseLinear | StrengthSearch, path: PathLike) -> None:
    """Write one self-contained HTML page about a fitted model.

    It needs nothing from the network.

    Parameters
    ----------
    model : SparseClassifier, SparseRegressor, StrengthCV or StrengthIC
        A fitted model.
    path : str or Path
        The file to write.
    """
    best = fitted_model(model)
    kind = "classifier" if hasattr(best, "classes_") else "regression"
    title = f"A linear {kind} of {best.n_features_in_:,} features"
    parts = [f"<h1>{text(title)}</h1>", _facts(model, best), _weights(best)]
    if isinstance(model, StrengthCV):
        note = (
            "Mean and standard error over folds; the dashed line is the strength that was chosen."
        )
        parts.append(section("Search for the strength", note, drawn(plot_scores(model))))
    with atomic_writer(path) as stream:
        stream.write(page(f"laconic: {title}", "\n".join(parts)))


def _facts(model: SparseLinear | StrengthSearch, best: SparseLinear) -> str:
    report = best.report_
    share = report.features_kept / max(1, report.features_total)
    rows = [
        (
            "features kept",
            f"{report.features_kept:,}",
            f"of {report.features_total:,} ({share:.1%})",
        )
    ]
    if report.groups_total:
        rows.append(("groups kept", f"{report.groups_kept:,}", f"of {report.groups_total:,}"))
    rows.append(("penalty", type(best.chosen_penalty()).__name__, ""))
    rows.append(("strength", f"{best.chosen_penalty().strength:.4g}", ""))
    rows.append(("loss", in_one_line(best.loss_), ""))
    if isinstance(model, StrengthSearch):
        for name, value in model.best_params_.items():
            if name != "strength":
                rows.append((str(name), f"{value}", "chosen"))
        rows.append(("score", f"{model.best_score_:.4g}", "of the search"))
    state = "converged" if report.converged else "not converged"
    rows.append(("objective", f"{report.objective:.6g}", ""))
    known = ", ".join(filter(None, (report.certificate_kind, state)))
    rows.append(("certificate", f"{report.certificate:.1e}", known))
    return facts(rows)


def _weights(best: SparseLinear) -> str:
    """Show the strongest features for and against each output."""
    cards: dict[str, list[tuple[str, float]]] = {}
    for output, rows in strongest(best, 10 * N_FEATURES).items():
        for sign, name in ((1.0, "for"), (-1.0, "against")):
            chosen = [(feature, abs(w)) for feature, w in rows if np.sign(w) == sign]
            cards[f"{name} {output}"] = chosen[:N_FEATURES]
    note = "What one unit of a feature adds to the score or takes from it; all bars have one scale."
    return section("Strongest features", note, bar_cards(cards, "No feature."))
