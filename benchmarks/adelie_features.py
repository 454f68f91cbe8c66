"""`python -m benchmarks.adelie_features PEER ..`: what adelie or sparse-lm can do, as JSON.

Needs no laconic: both want older packages than it has.
"""

from __future__ import annotations

import contextlib
import json
import sys
from importlib.metadata import version
from typing import Any

import numpy as np

from benchmarks.feature_programs import (
    ALPHA,
    COUNTS,
    LABELS,
    OVERLAPS,
    STRONG,
    TEXT_LABELS,
    THREE,
    WEIGHT,
    Attempt,
    P,
    X,
    Y,
    checks,
    csr,
    has_gap,
    lasso_programs,
    outcome,
    overlap_objective,
    same,
    saved,
)


def adelie_programs() -> dict[str, Attempt]:
    """Return the programs of adelie by the names of features."""
    import adelie
    from adelie.sklearn import GroupElasticNet

    def fit(matrix: Any, glm: Any, **more: Any) -> Any:
        given = {"lmda_path": np.array([ALPHA]), "tol": 1e-12, "progress_bar": False} | more
        return adelie.grpnet(matrix, glm, early_exit=False, **given)

    def weights(matrix: Any, glm: Any, **more: Any) -> Any:
        return fit(matrix, glm, **more).betas.toarray()

    def rows(index: type[np.integer[Any]]) -> bool:
        given = csr(index)
        sparse = adelie.matrix.sparse(given, method="naive")
        squared = adelie.glm.gaussian(Y)
        return same(weights(sparse, squared), weights(given.toarray(order="F"), squared))

    def single() -> bool:
        columns = np.asfortranarray(X, dtype=np.float32)
        squared = adelie.glm.gaussian(Y.astype(np.float32), dtype=np.float32)
        return same(weights(columns, squared), weights(np.asfortranarray(X), squared64))

    def weighted() -> bool:
        kept, positive = WEIGHT > 0, (LABELS > 0).astype(float)
        some = adelie.glm.binomial(positive, weights=WEIGHT / WEIGHT.sum())
        few = adelie.glm.binomial(positive[kept])
        return same(weights(columns64, some), weights(np.asfortranarray(X[kept]), few))

    def classes() -> bool:
        model = GroupElasticNet(family="multinomial").fit(X, np.eye(3)[THREE])
        return bool(np.allclose(model.predict_proba(X).sum(axis=-1), 1))

    def poisson_groups() -> bool:
        found = weights(columns64, adelie.glm.poisson(COUNTS), groups=np.arange(0, P, 2))
        return bool(np.isfinite(found).all())

    columns64, squared64 = np.asfortranarray(X), adelie.glm.gaussian(Y)
    return {
        "CSR with 32-bit indices": lambda: rows(np.int32),
        "CSR with 64-bit indices": lambda: rows(np.int64),
        "single precision gives what double does": single,
        "sample weights (0 is as if left out)": weighted,
        "labels of text": lambda: fit(columns64, adelie.glm.binomial(TEXT_LABELS)) is not None,
        "probabilities of three classes": classes,
        "offset": lambda: same(
            weights(columns64, squared64, offsets=X[:, 1]),
            weights(columns64, adelie.glm.gaussian(Y - X[:, 1])),
        ),
        "a gap of optimality after the fit": lambda: has_gap(fit(columns64, squared64)),
        "overlapping groups, least squares": lambda: (
            fit(columns64, squared64, groups=OVERLAPS) is not None
        ),
        "group lasso, Poisson": poisson_groups,
        "scikit-learn's checks, lasso": lambda: checks(GroupElasticNet()),
        "scikit-learn's checks, logistic": lambda: checks(GroupElasticNet(family="binomial")),
        "model file without pickle": lambda: saved(fit(columns64, squared64)),
    }


def sparselm_programs(optimum: float) -> dict[str, Attempt]:
    """Return those of sparse-lm; `optimum` is the least objective with overlapping groups."""
    from sparselm import model as models

    def overlapping() -> bool:
        of_column = [[g for g, group in enumerate(OVERLAPS) if j in group] for j in range(P)]
        weight = np.ones(len(OVERLAPS))
        model = models.OverlapGroupLasso(
            of_column, alpha=STRONG, group_weights=weight, fit_intercept=True
        )
        return overlap_objective(model.fit(X, Y).coef_) <= optimum * (1 + 1e-3)

    return {
        **lasso_programs(lambda: models.Lasso(alpha=ALPHA)),
        "overlapping groups, least squares": overlapping,
    }


if __name__ == "__main__":
    peer = sys.argv[1]
    found = adelie_programs() if peer == "adelie" else sparselm_programs(float(sys.argv[2]))
    with contextlib.redirect_stdout(sys.stderr):  # what peers print is no answer
        answers = {name: outcome(attempt) for name, attempt in found.items()}
    print(json.dumps({"version": version(peer), "answers": answers}))
