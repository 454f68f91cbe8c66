"""Tree inference against enumeration of all trees of up to six words."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from laconic.core.inference.tree import MODELS, Trees, best, k_best, marginals, with_cost

CASES = [(model, False) for model in MODELS] + [("arcs", True)]
NAMES = [f"{model}{', crossing' if crossing else ''}" for model, crossing in CASES]


def is_tree(heads: tuple[int, ...]) -> bool:
    for start in range(1, len(heads)):
        at, steps = start, 0
        while at != 0 and steps <= len(heads):
            at, steps = heads[at], steps + 1
        if at != 0:
            return False
    return True


def is_projective(heads: tuple[int, ...]) -> bool:
    spans = [(min(h, m), max(h, m)) for m, h in enumerate(heads) if m > 0]
    return not any(a < c < b < d for (a, b), (c, d) in itertools.product(spans, spans))


@cache
def all_trees(n: int) -> list[tuple[int, ...]]:
    heads = itertools.product(*[[h for h in range(n) if h != m] for m in range(1, n)])
    return [tree for tail in heads if is_tree(tree := (-1, *tail))]


def parts(heads: tuple[int, ...], model: str) -> dict[str, list[tuple[int, ...]]]:
    """The parts of a tree that a model scores, from their definitions."""
    n = len(heads)
    children = {h: [m for m in range(1, n) if heads[m] == h] for h in range(n)}
    found: dict[str, list[tuple[int, ...]]] = {
        name: [] for name in ("arc", "sibling", "grandchild", "grand_sibling", "tri_sibling")
    }
    for h in range(n):
        sides = [[m for m in children[h] if m > h], [m for m in reversed(children[h]) if m < h]]
        for side in sides:
            chain = [h, h, *side]
            for i, m in enumerate(side):
                s, t = chain[i + 1], chain[i] if i else h
                found["arc"].append((h, m))
                found["sibling"].append((h, m, s))
                found["tri_sibling"].append((h, m, s, t))
                outermost = i == len(side) - 1
                if model == "grand siblings" or (model == "tri siblings" and outermost):
                    found["grand_sibling"].append((max(0, heads[h]), h, m, s))
                inner = [c for c in children[m] if min(h, m) < c < max(h, m)]
                outer = [c for c in children[m] if c not in inner]
                for group in (inner, outer):
                    found["grandchild"].append(
                        (h, m, max(group, key=lambda c: abs(c - m)) if group else m)
                    )
    return found


SCORED = {
    "arcs": ["arc"],
    "siblings": ["arc", "sibling"],
    "carreras": ["arc", "sibling", "grandchild"],
    "grand siblings": ["arc", "sibling", "grand_sibling"],
    "tri siblings": ["arc", "sibling", "grand_sibling", "tri_sibling"],
}
DIMENSIONS = {"arc": 2, "sibling": 3, "grandchild": 3, "grand_sibling": 4, "tri_sibling": 4}


def scores(rng: np.random.Generator, model: str, n: int, forbid: float) -> dict[str, np.ndarray]:
    tables = {name: rng.normal(size=(n,) * DIMENSIONS[name]) for name in SCORED[model]}
    tables["arc"][rng.random((n, n)) < forbid] = -np.inf
    return tables


def enumerated(
    tables: dict[str, np.ndarray], model: str, crossing: bool, single_root: bool
) -> list[tuple[float, tuple[int, ...]]]:
    n = len(tables["arc"])
    ranked = []
    for heads in all_trees(n):
        if (single_root and heads[1:].count(0) > 1) or not (crossing or is_projective(heads)):
            continue
        of_tree = parts(heads, model)
        total = sum(float(tables[name][part]) for name in SCORED[model] for part in of_tree[name])
        if total > -np.inf:
            ranked.append((total, heads))
    return sorted(ranked, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "crossing"), CASES, ids=NAMES)
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(1, 6),
    forbid=st.sampled_from([0.0, 0.3]),
    single_root=st.booleans(),
)
@example(seed=1, n=7, forbid=0.3, single_root=False)
def test_trees_are_those_of_enumeration(
    model: str, crossing: bool, seed: int, n: int, forbid: float, single_root: bool
) -> None:
    tables = scores(np.random.default_rng(seed), model, n, forbid)
    trees = Trees.make(**tables, crossing=crossing, single_root=single_root)
    ranked = enumerated(tables, model, crossing, single_root)
    found = k_best(trees, 12)
    np.testing.assert_allclose(
        [tree.score for tree in found], [score for score, _ in ranked[:12]], atol=1e-9
    )
    assert [tuple(tree.heads.tolist()) for tree in found] == [heads for _, heads in ranked[:12]]
    top = best(trees)
    if ranked:
        assert tuple(top.heads.tolist()) == ranked[0][1]
        np.testing.assert_allclose(top.score, ranked[0][0], atol=1e-9)
    else:
        assert top.score == -np.inf


@pytest.mark.slow
@pytest.mark.parametrize(("model", "crossing"), CASES[:3] + CASES[-1:], ids=NAMES[:3] + NAMES[-1:])
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(1, 6),
    forbid=st.sampled_from([0.0, 0.3]),
    single_root=st.booleans(),
)
@example(seed=178317652, n=6, forbid=0.3, single_root=False)  # singular but for rounding
def test_marginals_are_those_of_enumeration(
    model: str, crossing: bool, seed: int, n: int, forbid: float, single_root: bool
) -> None:
    tables = scores(np.random.default_rng(seed), model, n, forbid)
    found = marginals(Trees.make(**tables, crossing=crossing, single_root=single_root))
    ranked = enumerated(tables, model, crossing, single_root)
    if not ranked:
        assert found.log_z == -np.inf
        return
    log_z = np.logaddexp.reduce([score for score, _ in ranked])
    np.testing.assert_allclose(found.log_z, log_z, atol=1e-9)
    expected = {name: np.zeros_like(tables[name]) for name in SCORED[model]}
    for score, heads in ranked:
        of_tree = parts(heads, model)
        for name in SCORED[model]:
            for part in of_tree[name]:
                expected[name][part] += np.exp(score - log_z)
    for name, table in expected.items():
        np.testing.assert_allclose(getattr(found, name), table, atol=1e-9)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**31), n=st.integers(2, 40), single_root=st.booleans())
def test_larger_trees_agree_with_each_other(seed: int, n: int, single_root: bool) -> None:
    """Gradients of log Z are marginals, and larger parts of score 0 change nothing."""
    rng = np.random.default_rng(seed)
    arc = 3 * rng.normal(size=(n, n))
    crossing = Trees.make(arc, crossing=True, single_root=single_root)
    projective = Trees.make(arc, single_root=single_root)
    assert best(crossing).score >= best(projective).score - 1e-9
    assert marginals(crossing).log_z >= marginals(projective).log_z - 1e-9
    for trees in (crossing, projective):
        found = marginals(trees)
        np.testing.assert_allclose(found.arc.sum(axis=0)[1:], 1, atol=1e-7)
        direction = rng.normal(size=(n, n))
        step = 1e-5
        up, down = (
            marginals(trees._replace(arc=arc + sign * step * direction)).log_z for sign in (1, -1)
        )
        np.testing.assert_allclose(
            (up - down) / (2 * step), np.sum(found.arc * direction), atol=1e-3
        )
    if n <= 16:
        cube, fourth = np.zeros((n,) * 3), np.zeros((n,) * 4)
        for larger in (
            Trees.make(arc, cube, single_root=single_root),
            Trees.make(arc, cube, cube, single_root=single_root),
            Trees.make(arc, cube, None, fourth, single_root=single_root),
            Trees.make(arc, cube, None, fourth, fourth, single_root=single_root),
        ):
            np.testing.assert_array_equal(best(larger).heads, best(projective).heads)


def test_costs_lead_away_from_gold() -> None:
    rng = np.random.default_rng(0)
    arc, gold = rng.normal(size=(5, 5)), np.array([-1, 0, 1, 1, 3])
    costly = with_cost(arc, gold, 2.0)
    for heads in all_trees(5):
        words = np.arange(1, 5)
        wrong = sum(h != g for h, g in zip(heads[1:], gold[1:], strict=True))
        np.testing.assert_allclose(
            costly[list(heads[1:]), words].sum(), arc[list(heads[1:]), words].sum() + 2.0 * wrong
        )


def test_bad_scores_are_refused() -> None:
    arc = np.zeros((3, 3))
    cube = np.zeros((3, 3, 3))
    for bad in (
        {"arc": np.zeros((3, 2))},
        {"arc": np.zeros(3)},
        {"arc": 1.0},
        {"arc": np.zeros((0, 0))},
        {"arc": np.full((3, 3), np.nan)},
        {"arc": np.full((3, 3), np.inf)},
        {"arc": arc, "sibling": np.zeros((3, 3))},
        {"arc": arc, "sibling": np.zeros((4, 4, 4))},
        {"arc": arc, "grandchild": cube},
        {"arc": arc, "sibling": cube, "crossing": True},
    ):
        with pytest.raises(ValueError, match=r"must|part|cross"):
            best(Trees.make(**bad))
    with pytest.raises(ValueError, match="k must"):
        k_best(Trees.make(arc), 0)
    with pytest.raises(ValueError, match="orders"):
        marginals(Trees.make(arc, cube, None, np.zeros((3,) * 4)))
