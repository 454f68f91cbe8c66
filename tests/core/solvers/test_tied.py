"""Values that weights share: the least objective, and what must stay as it is."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from laconic.core.designs.rows import Rows
from laconic.core.losses import Gold, Logistic
from laconic.core.penalties import ElasticNet
from laconic.core.problem import Problem
from laconic.core.solvers.tied import fitted_values


def problem(penalty: ElasticNet) -> Problem:
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(0.4, size=(200, 12)).astype(float))
    target = (X @ rng.normal(size=12) + rng.normal(size=200) > 0.3).astype(float)
    return Problem(Rows(X, 1, True), Logistic(), Gold(target, np.ones(200), 1), penalty)


def test_fitted_values_are_stationary_and_stay_shared() -> None:
    penalty = ElasticNet(0.5, 0.6, np.linspace(0.5, 2.0, 12))
    at = problem(penalty)
    x = np.append(np.tile([0.3, -0.3, 0.0], 4), 0.1)
    before = x.copy()
    found = fitted_values(at, penalty, x, 12)
    assert np.array_equal(x, before) and found[12] == x[12]
    assert np.array_equal(found[:12] == 0, x[:12] == 0)
    assert len(set(found[:12].tolist())) == 3 and np.array_equal(found[:3], found[3:6])
    least = at.value(found)
    assert least < at.value(x)
    for group in (0, 1):
        for step in (-1e-2, 1e-2):
            moved = found.copy()
            moved[group:12:3] += step
            assert at.value(moved) > least


def test_all_zero_stays_all_zero() -> None:
    at = problem(ElasticNet(0.5))
    assert not fitted_values(at, ElasticNet(0.5), np.zeros(13), 12).any()
