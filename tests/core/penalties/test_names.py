"""Penalties by name: every name makes one, and what is no penalty is refused in one sentence."""

from __future__ import annotations

import pytest

from laconic import L1, Ridge
from laconic.core.penalties.names import NAMED, as_penalty


@pytest.mark.parametrize("name", NAMED)
def test_every_name_makes_its_penalty(name: str) -> None:
    made = as_penalty(name, 0.25)
    assert type(made) is NAMED[name] and made.strength == 0.25


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
