"""What a learner of word vectors is, and what it gives: codes, a dictionary and a fit report.

The learners themselves are `OnlineDictionary` (online_dictionary.py), `StochasticCoding`
(stochastic.py) and `Svd` (svd.py).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy import sparse

from laconic.core.arrays import Floats
from laconic.core.report import DUALITY_GAP, Callback, Event, FitReport
from laconic.embed.association import EntryWeights


@dataclass(frozen=True)
class Coded:
    """X ~ codes @ dictionary, with codes (words, size), sparse, and dictionary (size, contexts).

    The certificate of the report is the largest duality gap of a word relative to its objective,
    nan where a learner does not solve for codes.
    """

    codes: sparse.csr_matrix
    dictionary: Floats
    report: FitReport


class CodeLearner(Protocol):
    """Factorises a sparse matrix of associations (words, contexts)."""

    def learn(
        self,
        matrix: sparse.spmatrix,
        callback: Callback | None = None,
        weights: EntryWeights | None = None,
    ) -> Coded:
        """Return codes and dictionary; a callback that returns True stops after the step."""


class LearnerSteps:
    """The steps of one learner: timed, recorded, and sent to a callback."""

    def __init__(self, stage: str, total: int, callback: Callback | None = None):
        self.stage, self.total, self.callback = stage, total, callback
        self.trace: list[Event] = []
        self.interrupted = False
        self._began = time.perf_counter()

    def add(self, value: float) -> bool:
        """Record a step with its objective or loss; return whether to stop before the next."""
        seconds = time.perf_counter() - self._began
        event = Event(self.stage, len(self.trace) + 1, self.total, value, seconds=seconds)
        self.trace.append(event)
        asked = self.callback is not None and bool(self.callback(event))
        self.interrupted = asked and len(self.trace) < self.total
        return self.interrupted

    def report(self, learner: str, objective: float, certificate: float = np.nan) -> FitReport:
        """Return the fit report of the steps so far."""
        return FitReport(
            learner,
            objective,
            certificate,
            DUALITY_GAP if np.isfinite(certificate) else "",
            n_iter=len(self.trace),
            converged=not self.interrupted,
            interrupted=self.interrupted,
            trace=tuple(self.trace),
            seconds=time.perf_counter() - self._began,
        )


def with_counts(report: FitReport, codes: sparse.csr_matrix) -> FitReport:
    """Return the report with the numbers of coefficients and of dimensions, in all and used."""
    n_words, size = codes.shape
    return replace(
        report,
        features_total=n_words * size,
        features_kept=int(np.count_nonzero(codes.data)),
        groups_total=size,
        groups_kept=len(np.unique(codes.indices)),
    )
