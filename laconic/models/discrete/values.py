"""Fitted models with few weight values: rounded (QT), or learned again under a discrete constraint (DC-ADMM).

    quantize(model, values)                    every weight to the nearest value
    discretize(model, X, y, values)            DC-ADMM from the model's weights, over the features that it has or that the data has
    tune_values(model, train, dev, zeta)       either of them for several eta, and the best on development data

One mechanism serves every kind of model that has registered its form (laconic.models.discrete.forms).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from laconic.core.penalties import Discrete, ElasticNet, value_set
from laconic.core.penalties.discrete import Values, check_values, nearest
from laconic.core.report import Callback, Event
from laconic.core.solvers.discrete import DiscreteAdmm
from laconic.models.discrete.forms import Posed, of_kind, posed, rounded, weights_of

ETAS = 7


class Trial(NamedTuple):
    """One eta, and how the model with its values did on development data."""

    eta: float
    score: float
    n_nonzero: int


def quantize(model: Any, values: Iterable[float]) -> Any:
    """A copy of a fitted model whose weights are rounded to the nearest of the values: the u-step, once (QT)."""
    allowed = check_values(values)
    return rounded(model, lambda weights: nearest(allowed, weights).astype(weights.dtype))


def discretize(
    model: Any,
    X: Any,
    y: Any,
    values: Iterable[float],
    solver: DiscreteAdmm | None = None,
    callback: Callback | None = None,
    **posing: Any,
) -> Any:
    """A copy of a fitted model, learned again on X and y with weights that take the given values alone (DC-ADMM).

    posing: the penalty and the features of the problem, see `posed`. A parser is learned again by passes of MIRA over its own
    features (OnlineDiscrete), with the lasso of a penalty L1, if one is given, and no solver.
    """
    options = {} if solver is None else {"solver": solver}
    return relearner(model, X, y, **posing)(check_values(values), callback, **options)


@of_kind
def relearner(model: Any, X: Any, y: Any, **posing: Any) -> Callable[..., Any]:
    """The function (values, callback, further options) -> the model learned again on X and y with these values."""
    at = posed(model, X, y, **posing)
    return lambda values, callback=None, solver=None: solve_posed(at, values, solver, callback)


def solve_posed(
    at: Posed, values: Values, solver: DiscreteAdmm | None = None, callback: Callback | None = None
) -> Any:
    """The model of a posed problem under a set of values."""
    given = at.problem.penalty
    relaxed = given.relaxed() if isinstance(given, Discrete) else given
    if not isinstance(relaxed, ElasticNet):
        raise ValueError(f"values go with a lasso or ridge, not with {type(relaxed).__name__}")
    at.problem.penalty = Discrete.under(relaxed, values)
    try:
        return at.model(
            (DiscreteAdmm() if solver is None else solver).run(at.problem, at.x, callback)
        )
    finally:
        at.problem.penalty = given


def eta_grid(model: Any, zeta: int, n: int = ETAS) -> list[float]:
    """Sizes of steps by powers of sqrt 2, around that whose largest value is the quantile 1 - 0.1 zeta^-1.5 of the weights' sizes."""
    sizes = np.abs(weights_of(model))
    if len(sizes) == 0:
        raise ValueError("the model has no weights that differ from zero")
    middle = float(np.quantile(sizes, 1 - 0.1 * zeta**-1.5)) / max(value_set(1.0, zeta))
    return [middle * 2 ** ((k - n // 2) / 2) for k in range(n)]


def tune_values(
    model: Any,
    train: tuple[Any, Any] | None,
    dev: tuple[Any, Any] | None,
    zeta: int,
    etas: Sequence[float] | None = None,
    score: Callable[[Any], float] | None = None,
    **options: Any,
) -> tuple[Any, list[Trial]]:
    """The best of the models with 2 zeta values over several eta, and all trials.

    Without train the model is rounded, with it learned again from its own weights (see discretize, which takes the options).
    The best has the highest `score`; without one, that of model.score on dev; without dev, the lowest objective on train (of a
    parser, which has none, the highest score there) or, if there is none either, the least squares of what rounding changes. Ties go to the smaller model. When a callback asks to
    stop, the best so far is returned.
    """
    posing = {name: options.pop(name) for name in ("penalty", "features") if name in options}
    learn = None if train is None else relearner(model, *train, **posing)
    callback, stopped = options.pop("callback", None), [False]

    def watch(event: Event) -> bool:
        stopped[0] = callback is not None and bool(callback(event))
        return stopped[0]

    def reached(found: Any, values: Values) -> float:
        if score is not None:
            return float(score(found))
        if dev is not None:
            return float(found.score(*dev))
        if train is not None:
            # Learners that minimise nothing, such as MIRA, report an objective of nan.
            objective = float(getattr(found, "objective_", math.nan))
            return -objective if math.isfinite(objective) else float(found.score(*train))
        off = weights_of(model) - nearest(values, weights_of(model))
        return -float(off @ off)

    best: tuple[tuple[float, int], Any] | None = None
    trials: list[Trial] = []
    for eta in eta_grid(model, zeta) if etas is None else etas:
        values = value_set(eta, zeta)
        found = (
            quantize(model, values) if learn is None else learn(values, callback=watch, **options)
        )
        trials.append(Trial(float(eta), reached(found, values), len(weights_of(found))))
        key = (trials[-1].score, -trials[-1].n_nonzero)
        if best is None or key > best[0]:
            best = (key, found)
        if stopped[0]:
            break
    if best is None:
        raise ValueError("there is no eta to try")
    return best[1], trials


def degrees_of_freedom(model: Any) -> int:
    """How many different values the weights of a fitted model have that are not zero."""
    return len(np.unique(weights_of(model)))
