"""Laws of penalties: prox, value, conjugate, strength_max, signs, factors, spread, parameters."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
from sklearn.base import clone

from laconic.core.arrays import Array
from laconic.core.checks.law import near, raises, require
from laconic.core.penalties import (
    L1,
    Concave,
    ElasticNet,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
    Quadratic,
    Ridge,
)

# Penalties whose gauge is an upper bound of the dual norm: strength_max may be too large there,
# never too small.
BOUNDED_DUAL = (OverlapGroupLasso, PenaltySum)


def check_penalty(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """Check every law of a penalty over n_weights weights, at random points drawn from rng."""
    for step in (0.1, 1.0, 3.0):
        check_prox(penalty, rng.normal(size=n_weights) * 3, step, rng)
    check_value(penalty, n_weights, rng)
    check_conjugate(penalty, n_weights, rng)
    if penalty.convex:
        check_strength_max(penalty, n_weights, rng)
    if isinstance(penalty, Quadratic):
        check_quadratic(penalty, n_weights, rng)
    if isinstance(penalty, Concave):
        check_tangent(penalty, n_weights, rng)
    check_positive(penalty, n_weights, rng)
    check_factors(penalty, n_weights, rng)
    check_spread(penalty, n_weights, rng)
    check_parameters(penalty, n_weights, rng)


def check_quadratic(penalty: Quadratic, n_weights: int, rng: np.random.Generator) -> None:
    """Check that the gradient is P w of w'P w / 2, and the diagonal that of P."""
    if getattr(penalty, "positive", False):
        return
    w, v = rng.normal(size=(2, n_weights))
    moved = penalty.gradient(w + 2 * v)
    straight = penalty.gradient(w) + 2 * penalty.gradient(v)
    require(near(moved, straight, 1e-10), "the gradient of a quadratic penalty is linear")
    require(near(penalty.value(w), 0.5 * w @ penalty.gradient(w), 1e-10), "the value is w'P w / 2")
    columns = [penalty.gradient(one) @ one for one in np.eye(n_weights)]
    require(near(penalty.diagonal(n_weights), np.array(columns), 1e-10), "diagonal() is that of P")


def check_prox(penalty: Penalty, w: Array, step: float, rng: np.random.Generator) -> None:
    """Check that p = prox(w) beats every v, by |v - p|^2 / 2 if convex (three points).

    If convex it is also firmly non-expansive and satisfies Moreau's identity.
    """
    given = w.copy()
    p = penalty.prox(w, step)
    require(np.array_equal(w, given), "prox must not change its argument")
    require(
        p.shape == w.shape and np.all(np.isfinite(p)), "prox gives finite weights of the same shape"
    )
    reached = 0.5 * np.sum((p - w) ** 2) + step * penalty.value(p)
    margin = 1e-7 * (1 + abs(reached))
    for v in _candidates(penalty, w, p, rng):
        rival = 0.5 * np.sum((v - w) ** 2) + step * penalty.value(v)
        gain = 0.5 * np.sum((v - p) ** 2) if penalty.convex else 0.0
        require(
            reached + gain <= rival + margin,
            f"three-point inequality of the prox: {reached + gain} > {rival} at step {step}",
        )
    if penalty.convex:
        z = w + rng.normal(size=len(w)) * rng.choice([0.01, 1.0])
        moved = p - penalty.prox(z, step)
        require(
            moved @ moved <= moved @ (w - z) + margin,
            "the prox of a convex penalty is firmly non-expansive",
        )
        left = (w - p) / step
        dual = penalty.conjugate(left)
        if not isinstance(penalty, BOUNDED_DUAL):
            require(
                near(penalty.value(p) + dual, p @ left, 1e-7),
                "Moreau: w - prox(w) is step times a dual point touching prox(w)",
            )
    start = w if penalty.value(w) < np.inf else allowed(penalty, w)
    require(penalty.value(start) < np.inf, "prox at step 0 goes to weights that are allowed")
    require(
        near(penalty.prox(start, 0.0), start, 1e-12),
        "prox at step 0 is the identity where weights are allowed",
    )


def allowed(penalty: Penalty, w: Array) -> Array:
    """Return the nearest weights to w whose penalty is finite: the prox at step 0."""
    return penalty.prox(w, 0.0)


def _candidates(penalty: Penalty, w: Array, p: Array, rng: np.random.Generator) -> list[Array]:
    """Return points that could beat a wrong prox.

    Ends of the range, near neighbours, and single entries set to zero or back.
    """
    near_by = [p + scale * rng.normal(size=len(w)) for scale in (1e-4, 1e-2, 1.0)]
    swapped = []
    for i in range(len(w)):
        for value in (0.0, w[i]):
            v = p.copy()
            v[i] = value
            swapped.append(v)
    rays = [0.99 * p, 1.01 * p, 0.5 * (p + w), np.zeros_like(w), w]
    return [
        v
        for point in [*near_by, *swapped, *rays]
        for v in (point, np.maximum(point, 0.0), allowed(penalty, point))
    ]


def check_value(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """Check value(0) = 0 <= value(w), convexity along lines, and homogeneity of norms."""
    require(penalty.value(np.zeros(n_weights)) == 0, "the penalty of zero weights is 0")
    w, v = (allowed(penalty, np.abs(rng.normal(size=n_weights))) for _ in range(2))
    if penalty.value(-w) < np.inf:
        w, v = w * rng.choice([-1, 1], n_weights), v * rng.choice([-1, 1], n_weights)
    require(
        0 <= penalty.value(w) < np.inf,
        "a penalty is not negative, and finite where weights are allowed",
    )
    if penalty.convex:
        middle = penalty.value(0.3 * w + 0.7 * v)
        require(
            middle <= 0.3 * penalty.value(w) + 0.7 * penalty.value(v) + 1e-9,
            "convexity of the penalty along a line",
        )
    for scale in (0.01, 7.0):
        if is_norm(penalty):
            require(
                near(penalty.value(scale * w), scale * penalty.value(w)),
                "a norm is positively homogeneous",
            )
    doubled = penalty.replace(strength=2 * penalty.strength).value(w)
    if penalty.proportional:
        require(near(doubled, 2 * penalty.value(w)), "a penalty is proportional to its strength")
    else:
        require(doubled >= penalty.value(w), "a stronger penalty costs no less")


def is_norm(penalty: Penalty) -> bool:
    """Return whether the penalty has no squared term and no count, and scales with the weights."""
    if isinstance(penalty, PenaltySum):
        return all(is_norm(term) for term in penalty.terms)
    if isinstance(penalty, ElasticNet) and not isinstance(penalty, L1):
        return not isinstance(penalty, Ridge) and penalty.l1_ratio == 1
    return penalty.convex and penalty.homogeneous


def check_conjugate(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """Check <c, w> - value(w) <= conjugate(c) for all c and w.

    Also that the gauge says where the conjugate of a norm is finite.
    """
    for size in (0.1, 1.0, 10.0):
        c = size * rng.normal(size=n_weights)
        conjugate = penalty.conjugate(c)
        for w in rng.normal(size=(20, n_weights)) * rng.choice([0.1, 1.0, 10.0], (20, 1)):
            require(
                c @ w - penalty.value(w) <= conjugate + 1e-9 * (1 + abs(c @ w)),
                "<c, w> - value(w) <= conjugate(c)",
            )
        gauge = penalty.gauge(-c)
        if is_norm(penalty) and 0 < gauge < np.inf:
            require(
                penalty.conjugate(c / gauge * (1 - 1e-6)) == 0,
                "the conjugate of a norm is 0 inside the dual ball",
            )
            require(
                penalty.conjugate(c / gauge * (1 + 1e-6)) == np.inf,
                "the conjugate of a norm is infinite outside the dual ball",
            )


def check_strength_max(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """Check that at strength_max a gradient step from 0 goes back to exact zeros.

    Just below it does not, where the gauge is no mere bound.
    """
    gradient = rng.normal(size=n_weights) * 5
    largest = penalty.strength_max(gradient)
    require(largest >= 0, "strength_max is not negative")
    require(
        near(penalty.replace(strength=3.7).strength_max(gradient), largest, 1e-6)
        or largest == np.inf,
        "strength_max ignores strength",
    )
    if largest == np.inf:
        require(
            penalty.replace(strength=1e6).prox(-gradient).any(),
            "no finite strength_max, yet a large strength gives zeros",
        )
        return
    require(
        not penalty.replace(strength=largest * (1 + 1e-6)).prox(-gradient).any(),
        "exact zeros from strength_max on",
    )
    if largest > 0 and not isinstance(penalty, BOUNDED_DUAL):
        require(
            penalty.replace(strength=largest * 0.99).prox(-gradient).any(),
            "some weight is not zero below strength_max",
        )


def check_tangent(penalty: Concave, n_weights: int, rng: np.random.Generator) -> None:
    """Check that differences of tangents bound those of the penalty, and that they touch it.

    Also that zero is a local optimum from strength_max on, and not below.
    """
    w = allowed(penalty, np.abs(rng.normal(size=n_weights)) * 3 * rng.integers(0, 2, n_weights))
    tangent = penalty.tangent(w)
    require(tangent.convex, "tangents are convex")
    for scale in (0.0, 1e-3, 0.1, 1.0, 10.0):
        v = np.abs(w + scale * rng.normal(size=n_weights))
        require(
            penalty.value(v) <= penalty.value(w) + tangent.value(v) - tangent.value(w) + 1e-9,
            "a concave penalty lies below its tangents",
        )
    close = np.abs(w + 1e-5 * (w != 0) * rng.normal(size=n_weights))
    change = penalty.value(close) - penalty.value(w)
    require(
        abs(change - tangent.value(close) + tangent.value(w)) <= 1e-8 * n_weights,
        "a tangent has the slope of the penalty where it touches it",
    )
    gradient, step = -np.abs(rng.normal(size=n_weights)) * 5, 1e-4
    largest = penalty.strength_max(gradient)
    for factor, stays in ((1 + 1e-6, True), (0.99, False)):
        moved = penalty.replace(strength=factor * largest).prox(-step * gradient, step)
        require(stays != moved.any(), f"a small step from zero at {factor} strength_max")


def check_positive(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """Check that positive=True allows no negative weights; the penalty there is infinite."""
    if "positive" not in penalty.get_params(deep=False):
        return
    positive = penalty.replace(positive=True)
    w = rng.normal(size=n_weights) * 3
    require(np.all(positive.prox(w, 0.01) >= 0), "positive weights after the prox")
    require(
        positive.value(-np.abs(w)) == np.inf,
        "negative weights have an infinite penalty if positive",
    )
    free = penalty.replace(positive=False)
    require(
        near(positive.value(np.abs(w)), free.value(np.abs(w))),
        "positive changes nothing about positive weights",
    )


def check_factors(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """Check that factors of one change nothing, and that the value is affine in factors.

    A larger factor shrinks its weight more, and bad ones are refused.
    """
    if "factors" not in penalty.get_params(deep=False):
        return
    w, ones = allowed(penalty, np.abs(rng.normal(size=n_weights)) * 3), np.ones(n_weights)
    at = [penalty.replace(factors=scale * ones) for scale in (0.0, 1.0, 2.0)]
    require(
        near(at[1].value(w), penalty.replace(factors=None).value(w)),
        "factors of one change nothing",
    )
    if penalty.proportional:
        require(
            near(at[2].value(w) - at[1].value(w), at[1].value(w) - at[0].value(w)),
            "the penalty is affine in the factors",
        )
    i = int(rng.integers(n_weights))
    raised = np.where(np.arange(n_weights) == i, 2.0, 1.0)
    more, same = penalty.replace(factors=raised).prox(w, 0.3)[i], at[1].prox(w, 0.3)[i]
    require(abs(more) <= abs(same) + 1e-12, "a larger factor shrinks its weight more")
    for bad in (np.ones(n_weights + 1), -ones, np.full(n_weights, np.nan)):
        require(
            raises(penalty.replace(factors=bad).prox, w),
            "factors: one finite number >= 0 per feature, else ValueError",
        )


def check_spread(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """Check that spread(K) treats outputs alike, and that spread(1) changes nothing.

    Spreading twice is spreading once by the product. Penalties over given outputs refuse others.
    """
    if not penalty.alike:
        require(raises(penalty.spread, n_weights + 1), "outputs that are not all alike are counted")
        return
    w = np.abs(rng.normal(size=(n_weights, 3)))
    flat, shuffled = w.ravel(), w[:, [2, 0, 1]].ravel()
    wide = penalty.spread(3)
    require(
        near(penalty.spread(1).value(w[:, 0]), penalty.value(w[:, 0])), "spread(1) changes nothing"
    )
    require(
        near(wide.value(flat), wide.value(shuffled)),
        "the order of outputs does not matter to a spread penalty",
    )
    turned = wide.prox(flat, 0.2).reshape(-1, 3)[:, [2, 0, 1]].ravel()
    require(
        near(wide.prox(shuffled, 0.2), turned, 1e-7),
        "the prox of a spread penalty permutes with the outputs",
    )
    twice = np.abs(rng.normal(size=6 * n_weights))
    require(
        near(penalty.spread(2).spread(3).value(twice), penalty.spread(6).value(twice)),
        "spread(2) then spread(3) is spread(6)",
    )


def check_parameters(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """Check that clone, deepcopy, repr and set_params work and keep the penalty.

    An impossible strength is a ValueError.
    """
    w = allowed(penalty, np.abs(rng.normal(size=n_weights)))
    penalty.prox(w)  # fills whatever is cached, which copies must not trip over
    for copy in (
        clone(penalty),
        deepcopy(penalty),
        type(penalty)(**penalty.get_params(deep=False)),
    ):
        require(
            copy.value(w) == penalty.value(w) and np.array_equal(copy.prox(w), penalty.prox(w)),
            "a copy is the same penalty",
        )
        copy.set_params(strength=2 * penalty.strength)
        fresh = penalty.replace(strength=2 * penalty.strength)
        require(near(copy.value(w), fresh.value(w)), "set_params(strength=...) takes effect")
        require(
            near(copy.prox(w), fresh.prox(w)), "set_params(strength=...) takes effect on the prox"
        )
    require(repr(penalty).startswith(type(penalty).__name__), "repr names the class")
    for bad in (np.nan, -1.0, np.inf):
        require(raises(penalty.replace(strength=bad).check), f"strength {bad} must be a ValueError")
