"""StrengthCV: the strength of a penalty, and further parameters, by cross-validation."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from laconic.core.arrays import AnyArray, Array, Ints, MatrixLike, RandomState
from laconic.core.report import Callback, Event
from laconic.linear.base import SparseLinear
from laconic.linear.folds import FoldPath, fold_path, make_splits, setting_start
from laconic.linear.grid import PathStart, given_grid
from laconic.linear.rows import RowData
from laconic.linear.scoring import Metric, Scoring, as_metrics
from laconic.linear.search import StrengthSearch

RULES = ("best", "1se")
MOST_EXTENSIONS = 2  # of one decade each
FLAT = 0.05  # standard errors: less than that is no reason to look further


@dataclass
class Trial:
    """One combination of parameters with its path: what every fold says of every strength."""

    params: dict[str, object]
    estimator: SparseLinear
    start: PathStart
    strengths: Array
    folds: list[FoldPath] = field(default_factory=list)

    def scores(self, metric: int = 0) -> Array:
        """Return the held-out scores, (S, folds)."""
        return np.stack([fold.scores[:, metric] for fold in self.folds], axis=1)

    def selected(self) -> Array:
        """Return the mean number of features, (S,)."""
        return np.asarray(np.mean([fold.selected for fold in self.folds], axis=0))


class StrengthCV(StrengthSearch):
    """argmax over strengths of the mean held-out score: cross-validation along warm-started paths.

    Of several best strengths the largest is taken. Where the best strength is the last of an
    automatic grid, the grid is extended; at the end of given strengths, a warning says so.

    Parameters
    ----------
    estimator : SparseClassifier or SparseRegressor
        Model with any penalty, whose strength is chosen.
    strengths : array or None, default=None
        Strengths to try; None is a geometric grid down from where all penalised weights are zero,
        for a ridge around the typical curvature of the data.
    n_strengths : int, default=30
        Number of strengths of the grid.
    ratio : float or None, default=None
        Smallest strength of the grid over the largest; None is 1e-3, 1e-6 for a ridge.
    parameters : dict of str to sequence or None, default=None
        Further parameters to try in every combination, of the penalty, the loss or the estimator:
        {"l1_ratio": [0.2, 0.5, 0.9]} or {"relax": [0, 0.5, 1]}.
    cv : int, splitter or iterable, default=5
        Number of folds, of shuffled rows; or splits as scikit-learn has them.
    scoring : str, callable, list, dict or None, default=None
        Scores as scikit-learn has them, of which the first decides; None is the model's own loss:
        log-loss, squared error, deviance.
    rule : {"best", "1se"}, default="best"
        Whether to take the best mean score, or the strongest penalty within one standard error of
        it.
    n_jobs : int or None, default=None
        Number of threads over folds and parameters; -1 uses all processors.
    random_state : int, RandomState or None, default=0
        Seed of the shuffled folds.

    Attributes
    ----------
    best_strength_ : float
        The chosen strength.
    best_params_ : dict
        The chosen strength and further parameters.
    best_score_ : float
        Their mean held-out score.
    best_estimator_ : SparseClassifier or SparseRegressor
        The model fitted with them to all data.
    strengths_ : array of shape (S,)
        The strengths tried with the chosen parameters, from large to small.
    scores_ : array of shape (S, folds)
        Their held-out scores.
    cv_results_ : dict of str to array
        A table of all that was tried, as that of scikit-learn's GridSearchCV.
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_selected_
        Those of the best estimator.
    report_ : FitReport
        Report of the fit to all data; its seconds are those of the whole search.

    Examples
    --------
    >>> import numpy as np
    >>> from laconic import L1, SparseRegressor, StrengthCV
    >>> X = np.arange(24.0).reshape(12, 2) % 5
    >>> search = StrengthCV(SparseRegressor(L1()), cv=3).fit(X, X[:, 0])
    >>> search.n_selected_, search.coef_.round(2).tolist()
    (1, [1.0, 0.0])
    """

    def __init__(
        self,
        estimator: SparseLinear,
        strengths: ArrayLike | None = None,
        n_strengths: int = 30,
        ratio: float | None = None,
        parameters: Mapping[str, Sequence[object]] | None = None,
        cv: object = 5,
        scoring: Scoring = None,
        rule: str = "best",
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ):
        self.estimator = estimator
        self.strengths = strengths
        self.n_strengths = n_strengths
        self.ratio = ratio
        self.parameters = parameters
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        callback: Callback | None = None,
    ) -> StrengthCV:
        """Score the paths on every fold, then fit the best setting to all data.

        Parameters
        ----------
        X : sparse matrix or array of shape (n, p)
            One row of features per example.
        y : array of shape (n,)
            Target of each example.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each example, in fits and in scores.
        groups : array of shape (n,) or None, default=None
            Which rows belong together: those of one group are in the same fold.
        offset : array of shape (n,) or (n, K) or None, default=None
            What is added to the scores of each row, such as the logarithm of its exposure.
        callback : callable or None, default=None
            Called with an Event per fold and setting; True chooses from what is there.

        Returns
        -------
        self
            The fitted search.
        """
        began = time.perf_counter()
        if self.rule not in RULES:
            raise ValueError(f"rule must be 'best' or '1se', got {self.rule!r}")
        data, metrics = RowData.of(X, y, sample_weight, offset), as_metrics(self.scoring)
        trials = self._trials(RowData(X, y, sample_weight, offset))
        splits = make_splits(self.cv, data, groups, self.estimator, self.random_state)
        interrupted = self._score(trials, data, splits, metrics, callback)
        trials = [trial for trial in trials if trial.folds]
        if self.strengths is None and not interrupted:
            self._extend(trials, data, splits, metrics)
        chosen, k = self._choose(trials)
        if not interrupted:
            self._warn_at_edge(chosen)
        self._keep(trials, chosen, k, metrics)
        penalty = chosen.estimator.chosen_penalty().replace(strength=self.best_strength_)
        self.best_estimator_ = chosen.estimator.set_params(penalty=penalty)
        self.best_estimator_.fit(X, y, sample_weight=sample_weight, offset=offset)
        report = self.best_estimator_.report_
        self.report_ = replace(
            report,
            seconds=time.perf_counter() - began,
            interrupted=interrupted or report.interrupted,
        )
        return self

    def _trials(self, data: RowData) -> list[Trial]:
        """Return one trial per combination of parameters, with its own grid of strengths."""
        found = []
        for params, estimator in self.settings():
            _, start = setting_start(estimator, data)
            grid = (
                start.grid(self.n_strengths, self.ratio)
                if self.strengths is None
                else given_grid(self.strengths)
            )
            found.append(Trial(params, estimator, start, grid))
        return found

    def _score(
        self,
        trials: list[Trial],
        data: RowData,
        splits: list[tuple[Ints, Ints]],
        metrics: list[Metric],
        callback: Callback | None,
    ) -> bool:
        """Walk all paths on all folds; return whether the callback stopped it.

        Fold by fold, so that what is there when it stops compares all settings.
        """
        tasks = [(trial, split) for split in splits for trial in trials]
        jobs = (
            delayed(fold_path)(trial.estimator, data, split, trial.strengths, metrics)
            for trial, split in tasks
        )
        # Threads share the data; the kernels work outside of the interpreter's lock.
        parallel = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        began = time.perf_counter()
        for done, (found, (trial, _)) in enumerate(zip(parallel(jobs), tasks, strict=True), 1):
            trial.folds.append(found)
            best = float(found.scores[:, 0].max())
            event = Event("fold", done, len(tasks), best, seconds=time.perf_counter() - began)
            if callback is not None and callback(event):
                return done < len(tasks)
        return False

    def _extend(
        self,
        trials: list[Trial],
        data: RowData,
        splits: list[tuple[Ints, Ints]],
        metrics: list[Metric],
    ) -> None:
        """Make the grid of the best trial longer while its best strength is at an end."""
        for _ in range(MOST_EXTENSIONS):
            trial, _ = self._choose(trials, rule="best")
            end = edge(trial)
            if not end:
                return
            step = trial.strengths[1] / trial.strengths[0]
            powers = np.arange(1, int(np.ceil(np.log(0.1) / np.log(step))) + 1)
            weaker = end == "weakest"
            further = (
                trial.strengths[-1] * step**powers
                if weaker
                else (trial.strengths[0] / step**powers)[::-1]
            )
            starts = [fold.x if weaker else None for fold in trial.folds]
            parallel = Parallel(n_jobs=self.n_jobs, prefer="threads")
            found = parallel(
                delayed(fold_path)(trial.estimator, data, split, further, metrics, x)
                for split, x in zip(splits, starts, strict=True)
            )
            pairs = zip(trial.folds, found, strict=True)
            trial.folds = [a.then(b) if weaker else b.then(a) for a, b in pairs]
            parts = [trial.strengths, further] if weaker else [further, trial.strengths]
            trial.strengths = np.concatenate(parts)

    def _choose(self, trials: list[Trial], rule: str | None = None) -> tuple[Trial, int]:
        """Return the best trial, and the place of the strength that the rule chooses."""
        means = [trial.scores().mean(axis=1) for trial in trials]
        if not any(np.isfinite(mean).any() for mean in means):
            raise ValueError("no score is a number: check the scoring and the folds")
        tops = [np.nanmax(np.where(np.isfinite(mean), mean, -np.inf)) for mean in means]
        chosen = int(np.argmax(tops))
        trial, mean = trials[chosen], np.nan_to_num(means[chosen], nan=-np.inf)
        best = int(np.argmax(mean))
        if (rule or self.rule) == "1se":
            within = mean[best] - standard_error(trial.scores()[best])
            best = int(np.flatnonzero(mean >= within)[0])
        return trial, best

    def _warn_at_edge(self, trial: Trial) -> None:
        end = edge(trial)
        if not end:
            return
        strength = trial.strengths[-1 if end == "weakest" else 0]
        way_out = (
            f"extend strengths= to {'weaker' if end == 'weakest' else 'stronger'} ones"
            if self.strengths is not None
            else "the data may need no penalty at all"
            if end == "weakest"
            else "the features may say nothing about the target"
        )
        warnings.warn(
            f"the best strength, {strength:.4g}, is the {end} that was tried: {way_out}",
            UserWarning,
            stacklevel=3,
        )

    def _keep(self, trials: list[Trial], chosen: Trial, k: int, metrics: list[Metric]) -> None:
        """Set the learned attributes that describe the search."""
        self.strengths_, self.scores_ = chosen.strengths, chosen.scores()
        self.best_strength_ = float(chosen.strengths[k])
        self.best_params_ = {**chosen.params, "strength": self.best_strength_}
        self.best_score_ = float(self.scores_[k].mean())
        self.cv_results_ = results_table(trials, metrics)


def standard_error(scores: Array) -> float:
    """Return the standard error of a mean over folds."""
    return float(scores.std(ddof=1) / np.sqrt(len(scores))) if len(scores) > 1 else 0.0


def edge(trial: Trial) -> str:
    """Return at which end of its grid a trial is best, "weakest" or "strongest"; empty: at none.

    A model without features has no stronger one, and where the scores have become flat, weaker
    strengths change nothing.
    """
    scores = trial.scores()
    mean = np.nan_to_num(scores.mean(axis=1), nan=-np.inf)
    best = int(np.argmax(mean))
    if len(mean) == 1:
        return ""
    back = max(1, len(mean) // 5)
    neighbour = mean[max(best - back, 0)] if best else mean[min(back, len(mean) - 1)]
    tolerance = max(FLAT * standard_error(scores[best]), 1e-6 * abs(mean[best]))
    if mean[best] - neighbour <= tolerance:
        return ""
    if best == len(mean) - 1:
        return "weakest"
    return "strongest" if best == 0 and trial.selected()[0] > 0 else ""


def results_table(trials: list[Trial], metrics: list[Metric]) -> dict[str, AnyArray]:
    """Return one row per setting and strength, named as GridSearchCV names them."""
    rows = [(trial, k) for trial in trials for k in range(len(trial.strengths))]
    table: dict[str, Any] = {
        "param_strength": np.array([trial.strengths[k] for trial, k in rows]),
    }
    for name in trials[0].params:
        values = np.empty(len(rows), dtype=object)
        values[:] = [trial.params[name] for trial, _ in rows]
        table[f"param_{name}"] = values
    table["params"] = np.array(
        [{**trial.params, "strength": float(trial.strengths[k])} for trial, k in rows], dtype=object
    )
    for m, metric in enumerate(metrics):
        name = "score" if len(metrics) == 1 else metric.name
        folds = min(len(trial.folds) for trial in trials)
        scores = np.concatenate([trial.scores(m)[:, :folds] for trial in trials])
        for fold in range(folds):
            table[f"split{fold}_test_{name}"] = scores[:, fold]
        mean = scores.mean(axis=1)
        table[f"mean_test_{name}"], table[f"std_test_{name}"] = mean, scores.std(axis=1)
        order = np.unique(-np.nan_to_num(mean, nan=-np.inf), return_inverse=True)[1]
        counts = np.concatenate([[0], np.cumsum(np.bincount(order.ravel()))])
        table[f"rank_test_{name}"] = (counts[order.ravel()] + 1).astype(np.int32)
    table["mean_selected"] = np.concatenate([trial.selected() for trial in trials])
    table["mean_fit_time"] = np.concatenate(
        [np.mean([fold.seconds for fold in trial.folds], axis=0) for trial in trials]
    )
    return table
