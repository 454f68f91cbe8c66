"""The objectives of laconic a second time, in cvxpy and plain NumPy, from their formulas alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.core.groups import Groups
from laconic.core.losses import Logistic, Multinomial, Squared
from laconic.core.penalties import (
    L1,
    ElasticNet,
    OverlapGroupLasso,
    Penalty,
    PenaltySum,
    Ridge,
    SparseGroupLasso,
    TreeGroupLasso,
)

cp: Any = None


def use_cvxpy(module: Any) -> None:
    """Cvxpy is imported by the tests that need it, so that its absence skips them."""
    global cp
    cp = module


def whole_groups(groups: Groups) -> list[np.ndarray]:
    """Return the members of every group; in a forest with those of descendants, repeats kept."""
    lists = [list(groups.members(g)) for g in range(len(groups))]
    if groups.parent is not None:
        for g in range(len(groups) - 1, -1, -1):
            if groups.parent[g] >= 0:
                lists[groups.parent[g]] += lists[g]
    return [np.array(members, dtype=int) for members in lists]


def penalty_in_cvxpy(penalty: Penalty, w: Any) -> Any:
    """The penalty of a cvxpy variable (the sign constraint stands in `constraints`)."""
    if isinstance(penalty, PenaltySum):
        return penalty.strength * sum(penalty_in_cvxpy(term, w) for term in penalty.terms)
    factors = getattr(penalty, "factors", None)
    factors = np.ones(w.size) if factors is None else np.asarray(factors)
    if isinstance(penalty, ElasticNet):
        ratio = (
            1.0
            if isinstance(penalty, L1)
            else 0.0
            if isinstance(penalty, Ridge)
            else penalty.l1_ratio
        )
        lasso, ridge = factors @ cp.abs(w), factors @ cp.square(w) / 2
        return penalty.strength * (ratio * lasso + (1 - ratio) * ridge)
    assert isinstance(penalty, (SparseGroupLasso, TreeGroupLasso, OverlapGroupLasso))
    kind = 2 if penalty.norm == 2 else "inf"
    members = whole_groups(penalty.groups)
    norms = sum(
        d * cp.norm(w[list(g)], kind)
        for d, g in zip(penalty.groups.weight, members, strict=True)
        if len(g)
    )
    ratio = getattr(penalty, "l1_ratio", 0.0)
    return penalty.strength * (ratio * (factors @ cp.abs(w)) + (1 - ratio) * norms)


def is_positive(penalty: Penalty) -> bool:
    """Whether any term asks for weights that are not negative."""
    terms = penalty.terms if isinstance(penalty, PenaltySum) else [penalty]
    return any(term.positive for term in terms)


def loss_in_cvxpy(loss: Any, scores: Any, target: np.ndarray, weight: np.ndarray) -> Any:
    """The summed loss of an (n, K) expression."""
    K = scores.shape[1]
    labels = np.eye(K)[target.astype(int)] if K > 1 else target[:, None]
    each = np.repeat(weight[:, None], K, axis=1)
    if isinstance(loss, Multinomial):
        return weight @ (
            cp.log_sum_exp(scores, axis=1) - cp.sum(cp.multiply(labels, scores), axis=1)
        )
    if isinstance(loss, Logistic):
        return cp.sum(cp.multiply(each, cp.logistic(scores) - cp.multiply(labels, scores)))
    if isinstance(loss, Squared):
        return cp.sum(cp.multiply(each, cp.square(scores - labels))) / 2
    return cp.sum(cp.multiply(each, cp.square(cp.pos(1 - cp.multiply(2 * labels - 1, scores)))))


def optimum(problem: Any, X: np.ndarray) -> float:
    """The optimum of a laconic problem over the dense matrix X, by an interior-point solver."""
    K, design = problem.gold.n_outputs, problem.design
    w = cp.Variable(design.n_penalised, nonneg=is_positive(problem.penalty))
    scores = X @ cp.reshape(w, (X.shape[1], K), order="C")
    if design.intercept:
        b = cp.Variable((1, K))
        scores = scores + np.ones((len(X), 1)) @ b
    loss = loss_in_cvxpy(problem.loss, scores, problem.gold.target, problem.gold.weight)
    program = cp.Problem(cp.Minimize(loss + penalty_in_cvxpy(problem.penalty, w)))
    # Clarabel may not reach these tolerances and warns; the tests do not need them in full.
    tight = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
    return float(program.solve(solver="CLARABEL", **tight))


def prox_in_cvxpy(penalty: Penalty, w: np.ndarray, step: float) -> np.ndarray:
    """argmin_v |v - w|^2 / 2 + step Omega(v)."""
    v = cp.Variable(len(w), nonneg=is_positive(penalty))
    tight = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}
    objective = cp.sum_squares(v - w) / 2 + step * penalty_in_cvxpy(penalty, v)
    cp.Problem(cp.Minimize(objective)).solve(solver="CLARABEL", **tight)
    return np.asarray(v.value)


def shrink(w: np.ndarray, mass: float, norm: Any) -> np.ndarray:
    """The prox of one group norm: what the projection on the dual ball leaves over."""
    if norm == 2:
        length = np.linalg.norm(w)
        return w * max(0.0, 1 - mass / length) if length > 0 else w
    size = np.abs(w)
    if size.sum() <= mass:
        return np.zeros_like(w)
    down = np.sort(size)[::-1]
    levels = (np.cumsum(down) - mass) / np.arange(1, len(w) + 1)
    level = levels[np.flatnonzero(down > levels)[-1]]
    return np.clip(w, -level, level)


def prox_by_composition(groups: Groups, w: np.ndarray, step: float, norm: Any) -> np.ndarray:
    """Return the proxes of groups in turn, children first: exact for forests, disjoint groups."""
    v = w.copy()
    members = whole_groups(groups)
    for g in range(len(groups) - 1, -1, -1):
        v[members[g]] = shrink(v[members[g]], step * groups.weight[g], norm)
    return v
