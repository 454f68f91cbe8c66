"""Laws that any penalty, loss, design or solver must obey: call them on your own. A broken law is an AssertionError that names it.

    check_penalty(penalty, n_weights, rng)      prox, conjugate, strength_max, positivity, factors, spread, parameters
    check_loss(loss, rng)                       residual, convexity, Fenchel-Young, sample weights
    check_design(make, X, rng)                  adjoint, storage formats, threads
    check_solver(solver, problem)               certificate, warm start, repeatability, early stops

Laws, not numbers: nothing here knows what the right answer is, only what every right answer has in common.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from laconic.losses import Gold, Loss
from laconic.penalties import L0, L1, ElasticNet, OverlapGroupLasso, Penalty, PenaltySum, Ridge
from laconic.problem import Problem
from laconic.solvers.base import Progress, Solver
from laconic.solvers.fista import Fista

Array = NDArray[np.float64]

# Penalties whose gauge is an upper bound of the dual norm: strength_max may be too large there, never too small.
BOUNDED_DUAL = (OverlapGroupLasso, PenaltySum)


def require(holds: Any, law: str) -> None:
    """An AssertionError that names the law (an assert statement would vanish under python -O)."""
    if not holds:
        raise AssertionError(law)


def near(a: Any, b: Any, tol: float = 1e-8) -> bool:
    """Whether two numbers or arrays agree to `tol`, relative to the largest entry or 1."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
        return bool(np.array_equal(a, b))
    return bool(np.max(np.abs(a - b), initial=0.0) <= tol * max(1.0, float(np.max(np.abs(b), initial=0.0))))


def raises(call: Callable[[], Any], error: type[Exception] = ValueError) -> bool:
    """Whether a call is refused."""
    try:
        call()
    except error:
        return True
    return False


# Penalties


def check_penalty(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """Every law of a penalty over n_weights weights, at random points drawn from rng."""
    for step in (0.1, 1.0, 3.0):
        check_prox(penalty, rng.normal(size=n_weights) * 3, step, rng)
    check_value(penalty, n_weights, rng)
    check_conjugate(penalty, n_weights, rng)
    if penalty.convex:
        check_strength_max(penalty, n_weights, rng)
    check_positive(penalty, n_weights, rng)
    check_factors(penalty, n_weights, rng)
    check_spread(penalty, n_weights, rng)
    check_parameters(penalty, n_weights, rng)


def check_prox(penalty: Penalty, w: Array, step: float, rng: np.random.Generator) -> None:
    """P = prox(w) beats every v, by |v - p|^2 / 2 if convex (three points); firmly non-expansive; Moreau's identity."""
    given = w.copy()
    p = penalty.prox(w, step)
    require(np.array_equal(w, given), "prox must not change its argument")
    require(p.shape == w.shape and np.all(np.isfinite(p)), "prox gives finite weights of the same shape")
    reached = 0.5 * np.sum((p - w) ** 2) + step * penalty.value(p)
    margin = 1e-7 * (1 + abs(reached))
    for v in _candidates(penalty, w, p, rng):
        rival = 0.5 * np.sum((v - w) ** 2) + step * penalty.value(v)
        gain = 0.5 * np.sum((v - p) ** 2) if penalty.convex else 0.0
        require(
            reached + gain <= rival + margin, f"three-point inequality of the prox: {reached + gain} > {rival} at step {step}"
        )
    if penalty.convex:
        z = w + rng.normal(size=len(w)) * rng.choice([0.01, 1.0])
        moved = p - penalty.prox(z, step)
        require(moved @ moved <= moved @ (w - z) + margin, "the prox of a convex penalty is firmly non-expansive")
        left = (w - p) / step
        dual = penalty.conjugate(left)
        if not isinstance(penalty, BOUNDED_DUAL):
            require(
                near(penalty.value(p) + dual, p @ left, 1e-7), "Moreau: w - prox(w) is step times a dual point touching prox(w)"
            )
    start = w if penalty.value(w) < np.inf else np.maximum(w, 0.0)
    require(near(penalty.prox(start, 0.0), start, 1e-12), "prox at step 0 is the identity")


def _candidates(penalty: Penalty, w: Array, p: Array, rng: np.random.Generator) -> list[Array]:
    """Points that could beat a wrong prox: ends of the range, near neighbours, single entries put to zero or back."""
    near_by = [p + scale * rng.normal(size=len(w)) for scale in (1e-4, 1e-2, 1.0)]
    swapped = []
    for i in range(len(w)):
        for value in (0.0, w[i]):
            v = p.copy()
            v[i] = value
            swapped.append(v)
    rays = [0.99 * p, 1.01 * p, 0.5 * (p + w), np.zeros_like(w), w]
    return [v for point in [*near_by, *swapped, *rays] for v in (point, np.maximum(point, 0.0))]


def check_value(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """value(0) = 0 <= value(w); convex along lines; positively homogeneous if a norm."""
    require(penalty.value(np.zeros(n_weights)) == 0, "the penalty of zero weights is 0")
    w, v = np.abs(rng.normal(size=(2, n_weights)))
    if penalty.value(-w) < np.inf:
        w, v = w * rng.choice([-1, 1], n_weights), v * rng.choice([-1, 1], n_weights)
    require(0 <= penalty.value(w) < np.inf, "a penalty is not negative, and finite where weights are allowed")
    if penalty.convex:
        middle = penalty.value(0.3 * w + 0.7 * v)
        require(middle <= 0.3 * penalty.value(w) + 0.7 * penalty.value(v) + 1e-9, "convexity of the penalty along a line")
    for scale in (0.01, 7.0):
        if is_norm(penalty):
            require(near(penalty.value(scale * w), scale * penalty.value(w)), "a norm is positively homogeneous")
    doubled = penalty.replace(strength=2 * penalty.strength)
    require(near(doubled.value(w), 2 * penalty.value(w)), "a penalty is proportional to its strength")


def is_norm(penalty: Penalty) -> bool:
    """Whether the penalty should scale with the weights: all but those with a squared term or a count."""
    if isinstance(penalty, PenaltySum):
        return all(is_norm(term) for term in penalty.terms)
    if isinstance(penalty, ElasticNet) and not isinstance(penalty, L1):
        return not isinstance(penalty, Ridge) and penalty.l1_ratio == 1
    return penalty.convex and not isinstance(penalty, L0)


def check_conjugate(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """<c, w> - value(w) <= conjugate(c) for all c and w; the gauge says where the conjugate of a norm is finite."""
    for size in (0.1, 1.0, 10.0):
        c = size * rng.normal(size=n_weights)
        conjugate = penalty.conjugate(c)
        for w in rng.normal(size=(20, n_weights)) * rng.choice([0.1, 1.0, 10.0], (20, 1)):
            require(c @ w - penalty.value(w) <= conjugate + 1e-9 * (1 + abs(c @ w)), "<c, w> - value(w) <= conjugate(c)")
        gauge = penalty.gauge(-c)
        if is_norm(penalty) and 0 < gauge < np.inf:
            require(penalty.conjugate(c / gauge * (1 - 1e-6)) == 0, "the conjugate of a norm is 0 inside the dual ball")
            require(
                penalty.conjugate(c / gauge * (1 + 1e-6)) == np.inf, "the conjugate of a norm is infinite outside the dual ball"
            )


def check_strength_max(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """At strength_max a gradient step from 0 goes back to exact zeros; just below it does not (where it is no mere bound)."""
    gradient = rng.normal(size=n_weights) * 5
    largest = penalty.strength_max(gradient)
    require(largest >= 0, "strength_max is not negative")
    require(
        near(penalty.replace(strength=3.7).strength_max(gradient), largest, 1e-6) or largest == np.inf,
        "strength_max ignores strength",
    )
    if largest == np.inf:
        require(penalty.replace(strength=1e6).prox(-gradient).any(), "no finite strength_max, yet a large strength gives zeros")
        return
    require(not penalty.replace(strength=largest * (1 + 1e-6)).prox(-gradient).any(), "exact zeros from strength_max on")
    if largest > 0 and not isinstance(penalty, BOUNDED_DUAL):
        require(penalty.replace(strength=largest * 0.99).prox(-gradient).any(), "some weight wakes below strength_max")


def check_positive(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """positive=True keeps weights from falling below zero; the penalty there is infinite."""
    if "positive" not in penalty.get_params(deep=False):
        return
    positive = penalty.replace(positive=True)
    w = rng.normal(size=n_weights) * 3
    require(np.all(positive.prox(w, 0.01) >= 0), "positive weights after the prox")
    require(positive.value(-np.abs(w)) == np.inf, "negative weights have an infinite penalty if positive")
    free = penalty.replace(positive=False)
    require(near(positive.value(np.abs(w)), free.value(np.abs(w))), "positive changes nothing about positive weights")


def check_factors(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """Factors of one change nothing, the value is affine in them, a larger one shrinks its weight more; bad ones are refused."""
    if "factors" not in penalty.get_params(deep=False):
        return
    w, ones = np.abs(rng.normal(size=n_weights)) * 3, np.ones(n_weights)
    at = [penalty.replace(factors=scale * ones) for scale in (0.0, 1.0, 2.0)]
    require(near(at[1].value(w), penalty.replace(factors=None).value(w)), "factors of one change nothing")
    require(near(at[2].value(w) - at[1].value(w), at[1].value(w) - at[0].value(w)), "the penalty is affine in the factors")
    i = int(rng.integers(n_weights))
    raised = np.where(np.arange(n_weights) == i, 2.0, 1.0)
    more, same = penalty.replace(factors=raised).prox(w, 0.3)[i], at[1].prox(w, 0.3)[i]
    require(abs(more) <= abs(same) + 1e-12, "a larger factor shrinks its weight more")
    for bad in (np.ones(n_weights + 1), -ones, np.full(n_weights, np.nan)):
        require(
            raises(lambda bad=bad: penalty.replace(factors=bad).prox(w)),
            "factors: one finite number >= 0 a feature, else ValueError",
        )


def check_spread(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """spread(K): outputs are alike, spread(1) changes nothing, and spreading twice is spreading once by the product."""
    w = np.abs(rng.normal(size=(n_weights, 3)))
    flat, shuffled = w.ravel(), w[:, [2, 0, 1]].ravel()
    wide = penalty.spread(3)
    require(near(penalty.spread(1).value(w[:, 0]), penalty.value(w[:, 0])), "spread(1) changes nothing")
    require(near(wide.value(flat), wide.value(shuffled)), "the order of outputs does not matter to a spread penalty")
    turned = wide.prox(flat, 0.2).reshape(-1, 3)[:, [2, 0, 1]].ravel()
    require(near(wide.prox(shuffled, 0.2), turned, 1e-7), "the prox of a spread penalty permutes with the outputs")
    twice = np.abs(rng.normal(size=6 * n_weights))
    require(
        near(penalty.spread(2).spread(3).value(twice), penalty.spread(6).value(twice)), "spread(2) then spread(3) is spread(6)"
    )


def check_parameters(penalty: Penalty, n_weights: int, rng: np.random.Generator) -> None:
    """clone, deepcopy, repr and set_params work and keep the penalty; an impossible strength is a ValueError."""
    w = np.abs(rng.normal(size=n_weights))
    penalty.prox(w)  # fills whatever is cached, which copies must not trip over
    for copy in (clone(penalty), deepcopy(penalty), type(penalty)(**penalty.get_params(deep=False))):
        require(copy.value(w) == penalty.value(w) and np.array_equal(copy.prox(w), penalty.prox(w)), "a copy is the same penalty")
        copy.set_params(strength=2 * penalty.strength)
        require(near(copy.value(w), 2 * penalty.value(w)), "set_params(strength=...) takes effect")
        fresh = penalty.replace(strength=2 * penalty.strength)
        require(near(copy.prox(w), fresh.prox(w)), "set_params(strength=...) takes effect on the prox")
    require(repr(penalty).startswith(type(penalty).__name__), "repr names the class")
    for bad in (np.nan, -1.0, np.inf):
        require(raises(lambda bad=bad: penalty.replace(strength=bad).check()), f"strength {bad} must be a ValueError")


# Losses


def make_gold(loss: Loss, n_rows: int, n_classes: int, rng: np.random.Generator) -> Gold:
    """Random targets and sample weights that the loss takes."""
    target = rng.integers(n_classes, size=n_rows).astype(float) if loss.classifies else rng.normal(size=n_rows)
    return Gold(target, rng.uniform(0.5, 2.0, n_rows), loss.n_outputs(n_classes))


def check_loss(loss: Loss, rng: np.random.Generator, n_rows: int = 12) -> None:
    """Every law of a loss, for two classes and for three."""
    for n_classes in (2, 3):
        gold = make_gold(loss, n_rows, n_classes, rng)
        for size in (0.5, 5.0):
            scores = size * rng.normal(size=n_rows * gold.n_outputs)
            check_residual(loss, gold, scores, rng)
            check_fenchel_young(loss, gold, scores, rng)
        check_sample_weights(loss, gold, scores)
    require(repr(clone(loss)) == repr(loss), "clone and repr of a loss")


def check_residual(loss: Loss, gold: Gold, scores: Array, rng: np.random.Generator) -> None:
    """The residual is the derivative (central differences), and the loss lies above its tangents."""
    value, residual = loss.value_residual(scores, gold)
    require(value >= 0 and residual.shape == scores.shape, "a loss is not negative and has a residual a score")
    width = 1e-5
    for along in (rng.normal(size=len(scores)), np.eye(len(scores))[rng.integers(len(scores))]):
        ahead, behind = (loss.value_residual(scores + side * width * along, gold)[0] for side in (1, -1))
        require(near((ahead - behind) / (2 * width), residual @ along, 1e-5), "the residual is the derivative of the loss")
        for far in (-3.0, 0.5, 3.0):
            there = loss.value_residual(scores + far * along, gold)[0]
            require(there >= value + far * float(residual @ along) - 1e-9 * (1 + value), "a convex loss lies above its tangents")


def check_fenchel_young(loss: Loss, gold: Gold, scores: Array, rng: np.random.Generator) -> None:
    """loss(s) + loss*(r) >= <r, s>, with equality at r = residual(s)."""
    value, residual = loss.value_residual(scores, gold)
    require(near(value + loss.conjugate(residual, gold), residual @ scores, 1e-7), "Fenchel-Young is an equality at the residual")
    elsewhere = loss.value_residual(rng.normal(size=len(scores)) * 3, gold)[1]
    for scale in (0.0, 0.3, 1.0):
        bound = value + loss.conjugate(elsewhere, gold, scale)
        require(bound >= scale * float(elsewhere @ scores) - 1e-9 * (1 + value), "loss(s) + loss*(r) >= <r, s>")


def check_sample_weights(loss: Loss, gold: Gold, scores: Array) -> None:
    """Weights scale rows; a row of weight zero is as if absent, whatever its scores."""
    value, residual = loss.value_residual(scores, gold)
    doubled, both = loss.value_residual(scores, gold._replace(weight=2 * gold.weight))
    require(near(doubled, 2 * value) and near(both, 2 * residual), "doubled sample weights double the loss and the residuals")
    silent = gold.weight.copy()
    silent[0] = 0.0
    wild = scores.reshape(len(gold.target), -1).copy()
    wild[0] = np.where(np.arange(gold.n_outputs) % 2, -1e300, 1e300)
    muted, rest = loss.value_residual(wild.ravel(), gold._replace(weight=silent))
    kept = Gold(gold.target[1:], gold.weight[1:], gold.n_outputs)
    alone, alone_residual = loss.value_residual(np.ascontiguousarray(wild[1:]).ravel(), kept)
    require(near(muted, alone), "a row of weight zero adds nothing to the loss")
    require(np.all(rest[: gold.n_outputs] == 0) and near(rest[gold.n_outputs :], alone_residual), "nor to the residuals")
    require(
        near(loss.conjugate(rest, gold._replace(weight=silent)), loss.conjugate(alone_residual, kept)), "nor to the conjugate"
    )


# Designs


def check_design(make: Callable[..., Any], X: Any, rng: np.random.Generator) -> None:
    """make(X, n_outputs=, intercept=, threads=) obeys the adjoint law and gives the same scores for any storage and threads."""
    dense = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    wide = [sp.csr_matrix(dense), sp.csc_matrix(dense)]
    for matrix in wide:
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    stored = [
        dense,
        np.asfortranarray(dense),
        sp.csr_matrix(dense),
        sp.csc_matrix(dense),
        sp.coo_matrix(dense),
        sp.csr_array(dense),
        *wide,
    ]
    for n_outputs in (1, 3):
        for intercept in (False, True):
            plain = make(dense, n_outputs=n_outputs, intercept=intercept, threads=1)
            w = rng.normal(size=plain.n_weights)
            r = rng.normal(size=len(dense) * n_outputs)
            scores, pulled = plain.score(w), plain.pull(r)
            table = dense @ w[: plain.n_penalised].reshape(-1, n_outputs) + (w[plain.n_penalised :] if intercept else 0.0)
            require(near(scores, table.ravel()), "scores = X W + b")
            require(near(scores @ r, w @ pulled), "the adjoint: <A w, r> = <w, A' r>")
            for matrix in stored:
                for threads in (1, 2, 5):
                    other = make(matrix, n_outputs=n_outputs, intercept=intercept, threads=threads)
                    same = near(other.score(w), scores) and near(other.pull(r), pulled)
                    require(same, f"{type(matrix).__name__} with {threads} threads agrees with the dense matrix")


# Solvers


def check_solver(solver: Solver, problem: Problem, monotone: bool = False, warm: bool = True) -> None:
    """Every law of a solver on a problem it takes; `monotone`: values never rise; `warm`: a start at the optimum ends at once."""
    lowest = problem.value(Fista(tol=1e-12, max_iter=500).run(problem).x)
    for tol in (0.1, 0.01, solver.tol):
        result = clone(solver).set_params(tol=tol).run(problem)
        value = problem.value(result.x)
        require(result.converged == (result.error <= tol), "converged means error <= tol")
        require(result.converged, f"{solver!r} reaches {tol} on this problem, got {result.error}")
        if problem.penalty.convex:
            off = (value - lowest) / value
            require(off <= result.error + 1e-9, f"the certificate {result.error} bounds the distance {off} from the optimum")
    again = clone(solver).run(problem)
    require(np.array_equal(again.x, result.x) and again.error == result.error, "the same input gives the same result")
    values = np.array([line.value for line in result.trace])
    if monotone:
        require(np.all(np.diff(values) <= 1e-9 * (1 + np.abs(values[:-1]))), "values never rise along the trace")
    if warm:
        start = result.x.copy()
        short = getattr(solver, "check_every", 1)
        resumed = clone(solver).set_params(tol=10 * solver.tol).run(problem, result.x)
        require(np.array_equal(start, result.x), "a solver does not write into its start")
        require(
            resumed.converged and resumed.n_iter <= short,
            f"a start at the optimum ends by the first check, took {resumed.n_iter}",
        )
    check_early_stop(solver, problem)


def check_early_stop(solver: Solver, problem: Problem) -> None:
    """A callback that returns True and Ctrl-C both end the run after that step and keep a point with its certificate."""

    def by_return(_: Progress) -> bool:
        return True

    def by_interrupt(_: Progress) -> bool:
        raise KeyboardInterrupt

    for callback in (by_return, by_interrupt):
        result = clone(solver).set_params(tol=1e-14).run(problem, callback=callback)
        require(result.interrupted and result.n_iter == 1 == len(result.trace), "an early stop ends the run after that step")
        require(np.all(np.isfinite(result.x)) and result.x.shape == (problem.n_weights,), "an early stop keeps the point")
        require(
            problem.value(result.x) <= problem.value(problem.start()) * (1 + 1e-9), "the point kept is no worse than the start"
        )
        require(result.error >= 0, "an early stop keeps a certificate")
