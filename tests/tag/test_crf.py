"""`Crf` with groups: the penalty is its formula, and another solver confirms the optimum."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from tag.test_model import NAMES, sentences

from laconic import Crf, GroupLasso, Tagger
from laconic.core.designs.chain import Chain, Tokens
from laconic.core.losses import ChainLog
from laconic.core.solvers.fista import Fista
from laconic.tag.crf import TAIL_RIDGE
from laconic.tag.problem import ChainProblem
from laconic.text.patterns import parse_templates

GROUPED = [
    {"groups": "templates", "group": 3.0},
    {"groups": "rows", "group": 0.4},
    {"groups": "rows", "group": 0.3, "lasso": 0.2, "group_weight": "log"},
    {"groups": "tree", "group": 0.3},
    {"groups": "tree", "group": 0.2, "lasso": 0.1, "group_weight": "sqrt log"},
]


NAMES_OF = {"templates": "group", "rows": "label-group", "tree": "tree"}


def crf_of(parameters: dict[str, Any]) -> Crf:
    """Return the learner with the penalty group * norms of groups + lasso * |w|_1."""
    name = NAMES_OF[parameters["groups"]]
    strength = {name: parameters["group"], "lasso": parameters.get("lasso", 0.0)}
    return Crf(f"{name}+lasso", strength, group_weight=parameters.get("group_weight", "one"))


def design(n_pairs: int = 1) -> Chain:
    rng = np.random.default_rng(4)
    sizes = np.array([5, 12, 4])
    ids = rng.integers(0, sizes, (60, 3)) + np.cumsum(sizes) - sizes
    gold = (ids[:, 0] + (rng.random(60) < 0.2)) % 3
    return Chain(
        Tokens(
            ids.astype(np.int32),
            sizes,
            np.array([0, 6, 15, 31, 31, 60]),
            gold.astype(np.int32),
            3,
            n_pairs,
        )
    )


def parts_of(chain: Chain, parameters: dict[str, Any]) -> list[tuple[slice, float]]:
    """The groups as slices of the weights, with their weights."""
    kinds = {
        "templates": [chain.template_ptr],
        "rows": [chain.row_ptr],
        "tree": [chain.template_ptr, chain.row_ptr],
    }
    rule = {"log": lambda n: np.log2(max(n, 2)), "sqrt log": lambda n: np.sqrt(np.log2(max(n, 2)))}
    weigh = rule.get(parameters.get("group_weight", "one"), lambda n: 1.0)
    return [
        (slice(a, b), weigh(b - a)) for ptr in kinds[parameters["groups"]] for a, b in pairwise(ptr)
    ]


@pytest.mark.parametrize("parameters", GROUPED, ids=str)
def test_penalties_are_their_formulas(parameters: dict[str, Any]) -> None:
    chain = design()
    w = np.random.default_rng(0).normal(size=chain.n_state)
    norms = sum(weight * np.linalg.norm(w[part]) for part, weight in parts_of(chain, parameters))
    expected = parameters["group"] * norms + parameters.get("lasso", 0.0) * np.abs(w).sum()
    assert crf_of(parameters).penalty_over(chain).value(w) == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("parameters", GROUPED, ids=str)
def test_a_smooth_solver_reaches_the_same_optimum(parameters: dict[str, Any]) -> None:
    """Norms with a little under the root are smooth: SciPy's L-BFGS needs no proximal step."""
    chain = design()
    problem = ChainProblem(chain, ChainLog(), crf_of(parameters).penalty_over(chain), TAIL_RIDGE)
    found = Fista(tol=1e-7, max_iter=20000).run(problem)
    assert found.converged and 0 < np.count_nonzero(found.x[: chain.n_state]) < chain.n_state
    parts, lasso, little = parts_of(chain, parameters), parameters.get("lasso", 0.0), 1e-3

    def smooth(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = problem.smooth(x)
        gradient = gradient.copy()
        sizes = np.sqrt(x[: chain.n_state] ** 2 + little**2)
        value += lasso * sizes.sum()
        gradient[: chain.n_state] += lasso * x[: chain.n_state] / sizes
        for part, weight in parts:
            length = np.sqrt(x[part] @ x[part] + little**2)
            value += parameters["group"] * weight * length
            gradient[part] += parameters["group"] * weight * x[part] / length
        return value, gradient

    other = minimize(
        smooth,
        np.zeros(chain.n_weights),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 1000, "ftol": 1e-10, "gtol": 1e-5},
    )
    slack = little * (
        lasso * chain.n_state + parameters["group"] * sum(weight for _, weight in parts)
    )
    assert (
        problem.value(found.x) <= other.fun + 1e-6
        and other.fun <= problem.value(found.x) + slack + 1e-3
    )


def test_what_a_tree_drops_above_is_dropped_below() -> None:
    X, y = sentences()
    templates = parse_templates(
        "pairs: pos[0]\nword[0]\nword[-1]\npos[-1]|pos[0]\nshape[0]\npos[0]", NAMES
    )
    model = Tagger(
        templates, Crf("tree+lasso", {"tree": 0.5, "lasso": 0.05}, tol=1e-4, max_iter=2000)
    ).fit(X, y)
    assert model.certificate_ <= 1e-4
    assert 0 < len(model.templates_) < len(templates)
    assert any(
        0 < np.count_nonzero(row) < len(row) for part in model.weights_.weights for row in part
    )
    rows = Tagger(templates, Crf("label-group", 0.5, tol=1e-4, max_iter=2000)).fit(X, y)
    kept = sum(map(len, rows.weights_.weights))
    assert rows.certificate_ <= 1e-4 and 0 < kept * len(rows.classes_) < rows.n_features_total_


def test_bad_groups_are_refused() -> None:
    with pytest.raises(
        ValueError, match="no groups called 'words': expected one of 'templates', 'rows', 'tree'"
    ):
        Crf(GroupLasso("words")).penalty_over(design())
    merged = Chain(
        Tokens(
            np.zeros((2, 1), np.int32), np.ones(1, int), np.array([0, 2]), np.zeros(2, np.int32), 2
        ),
        merge_twins=True,
    )
    for grouping in (merged.by_template, merged.by_row, merged.by_tree):
        with pytest.raises(ValueError, match="twins"):
            grouping()
