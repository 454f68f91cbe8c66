"""Settings of a TextClassifier on held-out documents: a path of strengths, and refits of each.

    path    weights at strength_max * STEP^k, k = 1, 2, .., each from the one before it
    refit   the kept words under ridges RIDGE * RIDGE_STEP^j, up and down from the last best one

Paths begin where no word is kept, so that strengths need no grid; an optimum at the end of a path
or of the refits extends it. Strengths are shares of strength_max, which differs from fold to fold.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.classify import preparation
from laconic.classify.learn import LearningParameters, refit_ridge, strongest
from laconic.classify.losses import loss_for
from laconic.classify.multilabel import indicator, is_multilabel
from laconic.classify.penalty import penalty_for
from laconic.classify.preparation import Prepared, training_rows
from laconic.core.arrays import AnyArray, Array, Bools, Ints
from laconic.core.losses import Loss
from laconic.core.losses.base import log_other

if TYPE_CHECKING:
    from laconic.core.problem import Problem
    from laconic.linear.grid import PathStart
    from laconic.linear.model import SparseClassifier

TOL = 1e-2  # of fits that only choose
MANY_TOL = 5e-2  # the same with more than two classes, whose fits take longer
STEPS = {False: 0.8, True: 0.5}  # ratio of strengths; with groups or more than two classes True
NEAR = (0.99, 0.97, 0.94, 0.88)  # first shares
SMOOTH_STEP = 0.25  # of penalties that make no weight zero
LAST = 1e-4  # share of strength_max where a path ends at the latest
SMOOTH_LAST = 1e-7
GROWTH = 1.1  # of the number of words, below which a strength is not scored
NEAR_STEP, NEAR_STEPS = 0.6, (-2, -1, 0, 1, 2, 3)  # of guided paths, around the best share
PATIENCE = 8  # strengths without a lower loss after which a path ends
RIDGE = 0.02  # where refits begin
RIDGE_STEP = 4.0
RIDGES = (1e-4, 1e5)  # refits stay between
GAIN = 1e-3  # of the log-loss, below which a search for a refit ends


class HeldOutFold(NamedTuple):
    """Training data of a model, and held-out documents: their rows, labels and weights."""

    train: Prepared
    X: sp.csr_matrix
    labels: AnyArray
    weight: Array | None = None


class Setting(NamedTuple):
    """A share of strength_max, and the ridge of the refit or None."""

    share: float
    refit: float | None


class SettingScore(NamedTuple):
    """One setting on held-out documents: words kept, log-loss and correctness per document."""

    words: int
    loss: Array
    right: Bools


class HeldOutRows(NamedTuple):
    """Rows of held-out documents, of the kept features alone, and what their labels are.

    gold: the number of the label, or an indicator (n, K) of several; the last `n_beside` features
    are no words; weight: of the documents, with a mean of 1.
    """

    X: sp.csr_matrix
    gold: Ints | Array
    loss: Loss
    n_beside: int = 0
    weight: Array | None = None

    def score(self, weights: Array, intercept: Array) -> SettingScore:
        """Return log-losses, and which documents get their own label, or all of them."""
        scores = np.asarray(self.X @ weights + intercept)
        n_words = len(weights) - self.n_beside
        if self.gold.ndim == 2:
            has, logs = self.gold > 0, self.loss.log_proba(scores, several=True)
            loss = -np.sum(np.where(has, logs, log_other(logs)), axis=1)
            return SettingScore(n_words, self._weighted(loss), np.all((scores > 0) == has, axis=1))
        logs, gold = self.loss.log_proba(scores), self.gold.astype(np.int64)
        loss = -logs[np.arange(len(gold)), gold]
        return SettingScore(n_words, self._weighted(loss), logs.argmax(axis=1) == gold)

    def _weighted(self, loss: Array) -> Array:
        return loss if self.weight is None else loss * self.weight


def gold_of(labels: AnyArray, classes: AnyArray) -> Ints | Array:
    """Return the numbers of labels among the classes, or the indicator of several labels."""
    if is_multilabel(labels):
        return indicator(labels, classes)
    return np.searchsorted(classes, labels)


class Limits(NamedTuple):
    """Most words that a model may keep, and whether time is over."""

    words: float
    expired: Callable[[], bool]


class Guide:
    """Where to look on the path of a model that is like others: near their best share and point."""

    def __init__(self, share: float, point: Array | None = None) -> None:
        self.share, self.start = share, point
        self.best_share, self.point, self.loss = share, point, np.inf

    def shares(self) -> Iterator[float]:
        """Yield a few shares around that of the best model so far, from strong to weak."""
        for k in NEAR_STEPS:
            yield min(self.share * NEAR_STEP**k, NEAR[0])

    def saw(self, share: float, point: Array, loss: float) -> None:
        """Keep the share and the point of the lowest log-loss."""
        if loss < self.loss:
            self.best_share, self.point, self.loss = share, point.copy(), loss


class StrengthPath:
    """The path of one model on one part of the data: `problem` at strength_max * share."""

    def __init__(self, parameters: LearningParameters, prepared: Prepared) -> None:
        # Imported late: a model that was loaded to predict needs no problem and no solver.
        from laconic.linear.grid import SMOOTH_RATIO, path_start
        from laconic.linear.model import SparseClassifier

        self.X, labels, weight = training_rows(prepared, parameters.constituents)
        words = preparation.feature_names(prepared.encoder)
        n_all, self.n_beside = self.X.shape[1], prepared.n_beside
        own = (n_all, self.n_beside, prepared.labels)
        penalty = penalty_for(parameters, prepared.families, words, *own)
        self.n_free = self.n_beside if parameters.free_columns else 0
        self.unit = penalty.strength
        self.inner: SparseClassifier = SparseClassifier(
            penalty,
            loss_for(parameters.loss, labels),
            max_iter=parameters.max_iter,
            n_jobs=parameters.n_jobs,
            class_weight=parameters.class_weight,
        )
        self.problem: Problem = self.inner.build_problem(self.X, labels, weight)
        self.classes = self.inner.classes_
        self.inner.tol = TOL if len(self.classes) == 2 else MANY_TOL
        self.start: PathStart = path_start(self.inner, self.problem)
        self.smooth = self.start.ratio == SMOOTH_RATIO
        self.slow = len(self.classes) > 2 or bool(prepared.families)
        self.labels, self.weight = labels, weight

    def multiple(self, share: float) -> float:
        """Return what multiplies the strengths that the model states, at a share of the path."""
        return self.start.highest * share / self.unit

    def shares(self) -> Iterator[float]:
        """Yield the shares of strength_max, from strong to weak."""
        step = SMOOTH_STEP if self.smooth else STEPS[self.slow]
        if not self.smooth:
            yield from NEAR  # the models of a few words
        share = 1.0 if self.smooth else step
        while share > (SMOOTH_LAST if self.smooth else LAST):
            yield share
            share *= step

    def walk(
        self, shares: Iterator[float], start: Array | None = None
    ) -> Iterator[tuple[float, Array, Array, Array]]:
        """Yield share, weights (features, outputs), intercept and point, each from the last."""
        from laconic.linear.path import walk

        listed: list[float] = []

        def strengths() -> Iterator[float]:
            for share in shares:
                listed.append(share)
                yield self.start.highest * share

        first = self.start.x if start is None else start
        for result in walk(self.inner, self.problem, strengths(), first):
            flat, intercept = self.inner.plain_parts(self.problem, result)
            yield listed[-1], flat.reshape(len(flat) // len(intercept), -1), intercept, result.x


class Refits:
    """The kept words of one fit under ridges, each from the one before."""

    def __init__(self, path: StrengthPath, kept: Ints) -> None:
        from laconic.linear.model import SparseClassifier

        self.inner = SparseClassifier(
            refit_ridge(1.0, len(kept), path.n_free),
            path.problem.loss,
            tol=path.inner.tol,
            max_iter=path.inner.max_iter,
            n_jobs=path.inner.n_jobs,
            class_weight=path.inner.class_weight,
        )
        self.problem = self.inner.build_problem(path.X[:, kept], path.labels, path.weight)
        self.x: Array | None = None

    def fit(self, ridge: float) -> tuple[Array, Array]:
        """Return weights (kept features, outputs) and intercept."""
        self.problem.penalty = self.problem.penalty.replace(strength=ridge)
        result = self.inner.solve(self.problem, self.x)
        self.x = result.x
        flat, intercept = self.inner.plain_parts(self.problem, result)
        return flat.reshape(-1, len(intercept)), intercept


def explore(
    parameters: LearningParameters,
    fold: HeldOutFold,
    limits: Limits,
    known: Collection[Setting] = (),
    guide: Guide | None = None,
) -> dict[Setting, SettingScore]:
    """Return the settings of a path on a fold with their scores; of `known` ones, those alone.

    A guide is followed, and is told where the lowest log-loss was.
    """
    path = StrengthPath(parameters, fold.train)
    scores: dict[Setting, SettingScore] = {}
    gold = gold_of(fold.labels, path.classes)
    best, worse, ridge, words = np.inf, 0, RIDGE, 1 / GROWTH
    most = np.inf if path.smooth else limits.words
    last = min((setting.share for setting in known), default=0.0)
    shares, start = path.shares(), None
    if guide is not None:
        listed = sorted({setting.share for setting in known}, reverse=True)
        shares, start = iter(listed) if known else guide.shares(), guide.start
    for share, weights, intercept, point in path.walk(shares, start):
        kept = np.flatnonzero(np.any(weights[: len(weights) - path.n_beside] != 0, axis=1))
        if share < last or (scores and limits.expired()):
            break
        full = len(kept) >= most
        if known and all(setting.share != share for setting in known):
            continue
        least = 1 if known or path.smooth or guide is not None else words * GROWTH
        if len(kept) < least and not full:
            continue
        words = max(1, len(kept))
        kept = strongest(weights, most, path.n_beside)
        held = HeldOutRows(fold.X[:, kept], gold, path.problem.loss, path.n_beside, fold.weight)
        here = {Setting(share, None): held.score(weights[kept], intercept)}
        if not path.smooth:
            ridges = ridges_of(parameters, known, share)
            tried = refit_scores(Refits(path, kept), held, ridges, ridge)
            here |= {Setting(share, value): score for value, score in tried.items()}
            if tried:
                ridge = min(tried, key=lambda value: float(tried[value].loss.mean()))
        if parameters.refit:
            del here[Setting(share, None)]
        scores |= here
        now = min(float(score.loss.mean()) for score in here.values())
        if guide is not None and not known:
            guide.saw(share, point, now)
        worse = 0 if now < best else worse + 1
        best = min(best, now)
        if full or (worse == PATIENCE and not known):
            break
    return scores


def ridges_of(
    parameters: LearningParameters, known: Collection[Setting], share: float
) -> list[float] | None:
    """Return the refits to try, or None if they are to be searched."""
    if parameters.refit is not None:
        return [parameters.refit] if parameters.refit else []
    if known:
        return [one.refit for one in known if one.share == share and one.refit is not None]
    return None


def refit_scores(
    refits: Refits,
    held: HeldOutRows,
    ridges: list[float] | None,
    first: float,
) -> dict[float, SettingScore]:
    """Return the scores of given refits, or of those around the best, searched from `first`."""
    if ridges is not None:
        return {ridge: held.score(*refits.fit(ridge)) for ridge in sorted(ridges, reverse=True)}
    found = {first: held.score(*refits.fit(first))}
    for factor in (1 / RIDGE_STEP, RIDGE_STEP):
        ridge = first
        while RIDGES[0] < ridge * factor < RIDGES[1]:
            found[ridge * factor] = held.score(*refits.fit(ridge * factor))
            gain = found[ridge].loss.mean() - found[ridge * factor].loss.mean()
            if gain > 0:
                ridge *= factor
            if gain < GAIN:
                break
        if ridge != first:
            break
    return found


def held_out_scores(
    parameters: LearningParameters,
    fold: HeldOutFold,
    setting: Setting,
    limits: Limits,
    names: AnyArray,
) -> Array:
    """Return the scores (n, names) of held-out documents at one setting; -inf of other labels."""
    path = StrengthPath(parameters, fold.train)
    shares = [share for share in path.shares() if share > setting.share][1::2]
    most = np.inf if path.smooth else limits.words
    *_, (_, weights, intercept, _) = path.walk(iter([*shares, setting.share]))
    kept = strongest(weights, most, path.n_beside)
    weights = weights[kept]
    if setting.refit:
        weights, intercept = Refits(path, kept).fit(setting.refit)
    found = np.full((fold.X.shape[0], len(names)), -np.inf)
    found[:, np.searchsorted(names, path.classes)] = fold.X[:, kept] @ weights + intercept
    return found
