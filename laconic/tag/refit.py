"""Two learners one after the other: the second learns again from what the first has kept."""

from __future__ import annotations

from dataclasses import replace

from laconic.core.report import FitReport, in_one_line
from laconic.core.solvers.online import Mira

REFIT = ", refitted by "


def joined_reports(first: FitReport, second: FitReport) -> FitReport:
    """Return the report of both: solved as the second one, from as many features as the first."""
    return replace(
        second,
        learner=f"{first.learner}{REFIT}{second.learner}",
        n_iter=first.n_iter + second.n_iter,
        features_total=first.features_total,
        trace=(*first.trace, *second.trace),
    )


def learners_text(learner: object, refit: object = None) -> str:
    """Return a learner (Mira() if None) and its refit, if there is one, in one line."""
    first = in_one_line(Mira() if learner is None else learner)
    return first if refit is None else f"{first}{REFIT}{in_one_line(refit)}"
