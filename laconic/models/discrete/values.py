"""Fitted models with few weight values: rounded, or learned again under a discrete constraint.

    quantize(model, values)                 every weight to the nearest value (QT)
    discretize(model, X, y, values)         DC-ADMM from the model's weights, over the features that
                                            the model or the data has

laconic.models.discrete.tuning tries either of them for several sets of values.

One mechanism serves every kind of model that has registered its form
(laconic.models.discrete.forms).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from laconic.core.penalties import Discrete, ElasticNet, Penalty
from laconic.core.penalties.elastic import simplest
from laconic.core.penalties.names import as_penalty
from laconic.core.penalties.value_sets import GivenValues, nearest, values_for
from laconic.core.report import Callback
from laconic.core.solvers.discrete import DiscreteAdmm
from laconic.models.discrete.forms import OfKind, Posed, posed, rounded, rounding_power, weights_of

ModelT = TypeVar("ModelT")


def quantize(model: ModelT, values: GivenValues) -> ModelT:
    """Round every weight w to the nearest value: argmin over v in values of |w - v|.

    With a number of values these are learned from the weights (see `learned_values`).

    Parameters
    ----------
    model : TextClassifier, Tagger, Parser, SparseClassifier or SparseRegressor
        A fitted model, which stays as it is.
    values : iterable of float or int
        The values that weights may have, or their number; zero is always one of them.

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
    allowed = values_for(values, weights_of(model), rounding_power(model))
    found: ModelT = rounded(model, lambda weights: nearest(allowed, weights).astype(weights.dtype))
    return found


def discretize(
    model: ModelT,
    X: object,
    y: object,
    values: GivenValues,
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
    values : iterable of float or int
        The values that weights may have; zero is always one of them. An integer is their number:
        they are then learned too, by Lloyd's steps between the rounds.
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
    found: ModelT = learn(values, callback, **given_solver(solver))
    return found


def given_solver(solver: DiscreteAdmm | None) -> dict[str, DiscreteAdmm]:
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
    at: Posed,
    values: GivenValues,
    solver: DiscreteAdmm | None = None,
    callback: Callback | None = None,
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


def degrees_of_freedom(model: object) -> int:
    """Return the number of different non-zero values of the weights of a fitted model."""
    return len(np.unique(weights_of(model)))
