"""The sparse adaptive prior against its bound written out term by term, and against integrals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import digamma, gammaln

from laconic.time.adaptive import AdaptivePrior, best_shape
from laconic.time.trajectories import LIMIT, SmoothRidge

Array = NDArray[np.float64]
SHAPES = [
    AdaptivePrior(n_steps=6, tau=1.0, floor=1e-3),
    AdaptivePrior(n_steps=6, tau=1.0, floor=1e-3, ends="zero"),
    AdaptivePrior(n_steps=1, tau=5.0, floor=1e-2),
    AdaptivePrior(n_steps=1, tau=5.0, floor=1e-2, ends="zero"),
    AdaptivePrior(n_steps=2, tau=-3.0, floor=1e-5, strength=2.5),
    AdaptivePrior(n_steps=5, tau=300.0, n_outputs=3, floor=1e-3),
    AdaptivePrior(n_steps=5, tau=0.0, n_outputs=3, shared=True, floor=1e-3, ends="zero"),
]


def precision(n_steps: int, alpha: float, ends: str) -> Array:
    """A(alpha), entry by entry."""
    matrix = np.eye(n_steps) + alpha * (np.eye(n_steps, k=1) + np.eye(n_steps, k=-1))
    if ends == "free":
        matrix[0, 0] += alpha
        matrix[-1, -1] += alpha
    return matrix


def mean_alpha(kappa: float) -> float:
    """Eq. 3.4, by its limit at kappa = 0."""
    return -LIMIT / 2 if abs(kappa) < 1e-7 else 1 / kappa - LIMIT / -np.expm1(-kappa * LIMIT)


def log_density(alpha: float, rate: float) -> float:
    """The truncated exponential on (-C, 0], Eq. 3.3."""
    height = (
        -np.log(LIMIT)
        if abs(rate) < 1e-9
        else np.log(abs(rate)) - np.log(abs(np.expm1(-rate * LIMIT)))
    )
    return height - rate * (alpha + LIMIT)


def bound(w: Array, a: float, b: float, kappa: float, prior: AdaptivePrior) -> float:
    """Return Fig. 3.1 with Jensen's step for one group of trajectories w (T, outputs)."""
    mean = mean_alpha(kappa)
    A = precision(prior.n_steps, mean, prior.ends)
    log_lambda, inverse = digamma(a) + np.log(b), 1 / ((a - 1) * b)
    log_det = w.shape[1] * np.linalg.slogdet(A)[1]
    likelihood = 0.5 * (-w.size * log_lambda + log_det) - 0.5 * inverse * np.sum(w * (A @ w))
    hyper = log_density(mean, prior.tau) - log_lambda - 0.5 * prior.floor * inverse
    of_lambda = (a - 1) * log_lambda - a - gammaln(a) - a * np.log(b)
    return likelihood + hyper - of_lambda - log_density(mean, kappa)


def groups(w: Array, prior: AdaptivePrior) -> list[Array]:
    """The groups of flat weights, each (T, outputs)."""
    table = w.reshape(-1, prior.n_steps, prior.n_outputs)
    return (
        [*table] if prior.shared else [one[:, [k]] for one in table for k in range(prior.n_outputs)]
    )


def weights(prior: AdaptivePrior, rng: np.random.Generator, n_features: int = 4) -> Array:
    """Features that move, that stand still, that jump about and that are nearly zero."""
    steps = rng.normal(size=(n_features, prior.n_steps, prior.n_outputs))
    steps[0] = steps[0].cumsum(axis=0)
    steps[1] = steps[1][:1] + 1e-3 * steps[1]
    steps[2] *= (-1.0) ** np.arange(prior.n_steps)[:, None]
    steps[3] *= 1e-4
    return steps.ravel()


@pytest.mark.parametrize("prior", SHAPES, ids=repr)
def test_the_cost_is_the_bound_at_its_best_and_no_other_belief_is_better(
    prior: AdaptivePrior,
) -> None:
    rng = np.random.default_rng(0)
    w = weights(prior, rng)
    a = best_shape(prior.group_size)
    kappas = prior.posterior(w).kappa
    total = 0.0
    for group, kappa in zip(groups(w, prior), kappas, strict=True):
        spread = (
            np.sum(group * (precision(prior.n_steps, mean_alpha(kappa), prior.ends) @ group))
            + prior.floor
        )
        b = spread / ((a - 1) * prior.group_size)
        here = bound(group, a, b, kappa, prior)
        total += here
        rivals = [(a * f, b, kappa) for f in (0.9, 1.1)] + [
            (a, b * f, kappa) for f in (0.5, 0.99, 1.01, 2.0)
        ]
        # Far out, another kappa is judged with the b that is best for it.
        for other in (
            *(kappa + d * (1 + abs(kappa)) for d in (-0.01, 0.01)),
            -5.0,
            0.0,
            3.0,
            40.0,
            1e3,
            2e4,
        ):
            spread = (
                np.sum(group * (precision(prior.n_steps, mean_alpha(other), prior.ends) @ group))
                + prior.floor
            )
            rivals.append((a, spread / ((a - 1) * prior.group_size), other))
        for rival in rivals:
            assert bound(group, *rival, prior) <= here + 1e-7 * (1 + abs(here)), rival
    assert prior.value(w) == pytest.approx(-prior.strength * total, rel=1e-9)


@pytest.mark.parametrize("prior", SHAPES, ids=repr)
def test_derivatives_of_the_bound_by_finite_differences(prior: AdaptivePrior) -> None:
    """Eq. 3.5 for weights; zero for a, b and kappa at the prior's choice (Eqs. 3.6, 3.7 ff.)."""
    rng = np.random.default_rng(1)
    w = weights(prior, rng)
    local = prior.at(w)
    for e in range(len(w)):
        width = 1e-5 * max(abs(w[e]), np.sqrt(prior.floor))
        ahead, behind = w.copy(), w.copy()
        ahead[e] += width
        behind[e] -= width
        slope = (prior.value(ahead) - prior.value(behind)) / (2 * width)
        assert local.gradient[e] == pytest.approx(
            slope, rel=2e-4, abs=1e-5 * np.abs(local.gradient).max()
        )
    a = best_shape(prior.group_size)
    for group, kappa, inverse in zip(
        groups(w, prior), prior.posterior(w).kappa, prior.posterior(w).precision, strict=True
    ):
        point = np.array([a, 1 / ((a - 1) * inverse), kappa])
        scale = abs(bound(group, *point, prior)) + 1
        for e in range(3):
            width = 1e-4 * (1 + abs(point[e])) if e == 2 else 1e-4 * point[e]
            ahead, behind = point.copy(), point.copy()
            ahead[e] += width
            behind[e] -= width
            slope = (bound(group, *ahead, prior) - bound(group, *behind, prior)) / 2
            assert abs(slope) <= 1e-6 * scale, ("a", "b", "kappa")[e]


@pytest.mark.parametrize("ends", ["free", "zero"])
@pytest.mark.parametrize("n_steps", [1, 2, 7])
def test_the_scale_is_integrated_out_exactly_but_for_a_constant(n_steps: int, ends: str) -> None:
    """At a given alpha, -log of the integral over lambda differs from the cost by a constant."""
    prior = AdaptivePrior(
        n_steps=n_steps, tau=1e9, floor=0.3, ends=ends
    )  # so large a rate leaves alpha = -C alone
    rng = np.random.default_rng(2)
    A = precision(n_steps, -LIMIT, ends)

    def marginal(w: Array) -> float:
        half = 0.5 * (w @ A @ w + prior.floor)
        peak = half / (n_steps / 2 + 1)
        log_peak = -(n_steps / 2 + 1) * np.log(peak) - half / peak

        def integrand(z: float) -> float:
            return float(np.exp(-(n_steps / 2) * z - half * np.exp(-z) - log_peak - np.log(peak)))

        return (
            -np.log(
                quad(
                    integrand,
                    np.log(peak) - 40,
                    np.log(peak) + 40,
                    points=[np.log(peak)],
                    limit=400,
                )[0]
            )
            - log_peak
            - np.log(peak)
        )

    points = rng.normal(size=(4, n_steps)) * np.array([[0.1], [1.0], [3.0], [10.0]])
    differences = [prior.value(w) - marginal(w) for w in points]
    assert np.ptp(differences) < 1e-3


def test_what_moves_smoothly_is_told_from_what_jumps() -> None:
    prior = AdaptivePrior(n_steps=30, tau=1.0, floor=1e-6)
    rng = np.random.default_rng(3)
    still, walk, noise = np.ones(30), np.cumsum(rng.normal(size=30)), rng.normal(size=30)
    alpha = prior.posterior(np.concatenate([still, walk, noise])).alpha
    assert alpha[0] < -0.499 and alpha[0] < alpha[1] < -0.45 < alpha[2]


def test_trajectories_near_zero_get_a_precision_that_keeps_them_there() -> None:
    prior = AdaptivePrior(n_steps=10, floor=1e-6)
    w = np.concatenate([np.full(10, 1e-5), np.full(10, 2.0)])
    pull = prior.gradient(w) / w
    assert pull[:10].min() > 1e6 * pull[10:].max() > 0


@settings(max_examples=30)
@given(
    st.integers(1, 8),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from(["free", "zero"]),
    st.integers(0, 10**6),
)
def test_products_and_solves_with_precisions(
    n_steps: int, n_outputs: int, shared: bool, ends: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    prior = AdaptivePrior(n_steps=n_steps, n_outputs=n_outputs, shared=shared, ends=ends)
    w = rng.normal(size=3 * n_steps * n_outputs)
    local = prior.at(w)
    h = rng.uniform(0.1, 2.0, len(w))
    out = prior.solve(w, h, local)
    alphas = iter(zip(local.scale, local.alpha, strict=True))
    for i in range(3):
        scale, alpha = next(alphas) if shared else (0.0, 0.0)
        for k in range(n_outputs):
            if not shared:
                scale, alpha = next(alphas)
            here = np.arange(n_steps) * n_outputs + i * n_steps * n_outputs + k
            P = scale * precision(n_steps, alpha, ends)
            assert np.allclose(local.gradient[here], P @ w[here], rtol=1e-9, atol=1e-12)
            assert np.allclose((np.diag(h[here]) + P) @ out[here], w[here], rtol=1e-8, atol=1e-10)


def test_the_best_tau_raises_the_bound_above_its_neighbours() -> None:
    rng = np.random.default_rng(4)
    w = weights(SHAPES[0], rng, 40)
    prior = SHAPES[0]
    for _ in range(200):
        prior = prior.replace(tau=prior.best_tau(w))
    costs = [prior.replace(tau=prior.tau * f).value(w) for f in (0.8, 1.0, 1.2)]
    assert costs[1] == min(costs) and costs[1] < SHAPES[0].value(w)


def test_the_bound_is_flat_in_tau_at_the_best_one_by_finite_differences() -> None:
    """With q(alpha) as it is, tau enters the bound by the means of log p(alpha | tau) alone."""
    for prior in SHAPES[:2]:
        w = weights(prior, np.random.default_rng(6), 30)
        means, best = prior.posterior(w).alpha, prior.best_tau(w)

        def expected(tau: float, means: Array = means) -> float:
            return sum(log_density(mean, tau) for mean in means.tolist())

        width = 1e-3 * abs(best)
        assert abs(expected(best + width) - expected(best - width)) < 1e-5 * len(means)
        assert expected(best) > max(expected(2 * best), expected(best / 2))


def test_smooth_ridge_is_the_sum_of_squares_and_of_changes() -> None:
    w = np.random.default_rng(5).normal(size=(3, 4))
    changes = np.sum(np.diff(w, axis=1) ** 2)
    assert SmoothRidge(4, 0.7, 2.0).value(w.ravel()) == pytest.approx(
        0.35 * (np.sum(w**2) + 2 * changes)
    )
    edges = np.sum(w[:, 0] ** 2 + w[:, -1] ** 2)
    assert SmoothRidge(4, 0.7, 2.0, ends="zero").value(w.ravel()) == pytest.approx(
        0.35 * (np.sum(w**2) + 2 * (changes + edges))
    )


@pytest.mark.parametrize(
    ("penalty", "words"),
    [
        (AdaptivePrior(tau=np.inf), "tau must be a finite number"),
        (AdaptivePrior(floor=0.0), "floor must be a positive number"),
        (AdaptivePrior(ends="loose"), "ends must be 'free' or 'zero', got 'loose'"),
        (AdaptivePrior(n_steps=0), "n_steps must be a whole number of at least 1"),
        (SmoothRidge(smoothness=-1.0), "smoothness must be a number that is not negative"),
    ],
)
def test_parameters_that_cannot_be_used(penalty: AdaptivePrior | SmoothRidge, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        penalty.check()


def test_weights_that_are_no_trajectories_are_refused() -> None:
    with pytest.raises(ValueError, match="features x 4 steps x 1 outputs, got 7"):
        AdaptivePrior(n_steps=4).value(np.zeros(7))
