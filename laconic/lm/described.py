"""What model files say of a language model beside its arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.core.report import FitReport
from laconic.errors import InputError
from laconic.models.checks import (
    certificate_kind,
    converged,
    finite,
    is_count,
    is_number,
    item,
    number_or_nan,
)
from laconic.version import __version__

if TYPE_CHECKING:
    from laconic.lm.model import LanguageModel


def model_meta(model: LanguageModel) -> dict[str, Any]:
    """Return the JSON of a fitted model."""
    return {
        "laconic": __version__,
        "order": int(model.order),
        "min_count": int(model.min_count),
        "weights": [part.weight for part in model.others_],
        "account": _report_meta(model.report_) if model.report_.learner else None,
    }


def checked_meta(meta: dict[str, Any]) -> tuple[FitReport, list[float]]:
    """Return the fit report and the weights of the parts of a mixture."""
    for name in ("order", "min_count"):
        if not is_count(meta.get(name)):
            raise InputError(f"{name!r} is missing or not a number of at least 1")
    report, weights = _report(meta), meta.get("weights", [])
    if not isinstance(weights, list) or not all(is_number(w) and 0 < w < 1 for w in weights):
        raise InputError("'weights' must be numbers between 0 and 1")
    if sum(weights) >= 1 + 1e-9:
        raise InputError("'weights' must sum to less than 1")
    return report, weights


def _report_meta(report: FitReport) -> dict[str, Any]:
    """Return the fit report as files keep it, under the names of laconic 0.1.0."""
    return {
        "learner": report.learner,
        "n_ngrams": report.features_total,
        "n_contexts": report.groups_total,
        "objective": finite(report.objective),
        "certificate": finite(report.certificate),
        "certificate_kind": report.certificate_kind,
        "passes": report.n_iter,
        "converged": report.converged,
        "interrupted": report.interrupted,
    }


def _report(meta: dict[str, Any]) -> FitReport:
    """Return the fit report of a file."""
    if "account" in meta and meta["account"] is None:
        return FitReport()
    meta = item(meta, "account", dict)
    n_ngrams, n_contexts = (item(meta, name, int) for name in ("n_ngrams", "n_contexts"))
    return FitReport(
        learner=item(meta, "learner", str),
        objective=number_or_nan(meta, "objective"),
        certificate=number_or_nan(meta, "certificate"),
        certificate_kind=certificate_kind(meta),
        n_iter=item(meta, "passes", int),
        converged=converged(meta),
        interrupted=item(meta, "interrupted", bool),
        features_total=n_ngrams,
        groups_total=n_contexts,
    )
