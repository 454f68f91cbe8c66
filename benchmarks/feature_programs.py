"""Data and programs of the comparison of features that need no laconic.

Peers that do not go with its packages run them in an environment of their own.
"""

from __future__ import annotations

import inspect
import os
import tempfile
import warnings
from collections.abc import Callable
from typing import Any, TypeAlias
from unittest import SkipTest

import numpy as np
import scipy.sparse as sp

Attempt: TypeAlias = Callable[[], Any]
RNG = np.random.default_rng(0)
N, P = 60, 8
X = RNG.normal(size=(N, P))
Y = X[:, 0] - X[:, 3] + 0.3 * RNG.normal(size=N)
LABELS = np.where(Y > 0, 1, -1)
TEXT_LABELS = np.where(Y > 0, "a", "b")
THREE = np.digitize(Y, [-0.5, 0.5])
COUNTS = np.round(np.exp(Y))
WEIGHT = np.where(np.arange(N) < 40, 1.0, 0.0)
ALPHA = 0.05
OVERLAPS = [[0, 1, 2, 3], [0, 3, 4, 5], [5, 6, 7]]
STRONG = 0.3  # some of the overlapping groups are zero


def outcome(attempt: Attempt) -> str:
    """Return what came of a program: yes, no with the kind of error, or what it returned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = attempt()
        except Exception as error:
            return f"no: {type(error).__name__}"
    return "yes" if found is True else "no" if found is False else str(found)


def csr(index: type[np.integer[Any]]) -> sp.csr_matrix:
    """Return X without its small entries, with indices of a type."""
    found = sp.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
    found.indices, found.indptr = found.indices.astype(index), found.indptr.astype(index)
    return found


def same(coef: Any, dense: Any) -> bool:
    """Return whether two fits gave the same weights."""
    return bool(np.allclose(np.ravel(coef), np.ravel(dense), atol=1e-3))


def lasso_programs(lasso: Callable[..., Any]) -> dict[str, Attempt]:
    """Return the programs of every lasso with scikit-learn's interface."""

    def rows(index: type[np.integer[Any]]) -> bool:
        given = csr(index)
        return same(lasso().fit(given, Y).coef_, lasso().fit(given.toarray(), Y).coef_)

    return {
        "CSR with 32-bit indices": lambda: rows(np.int32),
        "CSR with 64-bit indices": lambda: rows(np.int64),
        "single precision gives what double does": lambda: same(
            lasso().fit(X.astype(np.float32), Y.astype(np.float32)).coef_, lasso().fit(X, Y).coef_
        ),
        "offset": lambda: same(
            lasso().fit(X, Y, offset=X[:, 1]).coef_, lasso().fit(X, Y - X[:, 1]).coef_
        ),
        "a gap of optimality after the fit": lambda: has_gap(lasso().fit(X, Y)),
        "scikit-learn's checks, lasso": lambda: checks(lasso()),
        "model file without pickle": lambda: saved(lasso().fit(X, Y)),
    }


def logistic_programs(logistic: Callable[..., Any]) -> dict[str, Attempt]:
    """Return the programs of every logistic regression with scikit-learn's interface."""

    def weighted() -> bool:
        kept = WEIGHT > 0
        return same(
            logistic().fit(X, LABELS, sample_weight=WEIGHT).coef_,
            logistic().fit(X[kept], LABELS[kept]).coef_,
        )

    def classes() -> bool:
        return bool(np.allclose(logistic().fit(X, THREE).predict_proba(X).sum(axis=1), 1))

    return {
        "sample weights (0 is as if left out)": weighted,
        "labels of text": lambda: (
            set(logistic().fit(X, TEXT_LABELS).predict(X)) == set(TEXT_LABELS)
        ),
        "probabilities of three classes": classes,
        "scikit-learn's checks, logistic": lambda: checks(logistic()),
    }


def has_gap(model: Any) -> bool:
    """Return whether a fit says how far from the optimum it is."""
    names = ("certificate_", "dual_gap_", "dual_gaps_")
    return any(np.all(np.isfinite(getattr(model, name, np.nan))) for name in names)


def checks(model: Any) -> str:
    """Return what scikit-learn's checks of an estimator say."""
    from sklearn.utils import estimator_checks

    check = estimator_checks.check_estimator
    if "on_fail" in inspect.signature(check).parameters:
        results = [one["status"] == "failed" for one in check(model, on_fail=None, on_skip=None)]
    else:  # before 1.6
        results = [_fails(one, program) for one, program in check(model, generate_only=True)]
    return "yes" if not any(results) else f"{sum(results)} of {len(results)} fail"


def _fails(model: Any, program: Callable[[Any], None]) -> bool:
    try:
        program(model)
    except SkipTest:
        return False
    except Exception:
        return True
    return False


def overlap_objective(coef: Any, groups: list[list[int]] = OVERLAPS) -> float:
    """Return half the sum of squares of centred residuals and the norms of overlapping groups."""
    w = np.ravel(coef)
    left = Y - X @ w
    left = left - left.mean()
    return float(0.5 * left @ left + STRONG * N * sum(np.linalg.norm(w[g]) for g in groups))


def saved(model: Any) -> bool:
    """Return whether a model saves itself."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(os.path.join(folder, "model"))
    return True
