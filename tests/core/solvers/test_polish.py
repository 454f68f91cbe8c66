"""Newton steps on the support: afterwards every weight that is left is stationary."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from laconic import _core
from laconic.core.designs.rows import Rows
from laconic.core.losses import Gold, Logistic, Loss, Multinomial
from laconic.core.penalties import L1
from laconic.core.problem import Problem


def correlated(n_rows: int, n_columns: int, seed: int = 0) -> np.ndarray:
    """Columns that are noisy mixtures of a few."""
    rng = np.random.default_rng(seed)
    mixed = rng.normal(size=(n_rows, 5)) @ rng.normal(size=(5, n_columns))
    return np.asarray(mixed + 0.1 * rng.normal(size=mixed.shape))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("block", [1, 4])
@pytest.mark.parametrize(("loss", "n_outputs"), [(Logistic(), 1), (Multinomial(), 3)])
def test_weights_that_are_left_are_stationary(
    loss: Loss, n_outputs: int, block: int, sparse: bool
) -> None:
    # More weights per output than a block of the preconditioner has.
    X = correlated(60, 420)
    rng = np.random.default_rng(1)
    labels = rng.integers(0, max(n_outputs, 2), 60).astype(np.float64)
    gold = Gold(labels, np.ones(60), n_outputs)
    design = Rows(sp.csr_matrix(X) if sparse else X, n_outputs=n_outputs)
    problem = Problem(design, loss, gold, L1(1.0))
    size = 420 * n_outputs
    ptr, mass = np.arange(0, size + 1, block), np.full(size // block, 0.3 * (block > 1))
    kernel = problem.descent(ptr, np.arange(size), mass)
    x = problem.start()
    weights, intercept = problem.parts(x)
    weights[:] = 0.02 * rng.normal(size=size)
    scores = problem.scores(x)
    lasso, ridge, centre = np.full(1, 0.01), np.full(1, 0.5), np.zeros(1)
    terms = _core.SeparableTerms(lasso=lasso, ridge=ridge, centre=centre)
    limits = _core.DescentLimits(tolerance=1e-8, max_rounds=50, max_passes=300)
    assert kernel.polish(terms, weights, intercept, scores, limits) <= 1e-8

    assert np.allclose(scores, design.score(x), atol=1e-9)
    gradient, tail = problem.parts(problem.smooth(x)[1])
    norms = np.linalg.norm(weights.reshape(-1, block), axis=1)
    share = weights / np.repeat(np.where(norms > 0, norms, 1.0), block)
    slope = gradient + 0.5 * weights + 0.01 * np.sign(weights) + np.repeat(mass, block) * share
    left = weights != 0
    assert np.count_nonzero(left) > 20
    assert np.abs(slope[left]).max() < 1e-6
    assert np.abs(tail).max() < 1e-6


def test_columns_that_are_equal_do_no_harm() -> None:
    # Without a ridge the Hessian of the support is singular.
    X = np.repeat(correlated(40, 15), 2, axis=1)
    gold = Gold((np.random.default_rng(2).normal(size=40) > 0) * 1.0, np.ones(40))
    problem = Problem(Rows(X, n_outputs=1), Logistic(), gold, L1(0.1))
    kernel = problem.descent(np.arange(31), np.arange(30), np.zeros(30))
    x = problem.start()
    weights, intercept = problem.parts(x)
    weights[:] = 0.01
    scores = problem.scores(x)
    terms = _core.SeparableTerms(lasso=np.full(1, 0.1), ridge=np.zeros(1), centre=np.zeros(1))
    limits = _core.DescentLimits(tolerance=1e-8, max_rounds=50, max_passes=300)
    before = problem.loss_value(x) + 0.1 * np.abs(weights).sum()
    kernel.polish(terms, weights, intercept, scores, limits)
    assert np.all(np.isfinite(x))
    assert problem.loss_value(x) + 0.1 * np.abs(weights).sum() < before
    gradient = problem.parts(problem.smooth(x)[1])[0]
    left = weights != 0
    assert np.abs(gradient[left] + 0.1 * np.sign(weights[left])).max() < 1e-6


@pytest.mark.parametrize(("loss", "n_outputs"), [(Logistic(), 1), (Multinomial(), 4)])
def test_rows_without_curvature_do_no_harm(loss: Loss, n_outputs: int) -> None:
    # Most labels are certain, so that products leave their rows out; some columns have no others.
    rng = np.random.default_rng(3)
    n_rows, n_columns, classes = 400, 60, max(n_outputs, 2)
    labels = np.repeat(np.arange(classes), n_rows // classes).astype(np.float64)
    counts = rng.poisson(0.2, (n_rows, n_columns)).astype(np.float64)
    telling = rng.random(n_rows) < 0.9
    counts[telling, labels[telling].astype(int)] += 6
    counts[:, 50:] *= telling[:, None]
    gold = Gold(labels, np.ones(n_rows), n_outputs)
    design = Rows(sp.csr_matrix(counts), n_outputs=n_outputs)
    problem = Problem(design, loss, gold, L1(1.0))
    size = n_columns * n_outputs
    kernel = problem.descent(np.arange(size + 1), np.arange(size), np.zeros(size))
    x = problem.start()
    weights, intercept = problem.parts(x)
    weights[:] = 0.02 * rng.normal(size=size)
    terms = _core.SeparableTerms(lasso=np.full(1, 0.02), ridge=np.zeros(1), centre=np.zeros(1))
    limits = _core.DescentLimits(tolerance=1e-6, max_rounds=60, max_passes=300)
    assert kernel.polish(terms, weights, intercept, problem.scores(x), limits) <= 1e-6
    curvature = problem.bound.curvature(design.score(x))
    assert np.sum(curvature < 1e-3 * curvature.max()) > len(curvature) / 2
    gradient = problem.parts(problem.smooth(x)[1])[0]
    left = weights != 0
    assert np.count_nonzero(left) > 20
    assert np.abs(gradient[left] + 0.02 * np.sign(weights[left])).max() < 1e-6
