"""Learning the weights of a TextClassifier from prepared documents.

    min_{w, b}  sum_d s_d loss(y_d, x_d w + b) + penalty(w)

`fit_weights` solves this; `refit_weights` solves it again for the kept features alone, under a
ridge, since the penalty that chose them also shrank them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from laconic.classify import preparation
from laconic.classify.label_tree import Taxonomy
from laconic.classify.losses import loss_for
from laconic.classify.penalty import penalty_for
from laconic.classify.preparation import Prepared, training_rows
from laconic.core.arrays import Array, Ints
from laconic.core.groups import Groups
from laconic.core.losses import Loss
from laconic.core.penalties import LatentGroupLasso, Penalty, Ridge
from laconic.core.penalties.names import Strength
from laconic.core.report import DUALITY_GAP, Callback, FitReport, in_one_line

if TYPE_CHECKING:
    from laconic.core.solvers.base import Result

ClassWeight: TypeAlias = Mapping[Any, float] | str | None


class LearningParameters(Protocol):
    """The parameters of TextClassifier that decide what is minimised, and how."""

    penalty: Penalty | str | None
    loss: Loss | str | None
    strength: Strength | None
    lasso: float | None
    ridge: float
    refit: float | None
    contrast: float
    frequency: float
    constituents: float
    features: tuple[str, ...]
    values: Iterable[float] | None
    tol: float
    max_iter: int | None
    class_weight: ClassWeight
    free_columns: bool
    label_tree: Taxonomy
    n_jobs: int | None


class LearnedWeights(NamedTuple):
    """Weights (outputs, features) of scaled words and added features, and how they came about.

    `point` is where the solver stopped, from which a fit at another strength can start;
    `part_norms` are those of the latent groups, 0 of those that were not chosen.
    """

    weights: Array
    intercept: Array
    classes: NDArray[Any]
    point: Array
    report: FitReport
    part_norms: Array | None = None


class TrainingRows(NamedTuple):
    """Rows, labels and weights of the examples of a problem."""

    X: sp.csr_matrix
    labels: NDArray[Any]
    weight: Array | None


def fit_weights(
    parameters: LearningParameters,
    prepared: Prepared,
    start: Array | None = None,
    callback: Callback | None = None,
) -> LearnedWeights:
    """Learn weights under the stated penalty, from a warm start if one is given."""
    rows = TrainingRows(*training_rows(prepared, parameters.constituents))
    words = preparation.feature_names(prepared.encoder)
    n_all = rows.X.shape[1]
    own = (n_all, prepared.n_beside, prepared.labels)
    penalty = penalty_for(parameters, prepared.families, words, *own)
    return _solve(parameters, penalty, rows, start, callback)


def strongest(weights: Array, most: float, n_beside: int = 0) -> Ints:
    """Return which features have a weight, at most `most` of them: those with the largest.

    weights: (features, outputs); the last `n_beside` features are kept in any case.
    """
    n_words = len(weights) - n_beside
    size = np.abs(weights[:n_words]).max(axis=1)
    kept = np.flatnonzero(size)
    if len(kept) > most:
        kept = np.sort(kept[np.argsort(-size[kept], kind="stable")[: int(most)]])
    return np.concatenate([kept, np.arange(n_words, len(weights))])


def only_strongest(found: LearnedWeights, most: float, n_beside: int = 0) -> LearnedWeights:
    """Return learned weights without those of all but the `most` strongest features."""
    kept = strongest(found.weights.T, most, n_beside)
    if len(kept) == found.report.features_kept:
        return found
    weights = np.zeros_like(found.weights)
    weights[:, kept] = found.weights[:, kept]
    n_kept = int(np.count_nonzero(np.any(weights != 0, axis=0)))
    return found._replace(weights=weights, report=replace(found.report, features_kept=n_kept))


def refit_weights(
    parameters: LearningParameters,
    prepared: Prepared,
    found: LearnedWeights,
    strength: float,
    callback: Callback | None = None,
) -> LearnedWeights:
    """Learn the weights of the kept features again, under a ridge of `strength` alone.

    The objective remains that of the choice; certificate and convergence are the worse of the two
    fits. A fit that kept nothing, or that was interrupted, is returned as it is.
    """
    if not 0 < strength < np.inf:
        raise ValueError(f"refit must be the strength of a ridge, or 0, got {strength!r}")
    first = found.report
    if first.features_kept == 0 or first.interrupted:
        return found
    kept = strongest(found.weights.T, np.inf, prepared.n_beside)
    X, labels, weight = training_rows(prepared, parameters.constituents)
    rows = TrainingRows(X[:, kept], labels, weight)
    penalty = refit_ridge(strength, len(kept), prepared.n_beside * parameters.free_columns)
    again = _solve(parameters, penalty, rows, None, callback)
    weights = np.zeros_like(found.weights)
    weights[:, kept] = again.weights
    second = again.report
    weaker = first if second.certificate_kind == DUALITY_GAP else second
    report = replace(
        first,
        certificate=max(first.certificate, second.certificate),
        certificate_kind=weaker.certificate_kind,
        converged=first.converged and second.converged,
        interrupted=second.interrupted,
        n_iter=first.n_iter + second.n_iter,
        trace=first.trace + second.trace,
        seconds=first.seconds + second.seconds,
    )
    return found._replace(weights=weights, intercept=again.intercept, report=report)


def refit_ridge(strength: float, n_kept: int, n_free: int) -> Ridge:
    """Return the ridge of a refit, under which the last `n_free` features cost nothing."""
    if not n_free:
        return Ridge(strength)
    factors = np.ones(n_kept)
    factors[n_kept - n_free :] = 0.0
    return Ridge(strength, factors=factors)


def _solve(
    parameters: LearningParameters,
    penalty: Penalty,
    rows: TrainingRows,
    start: Array | None,
    callback: Callback | None,
) -> LearnedWeights:
    """Solve one problem with the suitable solver."""
    # Imported late: a model that was loaded to predict needs no problem and no solver.
    from laconic.linear.model import SparseClassifier

    began = time.perf_counter()
    inner = SparseClassifier(
        penalty,
        loss_for(parameters.loss, rows.labels),
        tol=parameters.tol,
        max_iter=parameters.max_iter,
        n_jobs=parameters.n_jobs,
        class_weight=parameters.class_weight,
    )
    problem = inner.pose(rows.X, rows.labels, rows.weight)
    result = inner.solve(problem, start, callback)
    inner.adopt(problem, result)
    report = FitReport(
        learner=in_one_line(parameters),
        objective=inner.objective_,
        certificate=inner.certificate_,
        certificate_kind=result.certificate_kind,
        n_iter=inner.n_iter_,
        converged=inner.converged_,
        interrupted=result.interrupted,
        features_total=rows.X.shape[1],
        features_kept=inner.n_selected_,
        trace=tuple(result.trace),
        seconds=time.perf_counter() - began,
    )
    return LearnedWeights(
        inner.coef_, inner.intercept_, inner.classes_, result.x, report, _norms(penalty, result)
    )


def _norms(penalty: Penalty, result: Result) -> Array | None:
    """Return the norm of every latent group, 0 of those that were not chosen."""
    latent = isinstance(penalty, LatentGroupLasso) and "parts" in result.extra
    if not latent or not isinstance(penalty.groups, Groups):
        return None
    norms = np.zeros(len(penalty.groups))
    norms[np.asarray(result.extra["parts"])] = np.asarray(result.extra["norms"])
    return norms
