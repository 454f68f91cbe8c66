"""The protocol of Yogatama (2015, section 5.4.2): a grid of strengths, scored on development data.

`TextClassifier` chooses by folds and paths; the tables that repeat the paper's need its grids.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from laconic.classify.model import TextClassifier
from laconic.classify.penalty import has_lasso
from laconic.classify.preparation import Prepared
from laconic.core.report import Event

STRENGTHS = (1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0)
TREE_STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1, 10.0)


@dataclass(frozen=True)
class StrengthTrial(Event):
    """One setting and how it did on the development data.

    `value` is the log-loss, `features` the number of features with a weight that is not zero.
    """

    stage: str = "trial"
    done: int = 1
    strength: float | Mapping[str, float] | None = math.nan
    lasso: float | None = math.nan
    refit: float | None = None
    accuracy: float = math.nan

    @property
    def n_selected(self) -> int:
        """Number of features with a weight that is not zero."""
        return self.features or 0

    @property
    def log_loss(self) -> float:
        """Mean negative logarithm of the probability of the gold label."""
        return self.value


class Grid(NamedTuple):
    """The settings to try: all combinations of these, strongest first; None is the paper's."""

    strengths: Sequence[float] | None = None
    lassos: Sequence[float] | None = None
    refits: Sequence[float | None] = (None,)


def trials_of(
    model: TextClassifier, prepared: Prepared, dev: tuple[Sequence[Any], Any], tried: Grid
) -> list[StrengthTrial]:
    """Return the trials of a grid on development data, each fit from the one before it."""
    X, gold = clone(model).adopt_preparation(prepared).vectorize(dev[0]), np.asarray(dev[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fits that choose are loose
        return [_trial(fitted, X, gold) for fitted in _fits(model, prepared, tried)]


def _fits(model: TextClassifier, prepared: Prepared, tried: Grid) -> Iterator[TextClassifier]:
    """Yield a fitted model per setting; each strength starts from the solution before it."""
    strengths, lassos = grid(model, tried.strengths, tried.lassos)
    start = None
    for lasso, strength in product(lassos, strengths):
        if strength == strengths[0]:
            start = None
        chosen: TextClassifier = clone(model)
        chosen.set_params(strength=strength, lasso=lasso, refit=None)
        chosen.fit_prepared(prepared, start)
        start = chosen.solution_
        for refit in tried.refits:
            yield chosen if refit is None else chosen.refitted(prepared, refit)


def _trial(model: TextClassifier, X: sp.csr_matrix, gold: Any) -> StrengthTrial:
    """Score a fitted model on the development data."""
    scores = np.asarray(model.score_rows(X)).reshape(X.shape[0], -1)
    chances = model.log_proba_of(scores)
    places = np.searchsorted(model.classes_, gold)
    return StrengthTrial(
        value=-float(np.mean(chances[np.arange(len(gold)), places])),
        certificate=model.certificate_,
        features=model.n_features_selected_,
        strength=model.strength,
        lasso=model.lasso,
        refit=model.refit,
        accuracy=float(np.mean(model.decide(scores) == gold)),
    )


def grid(
    model: TextClassifier,
    strengths: Sequence[float] | None = None,
    lassos: Sequence[float | None] | None = None,
) -> tuple[list[float], list[float | None]]:
    """Return the strengths and lassos to try, strongest first; by default those of the paper."""
    names = model.parts()
    if strengths is None:
        strengths = TREE_STRENGTHS if names == ["tree"] else STRENGTHS
    if lassos is None:
        # Without a lasso beside the penalty there is nothing to try.
        lassos = STRENGTHS if has_lasso(model.penalty) else (model.lasso,)
    stated = sorted((lasso for lasso in lassos if lasso is not None), reverse=True)
    return sorted(strengths, reverse=True), [*stated] or [None]
