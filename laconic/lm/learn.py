"""What a learner of language models is, and what it gives: n-grams with a fit report.

The learners themselves are `KneserNey` (kneser_ney.py) and `LogLinear` (log_linear.py).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Protocol

from laconic.core.report import Callback, FitReport
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Text
from laconic.lm.pruning import count_used


class LearnedNgrams(NamedTuple):
    """A model of the next word, and how it came about."""

    model: ContextModel
    report: FitReport


class NgramLearner(Protocol):
    """Learns a model of n-grams of up to `order` words from a text."""

    def learn(self, text: Text, order: int, callback: Callback | None = None) -> LearnedNgrams:
        """Return the model and its fit report; a callback that returns True stops the fit."""


def with_counts(report: FitReport, model: ContextModel) -> FitReport:
    """Return the report with the numbers of n-grams and contexts that the model uses."""
    used = count_used(model)
    return replace(report, features_kept=used.ngrams, groups_kept=used.contexts)
