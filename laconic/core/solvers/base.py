"""What every solver is: init, step, run. The outer loop is written once, here."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar, cast

import numpy as np

from laconic.core.arrays import Array
from laconic.core.parameters import HasParameters
from laconic.core.penalties import Penalty, Separable
from laconic.core.problem import Objective, Solvable
from laconic.core.report import Callback, Event


class Result(NamedTuple):
    """Where a solver stopped: the point, its certificate, and how it got there.

    Parameters
    ----------
    x : array of shape (n_weights,)
        The point.
    error : float
        Its certificate: how far from the optimum it is at most, relative.
    n_iter : int
        Number of steps.
    converged : bool
        Whether the certificate, or what else the solver stops on, reached its `tol`.
    interrupted : bool
        Whether a callback or Ctrl-C stopped the solver.
    trace : list of Event
        One event per step.
    extra : dict
        What only this kind of solver knows, by name.
    certificate_kind : str, default=""
        What the certificate is, as in `FitReport`.
    """

    x: Array
    error: float
    n_iter: int
    converged: bool
    interrupted: bool
    trace: list[Event]
    extra: dict[str, object]
    certificate_kind: str = ""


class SolverState(Protocol):
    """What the state of every solver has; states are NamedTuples.

    `error` is the certificate, infinite where a step did not measure it.
    """

    @property
    def x(self) -> Array:
        """The point."""

    @property
    def value(self) -> float:
        """The objective there."""

    @property
    def error(self) -> float:
        """The certificate there, or infinity."""


ProblemT = TypeVar("ProblemT", bound=Solvable)
StateT = TypeVar("StateT", bound=SolverState)


class Solver(HasParameters, ABC):
    """Minimises loss + penalty until the certificate is `tol` or less, in at most `max_iter` steps.

    A solver states what it needs: `needs_problem` and `needs_penalty` are the types (capabilities)
    of which a problem and its penalty must have one, `takes` says in words which penalties these
    are, and `unsupported` names parameters of such a penalty that it cannot take after all.
    """

    tol: float
    max_iter: int
    needs_problem: ClassVar[tuple[type, ...]] = (Objective,)
    needs_penalty: ClassVar[tuple[type, ...]] = (Penalty,)
    takes: ClassVar[str] = "a penalty with a prox"
    takes_kinks: ClassVar[bool] = False  # whether the loss need not have a gradient everywhere

    @abstractmethod
    def run(
        self, problem: Solvable, x0: Array | None = None, callback: Callback | None = None
    ) -> Result:
        """Solve a problem, from x0 or from the problem's own start."""

    def unsupported(self, penalty: Penalty) -> str:
        """Return what the solver cannot take of a penalty of the right type; empty: nothing."""
        return ""

    def check_problem(self, problem: Solvable) -> None:
        """Raise a ValueError that names both, and a way out, if solver and problem do not match."""
        name, penalty = type(self).__name__, problem.penalty
        if not isinstance(problem, self.needs_problem):
            needed = " or ".join(kind.__name__ for kind in self.needs_problem)
            general = "Owlqn" if isinstance(penalty, Separable) else "Fista"
            way_out = f": use {general}" if isinstance(problem, Objective) else ""
            raise ValueError(f"{name} solves a {needed}, got a {type(problem).__name__}{way_out}")
        if isinstance(problem, Objective) and not (problem.smooth_loss or self.takes_kinks):
            raise ValueError(
                f"{name} needs a loss without kinks (one with curvatures): use "
                f"Smoothing(inner={name}()), or solver=None"
            )
        if not isinstance(penalty, self.needs_penalty):
            raise ValueError(
                f"{name} needs {self.takes}, got {type(penalty).__name__}{_way_out(penalty)}"
            )
        if isinstance(penalty, Penalty) and (refused := self.unsupported(penalty)):
            raise ValueError(
                f"{name} does not take {type(penalty).__name__} with {refused}{_way_out(penalty)}"
            )


def _way_out(penalty: object) -> str:
    from laconic.core.solvers.suitable import suitable_solver  # only if something is wrong

    if not isinstance(penalty, Penalty):
        return ""
    return f": use {suitable_solver(penalty).rpartition(':')[2]}, or solver=None"


class StepSolver(Solver, Generic[ProblemT, StateT]):
    """A solver written as `init` and `step`, typed over its problem and its state."""

    @abstractmethod
    def init(self, problem: ProblemT, x: Array) -> StateT:
        """Return the state at a starting point."""

    @abstractmethod
    def step(self, problem: ProblemT, state: StateT) -> StateT:
        """Return the next state."""

    def resume(self, problem: ProblemT, state: StateT) -> StateT:
        """Return the state at the point of another one.

        Its problem's gradient has changed by a constant since.
        """
        return self.init(problem, state.x)

    def stuck(self, state: StateT) -> bool:
        """Return whether no further step can change the state."""
        return False

    def reached(self, state: StateT, certificate: float) -> bool:
        """Return whether the solver stopped by its own rule: a certificate of at most `tol`."""
        return certificate <= self.tol

    def finish(self, problem: ProblemT, state: StateT) -> tuple[Array, float, dict[str, object]]:
        """Return the point to keep, its certificate, and the `extra` of the result."""
        x = state.x.copy()
        problem.fit_tail(x)  # the certificate is about the best intercept
        error = state.error if np.isfinite(state.error) else problem.certificate(x)
        return x, error, {}

    def run(
        self, problem: Solvable, x0: Array | None = None, callback: Callback | None = None
    ) -> Result:
        """Solve a problem, from x0 or from the problem's own start.

        A callback that returns True, or Ctrl-C, stops early and keeps the point reached.
        """
        if not self.tol > 0 or self.max_iter < 1:
            raise ValueError(
                "tol must be positive and max_iter at least 1, "
                f"got {self.tol!r} and {self.max_iter!r}"
            )
        self.check_problem(problem)
        posed = cast(ProblemT, problem)
        began = time.perf_counter()
        state = self.init(posed, posed.start(x0))
        trace: list[Event] = []
        interrupted = False
        n_iter = 0
        try:
            while n_iter < self.max_iter and not state.error <= self.tol and not self.stuck(state):
                state = self.step(posed, state)
                n_iter += 1
                seconds = time.perf_counter() - began
                trace.append(
                    Event("step", n_iter, self.max_iter, state.value, state.error, seconds=seconds)
                )
                if callback is not None and callback(trace[-1]):
                    interrupted = True
                    break
        except KeyboardInterrupt:
            interrupted = True
        x, error, extra = self.finish(posed, state)
        converged = bool(self.reached(state, error))
        kind = posed.certificate_kind if np.isfinite(error) else ""
        return Result(x, error, n_iter, converged, interrupted, trace, extra, kind)
