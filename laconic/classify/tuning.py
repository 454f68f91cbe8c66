"""Strengths chosen on development data: by accuracy as in section 5.4.2 of Yogatama (2015), or by log-loss."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from laconic.classify.model import TextClassifier
from laconic.classify.preparation import Prepared
from laconic.classify.structure import STRUCTURED
from laconic.core.report import Event

STRENGTHS = (1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0)
TREE_STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1, 10.0)
CRITERIA = ("accuracy", "log_loss")


class Trial(NamedTuple):
    """One setting and how it did on the development data."""

    strength: float | Mapping[str, float]
    lasso: float
    accuracy: float
    n_selected: int
    certificate: float
    log_loss: float
    refit: float | None = None


def tune(
    model: TextClassifier,
    train: tuple[Sequence[Any], Sequence[Any]],
    dev: tuple[Sequence[Any], Sequence[Any]],
    strengths: Sequence[float] | None = None,
    lassos: Sequence[float] | None = None,
    callback: Callable[[Trial | Event], bool | None] | None = None,
    prepared: Prepared | None = None,
    criterion: str = "accuracy",
    refits: Sequence[float | None] | None = None,
) -> tuple[TextClassifier, list[Trial]]:
    """The model fitted at the best strengths, and all trials.

    The best has the highest accuracy on dev or, by the criterion "log_loss", the lowest mean log-loss there, which a small dev
    tells apart where accuracies are equal or differ by chance. Ties go to the smallest model.

    Every choice of words is given its weights by each of the refits (None: as the penalty left them); without any, by the model's.
    Each regularizer of a sum gets the same strength. Strengths run from strong to weak, each fit from the one before. A callback
    sees the Event of each step and each Trial; when it returns True, the best trial so far is kept, and if there is none, the
    fit under way as far as it got. Either is then marked as interrupted.
    """
    if criterion not in CRITERIA:
        raise ValueError(f"criterion is one of {', '.join(CRITERIA)}; got {criterion!r}")
    documents, labels = train
    dev_documents, dev_labels = dev
    model = clone(model)
    if prepared is None:
        prepared = model.prepare(documents, labels)
    unknown = sorted({str(label) for label in set(dev_labels) - set(labels)})
    if unknown:
        raise ValueError(
            f"the development data has labels that the training data has not: {', '.join(unknown[:5])}"
        )
    dev_X = model.adopt_preparation(prepared).vectorize(dev_documents)
    gold = np.asarray(dev_labels)
    strengths, lassos = grid(model, strengths, lassos)
    refits = (model.refit,) if refits is None else refits
    trials: list[Trial] = []
    best: tuple[tuple[float, int], TextClassifier] | None = None
    stopped = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for lasso, strength in product(lassos, strengths):
            if strength == strengths[0]:
                start = None
            settings = {"strength": strength, "lasso": lasso, "refit": None}
            chosen = clone(model).set_params(**settings).fit_prepared(prepared, start, callback)
            start = chosen.solution_
            for refit in refits:
                candidate = chosen if refit is None else chosen.refitted(prepared, refit, callback)
                stopped = candidate.interrupted_
                if stopped and best is not None:
                    break
                trials.append(_trial(candidate, dev_X, gold))
                gain = trials[-1].accuracy if criterion == "accuracy" else -trials[-1].log_loss
                key = (gain, -candidate.n_features_selected_)
                if best is None or key > best[0]:
                    best = (key, candidate)
                stopped = stopped or bool(callback is not None and callback(trials[-1]))
                if stopped:
                    break
            if stopped:
                break
    if best is None:
        raise ValueError("there is no strength to try")
    found = best[1].describe_groups(prepared)
    found.interrupted_ = stopped
    return found, trials


def _trial(model: TextClassifier, dev_X: sp.csr_matrix, gold: NDArray) -> Trial:
    """A fitted model on the development data."""
    accuracy = float(np.mean(model.predict_rows(dev_X) == gold))
    chances = model.log_proba_rows(dev_X)
    log_loss = -float(np.mean(chances[np.arange(len(gold)), np.searchsorted(model.classes_, gold)]))
    size, certificate = model.n_features_selected_, model.certificate_
    return Trial(model.strength, model.lasso, accuracy, size, certificate, log_loss, model.refit)


def grid(
    model: TextClassifier,
    strengths: Sequence[float] | None = None,
    lassos: Sequence[float] | None = None,
) -> tuple[list[float], list[float]]:
    """The strengths and the lassos to try, strongest first; those not given are the paper's."""
    names = model.parts()
    if strengths is None:
        strengths = TREE_STRENGTHS if names == ["tree"] else STRENGTHS
    if lassos is None:
        lassos = STRENGTHS if names[0] in (*STRUCTURED, "elastic") else (model.lasso,)
    return sorted(strengths, reverse=True), sorted(lassos, reverse=True)
