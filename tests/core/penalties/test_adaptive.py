"""Adaptive weights: factors of features and weights of groups from a first fit."""

from __future__ import annotations

import numpy as np
import pytest

from laconic import (
    L1,
    MCP,
    GroupLasso,
    OverlapGroupLasso,
    Ridge,
    Slope,
    SparseClassifier,
    SparseGroupLasso,
    SparseRegressor,
    TreeGroupLasso,
    adaptive,
)

W = np.array([2.0, -1.0, 0.0, 0.5])


@pytest.mark.parametrize("gamma", [0.5, 1.0, 2.0])
def test_factors_are_powers_of_the_sizes(gamma: float) -> None:
    given = L1(0.3, factors=[1.0, 2.0, 1.0, 1.0], positive=True)
    found = adaptive(given, W, gamma, eps=0.1)
    expected = np.array([1.0, 2.0, 1.0, 1.0]) / (np.abs(W) + 0.1) ** gamma
    assert np.allclose(found.factors, expected)
    assert found.strength == 0.3 and found.positive and given.factors == [1.0, 2.0, 1.0, 1.0]
    assert isinstance(adaptive(MCP(0.3), W), MCP)


def test_an_orthogonal_design_has_a_closed_form() -> None:
    first = SparseRegressor(Ridge(0.0), fit_intercept=False, tol=1e-10).fit(np.eye(4), W)
    second = SparseRegressor(adaptive(L1(0.3), first), fit_intercept=False, tol=1e-10)
    threshold = 0.3 / (np.abs(W) + 0.02)
    expected = np.sign(W) * np.maximum(np.abs(W) - threshold, 0)
    assert np.allclose(second.fit(np.eye(4), W).coef_, expected, atol=1e-4)


@pytest.mark.parametrize("kind", [GroupLasso, SparseGroupLasso, TreeGroupLasso, OverlapGroupLasso])
def test_weights_of_groups_are_powers_of_their_norms(kind: type) -> None:
    found = adaptive(kind([[0, 1], [2, 3]]), W, eps=0.1)
    norms = np.array([np.hypot(2.0, 1.0), 0.5])
    assert np.allclose(found.over(4).weight, np.sqrt(2) / (norms + 0.1))


def test_several_outputs_count_together() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 6)), rng.integers(0, 3, 90)
    first = SparseClassifier(Ridge(1.0)).fit(X, y)
    sizes = np.linalg.norm(first.coef_, axis=0)
    penalty = adaptive(L1(1.0), first)
    assert np.allclose(penalty.factors, 1 / (sizes + 0.01 * sizes.max()))
    assert SparseClassifier(penalty).fit(X, y).converged_


def test_what_has_nothing_to_adapt_is_refused() -> None:
    with pytest.raises(ValueError, match="Slope has neither factors"):
        adaptive(Slope(), W)
    with pytest.raises(ValueError, match="gamma and eps"):
        adaptive(L1(), W, gamma=-1.0)
    with pytest.raises(ValueError, match="first fit has finite weights"):
        adaptive(L1(), [np.nan, 1.0])
