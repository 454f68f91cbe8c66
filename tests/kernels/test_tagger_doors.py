"""Feature expansion and taggers refuse bad arrays.

Also run under the sanitizers: imports stay light.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import _core

REFUSED = (ValueError, TypeError)


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def refuses(call: Callable[..., Any], good: dict[str, Any], bad: dict[str, Any]) -> None:
    """The good arguments work; with a few of them changed the call is refused."""
    call(**good)
    with pytest.raises(REFUSED):
        call(**good | bad)


def expander(**changed: Any) -> Any:
    good = {
        "atom_ptr": ints(0, 1, 3, 3),
        "atom_view": small(0, 0, 1),
        "atom_offset": small(0, -1, 2),
    } | changed
    return _core.Expander(**good)


def small(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def sentences() -> dict[str, Any]:
    return {"columns": np.array([[0, 1, -1, 2], [3, 2, 1, 0]], np.int32), "ptr": ints(0, 2, 2, 4)}


def tagger(pairs: int = 0, n_labels: Any = 2) -> Any:
    return _core.Tagger(expander(), np.array([0, pairs, 0], np.uint8), n_labels)


BAD_TEMPLATES: dict[str, dict[str, Any]] = {
    "view negative": {"atom_view": small(0, -1, 1)},
    "offset too far": {"atom_offset": small(0, 4096, 2)},
    "offset beyond negation": {"atom_offset": small(0, -(2**31), 2)},
    "offset short": {"atom_offset": small(0, -1)},
    "ptr decreases": {"atom_ptr": ints(0, 3, 1, 3)},
    "ptr too far": {"atom_ptr": ints(0, 1, 3, 4)},
    "ptr empty": {"atom_ptr": ints()},
    "ptr none": {"atom_ptr": None},
    "views are text": {"atom_view": "abc"},
}


@pytest.mark.parametrize("bad", BAD_TEMPLATES.values(), ids=BAD_TEMPLATES.keys())
def test_an_expander_refuses(bad: dict[str, Any]) -> None:
    refuses(expander, {}, bad)


BAD_SENTENCES: dict[str, dict[str, Any]] = {
    "a view is missing": {"columns": np.zeros((1, 4), np.int32)},
    "one dimension": {"columns": small(0, 1, 2, 3)},
    "columns below -1": {"columns": np.array([[0, 1, -2, 2], [3, 2, 1, 0]], np.int32)},
    "columns like positions outside": {"columns": np.full((2, 4), -(2**31) + 1, np.int32)},
    "columns are text": {"columns": "text"},
    "ptr too far": {"ptr": ints(0, 2, 5)},
    "ptr too short": {"ptr": ints(0, 2, 3)},
    "ptr decreases": {"ptr": ints(0, 3, 2, 4)},
    "ptr negative": {"ptr": ints(0, -1, 4)},
    "ptr empty": {"ptr": ints()},
    "ptr none": {"ptr": None},
}


@pytest.mark.parametrize("bad", BAD_SENTENCES.values(), ids=BAD_SENTENCES.keys())
def test_sentences_are_refused_by_whoever_reads_them(bad: dict[str, Any]) -> None:
    for call in (expander().number, tagger(1).number, tagger().tag, tagger(1).tag, tagger().scores):
        refuses(call, sentences(), bad)


LESSON: dict[str, Any] = {
    "gold": small(0, 1, 1, 0),
    "order": ints(0, 1, 2),
    "loss": _core.StructuredLoss.perceptron,
    "step": 1.0,
}
LESSON |= {"aggressive": False, "grow": True, "averaged": False}
BAD_LESSONS: dict[str, dict[str, Any]] = {
    "gold short": {"gold": small(0, 1, 1)},
    "gold of no label": {"gold": small(0, 1, 2, 0)},
    "gold negative": {"gold": small(0, 1, -1, 0)},
    "order of no sentence": {"order": ints(0, 3)},
    "order negative": {"order": ints(-1)},
    "loss unknown": {"loss": 3},
    "loss negative": {"loss": -1},
    "step negative": {"step": -1.0},
    "step nan": {"step": np.nan},
    "step infinite": {"step": np.inf},
    "ridge nan": {"ridge": np.nan},
    "ridge infinite": {"ridge": np.inf},
    "ridge with aggressive steps": {"ridge": 0.1, "aggressive": True},
    "lasso negative": {"lasso": -1.0},
    "lasso infinite": {"lasso": np.inf},
    "every zero": {"every": 0},
    "no sentences": {"seen": None},
    "reading unknown": {"reading": 4},
    "reading negative": {"reading": -1},
    "dual averages of averages": {"reading": _core.Reading.dual, "averaged": True},
    "averages with dues": {"reading": _core.Reading.by_weight, "averaged": True},
    "dual averages with aggressive steps": {"reading": _core.Reading.dual, "aggressive": True},
    "dual averages with ridge": {"reading": _core.Reading.dual, "ridge": 0.1},
}


def learner(kernel: Any) -> Callable[..., Any]:
    """`learn` with the fields of its rule as arguments."""

    def learn(seen: Any, gold: Any, order: Any, **rule: Any) -> Any:
        return kernel.learn(seen, gold, order, _core.OnlineRule(**rule))

    return learn


@pytest.mark.parametrize("pairs", [0, 1])
@pytest.mark.parametrize("bad", BAD_LESSONS.values(), ids=BAD_LESSONS.keys())
def test_learning_refuses(bad: dict[str, Any], pairs: int) -> None:
    kernel = tagger(pairs)
    refuses(learner(kernel), {"seen": kernel.number(**sentences())} | LESSON, bad)


def test_features_numbered_for_other_templates_are_refused() -> None:
    for other in (expander(atom_offset=small(0, -1, 1)), _core.Expander(ints(0), small(), small())):
        seen = _core.Tagger(other, np.zeros(other.size, np.uint8), 2).number(**sentences())
        kernel = tagger()
        refuses(learner(kernel), {"seen": kernel.number(**sentences())} | LESSON, {"seen": seen})


@pytest.mark.parametrize("n_labels", [0, -1, 4097, 2**40, "two"])
def test_a_tagger_refuses_numbers_of_labels(n_labels: Any) -> None:
    with pytest.raises(REFUSED):
        tagger(0, n_labels)


def test_a_tagger_refuses_pairs() -> None:
    for pairs in (np.zeros(2, np.uint8), np.zeros(4, np.uint8), None, "abc"):
        with pytest.raises(REFUSED):
            _core.Tagger(expander(), pairs, 2)
    with pytest.raises(REFUSED):
        _core.Tagger(None, np.zeros(3, np.uint8), 2)


BAD_FEATURES: dict[str, dict[str, Any]] = {
    "no such template": {"template": 3},
    "template negative": {"template": -1},
    "an atom too few": {"atoms": np.zeros((2, 1), np.int32)},
    "one dimension": {"atoms": small(0, 1)},
    "a row too few": {"weights": np.ones((1, 2), np.float32)},
    "a label too many": {"weights": np.ones((2, 3), np.float32)},
    "nan": {"weights": np.full((2, 2), np.nan, np.float32)},
    "infinite": {"weights": np.full((2, 2), np.inf, np.float32)},
}


@pytest.mark.parametrize("bad", BAD_FEATURES.values(), ids=BAD_FEATURES.keys())
def test_features_are_refused(bad: dict[str, Any]) -> None:
    good = {
        "template": 1,
        "atoms": np.array([[0, 1], [1, 0]], np.int32),
        "weights": np.ones((2, 2), np.float32),
    }
    refuses(tagger().add_features, good, bad)


def test_other_doors_of_a_tagger_refuse() -> None:
    ones = np.ones(3)
    for factor in (np.ones(2), np.ones(4), -ones, 2 * ones, np.nan * ones, None):
        refuses(tagger().shrink, {"factor": ones}, {"factor": factor})
    for amount in (np.ones(2), np.ones(4), -ones, np.nan * ones, np.inf * ones, None):
        refuses(tagger().defer_penalty, {"amount": ones}, {"amount": amount})
    for template in (-1, 3, 2**40, None):
        refuses(tagger().features, {"template": 0}, {"template": template})
    good = {"edge": np.zeros(4, np.float32), "start": np.zeros(2, np.float32)}
    for name, size in (("edge", 4), ("start", 2)):
        for value in (
            np.zeros(size + 1, np.float32),
            np.zeros(0, np.float32),
            np.full(size, np.nan, np.float32),
            None,
        ):
            refuses(tagger().set_transitions, good, {name: value})
    with pytest.raises(ValueError, match="pairs"):
        tagger(0).edges(**sentences())


@settings(max_examples=60)
@given(st.integers(0, 2**31), st.integers(1, 9), st.booleans())
def test_any_course_of_calls_is_refused_or_works(seed: int, n_labels: int, pairs: bool) -> None:
    rng = np.random.default_rng(seed)
    kernel = _core.Tagger(expander(), np.array([0, pairs, 0], np.uint8), n_labels)
    width = n_labels ** (1 + pairs)
    seen, columns, ptr = None, np.empty((2, 0), np.int32), ints(0)
    for _ in range(30):
        if (
            seen is None or rng.integers(3) == 0
        ):  # else what is known of the rows of the same features is used again
            ptr = np.cumsum([0, *rng.integers(0, 7, 3)])
            columns = rng.integers(-1, 40, (2, ptr[-1]), dtype=np.int32)
            seen = kernel.number(columns, ptr)
        gold, order = rng.integers(0, n_labels, ptr[-1], dtype=np.int32), rng.integers(0, 3, 6)
        action = rng.integers(8)
        if action < 3:
            flags = [bool(flag) for flag in rng.random(3) < 0.5]
            reading = list(_core.Reading)[int(rng.integers(4))]
            loss = list(_core.StructuredLoss)[int(rng.integers(3))]
            rates = {
                "ridge": float(rng.choice([0, 0.1, 1.0])),
                "lasso": float(rng.choice([0, 0.1])),
                "every": int(rng.integers(1, 4)),
            }
            try:
                rule = _core.OnlineRule(
                    loss=loss,
                    step=0.5,
                    aggressive=flags[0],
                    grow=flags[1],
                    averaged=flags[2],
                    reading=reading,
                    **rates,
                )
                kernel.learn(seen, gold, order, rule)
            except ValueError:
                continue
        elif action == 3:
            kernel.shrink(rng.choice([0.0, 1e-4, 0.5, 1.0], 3))
        elif action == 4:
            kernel.defer_penalty(rng.random(3))
            kernel.compact(bool(rng.integers(2)))
        elif action == 5:
            kernel.finish_sums()
        elif action == 6:
            kernel.add_features(
                1,
                rng.integers(0, 40, (5, 2), dtype=np.int32),
                rng.random((5, width), dtype=np.float32),
            )
        else:
            kernel = kernel.copy()
        assert np.all(np.isfinite(kernel.norms)) and np.all(
            (kernel.tag(columns, ptr, 2) >= 0) & (kernel.tag(columns, ptr) < n_labels)
        )
