"""Laws of penalties on nested contexts: proximal steps, duality, parameters."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from laconic.core.arrays import Array
from laconic.core.checks.law import near, require
from laconic.lm.nested import NestedPenalty, NestedTerms, NestedWeights


def check_nested_penalty(
    penalty: NestedPenalty, weights: NestedWeights, rng: np.random.Generator
) -> None:
    """Check every law of a penalty on given trees, at random points drawn from rng."""
    require(repr(clone(penalty)) == repr(penalty), "a penalty is its parameters")
    terms = penalty.check().on(weights)
    zeros = np.zeros(len(weights.parent))
    require(terms.value(zeros) == 0, "the penalty of zero weights is zero")
    for factor in (0.1, 1.0, 3.0):
        check_step(terms, rng.normal(size=len(zeros)) * 2, factor, rng)
    check_bound(terms, rng)


def check_step(terms: NestedTerms, w: Array, factor: float, rng: np.random.Generator) -> None:
    """Check that p = prox(w) beats every v >= 0 by sum curvature (v - p)^2 / 2."""
    terms.renew(np.maximum(w, 0))
    curvature = terms.curvature(factor)
    step = terms.prox(w, curvature)
    require(
        (step >= 0).all() and np.all(np.isfinite(step)),
        "steps lead to finite weights that are not negative",
    )
    if not terms.exact:
        return

    def cost(v: Array) -> float:
        return 0.5 * float((curvature * terms.length * (v - w)) @ (v - w)) + terms.value(v)

    reached = cost(step)
    near_step = np.abs(step + 0.1 * rng.normal(size=len(w)))
    for v in (
        np.zeros(len(w)),
        np.maximum(w, 0),
        step * rng.random(len(w)),
        near_step,
        rng.permutation(step),
    ):
        margin = 0.5 * float((curvature * terms.length * (v - step)) @ (v - step))
        require(
            reached + margin <= cost(v) + 1e-8 * (1 + abs(reached)),
            "three-point inequality of the proximal step",
        )
    require(
        near(terms.prox(step, curvature * 1e12), step, 1e-6),
        "with a very large curvature a step stays where it is",
    )


def check_bound(terms: NestedTerms, rng: np.random.Generator) -> None:
    """Check that <slope, v> - Omega(v) <= the bound for 0 <= v <= most: gaps rest on it."""
    slope = rng.normal(size=len(terms.rates)) * rng.choice([0.1, 1.0, 10.0])
    at = np.abs(rng.normal(size=len(slope)))
    highest = float(rng.choice([0.5, 5.0, 100.0]))
    most = terms.bound(slope, at, highest)
    square = np.zeros(1) if terms.ridge is None else terms.ridge
    for v in (
        np.zeros(len(slope)),
        at,
        np.maximum(slope, 0),
        5 * rng.random(len(slope)),
        100 * np.maximum(slope, 0),
        np.where(slope > 0, highest, 0.0),
    ):
        v = np.minimum(v, highest)
        reached = float((slope * terms.length) @ v) - terms.value(v) - 0.5 * float((square * v) @ v)
        require(reached <= most + 1e-6 * (1 + abs(most)), "no weights gain more than the bound")
