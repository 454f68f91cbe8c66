"""TemporalRegressor and TemporalClassifier: linear models whose weights move over time."""

from __future__ import annotations

from laconic.classify.learn import ClassWeight
from laconic.core.losses import Loss
from laconic.core.penalties import Penalty
from laconic.core.solvers.base import Solver
from laconic.linear.model import SparseClassifier, SparseRegressor
from laconic.time.base import TemporalLinear


class TemporalRegressor(TemporalLinear, SparseRegressor):
    """min_W sum_n s_n loss(y_n, x_n W^(t_n) + b + d^(t_n)) + penalty(trajectories of W and d).

    A regression of a real target (Squared) or of counts (Poisson) whose weights move over time.

    Parameters
    ----------
    penalty : str, Penalty or None, default=None
        Penalty of the trajectories, by default "adaptive", AdaptivePrior(). "smooth-ridge", "fused"
        and "smooth-group" (SmoothRidge, FusedLasso, SmoothGroupLasso) are about trajectories too;
        of any other penalty or name, a group holds the whole trajectories of its features.
    loss : Loss or None, default=None
        Loss, by default Squared(); Poisson() for counts.
    solver : Solver or None, default=None
        Solver, by default the one that suits the penalty.
    fit_intercept : bool, default=True
        Whether there is a constant that is not penalised.
    drift : bool, default=True
        Whether the constant may move too, under the penalty.
    mode : {"moving", "pooled", "last"}, default="moving"
        Whether weights move, are the same at all steps (pooled), or come from the last step alone.
    step : str, float or None, default=None
        Length of a step: year, quarter, month, week or day for dates, a width for numbers.
        None for times that are steps already.
    start : Penalty or None, default=None
        Penalty of the fit from which AdaptivePrior starts, by default a SmoothRidge.
    fit_tau : bool, default=False
        Whether the tau of AdaptivePrior is fitted too (empirical Bayes).
    tol : float, default=1e-3
        Certificate to reach if no solver is given.
    max_iter : int or None, default=None
        Maximum number of steps if no solver is given.
    n_jobs : int or None, default=None
        Number of threads; -1 for all cores.
    strength : float or None, default=None
        Strength of the penalty; None keeps the penalty's own.

    Attributes
    ----------
    trajectories_ : ndarray of shape (n_features, n_steps)
        Weight of each feature at each step.
    drift_ : ndarray of shape (n_steps,)
        Constant at each step, intercept included.
    coef_, intercept_ : ndarray of shape (n_features,) and float
        Weights and constant of the last step.
    clock_ : TimeGrid
        Which time belongs to which step.
    steps_ : list of str
        Names of the steps.
    alpha_ : ndarray of shape (n_features,)
        Mean autocorrelation, from -1/2 (does not move) to 0; AdaptivePrior alone.
    penalty_ : Penalty
        The penalty as it was used.
    report_ : FitReport
        Objective, certificate, number of steps ..

    Examples
    --------
    >>> import numpy as np
    >>> from laconic.time.trajectories import SmoothRidge
    >>> years = np.repeat(np.arange(2001, 2007), 4)
    >>> X = np.tile([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0]], (6, 1))
    >>> y = X[:, 0] * (years - 2000)  # the first weight rises by one every year
    >>> model = TemporalRegressor(SmoothRidge(strength=0.01), step="year").fit(X, y, times=years)
    >>> model.trajectories_[0].round(1).tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    >>> model.predict([[1.0, 0.0]]).round(1).tolist()
    [6.0]
    """

    def _one(self) -> SparseRegressor:
        return SparseRegressor()

    def _plain(self, step: int, loss: Loss) -> SparseRegressor:
        plain = super()._plain(step, loss)
        assert isinstance(plain, SparseRegressor)
        plain.coef_, plain.intercept_ = plain.coef_.ravel(), float(plain.intercept_[0])
        return plain


class TemporalClassifier(TemporalLinear, SparseClassifier):
    """min_W sum_n s_n loss(y_n, x_n W^(t_n) + b + d^(t_n)) + penalty(trajectories of W and d).

    A classifier whose weights move over time: logistic for two classes, multinomial for more.

    Parameters
    ----------
    penalty : Penalty or None, default=None
        Penalty of the trajectories, by default AdaptivePrior(); see TemporalRegressor.
    loss : Loss or None, default=None
        Loss, by default Logistic() for two classes and Multinomial() for more.
    solver : Solver or None, default=None
        Solver, by default the one that suits the penalty.
    fit_intercept : bool, default=True
        Whether there is a constant per output that is not penalised.
    drift : bool, default=True
        Whether the constant may move too, under the penalty.
    mode : {"moving", "pooled", "last"}, default="moving"
        Whether weights move, are the same at all steps (pooled), or come from the last step alone.
    step : str, float or None, default=None
        Length of a step: year, quarter, month, week or day for dates, a width for numbers.
        None for times that are steps already.
    start : Penalty or None, default=None
        Penalty of the fit from which AdaptivePrior starts, by default a SmoothRidge.
    fit_tau : bool, default=False
        Whether the tau of AdaptivePrior is fitted too (empirical Bayes).
    tol : float, default=1e-3
        Certificate to reach if no solver is given.
    max_iter : int or None, default=None
        Maximum number of steps if no solver is given.
    n_jobs : int or None, default=None
        Number of threads; -1 for all cores.
    strength : float or None, default=None
        Strength of the penalty; None keeps the penalty's own.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes in the loss, as in scikit-learn.

    Attributes
    ----------
    trajectories_ : ndarray of shape (n_features, n_steps) or (n_features, n_steps, n_classes)
        Weight of each feature at each step; of two classes those of the second.
    drift_ : ndarray of shape (n_steps,) or (n_steps, n_classes)
        Constants at each step, intercept included.
    classes_ : ndarray
        The labels, sorted.
    coef_, intercept_ : ndarray
        Weights and constants of the last step.
    clock_, steps_, alpha_, penalty_, report_
        As in TemporalRegressor.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic.time.trajectories import SmoothRidge
    >>> years = np.repeat([2001, 2002, 2003, 2004], 6)
    >>> X = np.tile([[1.0], [-1.0]], (12, 1))
    >>> y = np.where((X[:, 0] > 0) == (years > 2002), "yes", "no")  # the effect changes its sign
    >>> model = TemporalClassifier(SmoothRidge(strength=0.1, smoothness=0.1), step="year")
    >>> model = model.fit(X, y, times=years)
    >>> np.sign(model.trajectories_[0]).tolist()
    [-1.0, -1.0, 1.0, 1.0]
    >>> model.predict([[1.0], [-1.0]]).tolist()
    ['yes', 'no']
    """

    def __init__(
        self,
        penalty: Penalty | str | None = None,
        loss: Loss | None = None,
        solver: Solver | None = None,
        fit_intercept: bool = True,
        drift: bool = True,
        mode: str = "moving",
        step: str | float | None = None,
        start: Penalty | None = None,
        fit_tau: bool = False,
        tol: float = 1e-3,
        max_iter: int | None = None,
        n_jobs: int | None = None,
        class_weight: ClassWeight = None,
        strength: float | None = None,
    ) -> None:
        super().__init__(
            penalty=penalty,
            loss=loss,
            solver=solver,
            fit_intercept=fit_intercept,
            drift=drift,
            mode=mode,
            step=step,
            start=start,
            fit_tau=fit_tau,
            tol=tol,
            max_iter=max_iter,
            n_jobs=n_jobs,
            strength=strength,
        )
        self.class_weight = class_weight

    def _one(self) -> SparseClassifier:
        plain = SparseClassifier()
        plain.classes_ = self.classes_
        return plain
