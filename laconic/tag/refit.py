"""Two learners one after the other: the second learns again from what the first has kept."""

from __future__ import annotations

from dataclasses import replace

from laconic.core.report import FitReport, in_one_line

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
    if learner is None:
        from laconic.core.solvers.online import Mira  # not needed to predict

        learner = Mira()
    first = in_one_line(learner)
    return first if refit is None else f"{first}{REFIT}{in_one_line(refit)}"


def has_probabilities(learner: str) -> bool:
    """Return whether a learner, in one line, learns the weights of a CRF: those of the log loss."""
    last = learner.rpartition(REFIT)[2]
    default = last.startswith(("Crf(", "StochasticGradient(")) and "loss=" not in last
    return default or "loss='log'" in last


def no_probabilities(learner: str) -> str:
    """Return the sentence that warns of marginals of other weights."""
    return (
        f"the weights were learned by {learner.rpartition(REFIT)[2]}, so that these marginals rank "
        "labels but are no probabilities: for those refit by Crf(), as in Tagger(refit=Crf()) or "
        "--refit crf"
    )
