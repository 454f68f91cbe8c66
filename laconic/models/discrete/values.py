"""Fitted models with few weight values: rounded, or learned again under a discrete constraint.

    quantize(model, values)                 every weight to the nearest value (QT)
    discretize(model, X, y, values)         DC-ADMM from the model's weights, over the features that
                                            the model or the data has
    tune_values(model, train, dev, zeta)    either of them for several eta; the best on dev

One mechanism serves every kind of model that has registered its form
(laconic.models.discrete.forms).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from laconic.core.penalties import Discrete, ElasticNet, Penalty, value_set
from laconic.core.penalties.discrete import Values, check_values, nearest
from laconic.core.penalties.elastic import simplest
from laconic.core.penalties.names import as_penalty
from laconic.core.report import Callback, Event
from laconic.core.solvers.discrete import DiscreteAdmm
from laconic.models.discrete.forms import OfKind, Posed, posed, rounded, weights_of

ETAS = 7
ModelT = TypeVar("ModelT")
Data = tuple[Any, Any]  # X and y, as `fit` takes them


class ValuesTrial(NamedTuple):
    """The score of one eta: of the model with its values on development data."""

    eta: float
    score: float
    n_nonzero: int


def quantize(model: ModelT, values: Iterable[float]) -> ModelT:
    """Round every weight w to the nearest value: argmin over v in values of |w - v|.

    Parameters
    ----------
    model : TextClassifier, Tagger, Parser, SparseClassifier or SparseRegressor
        A fitted model, which stays as it is.
    values : iterable of float
        The values that weights may have; zero is always one of them.

    Returns
    -------
    model : estimator
        A copy with rounded weights.

    Examples
    --------
    >>> import laconic
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [0.1, 1.2, 2.0, 3.1]
    >>> model = laconic.SparseRegressor(laconic.L1(0.001)).fit(X, y)
    >>> laconic.quantize(model, [-1.0, 1.0]).coef_.tolist()
    [1.0, 0.0]
    """
    allowed = check_values(values)
    found: ModelT = rounded(model, lambda weights: nearest(allowed, weights).astype(weights.dtype))
    return found


def discretize(
    model: ModelT,
    X: object,
    y: object,
    values: Iterable[float],
    solver: DiscreteAdmm | None = None,
    callback: Callback | None = None,
    *,
    penalty: Penalty | str | None = None,
    features: str = "model",
) -> ModelT:
    """Learn a model again: min_w loss(w) + penalty(w) with every weight w_j in `values`.

    The problem is not convex; DC-ADMM starts from the model's own weights. A parser is learned
    again by passes of MIRA over its own features (OnlineDiscrete), with the lasso of a penalty L1,
    if one is given, and no solver.

    Parameters
    ----------
    model : TextClassifier, Tagger, Parser, SparseClassifier or SparseRegressor
        A fitted model, which stays as it is.
    X, y : as for `model.fit`
        Training data.
    values : iterable of float
        The values that weights may have; zero is always one of them.
    solver : DiscreteAdmm, optional
        The solver; DiscreteAdmm() if not given.
    callback : callable, optional
        Called with an Event after each round; True stops and keeps the best weights so far.
    penalty : Penalty or str, optional
        The penalty, a lasso or ridge by its name or as an object; that of the model if not given.
    features : {"model", "data"}, default="model"
        Whether the features that have weights in the model take part, or all of the data.

    Returns
    -------
    model : estimator
        A copy with weights of these values.

    Examples
    --------
    >>> import laconic
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [0.1, 1.2, 2.0, 3.1]
    >>> model = laconic.SparseRegressor(laconic.L1(0.001)).fit(X, y)
    >>> laconic.discretize(model, np.array(X), y, [-1.0, 1.0]).coef_.tolist()
    [1.0, 0.0]
    """
    chosen = None if penalty is None else _lasso_and_ridge(as_penalty(penalty))
    learn = relearner(model, X, y, penalty=chosen, features=features)
    found: ModelT = learn(check_values(values), callback, **_given(solver))
    return found


def _given(solver: DiscreteAdmm | None) -> dict[str, DiscreteAdmm]:
    """Return the options of a relearner, some of which take no solver."""
    return {} if solver is None else {"solver": solver}


@OfKind
def relearner(
    model: object,
    X: object,
    y: object,
    penalty: ElasticNet | None = None,
    features: str = "model",
) -> Callable[..., Any]:
    """Return the function (values, callback, solver) -> the model learned again on X and y."""
    at = posed(model, X, y, penalty=penalty, features=features)
    return lambda values, callback=None, solver=None: solve_posed(at, values, solver, callback)


def solve_posed(
    at: Posed, values: Values, solver: DiscreteAdmm | None = None, callback: Callback | None = None
) -> Any:
    """Return the model that solves a posed problem under a set of values."""
    given = at.problem.penalty
    relaxed = given.relaxed() if isinstance(given, Discrete) else given
    at.problem.penalty = Discrete.under(_lasso_and_ridge(relaxed), values)
    chosen = DiscreteAdmm() if solver is None else solver
    try:
        return at.model(chosen.run(at.problem, at.x, callback))
    finally:
        at.problem.penalty = given


def _lasso_and_ridge(penalty: Penalty) -> ElasticNet:
    """Return a penalty that is a lasso and a ridge; ValueError for others."""
    found = simplest(penalty)
    if not isinstance(found, ElasticNet) or found.positive:
        raise ValueError(
            "values go with a lasso or ridge, whose weights are rounded one by one, not with "
            f"{type(penalty).__name__}: use L1, Ridge or a sum of them"
        )
    return found


def eta_grid(model: object, zeta: int, n: int = ETAS) -> list[float]:
    """Return n step sizes by powers of sqrt 2.

    The largest value of the middle one is the quantile 1 - 0.1 zeta^-1.5 of the weights' sizes.
    """
    sizes = np.abs(weights_of(model))
    if len(sizes) == 0:
        raise ValueError("the model has no weights that differ from zero")
    middle = float(np.quantile(sizes, 1 - 0.1 * zeta**-1.5)) / max(value_set(1.0, zeta))
    return [middle * 2 ** ((k - n // 2) / 2) for k in range(n)]


def tune_values(
    model: ModelT,
    train: Data | None,
    dev: Data | None,
    zeta: int,
    etas: Sequence[float] | None = None,
    score: Callable[[ModelT], float] | None = None,
    *,
    solver: DiscreteAdmm | None = None,
    callback: Callback | None = None,
    penalty: ElasticNet | None = None,
    features: str = "model",
) -> tuple[ModelT, list[ValuesTrial]]:
    """Return the best of the models with 2 zeta weight values over several eta, and all trials.

    The best has the highest `score`; without one, the highest of `model.score` on dev; without dev,
    the lowest objective on train (for learners that minimise nothing, the highest score there);
    without train either, the least squares of what rounding changes. Ties go to the smaller model.

    Parameters
    ----------
    model : TextClassifier, Tagger, Parser, SparseClassifier or SparseRegressor
        A fitted model, which stays as it is.
    train : tuple (X, y) or None
        Data to learn the weights again, see `discretize`; None rounds them, see `quantize`.
    dev : tuple (X, y) or None
        Data to choose eta by.
    zeta : int
        Half the number of non-zero values, which are those of `value_set(eta, zeta)`.
    etas : sequence of float, optional
        Step sizes to try; seven around the sizes of the model's weights if not given.
    score : callable, optional
        The score of a model, the higher the better.
    solver : DiscreteAdmm, optional
        The solver that learns the weights again, see `discretize`.
    penalty : ElasticNet, optional
        The penalty of the problem; that of the model if not given.
    features : {"model", "data"}, default="model"
        Whether the features of the model or all features of the data take part.
    callback : callable, optional
        Called with an Event after each round; True stops, and the best so far is returned.

    Returns
    -------
    model : estimator
        The best model.
    trials : list of ValuesTrial
        eta, score and number of non-zero weights of each model.

    Examples
    --------
    >>> import laconic
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]), [0.1, 1.2, 2.0, 3.1]
    >>> model = laconic.SparseRegressor(laconic.L1(0.001)).fit(X, y)
    >>> best, trials = laconic.tune_values(model, None, (X, y), zeta=1, etas=[0.1, 0.5])
    >>> best.coef_.tolist(), [trial.eta for trial in trials]
    ([0.75, 0.0], [0.1, 0.5])
    """
    learn = None
    if train is not None:
        learn = relearner(model, *train, penalty=penalty, features=features)
    watch = _Watch(callback)
    best: tuple[tuple[float, int], ModelT] | None = None
    trials: list[ValuesTrial] = []
    for eta in eta_grid(model, zeta) if etas is None else etas:
        values = value_set(eta, zeta)
        found = (
            quantize(model, values)
            if learn is None
            else learn(values, callback=watch, **_given(solver))
        )
        if score is not None:
            reached = float(score(found))
        elif dev is None and train is None:
            reached = -_rounding_error(model, values)
        else:
            reached = _data_score(found, train, dev)
        trials.append(ValuesTrial(float(eta), reached, len(weights_of(found))))
        key = (reached, -trials[-1].n_nonzero)
        if best is None or key > best[0]:
            best = (key, found)
        if watch.stopped:
            break
    if best is None:
        raise ValueError("there is no eta to try")
    return best[1], trials


class _Watch:
    """A callback that remembers whether the user's one has asked to stop."""

    def __init__(self, callback: Callback | None) -> None:
        self._callback = callback
        self.stopped = False

    def __call__(self, event: Event) -> bool:
        self.stopped = self._callback is not None and bool(self._callback(event))
        return self.stopped


def _data_score(found: Any, train: Data | None, dev: Data | None) -> float:
    """Return the score on dev; without dev, minus the objective or the score on train."""
    if dev is not None:
        return float(found.score(*dev))
    # Learners that minimise nothing, such as MIRA, report an objective of nan.
    objective = float(getattr(found, "objective_", math.nan))
    if math.isfinite(objective) or train is None:
        return -objective
    return float(found.score(*train))


def _rounding_error(model: object, values: Values) -> float:
    """Return the sum of squares of what rounding changes."""
    weights = weights_of(model)
    off = weights - nearest(values, weights)
    return float(off @ off)


def degrees_of_freedom(model: object) -> int:
    """Return the number of different non-zero values of the weights of a fitted model."""
    return len(np.unique(weights_of(model)))
