"""StrengthIC: the strength of a penalty by an information criterion, from one path over all data.

    aic  = -2 log L + 2 df
    bic  = -2 log L + log(n) df                                       (Schwarz 1978)
    ebic = bic + 2 gamma log (p choose df)                            (Chen and Chen 2008)

-2 log L is twice the loss of a classifier or of counts, n log(2 loss / n) of a squared loss, whose
variance is estimated. n is the sum of the weights of the rows, p the number of penalised weights.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from laconic.core.arrays import AnyArray, Array, MatrixLike
from laconic.core.losses import Logistic, Multinomial, Poisson, Squared
from laconic.core.problem import Problem
from laconic.core.report import Callback, Event
from laconic.linear.base import SparseLinear
from laconic.linear.freedom import degrees_of_freedom
from laconic.linear.grid import given_grid, path_start
from laconic.linear.path import walk
from laconic.linear.search import StrengthSearch

CRITERIA = ("aic", "bic", "ebic")
LIKELIHOODS = (Logistic, Multinomial, Poisson)


class Judged(NamedTuple):
    """One combination of parameters: criterion, fit and degrees of freedom of every strength."""

    params: dict[str, object]
    estimator: SparseLinear
    strengths: Array
    criterion: Array
    deviance: Array
    freedom: Array
    selected: Array


class StrengthIC(StrengthSearch):
    """argmin over strengths of an information criterion, -2 log L + cost * degrees of freedom.

    One warm-started path over all data instead of one per fold: faster than StrengthCV, and BIC
    and EBIC choose the true features where there are few of them and many rows. For predictions
    StrengthCV is the safer choice.

    Parameters
    ----------
    estimator : SparseClassifier or SparseRegressor
        Model with any penalty; its loss is Logistic, Multinomial, Poisson or Squared.
    criterion : {"aic", "bic", "ebic"}, default="bic"
        The criterion; of a squared loss, models with more than n / 2 degrees of freedom are left
        out, since nothing is left to estimate the variance from.
    gamma : float, default=0.5
        Weight of the number of models in "ebic", from 0 (which is BIC) to 1.
    strengths : array or None, default=None
        Strengths to try; None is a geometric grid as in StrengthCV.
    n_strengths : int, default=50
        Number of strengths of the grid.
    ratio : float or None, default=None
        Smallest strength of the grid over the largest; None is 1e-3, 1e-6 for a ridge.
    parameters : dict of str to sequence or None, default=None
        Further parameters to try, as in StrengthCV.

    Attributes
    ----------
    best_strength_, best_params_, best_score_
        The chosen strength, with further parameters, and the criterion there, the lower the better.
    best_estimator_ : SparseClassifier or SparseRegressor
        The model fitted with them.
    strengths_, criterion_, degrees_of_freedom_, deviance_ : array of shape (S,)
        Strengths tried with the chosen parameters, criterion, degrees of freedom (see
        laconic.linear.freedom) and -2 log L.
    ic_results_ : dict of str to array
        A table of all that was tried.
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_selected_
        Those of the best estimator.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from laconic import L1, SparseRegressor, StrengthIC
    >>> search = StrengthIC(SparseRegressor(L1(), standardize=True))
    >>> search.fit(*load_diabetes(return_X_y=True)).n_selected_
    7
    """

    def __init__(
        self,
        estimator: SparseLinear,
        criterion: str = "bic",
        gamma: float = 0.5,
        strengths: ArrayLike | None = None,
        n_strengths: int = 50,
        ratio: float | None = None,
        parameters: Mapping[str, Sequence[object]] | None = None,
    ):
        self.estimator = estimator
        self.criterion = criterion
        self.gamma = gamma
        self.strengths = strengths
        self.n_strengths = n_strengths
        self.ratio = ratio
        self.parameters = parameters

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        callback: Callback | None = None,
    ) -> StrengthIC:
        """Judge a path of every setting, and keep the best model.

        Parameters
        ----------
        X : sparse matrix or array of shape (n, p)
            One row of features per example.
        y : array of shape (n,)
            Target of each example.
        sample_weight : array of shape (n,) or None, default=None
            Number of examples that each row stands for.
        offset : array of shape (n,) or (n, K) or None, default=None
            What is added to the scores of each row.
        callback : callable or None, default=None
            Called with an Event per strength; True chooses from what is there.

        Returns
        -------
        self
            The fitted search.
        """
        began = time.perf_counter()
        if self.criterion not in CRITERIA or not 0 <= self.gamma <= 1:
            raise ValueError(
                f"criterion is one of {', '.join(CRITERIA)} and gamma from 0 to 1, "
                f"got {self.criterion!r} and {self.gamma!r}"
            )
        judged: list[Judged] = []
        stopped = False
        for params, estimator in self.settings():
            if stopped:
                break
            problem = estimator.build_problem(X, y, sample_weight, offset)
            found, stopped = self._judge(params, estimator, problem, callback)
            judged.append(found)
        chosen = min(judged, key=lambda one: float(one.criterion.min()))
        k = int(np.argmin(chosen.criterion))
        if k == len(chosen.strengths) - 1 and k > 0 and not stopped:
            warnings.warn(
                f"the best strength, {chosen.strengths[k]:.4g}, is the weakest that was tried",
                UserWarning,
                stacklevel=2,
            )
        self.best_strength_ = float(chosen.strengths[k])
        self.best_params_ = {**chosen.params, "strength": self.best_strength_}
        self.best_score_ = float(chosen.criterion[k])
        self.strengths_, self.criterion_ = chosen.strengths, chosen.criterion
        self.degrees_of_freedom_, self.deviance_ = chosen.freedom, chosen.deviance
        self.ic_results_ = ic_table(judged)
        penalty = chosen.estimator.chosen_penalty().replace(strength=self.best_strength_)
        self.best_estimator_ = chosen.estimator.set_params(penalty=penalty)
        self.best_estimator_.fit(X, y, sample_weight=sample_weight, offset=offset)
        report, seconds = self.best_estimator_.report_, time.perf_counter() - began
        interrupted = stopped or report.interrupted
        self.report_ = replace(report, seconds=seconds, interrupted=interrupted)
        return self

    def _judge(
        self,
        params: dict[str, object],
        estimator: SparseLinear,
        problem: Problem,
        callback: Callback | None,
    ) -> tuple[Judged, bool]:
        """Return criterion and fit of every strength, and whether the callback stopped it."""
        start = path_start(estimator, problem)
        if self.strengths is None:
            grid, x = start.grid(self.n_strengths, self.ratio), start.x
        else:
            grid, x = given_grid(self.strengths), problem.start()
        rows: list[tuple[float, float, float, int]] = []
        stopped = False
        for result in walk(estimator, problem, grid, x):
            freedom = degrees_of_freedom(problem, result.x)
            if isinstance(problem.loss, Squared) and freedom > problem.total_weight / 2 and rows:
                break
            deviance = self._deviance(problem, estimator.final_point(problem, result))
            value = deviance + self._cost(problem, freedom)
            count = int(np.count_nonzero(problem.parts(result.x)[0]))
            rows.append((value, deviance, freedom, count))
            event = Event("strength", len(rows), len(grid), value, result.error, count)
            if callback is not None and callback(event):
                stopped = True
                break
        table = np.array(rows).T
        return Judged(params, estimator, grid[: len(rows)], *table), stopped

    @staticmethod
    def _deviance(problem: Problem, x: Array) -> float:
        """Return -2 log L, up to a constant."""
        loss = problem.loss_value(x)
        if isinstance(problem.loss, Squared):
            n = problem.total_weight * problem.design.n_outputs
            return float(n * np.log(max(2 * loss / n, 1e-300)))
        if isinstance(problem.loss, LIKELIHOODS):
            return 2 * loss
        raise ValueError(
            f"{type(problem.loss).__name__} is not a likelihood, which an information criterion "
            "needs: use Logistic, Multinomial, Poisson or Squared, or StrengthCV"
        )

    def _cost(self, problem: Problem, freedom: float) -> float:
        """Return what a criterion charges for degrees of freedom."""
        if self.criterion == "aic":
            return 2 * freedom
        cost = float(np.log(max(problem.total_weight, 1.0))) * freedom
        if self.criterion == "ebic":
            p = problem.design.n_penalised
            k = min(max(freedom - len(problem.parts(problem.start())[1]), 0.0), float(p))
            models = gammaln(p + 1) - gammaln(k + 1) - gammaln(p - k + 1)
            cost += 2 * self.gamma * float(models)
        return cost


def ic_table(judged: Sequence[Judged]) -> dict[str, AnyArray]:
    """Return one row per setting and strength."""
    rows = [(one, k) for one in judged for k in range(len(one.strengths))]
    table: dict[str, AnyArray] = {
        "param_strength": np.concatenate([one.strengths for one in judged])
    }
    for name in judged[0].params:
        values = np.empty(len(rows), dtype=object)
        values[:] = [one.params[name] for one, _ in rows]
        table[f"param_{name}"] = values
    for name in ("criterion", "deviance", "freedom", "selected"):
        table[name] = np.concatenate([getattr(one, name) for one in judged])
    return table
