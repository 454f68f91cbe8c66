"""Matrices in single precision are used as they are."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from laconic import L1, Ridge, SparseClassifier, SparseRegressor

FORMS: dict[str, Callable[[Any], Any]] = {
    "rows": sp.csr_matrix,
    "columns": sp.csc_matrix,
    "dense by rows": lambda X: X,
    "dense by columns": np.asfortranarray,
}


def some_counts() -> tuple[np.ndarray, np.ndarray]:
    """Return tenths, which single precision rounds, and noisy classes."""
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, size=(200, 30)) / 10
    return X, (X[:, :5].sum(axis=1) + rng.normal(size=200) / 5 > 0.25).astype(float)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("penalty", [L1(0.3), Ridge(0.1)], ids=repr)
@pytest.mark.parametrize("model", [SparseClassifier, SparseRegressor])
def test_models_agree_with_double_precision(
    model: Any, penalty: Any, form: Callable[[Any], Any]
) -> None:
    X, y = some_counts()
    double = model(penalty, tol=1e-9).fit(form(X), y)
    single = model(penalty, tol=1e-9).fit(form(X.astype(np.float32)), y)
    assert single.converged_
    assert single.coef_.dtype == np.float64
    np.testing.assert_allclose(single.coef_, double.coef_, atol=1e-5)
    assert single.objective_ == pytest.approx(double.objective_, rel=1e-6)
    predictions = single.predict(form(X.astype(np.float32)))
    np.testing.assert_allclose(predictions, single.predict(form(X)), atol=1e-5)
    # The rounded values are computed with in double precision, without another error.
    rounded = model(penalty, tol=1e-9).fit(form(X.astype(np.float32).astype(float)), y)
    np.testing.assert_allclose(single.coef_, rounded.coef_, atol=1e-12)


MEMORY = """
import resource, sys
import numpy as np, scipy.sparse as sp
from laconic import Ridge, SparseClassifier
rng, values = np.random.default_rng(0), np.dtype(sys.argv[1])
n, per_row = 10000, 500
y = rng.integers(0, 2, n)
X = rng.random((n, per_row), dtype=np.float32).astype(values, copy=False)
if sys.argv[2] == "sparse":
    index = rng.integers(0, 20, X.shape, dtype=np.int32)
    index += 20 * np.arange(per_row, dtype=np.int32)
    ptr = np.arange(0, X.size + 1, per_row, dtype=np.int32)
    X = sp.csr_matrix((X.ravel(), index.ravel(), ptr), shape=(n, 20 * per_row))
    del index
SparseClassifier(Ridge(1e3), tol=1e-2).fit(X[:50], y[:50]).predict(X[:50])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
SparseClassifier(Ridge(1e3), tol=1e-2).fit(X, y).predict(X)
kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(kilobytes * 1024 / (n * per_row))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("values", ["float32", "float64"])
def test_a_ridge_fit_copies_no_matrix(values: str, form: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", MEMORY, values, form],
        capture_output=True,
        text=True,
        check=True,
    )
    # One copy of the values alone would be at least 4 bytes per entry.
    assert float(done.stdout) < 2
