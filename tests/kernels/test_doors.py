"""Kernels refuse bad arrays with an exception, never a crash.

Also run under the sanitizers: imports stay light.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import _core
from laconic._core import LossKind, Norm

REFUSED = (ValueError, TypeError)
N = 4


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def floats(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def blocks() -> Any:
    return _core.Blocks(ints(0, 2, 3), ints(3, 0, 2), N)


def forest() -> Any:
    return _core.Forest(ints(-1, 0), ints(0, 2, 3), ints(3, 0, 2), np.ones(2), N)


def copies() -> Any:
    return _core.Copies(ints(0, 2, 5), ints(3, 0, 2, 3, 1), N)


def matrix() -> Any:
    return _core.Matrix.from_compressed(
        ints(0, 1, 3, 4), np.array([0, 1, 3, 2], np.int32), floats(1, 2, 3, 4), N, True
    )


def descent(**changed: Any) -> Any:
    given = {
        "kind": LossKind.logistic,
        "target": floats(0, 1, 1),
        "weight": np.ones(3),
        "n_outputs": 1,
        "parameter": 1.5,
    } | changed
    mass = given.pop("mass", np.zeros(2))
    return _core.Descent(
        matrix(),
        _core.LossRows(
            given["kind"], given["target"], given["weight"], given["n_outputs"], given["parameter"]
        ),
        blocks(),
        mass,
    )


def split(weights: Any, mass: Any, relax: float, **state: Any) -> Any:
    """A split of copies with the arrays of its state as arguments."""
    return copies().split(weights, mass, relax, _core.CopyState(**state))


def descend(kernel: Any) -> Callable[..., Any]:
    """`descend` with the fields of its terms and limits as arguments."""

    def call(
        working: Any,
        weights: Any,
        intercept: Any,
        scores: Any,
        tolerance: float,
        max_rounds: int,
        **terms: Any,
    ) -> Any:
        limits = _core.DescentLimits(tolerance=tolerance, max_rounds=max_rounds)
        given = _core.SeparableTerms(**terms)
        return kernel.descend(working, given, weights, intercept, scores, limits)

    return call


def refuses(call: Callable[..., Any], good: dict[str, Any], bad: dict[str, Any]) -> None:
    """The good arguments work; with a few of them changed the call is refused."""
    call(**good)
    with pytest.raises(REFUSED):
        call(**good | bad)


BAD_BLOCKS: dict[str, dict[str, Any]] = {
    "index out of range": {"index": ints(3, 0, 4)},
    "index negative": {"index": ints(3, 0, -1)},
    "index beyond any memory": {"index": ints(3, 0, 2**62)},
    "ptr decreases": {"ptr": ints(0, 4, 3)},
    "ptr does not start at 0": {"ptr": ints(1, 2, 3)},
    "ptr does not end at the entries": {"ptr": ints(0, 2, 4)},
    "ptr empty": {"ptr": ints()},
    "n negative": {"n": -1},
    "two dimensions": {"index": np.zeros((3, 1), dtype=np.int64)},
    "not an array": {"index": "abc"},
    "none": {"ptr": None},
}


@pytest.mark.parametrize("bad", BAD_BLOCKS.values(), ids=BAD_BLOCKS.keys())
def test_blocks_forests_and_copies_refuse(bad: dict[str, Any]) -> None:
    good = {"ptr": ints(0, 2, 3), "index": ints(3, 0, 2), "n": N}
    refuses(_core.Blocks, good, bad)
    refuses(_core.Copies, good, bad)
    refuses(_core.Forest, {"parent": ints(-1, 0), "weight": np.ones(2), **good}, bad)


def test_overlapping_blocks_are_refused() -> None:
    for index in (ints(3, 0, 3), ints(2, 2, 0)):
        with pytest.raises(ValueError, match="overlap"):
            _core.Blocks(ints(0, 2, 3), index, N)
        with pytest.raises(ValueError, match="overlap"):
            _core.Forest(ints(-1, 0), ints(0, 2, 3), index, np.ones(2), N)


@pytest.mark.parametrize(
    "parent",
    [ints(0, -1), ints(1, -1), ints(-1, 2), ints(-2, 0), ints(-1), ints(-1, 0, 0), ints(-1, 1)],
    ids=str,
)
def test_a_parent_after_its_child_is_refused(parent: np.ndarray) -> None:
    with pytest.raises(ValueError, match="parent"):
        _core.Forest(parent, ints(0, 2, 3), ints(3, 0, 2), np.ones(2), N)


@pytest.mark.parametrize(
    "weight",
    [floats(1), floats(1, 1, 1), floats(1, -1), floats(1, np.nan), floats(1, np.inf)],
    ids=str,
)
def test_a_forest_refuses_weights(weight: np.ndarray) -> None:
    with pytest.raises(ValueError, match="weight"):
        _core.Forest(ints(-1, 0), ints(0, 2, 3), ints(3, 0, 2), weight, N)


BAD_PROX: dict[str, dict[str, Any]] = {
    "weights short": {"weights": np.ones(N - 1)},
    "result short": {"result": np.empty(N - 1)},
    "soft short": {"soft": np.zeros(2)},
    "soft empty": {"soft": np.zeros(0)},
    "norm unknown": {"norm": 7},
    "weights in two dimensions": {"weights": np.ones((N, 1))},
    "weights are text": {"weights": "text"},
    "weights none": {"weights": None},
    "complex weights": {"weights": np.ones(N, dtype=complex)},
}


@pytest.mark.parametrize("bad", BAD_PROX.values(), ids=BAD_PROX.keys())
@pytest.mark.parametrize("make", [blocks, forest])
def test_proxes_refuse(make: Callable[[], Any], bad: dict[str, Any]) -> None:
    refuses(make().prox, prox_arguments(make), bad)


def prox_arguments(make: Callable[[], Any]) -> dict[str, Any]:
    good = {
        "weights": np.ones(N),
        "soft": np.zeros(1),
        "norm": Norm.two,
        "positive": False,
        "result": np.empty(N),
    }
    return good | ({"scale": 1.0} if make is forest else {"mass": np.ones(2)})


@pytest.mark.parametrize("mass", [np.ones(1), np.ones(3), np.zeros(0)], ids=str)
def test_the_prox_of_blocks_refuses_masses(mass: np.ndarray) -> None:
    refuses(blocks().prox, prox_arguments(blocks), {"mass": mass})


@pytest.mark.parametrize("norm", list(Norm))
@pytest.mark.parametrize(
    "bad",
    [{"weights": floats(np.nan, 1, 1, 1)}, {"scale": -1.0}, {"scale": np.nan}, {"scale": np.inf}],
    ids=str,
)
def test_the_forest_prox_refuses_bad_numbers(bad: dict[str, Any], norm: Norm) -> None:
    refuses(forest().prox, prox_arguments(forest) | {"norm": norm}, bad)


@pytest.mark.parametrize("norm", list(Norm))
@pytest.mark.parametrize("make", [blocks, forest])
def test_extreme_numbers_do_not_hang_the_proxes(make: Callable[[], Any], norm: Norm) -> None:
    result = np.empty(N)
    for extreme in (
        floats(np.inf, -np.inf, np.inf, 0),
        floats(1e308, 1e308, -1e308, 1e308),
        floats(5e-324, 0, 5e-324, 1),
    ):
        for mass in (0.0, 1e300, 5e-324):
            make().prox(
                extreme,
                np.zeros(1),
                mass if make is forest else np.full(2, mass),
                norm,
                False,
                result,
            )


def test_norms_and_path_sums_refuse() -> None:
    for make in (blocks, forest):
        refuses(
            make().norms,
            {"weights": np.ones(N), "norm": Norm.two, "result": np.empty(2)},
            {"weights": np.ones(N + 1)},
        )
        refuses(
            make().norms,
            {"weights": np.ones(N), "norm": Norm.two, "result": np.empty(2)},
            {"result": np.empty(3)},
        )
    refuses(forest().path_sums, {"value": np.ones(2), "result": np.empty(N)}, {"value": np.ones(3)})
    refuses(
        forest().path_sums, {"value": np.ones(2), "result": np.empty(N)}, {"result": np.empty(3)}
    )
    refuses(copies().norms, {"weights": np.ones(N), "result": np.empty(2)}, {"result": np.empty(5)})
    refuses(
        copies().norms, {"weights": np.ones(N), "result": np.empty(2)}, {"weights": np.empty(5)}
    )


@pytest.mark.parametrize("name", ["weights", "mass", "v", "u", "towards", "change", "force"])
def test_a_split_of_copies_refuses_wrong_sizes(name: str) -> None:
    sizes = {"weights": N, "mass": 2, "v": 5, "u": 5, "towards": N, "change": N, "force": N}
    good: dict[str, Any] = {key: np.ones(size) for key, size in sizes.items()} | {"relax": 1.5}
    for size in (0, sizes[name] - 1, sizes[name] + 1):
        refuses(split, good, {name: np.ones(size)})


@pytest.mark.parametrize("name", ["weights", "mass", "eta", "ridge"])
def test_a_reweighting_refuses_wrong_sizes(name: str) -> None:
    sizes = {"weights": N, "mass": 2, "eta": 2, "ridge": N}
    good: dict[str, Any] = {key: np.ones(size) for key, size in sizes.items()} | {
        "exponent": 1.5,
        "floor": 1e-8,
    }
    for size in (0, sizes[name] - 1, sizes[name] + 1):
        refuses(copies().reweigh, good, {name: np.ones(size)})


BAD_MATRIX: dict[str, dict[str, Any]] = {
    "column out of range": {"index": np.array([0, 1, 4, 2], np.int32)},
    "column negative": {"index": np.array([0, 1, -1, 2], np.int32)},
    "ptr decreases": {"ptr": ints(0, 3, 1, 4)},
    "ptr too far": {"ptr": ints(0, 1, 3, 5)},
    "ptr empty": {"ptr": ints()},
    "data short": {"data": floats(1, 2, 3)},
    "nan": {"data": floats(1, np.nan, 3, 4)},
    "infinite": {"data": floats(1, np.inf, 3, 4)},
    "side negative": {"n_minor": -1},
    "side of 2^31": {"n_minor": 2**31},
}


@pytest.mark.parametrize("bad", BAD_MATRIX.values(), ids=BAD_MATRIX.keys())
@pytest.mark.parametrize("by_rows", [True, False])
@pytest.mark.parametrize("values", [np.float64, np.float32])
@pytest.mark.parametrize("numbers", [np.int32, np.int64])
def test_a_matrix_refuses(bad: dict[str, Any], by_rows: bool, values: type, numbers: type) -> None:
    bad = {
        name: value.astype({"data": values, "index": numbers}.get(name, np.int64))
        if isinstance(value, np.ndarray) and value.dtype in (np.float64, np.int32)
        else value
        for name, value in bad.items()
    }
    good = {
        "ptr": ints(0, 1, 3, 4),
        "index": np.array([0, 1, 3, 2], numbers),
        "data": floats(1, 2, 3, 4).astype(values),
        "n_minor": N,
        "by_rows": by_rows,
    }
    refuses(_core.Matrix.from_compressed, good, bad)


@pytest.mark.parametrize("values", [np.float64, np.float32])
@pytest.mark.parametrize("by_rows", [True, False])
def test_a_dense_matrix_refuses(values: type, by_rows: bool) -> None:
    good = {"table": np.ones((3, 2), values), "by_rows": by_rows}
    for table in (
        np.ones(6, values),
        np.ones((3, 2), values)[:, :1],
        np.asfortranarray(np.ones((3, 2), values)),
        np.ones((3, 2), np.int64),
        np.array([[1, np.nan]], values),
        np.array([[np.inf, 1]], values),
    ):
        refuses(_core.Matrix.from_dense, good, {"table": table})


def test_hessian_products_refuse_wrong_sizes() -> None:
    good = {
        "curvature": np.ones(3),
        "coupling": np.zeros(0),
        "direction": np.ones(N + 1),
        "out": np.empty(N + 1),
    }
    for bad in (
        {"curvature": np.ones(4)},
        {"coupling": np.ones(2)},
        {"direction": np.ones(N + 2)},
        {"direction": np.ones(N)},
        {"out": np.empty(N)},
        {"n_outputs": 0},
        {"n_outputs": 2},
    ):
        refuses(matrix().hessian_product, good, bad)
    for bad in ({"curvature": np.ones(2)}, {"out": np.empty(N + 1)}, {"n_outputs": 2}):
        refuses(matrix().squares, {"curvature": np.ones(3), "out": np.empty(N)}, bad)
    for bad in ({"curvature": np.ones(2)}, {"out": np.empty(N * N - 1)}):
        refuses(matrix().gram, {"curvature": np.ones(3), "out": np.zeros(N * N)}, bad)


def test_a_matrix_keeps_what_it_reads_alive() -> None:
    data = np.ones(4, np.float32)
    kept = _core.Matrix.from_compressed(
        ints(0, 1, 3, 4), np.array([0, 1, 3, 2], np.int32), data, N, True
    )
    held = weakref.ref(data)
    del data
    assert held() is not None
    scores = np.empty(3)
    kept.score(np.arange(4.0), scores)
    assert scores.tolist() == [0, 4, 2]
    del kept
    assert held() is None


def test_scores_and_pulls_refuse_wrong_sizes() -> None:
    for bad in (
        {"weights": np.ones(N - 1)},
        {"scores": np.empty(2)},
        {"n_outputs": 0},
        {"n_outputs": 2},
        {"n_outputs": -1},
    ):
        refuses(matrix().score, {"weights": np.ones(N), "scores": np.empty(3), "n_outputs": 1}, bad)
    for bad in (
        {"residual": np.ones(N)},
        {"gradient": np.empty(3)},
        {"n_outputs": 0},
        {"n_outputs": 2},
        {"n_outputs": 2**31 - 1},
    ):
        refuses(
            matrix().pull, {"residual": np.ones(3), "gradient": np.empty(N), "n_outputs": 1}, bad
        )


BAD_ROWS: dict[str, dict[str, Any]] = {
    "kind unknown": {"kind": 9},
    "kind negative": {"kind": -1},
    "no outputs": {"n_outputs": 0},
    "target of no class": {"target": floats(0, 1, 2)},
    "target between classes": {"target": floats(0, 0.5, 1)},
    "target nan": {"target": floats(0, np.nan, 1)},
    "target short": {"target": floats(0, 1)},
    "weight negative": {"weight": floats(1, -1, 1)},
    "weight nan": {"weight": floats(1, np.nan, 1)},
    "weight short": {"weight": floats(1, 1)},
    "multinomial with one output": {"kind": LossKind.multinomial},
    "squared with a target that is no number": {
        "kind": LossKind.squared,
        "target": floats(0, np.inf, 1),
    },
    "Poisson with a negative target": {"kind": LossKind.poisson, "target": floats(0, -1, 1)},
    "Huber without delta": {"kind": LossKind.huber, "parameter": 0.0},
    "Huber with an infinite target": {"kind": LossKind.huber, "target": floats(0, np.inf, 1)},
    "Tweedie of power 3": {"kind": LossKind.tweedie, "parameter": 3.0},
    "Tweedie with a negative target": {"kind": LossKind.tweedie, "target": floats(0, -1, 1)},
    "Gamma with a target of zero": {"kind": LossKind.tweedie, "parameter": 2.0},
    "squared with classes": {"kind": LossKind.squared, "n_outputs": 2},
}


@pytest.mark.parametrize("bad", BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_losses_refuse(bad: dict[str, Any]) -> None:
    refuses(loss_value_residual, rows(scores=np.zeros(3), residual=np.empty(3)), bad)
    refuses(loss_conjugate, rows(residual=np.zeros(3), scale=1.0), bad)
    refuses(descent, {}, bad)


def test_losses_refuse_wrong_sizes() -> None:
    for bad in ({"scores": np.zeros(2)}, {"residual": np.empty(4)}, {"scores": np.zeros(6)}):
        refuses(loss_value_residual, rows(scores=np.zeros(3), residual=np.empty(3)), bad)
    refuses(loss_conjugate, rows(residual=np.zeros(3), scale=1.0), {"residual": np.zeros(2)})


def rows(**more: Any) -> dict[str, Any]:
    return {
        "kind": LossKind.logistic,
        "target": floats(0, 1, 1),
        "weight": np.ones(3),
        "n_outputs": 1,
        "parameter": 1.5,
    } | more


def loss_value_residual(scores: Any, residual: Any, **data: Any) -> float:
    return _core.loss_value_residual(_core.LossData(**data), scores, residual)


def loss_conjugate(residual: Any, scale: float, **data: Any) -> float:
    return _core.loss_conjugate(_core.LossData(**data), residual, scale)


class Half:
    """A loss in Python that returns what it is told to."""

    def __init__(self, value: Any, residual: Any, curvature: Any) -> None:
        self.answers = (value, residual), curvature

    def value_residual(self, scores: Any) -> Any:
        return self.answers[0]

    def curvature(self, scores: Any) -> Any:
        return self.answers[1]


@pytest.mark.parametrize(
    ("value", "residual", "curvature"),
    [
        ("much", np.zeros(3), np.ones(3)),
        (1.0, np.zeros(2), np.ones(3)),
        (1.0, np.zeros(3), np.ones(4)),
        (1.0, "none", np.ones(3)),
        (1.0, np.zeros(3), None),
        (1.0, np.zeros((3, 1)), np.ones(3)),
    ],
)
def test_descent_refuses_what_a_loss_in_python_returns(
    value: Any, residual: Any, curvature: Any
) -> None:
    loss = _core.LossRows.of_python(Half(value, residual, curvature), np.ones(3))
    kernel = _core.Descent(matrix(), loss, blocks(), np.zeros(2))
    arrays = {"weights": np.zeros(N), "intercept": np.zeros(1), "scores": np.zeros(3)}
    terms = {"lasso": np.ones(1), "ridge": np.ones(1), "centre": np.zeros(1)}
    with pytest.raises((*REFUSED, RuntimeError)):
        descend(kernel)(ints(0), tolerance=1e-6, max_rounds=5, **arrays, **terms)


BAD_DESCENT: dict[str, dict[str, Any]] = {
    "working out of range": {"working": ints(0, 2)},
    "working negative": {"working": ints(-1)},
    "lasso of another size": {"lasso": np.zeros(3)},
    "lasso empty": {"lasso": np.zeros(0)},
    "ridge of another size": {"ridge": np.zeros(2)},
    "centre of another size": {"centre": np.zeros(5)},
    "weights short": {"weights": np.zeros(3)},
    "intercept long": {"intercept": np.zeros(2)},
    "scores short": {"scores": np.zeros(2)},
}


@pytest.mark.parametrize("bad", BAD_DESCENT.values(), ids=BAD_DESCENT.keys())
def test_descent_refuses(bad: dict[str, Any]) -> None:
    good = {
        "working": ints(0, 1),
        "lasso": np.ones(1),
        "ridge": np.ones(1),
        "centre": np.zeros(1),
        "positive": False,
    }
    good |= {
        "weights": np.zeros(N),
        "intercept": np.zeros(1),
        "scores": np.zeros(3),
        "tolerance": 1e-6,
        "max_rounds": 5,
    }
    refuses(descend(descent()), good, bad)


def test_descent_refuses_a_mass_of_another_size() -> None:
    with pytest.raises(REFUSED):
        descent(mass=np.zeros(3))


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_descent_survives_empty_blocks_and_no_columns(n_outputs: int) -> None:
    narrow = _core.Matrix.from_compressed(ints(0, 0, 0), np.zeros(0, np.int32), floats(), 0, True)
    empty = _core.Blocks(ints(0, 0), ints(), 0)
    kernel = _core.Descent(
        narrow,
        _core.LossRows(LossKind.logistic, floats(0, 1), np.ones(2), n_outputs),
        empty,
        np.ones(1),
    )
    zero, intercept = np.zeros(1), np.zeros(n_outputs)
    terms = {"lasso": zero, "ridge": zero, "centre": zero}
    scores = np.zeros(2 * n_outputs)
    descend(kernel)(ints(0), np.zeros(0), intercept, scores, 1e-9, 50, **terms)
    assert np.all(np.isfinite(intercept))


def test_descent_keeps_what_it_reads_alive() -> None:
    kernel = descent()  # the matrix and the blocks have no other owner
    weights, scores = np.zeros(N), np.zeros(3)
    terms = {"lasso": np.zeros(1), "ridge": np.ones(1), "centre": np.zeros(1)}
    descend(kernel)(ints(0, 1), weights, np.zeros(1), scores, 1e-9, 50, **terms)
    assert np.any(weights) and np.all(np.isfinite(weights))


@st.composite
def nearly_sound(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], int]:
    """A sound forest, with one number changed half of the time."""
    n_nodes, n = draw(st.integers(0, 6)), draw(st.integers(0, 7))
    parent = [draw(st.integers(-1, g - 1)) for g in range(n_nodes)]
    cuts = sorted(draw(st.lists(st.integers(0, n), min_size=n_nodes, max_size=n_nodes)))
    index = draw(st.permutations(range(n)))[: cuts[-1] if cuts else 0]
    parts = [parent, [0, *cuts], list(index), [n]]
    if draw(st.booleans()):
        part = draw(st.sampled_from([part for part in parts if part]))
        part[draw(st.integers(0, len(part) - 1))] = draw(st.integers(-2, 9))
    return parts[0], parts[1], parts[2], parts[3][0]


@pytest.mark.slow
@settings(max_examples=300)
@given(nearly_sound())
def test_any_forest_is_refused_or_works(
    given_forest: tuple[list[int], list[int], list[int], int],
) -> None:
    parent, ptr, index, n = given_forest
    try:
        made = _core.Forest(ints(*parent), ints(*ptr), ints(*index), np.ones(len(parent)), n)
    except ValueError:
        return
    for norm in Norm:
        result = np.full(n, np.nan)
        made.prox(np.arange(n) - 2.0, np.zeros(1), 1.0, norm, False, result)
        assert np.all(np.abs(result) <= np.abs(np.arange(n) - 2.0))


@pytest.mark.parametrize(
    "result", [np.zeros(2, np.float32), np.zeros(4)[::2]], ids=["float32", "strided"]
)
def test_an_output_that_would_be_a_copy_is_refused(result):
    blocks = _core.Blocks(np.array([0, 2]), np.array([0, 1]), 2)
    with pytest.raises(TypeError):
        blocks.prox(np.ones(2), np.zeros(1), np.zeros(1), Norm.two, False, result)


@pytest.mark.parametrize(("weight", "mass"), [(np.nan, 1.0), (1.0, -1.0), (1.0, np.nan)])
def test_blocks_refuse_numbers_that_mean_nothing(weight, mass):
    blocks = _core.Blocks(np.array([0, 2]), np.array([0, 1]), 2)
    with pytest.raises(ValueError):
        blocks.prox(
            np.array([weight, 1.0]), np.zeros(1), np.array([mass]), Norm.two, False, np.empty(2)
        )


def test_trajectories_refuse() -> None:
    for bad in ({"n_steps": 0}, {"n_outputs": 0}, {"n_steps": -3}):
        refuses(
            _core.Trajectories,
            {"n_steps": 2, "n_outputs": 1, "shared": False, "free_ends": True},
            bad,
        )
    kernel = _core.Trajectories(2, 1, False, True)
    two = {"squares": np.empty(2), "neighbours": np.empty(2)}
    for bad in ({"weights": np.ones(3)}, {"squares": np.empty(1)}, {"neighbours": np.empty(4)}):
        refuses(kernel.moments, {"weights": np.ones(4), **two}, bad)
    for bad in (
        {"floor": 0.0},
        {"tau": np.nan},
        {"neighbours": np.ones(1)},
        {"squares": np.ones(3)},
    ):
        refuses(
            kernel.best_rates,
            {"squares": np.ones(2), "neighbours": np.ones(2), "tau": 1.0, "floor": 1.0},
            bad,
        )
    groups = {"scale": np.ones(2), "alpha": -0.3 * np.ones(2), "out": np.empty(4)}
    for bad in (
        {"weights": np.ones(5)},
        {"scale": np.ones(3)},
        {"alpha": np.ones(1)},
        {"out": np.empty(2)},
    ):
        refuses(kernel.multiply, {"weights": np.ones(4), **groups}, bad)
    for bad in (
        {"right": np.ones(2)},
        {"curvature": np.ones(3)},
        {"scale": np.ones(4)},
        {"out": np.empty(6)},
    ):
        refuses(kernel.solve, {"right": np.ones(4), "curvature": np.ones(4), **groups}, bad)
