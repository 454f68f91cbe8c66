"""Strengths chosen on development data: by accuracy (Yogatama 2015, section 5.4.2), or log-loss."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from laconic.classify.model import TextClassifier
from laconic.classify.penalty import has_lasso
from laconic.classify.preparation import DocumentLabels, Prepared
from laconic.core.report import Callback, Event
from laconic.text.documents import DocumentLike

STRENGTHS = (1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0)
TREE_STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1, 10.0)
CRITERIA = ("accuracy", "log_loss")


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

    def as_dict(self) -> dict[str, object]:
        """Return setting and scores by name."""
        names = (
            "strength",
            "lasso",
            "accuracy",
            "n_selected",
            "certificate",
            "log_loss",
            "refit",
        )
        return {name: getattr(self, name) for name in names}


class DevelopmentData(NamedTuple):
    """Vectorized development documents with their labels."""

    X: sp.csr_matrix
    gold: NDArray[Any]


class StrengthGrid(NamedTuple):
    """The settings to try: all combinations of these, strongest first."""

    strengths: Sequence[float]
    lassos: Sequence[float | None]
    refits: Sequence[float | None]

    @property
    def size(self) -> int:
        """Number of settings."""
        return len(self.strengths) * len(self.lassos) * len(self.refits)


def tune(
    model: TextClassifier,
    train: tuple[Sequence[DocumentLike], DocumentLabels],
    dev: tuple[Sequence[DocumentLike], DocumentLabels],
    strengths: Sequence[float] | None = None,
    lassos: Sequence[float | None] | None = None,
    callback: Callback | None = None,
    prepared: Prepared | None = None,
    criterion: str = "accuracy",
    refits: Sequence[float | None] | None = None,
) -> tuple[TextClassifier, list[StrengthTrial]]:
    """Fit a model at every strength of a grid, and return the best one on development data.

    Strengths run from strong to weak, each fit from the one before. Each penalty of a sum gets the
    same strength. Ties go to the smallest model.

    Parameters
    ----------
    model : TextClassifier
        States everything but the strengths; it is cloned.
    train, dev : pair of documents and labels
        Training and development data.
    strengths, lassos : sequence of float, optional
        The grid, by default that of Yogatama (2015).
    callback : callable, optional
        Called with the Event of each step and the StrengthTrial of each setting. When it returns
        True, the best trial so far is kept, or else the fit under way; it is marked as interrupted.
    prepared : Prepared, optional
        What `model.prepare` returned for the training data.
    criterion : {"accuracy", "log_loss"}, default="accuracy"
        Highest accuracy, or lowest mean log-loss, which separates models of equal accuracy.
    refits : sequence of float or None, optional
        Values of `refit` to try; by default the model's own.

    Returns
    -------
    model, trials : TextClassifier and list of StrengthTrial
        The best model, fitted, and all settings in the order in which they were tried.

    Examples
    --------
    >>> texts = ["sun and sand", "snow and ice", "sun and heat", "ice and frost"] * 5
    >>> labels = ["warm", "cold", "warm", "cold"] * 5
    >>> dev = (["so much ice", "no sun"], ["cold", "warm"])
    >>> best, trials = tune(TextClassifier(), (texts, labels), dev, strengths=[0.01, 10.0])
    >>> best.strength, [(trial.strength, trial.accuracy) for trial in trials]
    (0.01, [(10.0, 0.5), (0.01, 1.0)])
    """
    if criterion not in CRITERIA:
        raise ValueError(f"criterion is one of {', '.join(CRITERIA)}; got {criterion!r}")
    model = clone(model)
    prepared = prepared if prepared is not None else model.prepare(*train)
    refits = (model.refit,) if refits is None else refits
    tried = StrengthGrid(*grid(model, strengths, lassos), refits)
    held_out = _development_data(model, prepared, train[1], dev)
    found, trials = _best_trial(model, prepared, tried, held_out, criterion, callback)
    return found.describe_groups(prepared), trials


def _development_data(
    model: TextClassifier,
    prepared: Prepared,
    labels: DocumentLabels,
    dev: tuple[Sequence[DocumentLike], DocumentLabels],
) -> DevelopmentData:
    """Vectorize development documents; ValueError if they have labels that training has not."""
    unknown = sorted({str(label) for label in set(dev[1]) - set(labels)})
    if unknown:
        raise ValueError(
            "the development data has labels that are not in the training data: "
            f"{', '.join(unknown[:5])}"
        )
    X = model.adopt_preparation(prepared).vectorize(dev[0])
    return DevelopmentData(X, np.asarray(dev[1]))


def _best_trial(
    model: TextClassifier,
    prepared: Prepared,
    tried: StrengthGrid,
    held_out: DevelopmentData,
    criterion: str,
    callback: Callback | None,
) -> tuple[TextClassifier, list[StrengthTrial]]:
    """Fit and score every setting until the callback stops; return the best model."""
    trials: list[StrengthTrial] = []
    best: tuple[tuple[float, int], TextClassifier] | None = None
    stopped = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for candidate in _fits(model, prepared, tried, callback):
            stopped = candidate.interrupted_
            if stopped and best is not None:
                break
            trials.append(_trial(candidate, held_out, len(trials) + 1, tried.size))
            gain = trials[-1].accuracy if criterion == "accuracy" else -trials[-1].log_loss
            key = (gain, -candidate.n_features_selected_)
            if best is None or key > best[0]:
                best = (key, candidate)
            stopped = stopped or bool(callback is not None and callback(trials[-1]))
            if stopped:
                break
    if best is None:
        raise ValueError("there is no strength to try")
    best[1].report_ = replace(best[1].report_, interrupted=stopped)
    return best[1], trials


def _fits(
    model: TextClassifier, prepared: Prepared, tried: StrengthGrid, callback: Callback | None
) -> Iterator[TextClassifier]:
    """Yield a fitted model per setting; each strength starts from the solution before it."""
    start = None
    for lasso, strength in product(tried.lassos, tried.strengths):
        if strength == tried.strengths[0]:
            start = None
        chosen: TextClassifier = clone(model)
        chosen.set_params(strength=strength, lasso=lasso, refit=None)
        chosen.fit_prepared(prepared, start, callback)
        start = chosen.solution_
        for refit in tried.refits:
            yield chosen if refit is None else chosen.refitted(prepared, refit, callback)


def _trial(
    model: TextClassifier, held_out: DevelopmentData, done: int, total: int
) -> StrengthTrial:
    """Score a fitted model on the development data."""
    X, gold = held_out
    chances = model.log_proba_rows(X)
    places = np.searchsorted(model.classes_, gold)
    return StrengthTrial(
        done=done,
        total=total,
        value=-float(np.mean(chances[np.arange(len(gold)), places])),
        certificate=model.certificate_,
        features=model.n_features_selected_,
        strength=model.strength,
        lasso=model.lasso,
        refit=model.refit,
        accuracy=float(np.mean(model.predict_rows(X) == gold)),
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
