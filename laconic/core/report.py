"""How a fit goes: `Event` while it runs, `FitReport` when it is done.

Every learner and solver sends its events to one kind of callback, and leaves one kind of report.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from html import escape

nan = math.nan
DUALITY_GAP = "duality gap"
PROX_RESIDUAL = "prox residual"
ADMM_RESIDUAL = "ADMM residual"
CERTIFICATES = (DUALITY_GAP, PROX_RESIDUAL, ADMM_RESIDUAL)


@dataclass(frozen=True)
class Event:
    """One step of long work, as callbacks see it; a callback that returns True stops the work.

    Parameters
    ----------
    stage : str
        What is being done: "step", "pass", "round", "trial", "encoding" ..
    done : int
        Number of this step, counted from 1 within its stage.
    total : int or None
        Number of steps of this stage, at most; None if it is not known.
    value : float
        The objective or the loss after the step; nan where it was not measured.
    certificate : float
        How far from the optimum at most (see laconic.core.problem); nan or infinite where it was
        not measured.
    features : int or None
        Number of features (or weights) that are not zero after the step, where it is known.
    seconds : float
        Seconds since the work began.
    """

    stage: str
    done: int
    total: int | None = field(default=None, compare=False)
    value: float = nan
    certificate: float = nan
    features: int | None = None
    seconds: float = field(default=nan, compare=False)

    def __str__(self) -> str:
        """Return the event as a progress bar shows it."""
        parts = []
        if math.isfinite(self.value):
            parts.append(f"objective {self.value:.6g}")
        if math.isfinite(self.certificate):
            parts.append(f"certificate {self.certificate:.1e}")
        if self.features is not None:
            parts.append(f"{self.features:,} features")
        return f"{self.stage} {self.done}" + (": " if parts else "") + ", ".join(parts)


@dataclass(frozen=True)
class Pass(Event):
    """One pass over the sentences: `value` is its summed loss, `features` the weights at its end.

    Parameters
    ----------
    wrong : float
        Share of wrong labels or heads.
    held : list of (int, int)
        Rounds (sentences seen), and the number of weights held in memory after them.
    """

    wrong: float = nan
    held: list[tuple[int, int]] = field(default_factory=list)

    def __str__(self) -> str:
        """Return the pass as a progress bar shows it."""
        return f"pass {self.done}: {self.wrong:.2%} wrong, {self.features:,} weights"


def passes_of(trace: Iterable[Event]) -> list[Pass]:
    """Return the passes among the steps of a fit."""
    return [event for event in trace if isinstance(event, Pass)]


Callback = Callable[[Event], bool | None]


@dataclass(frozen=True)
class FitReport:
    """How a model came about, and how good a solution it is.

    Parameters
    ----------
    learner : str
        Name and parameters of what learned the model, in one line.
    objective : float
        The minimised objective at the solution; nan where nothing was minimised.
    certificate : float
        How near to the optimum the solution is, see `certificate_kind`; nan where there is none.
    certificate_kind : {"duality gap", "prox residual", "ADMM residual", ""}
        What the certificate is. A duality gap bounds the distance from the optimum, relative to the
        objective. Where there is no gap (a penalty that is not convex, weights that nothing
        penalises), a prox residual says how far a proximal gradient step moves, relative to the
        gradient at zero weights; that of alternating directions, for `Discrete` penalties, how far
        their copies are apart. Empty where there is none, or where an older model file does not
        say.
    n_iter : int
        Number of steps, or of passes over the training data.
    converged : bool
        Whether the certificate was reached, or all passes were made.
    interrupted : bool
        Whether Ctrl-C or a callback ended the fit before its time.
    features_total, features_kept : int
        Number of features of the training data, and of those with a weight that is not zero.
    groups_total, groups_kept : int
        The same of groups: templates, sentences, contexts ..
    trace : tuple of Event
        The steps of the fit, in order.
    seconds : float
        Wall-clock seconds that the fit took.

    Examples
    --------
    >>> report = FitReport("L1", objective=1.5, certificate=1e-4, n_iter=7, converged=True)
    >>> report.as_dict()["objective"]
    1.5
    """

    learner: str = ""
    objective: float = nan
    certificate: float = nan
    certificate_kind: str = ""
    n_iter: int = 0
    converged: bool = False
    interrupted: bool = False
    features_total: int = 0
    features_kept: int = 0
    groups_total: int = 0
    groups_kept: int = 0
    trace: tuple[Event, ...] = field(default=(), repr=False)
    seconds: float = field(default=nan, compare=False)

    def as_dict(self) -> dict[str, object]:
        """Return everything but the trace, by name."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "trace"}


class Reported:
    """An estimator whose `fit` leaves a `FitReport` in `report_`, with its parts by usual names."""

    report_: FitReport

    def _repr_html_(self) -> str:
        """Return the estimator and what its fit kept as a small table, which notebooks show."""
        report = getattr(self, "report_", None)
        rows = _shown(report) if report is not None else [("fitted", "no")]
        cells = "".join(
            f'<tr><th style="text-align:left">{escape(name)}</th>'
            f'<td style="text-align:left">{escape(value)}</td></tr>'
            for name, value in rows
        )
        return f"<div><code>{escape(in_one_line(self))}</code><table>{cells}</table></div>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    @property
    def objective_(self) -> float:
        """The minimised objective at the solution."""
        return self.report_.objective

    @property
    def certificate_(self) -> float:
        """How near to the optimum the solution is; `report_.certificate_kind` says by what."""
        return self.report_.certificate

    @property
    def n_iter_(self) -> int:
        """Number of steps or passes."""
        return self.report_.n_iter

    @property
    def converged_(self) -> bool:
        """Whether the certificate was reached, or all passes were made."""
        return self.report_.converged

    @property
    def interrupted_(self) -> bool:
        """Whether the fit was ended before its time."""
        return self.report_.interrupted

    @property
    def trace_(self) -> tuple[Event, ...]:
        """The steps of the fit."""
        return self.report_.trace

    @property
    def n_features_total_(self) -> int:
        """Number of features of the training data."""
        return self.report_.features_total

    @property
    def n_features_selected_(self) -> int:
        """Number of features with a weight that is not zero."""
        return self.report_.features_kept


def in_one_line(learner: object) -> str:
    """Return the name and the parameters of a learner, in one line."""
    return " ".join(repr(learner).split())


def _shown(report: FitReport) -> list[tuple[str, str]]:
    """Return what people want to know of a fit first."""
    rows = [("features", f"{report.features_kept:,} of {report.features_total:,} kept")]
    if report.groups_total:
        rows.append(("groups", f"{report.groups_kept:,} of {report.groups_total:,} kept"))
    if math.isfinite(report.certificate):
        kind = report.certificate_kind or "certificate"
        rows.append((kind, f"{report.certificate:.2g}"))
    state = "interrupted" if report.interrupted else "yes" if report.converged else "no"
    return [*rows, ("converged", state)]
