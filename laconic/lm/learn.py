"""What a learner of language models is, and what it gives: n-grams with a fit report.

The learners themselves are `KneserNey` (kneser_ney.py), `LogLinear` (log_linear.py) and
`ClassMixture` (class_mixture.py).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Protocol

from laconic.core.report import Callback, FitReport
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Text
from laconic.lm.mixture import MixturePart
from laconic.lm.pruning import count_used


class LearnedNgrams(NamedTuple):
    """A model of the next word, how it came about, and what is mixed with it (mixture.py)."""

    model: ContextModel
    report: FitReport
    others: tuple[MixturePart, ...] = ()


class NgramLearner(Protocol):
    """Learns a model of n-grams of up to `order` words from a text."""

    def learn(self, text: Text, order: int, callback: Callback | None = None) -> LearnedNgrams:
        """Return the model and its fit report; a callback that returns True stops the fit."""


def with_counts(
    report: FitReport, model: ContextModel, others: tuple[MixturePart, ...] = ()
) -> FitReport:
    """Return the report with the numbers of n-grams and contexts that the model uses."""
    used = [count_used(each) for each in (model, *(part.model for part in others))]
    return replace(
        report,
        features_kept=sum(each.ngrams for each in used),
        groups_kept=sum(each.contexts for each in used),
    )
