"""What every solver is: init, step, run. The outer loop is written once, here."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from laconic.core.arrays import Array
from laconic.core.report import Callback, Event


class Result(NamedTuple):
    """Where a solver stopped: the point, its certificate, and how it got there."""

    x: Array
    error: float
    n_iter: int
    converged: bool
    interrupted: bool
    trace: list[Event]
    extra: dict[str, Any]


class Solver(BaseEstimator, ABC):
    """Steps until the certificate (see laconic.core.problem) is at most `tol`, or `max_iter` steps are spent.

    A state is a NamedTuple with at least x, value and error (infinite where a step did not measure it).
    """

    tol: float
    max_iter: int

    @abstractmethod
    def init(self, problem: Any, x: Array) -> Any:
        """The state at a starting point."""

    @abstractmethod
    def step(self, problem: Any, state: Any) -> Any:
        """The next state."""

    def resume(self, problem: Any, state: Any) -> Any:
        """The state where another one stands, of a problem whose gradient has changed by a constant since."""
        return self.init(problem, state.x)

    def stuck(self, state: Any) -> bool:
        """Whether no further step can change the state."""
        return False

    def finish(self, problem: Any, state: Any) -> tuple[Array, float, dict[str, Any]]:
        """The point to return, its certificate and anything worth keeping."""
        x = state.x.copy()
        problem.settle(x)  # the certificate is about the best intercept
        error = state.error if np.isfinite(state.error) else problem.certificate(x)
        return x, error, {}

    def run(
        self,
        problem: Any,
        x0: Array | None = None,
        callback: Callback | None = None,
    ) -> Result:
        """Solve from x0. A callback that returns True, or Ctrl-C, stops early and keeps the point reached."""
        if not self.tol > 0 or self.max_iter < 1:
            raise ValueError(
                f"tol must be positive and max_iter at least 1, got {self.tol!r} and {self.max_iter!r}"
            )
        began = time.perf_counter()
        state = self.init(problem, problem.start(x0))
        trace: list[Event] = []
        interrupted = False
        n_iter = 0
        try:
            while n_iter < self.max_iter and not state.error <= self.tol and not self.stuck(state):
                state = self.step(problem, state)
                n_iter += 1
                trace.append(
                    Event(
                        "step",
                        n_iter,
                        self.max_iter,
                        state.value,
                        state.error,
                        seconds=time.perf_counter() - began,
                    )
                )
                if callback is not None and callback(trace[-1]):
                    interrupted = True
                    break
        except KeyboardInterrupt:
            interrupted = True
        x, error, extra = self.finish(problem, state)
        return Result(x, error, n_iter, bool(error <= self.tol), interrupted, trace, extra)
