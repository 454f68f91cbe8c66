"""Strengths chosen on development data, as in section 5.4.2 of Yogatama (2015): accuracy, ties to the smallest model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from laconic.estimators.structure import STRUCTURED
from laconic.estimators.text import Prepared, TextClassifier

STRENGTHS = (1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0)
TREE_STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1, 10.0)


class Trial(NamedTuple):
    """One setting and how it did on the development data."""

    strength: float | dict[str, float]
    lasso: float
    accuracy: float
    n_selected: int
    certificate: float


def tune(
    model: TextClassifier,
    train: tuple[Sequence[Any], Sequence[Any]],
    dev: tuple[Sequence[Any], Sequence[Any]],
    strengths: Sequence[float] | None = None,
    lassos: Sequence[float] | None = None,
    callback: Callable[[Trial], bool | None] | None = None,
    prepared: Prepared | None = None,
) -> tuple[TextClassifier, list[Trial]]:
    """The model fitted at the best strengths, and all trials. A callback that returns True keeps the best so far.

    Each regularizer of a sum gets the same strength. Strengths run from strong to weak, each fit from the one before.
    """
    documents, labels = train
    dev_documents, dev_labels = dev
    model = clone(model)
    if prepared is None:
        prepared = model.prepare(documents, labels)
    unknown = sorted({str(label) for label in set(dev_labels) - set(labels)})
    if unknown:
        raise ValueError(f"the development data has labels that the training data has not: {', '.join(unknown[:5])}")
    dev_X = model.adopt_preparation(prepared).vectorize(dev_documents)
    gold = np.asarray(dev_labels)
    names = model.parts()
    if strengths is None:
        strengths = TREE_STRENGTHS if names == ["tree"] else STRENGTHS
    if lassos is None:
        lassos = STRENGTHS if names[0] in (*STRUCTURED, "elastic") else (model.lasso,)
    trials: list[Trial] = []
    best: tuple[tuple[float, int], TextClassifier] | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for lasso in sorted(lassos, reverse=True):
            start = None
            for strength in sorted(strengths, reverse=True):
                candidate = clone(model).set_params(strength=strength, lasso=lasso).fit_prepared(prepared, start)
                start = candidate.solution_
                accuracy = float(np.mean(candidate.predict_rows(dev_X) == gold))
                trial = Trial(strength, lasso, accuracy, candidate.n_features_selected_, candidate.certificate_)
                trials.append(trial)
                key = (trial.accuracy, -trial.n_selected)
                if best is None or key > best[0]:
                    best = (key, candidate)
                if callback is not None and callback(trial):
                    return best[1], trials
    if best is None:
        raise ValueError("there is no strength to try")
    return best[1], trials
