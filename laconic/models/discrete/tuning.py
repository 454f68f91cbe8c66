"""The values of a model's weights, chosen on held-out data: rounded, or learned again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NamedTuple

import numpy as np

from laconic.core.arrays import Array
from laconic.core.penalties import ElasticNet, learned_values, value_set
from laconic.core.penalties.value_sets import Values, nearest
from laconic.core.report import Callback, Event
from laconic.core.solvers.discrete import DiscreteAdmm
from laconic.models.discrete.forms import rounding_power, weights_of
from laconic.models.discrete.values import ModelT, given_solver, quantize, relearner

ETAS, MOST_EXTENSIONS = 5, 4
POWERS = (0.0, 0.5, 1.0)  # of learned_values, where a score chooses
ROUNDED, AGAIN = "rounded", "learned again"
Data = tuple[Any, Any]  # X and y, as `fit` takes them


class ValuesTrial(NamedTuple):
    """The score of one set of values: that of the model with them on development data.

    Parameters
    ----------
    method : {"rounded", "learned again"}
        What was done with the weights.
    eta : float or None
        The scale of the values; None for values learned from the weights.
    power : float or None
        The power of `learned_values`, where they were learned from the weights and no data.
    score : float
        The score, the higher the better.
    n_nonzero : int
        Number of weights that are not zero.
    """

    method: str
    eta: float | None
    power: float | None
    score: float
    n_nonzero: int


def eta_grid(model: object, zeta: int, n: int = ETAS) -> list[float]:
    """Return n step sizes by powers of 2.

    The largest value of the middle one is the quantile 1 - 0.1 zeta^-1.5 of the weights' sizes.
    """
    sizes = np.abs(weights_of(model))
    if len(sizes) == 0:
        raise ValueError("the model has no weights that differ from zero")
    middle = float(np.quantile(sizes, 1 - 0.1 * zeta**-1.5)) / max(value_set(1.0, zeta))
    return [middle * 2.0 ** (k - n // 2) for k in range(n)]


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
    """Return the best of the models with 2 zeta weight values over several sets, and all trials.

    Weights are rounded to values that are learned from them and, where there is a score, to those
    of several eta (those of online learners are not), beyond the grid where its edge is the best;
    with training data they are learned again, too. The best has the highest `score`; without one,
    the highest of `model.score` on dev; without dev, the lowest objective on train (for learners
    that minimise nothing, the highest score there); without train either, the least squares of what
    rounding changes. Ties go to the smaller model.

    Parameters
    ----------
    model : TextClassifier, Tagger, Parser, SparseClassifier or SparseRegressor
        A fitted model, which stays as it is.
    train : tuple (X, y) or None
        Data to learn the weights again, see `discretize`; None rounds them, see `quantize`.
    dev : tuple (X, y) or None
        Data to choose the values by, and whether weights are rounded or learned again.
    zeta : int
        Half the number of non-zero values.
    etas : sequence of float, optional
        Step sizes of the sets `value_set(eta, zeta)`, which alone are tried; with training data the
        weights are learned again for all of them.
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
        The values, score and number of non-zero weights of each model.

    Examples
    --------
    >>> import laconic
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]), [0.1, 1.2, 2.0, 3.1]
    >>> model = laconic.SparseRegressor(laconic.L1(0.001)).fit(X, y)
    >>> best, trials = laconic.tune_values(model, None, (X, y), zeta=1, etas=[0.1, 0.5])
    >>> best.coef_.tolist(), [trial.eta for trial in trials]
    ([0.75, 0.0], [0.1, 0.5])
    """
    watch = _Watch(callback)
    given = score if score is not None else None if dev is None else lambda m: m.score(*dev)
    search = _Search(model, zeta, given, watch)
    if etas is not None and not len(etas):
        raise ValueError("there is no eta to try")
    if train is None:
        if etas is not None:
            search.round_etas(etas)
        else:
            search.round_all()
        return search.best, search.trials
    if etas is None and given is not None:
        search.round_all()
    if not watch.stopped:
        learn = relearner(model, *train, penalty=penalty, features=features)
        for eta in [None] if etas is None else etas:
            values = 2 * zeta if eta is None else value_set(eta, zeta)
            found = learn(values, callback=watch, **given_solver(solver))
            reached = _train_score(found, train) if given is None else float(given(found))
            search.add(found, AGAIN, eta, None, reached)
            if watch.stopped:
                break
    return search.best, search.trials


class _Search(Generic[ModelT]):
    """Trials of a model with few values, and the best of them."""

    def __init__(
        self, model: ModelT, zeta: int, score: Callable[[ModelT], float] | None, watch: _Watch
    ) -> None:
        self.model, self.zeta, self.score, self.watch = model, zeta, score, watch
        self.weights = weights_of(model)
        self.trials: list[ValuesTrial] = []
        self._best: tuple[tuple[float, int], ModelT] | None = None

    @property
    def best(self) -> ModelT:
        """The best model so far."""
        assert self._best is not None
        return self._best[1]

    def add(
        self, found: ModelT, method: str, eta: float | None, power: float | None, score: float
    ) -> float:
        """Note a trial, and return its score."""
        eta = None if eta is None else float(eta)
        self.trials.append(ValuesTrial(method, eta, power, score, len(weights_of(found))))
        key = (score, -self.trials[-1].n_nonzero)
        if self._best is None or key > self._best[0]:
            self._best = (key, found)
        return score

    def round(self, values: Values, eta: float | None, power: float | None = None) -> float:
        """Round the weights to these values, and return the score."""
        found = quantize(self.model, values)
        reached = (
            -_rounding_error(self.weights, values)
            if self.score is None
            else float(self.score(found))
        )
        return self.add(found, ROUNDED, eta, power, reached)

    def round_etas(self, etas: Iterable[float]) -> list[float]:
        """Round the weights to the values of several eta, and return the scores."""
        scores = []
        for eta in etas:
            scores.append(self.round(value_set(eta, self.zeta), eta))
            if self.watch.stopped:
                break
        return scores

    def round_all(self) -> None:
        """Round to values learned from the weights; with a score, also to those of a grid of eta.

        The grid is that of weights of a lasso, and extended at an edge that is its best place.
        """
        own = rounding_power(self.model)
        powers = [own] if self.score is None else [own, *(p for p in POWERS if p != own)]
        for power in powers:
            self.round(learned_values(self.weights, 2 * self.zeta, power), None, power)
            if self.watch.stopped:
                return
        if self.score is None or own:
            return  # no eta was better for weights of online learners, of five parsers and a tagger
        etas = eta_grid(self.model, self.zeta)
        scores = self.round_etas(etas)
        for _ in range(MOST_EXTENSIONS):
            if self.watch.stopped or len(scores) < len(etas):
                return
            at = int(np.argmax(scores))
            if 0 < at < len(etas) - 1:
                return
            last = at > 0
            etas.insert(len(etas) if last else 0, etas[at] * (2.0 if last else 0.5))
            scores.insert(len(scores) if last else 0, *self.round_etas([etas[-1 if last else 0]]))


class _Watch:
    """A callback that remembers whether the user's one has asked to stop."""

    def __init__(self, callback: Callback | None) -> None:
        self._callback = callback
        self.stopped = False

    def __call__(self, event: Event) -> bool:
        self.stopped = self._callback is not None and bool(self._callback(event))
        return self.stopped


def _train_score(found: Any, train: Data) -> float:
    """Return minus the objective on train, or the score there of what has no objective."""
    # Learners that minimise nothing, such as MIRA, report an objective of nan.
    objective = float(getattr(found, "objective_", math.nan))
    return -objective if math.isfinite(objective) else float(found.score(*train))


def _rounding_error(weights: Array, values: Values) -> float:
    """Return the sum of squares of what rounding changes."""
    off = weights - nearest(values, weights)
    return float(off @ off)
