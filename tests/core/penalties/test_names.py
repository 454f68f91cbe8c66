"""Penalties by name: every name makes one, and what is no penalty is refused in one sentence."""

from __future__ import annotations

import pytest

from laconic import L1, PenaltySum, Ridge
from laconic.core.penalties.names import NAMED, as_penalty


@pytest.mark.parametrize("name", NAMED)
def test_every_name_makes_its_penalty(name: str) -> None:
    made = as_penalty(name, 0.25)
    assert type(made) is type(NAMED[name]()) and made.strength == 0.25


def test_an_object_is_kept_and_its_strength_replaced_only_on_request() -> None:
    given = L1(0.3, positive=True)
    assert as_penalty(given) is given
    assert as_penalty(given, 2.0).get_params() == {**given.get_params(), "strength": 2.0}
    assert given.strength == 0.3
    assert isinstance(as_penalty(None, default="ridge"), Ridge)


@pytest.mark.parametrize(
    ("given", "sentence"), [("lass", "no penalty called 'lass'"), (3, "must be a Penalty")]
)
def test_what_is_no_penalty_is_refused(given: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        as_penalty(given)  # type: ignore[arg-type]


def test_strengths_are_checked() -> None:
    with pytest.raises(ValueError, match="strength"):
        as_penalty("l1", -1.0)


def test_sums_of_names_add_up_with_one_strength_or_one_per_term() -> None:
    total = as_penalty("l1 + ridge", 0.5)
    assert isinstance(total, PenaltySum) and total.strength == 0.5
    assert [type(term) for term in total.terms] == [L1, Ridge]
    each = as_penalty("l1+ridge", {"ridge": 0.1})
    assert [term.strength for term in each.terms] == [1.0, 0.1]  # type: ignore[attr-defined]
    assert as_penalty("l1", {"l1": 3.0}).strength == 3.0


def test_names_of_a_task_are_names_too() -> None:
    made = as_penalty("small+l1", also={"small": lambda: L1(0.25)})
    assert [term.strength for term in made.terms] == [0.25, 1.0]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("given", "strength", "sentence"),
    [
        ("l1+lass", None, "no penalty called 'lass'"),
        ("l1+", None, "no penalty called ''"),
        ("l1", {"ridge": 1.0}, "an entry for 'ridge', but the penalty is l1"),
        (L1(), {"l1": 1.0}, "not with the object L1: give the strength"),
        ("l1+ridge", {"l1": -1.0}, "strength"),
    ],
)
def test_sums_that_make_no_sense(given: object, strength: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        as_penalty(given, strength)  # type: ignore[arg-type]
