"""Penalties and losses in model files: ours come back, others are shown, lies are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from penalties import DISJOINT, PENALTIES, same_penalty

from laconic.core import losses
from laconic.core.arrays import Array
from laconic.core.losses import Loss
from laconic.core.penalties import L1, GroupLasso, OverlapGroupLasso, Penalty, PenaltySum
from laconic.errors import InputError
from laconic.models import file as files
from laconic.models.foreign import ForeignLoss, ForeignPenalty
from laconic.models.parts import pack_loss, pack_penalty, read_loss, read_penalty
from laconic.time.adaptive import AdaptivePrior


class Own(Penalty):
    """A penalty that laconic does not know."""

    def __init__(self, strength: float = 1.0, table: Any = None, maker: Any = None):
        self.strength = strength
        self.table = table
        self.maker = maker

    def value(self, w: Array) -> float:
        return 0.0

    def prox(self, w: Array, step: float = 1.0) -> Array:
        return w

    def spread(self, n_outputs: int) -> Penalty:
        return self


class OwnLoss(Loss):
    """A loss that laconic does not know."""

    def __init__(self, delta: float = 1.0):
        self.delta = delta


def through_file(penalty: Penalty, path: Path) -> Penalty:
    """Return a penalty from a file that it was written to."""
    arrays: files.Arrays = {}
    meta = pack_penalty(penalty, arrays)
    files.save(path, "test", arrays, {"penalty": meta})
    found = files.load(path)
    return read_penalty(found.meta["penalty"], found.arrays)


@pytest.mark.parametrize("name", PENALTIES)
def test_penalties_come_back(name: str, tmp_path: Path) -> None:
    assert same_penalty(through_file(PENALTIES[name], tmp_path / "file"), PENALTIES[name])


@pytest.mark.parametrize(
    "penalty",
    [
        AdaptivePrior(tau=3.0),
        GroupLasso({"sports": ["ball", "goal"], "food": ["bread"]}),
        L1(factors={"the": 3.0}),
        PenaltySum([OverlapGroupLasso([["a", "b"], ["b"]], 0.5), L1(0.1)], 2.0),
    ],
    ids=repr,
)
def test_penalties_of_tasks_and_of_words_come_back(penalty: Penalty, tmp_path: Path) -> None:
    assert same_penalty(through_file(penalty, tmp_path / "file"), penalty)


def test_every_loss_comes_back() -> None:
    named = (getattr(losses, name) for name in losses.__all__)
    kinds = [one for one in named if isinstance(one, type)]
    made = [one() for one in kinds if issubclass(one, Loss) and one is not Loss]
    assert len(made) >= 5
    for loss in made:
        found = read_loss(json.loads(json.dumps(pack_loss(loss))))
        assert type(found) is type(loss) and found.get_params() == loss.get_params()


def test_a_penalty_of_another_package_is_shown_and_never_imported(tmp_path: Path) -> None:
    own = Own(0.5, np.arange(3.0), maker=len)
    found = through_file(own, tmp_path / "file")
    assert isinstance(found, ForeignPenalty) and found.strength == 0.5
    assert found.path.endswith("test_parts:Own") and found.path in repr(found)
    assert found.parameters["maker"] == "<built-in function len>"  # type: ignore[index]
    again = through_file(found, tmp_path / "again")
    assert same_penalty(again, found)
    for use in (found.check, lambda: found.value(np.ones(2)), lambda: found.spread(2)):
        with pytest.raises(ValueError, match="is not imported from files: make the object"):
            use()


def test_a_loss_of_another_package_is_shown() -> None:
    found = read_loss(pack_loss(OwnLoss(2.0)))
    assert isinstance(found, ForeignLoss) and found.parameters == {"delta": 2.0}


def test_a_value_that_no_file_can_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="type function cannot be saved in a model file"):
        pack_penalty(L1(factors=lambda n: n), {})  # type: ignore[arg-type]


def packed(penalty: Penalty) -> tuple[dict[str, Any], files.Arrays]:
    arrays: files.Arrays = {}
    return pack_penalty(penalty, arrays), arrays


def nested(depth: int) -> dict[str, Any]:
    meta: dict[str, Any] = {"name": "L1", "parameters": {}}
    for _ in range(depth):
        meta = {"name": "PenaltySum", "parameters": {"terms": [{"penalty": meta}]}}
    return meta


GROUPS = packed(GroupLasso(DISJOINT))[0]["parameters"]["groups"]["groups"]
LIES: dict[str, tuple[Any, str]] = {
    "no object": ([], "as a name and parameters"),
    "a name that is a number": ({"name": 3, "parameters": {}}, "as a name and parameters"),
    "a name that is none": ({"name": "os.system", "parameters": {}}, "knows no 'os.system'"),
    "a name that is no penalty": ({"name": "value_set", "parameters": {}}, "knows no"),
    "an abstract penalty": ({"name": "Penalty", "parameters": {}}, "impossible values"),
    "groups that are missing": ({"name": "GroupLasso", "parameters": {}}, "impossible values"),
    "a parameter too many": ({"name": "L1", "parameters": {"x": 1}}, "has no parameters"),
    "a strength below 0": ({"name": "L1", "parameters": {"strength": -1}}, "impossible values"),
    "a strength of text": ({"name": "L1", "parameters": {"strength": "1"}}, "impossible values"),
    "an array that is not there": (
        {"name": "L1", "parameters": {"factors": {"array": "penalty.9"}}},
        "an array that is not there",
    ),
    "an array of the model": (
        {"name": "L1", "parameters": {"factors": {"array": "weight"}}},
        "an array that is not there",
    ),
    "an unknown form": ({"name": "L1", "parameters": {"factors": {"code": "1"}}}, "cannot read"),
    "a number that is none": ({"name": "L1", "parameters": {"strength": {"float": "x"}}}, "read"),
    "nested too deep": (nested(20), "nested too deep"),
    "groups of nothing": (
        {"name": "GroupLasso", "parameters": {"groups": {"groups": {}}}},
        "expected groups as",
    ),
    "groups without arrays": (
        {"name": "GroupLasso", "parameters": {"groups": {"groups": {**GROUPS, "index": None}}}},
        "expected groups as arrays",
    ),
    "groups of too few features": (
        {"name": "GroupLasso", "parameters": {"groups": {"groups": {**GROUPS, "n_features": 3}}}},
        "the groups are impossible",
    ),
    "groups of -1 features": (
        {"name": "GroupLasso", "parameters": {"groups": {"groups": {**GROUPS, "n_features": -1}}}},
        "impossible number of features",
    ),
    "terms that are no penalties": (
        {"name": "PenaltySum", "parameters": {"terms": [1]}},
        "impossible values",
    ),
    "a path that is a number": ({"class": 3, "parameters": {}}, "as its path"),
}


@pytest.mark.parametrize("lie", LIES)
def test_each_lie_is_refused_in_one_sentence(lie: str) -> None:
    meta, said = LIES[lie]
    _, arrays = packed(GroupLasso(DISJOINT))
    with pytest.raises(InputError, match=said) as caught:
        read_penalty(meta, {**arrays, "weight": np.ones(3)})
    assert "\n" not in str(caught.value)


def test_arrays_that_belong_to_nothing_are_refused() -> None:
    meta, arrays = packed(L1())
    with pytest.raises(InputError, match=r"penalty\.0 belongs to no parameter"):
        read_penalty(meta, {**arrays, "penalty.0": np.ones(2)})
    meta, arrays = packed(L1(factors=np.array([1.0, np.nan])))
    with pytest.raises(InputError, match="not finite"):
        read_penalty(meta, arrays)
