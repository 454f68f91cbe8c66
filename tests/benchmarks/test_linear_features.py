"""The comparison of features is run, not typed: here the column of laconic alone."""

from __future__ import annotations

import pytest

from benchmarks import feature_programs, linear_features


@pytest.mark.slow
def test_laconic_can_do_what_the_table_asks() -> None:
    for name, attempt in linear_features.TRIALS["laconic"].items():
        if not name.startswith("scikit"):  # which have tests of their own
            assert feature_programs.outcome(attempt) == "yes", name


def test_what_a_program_does_is_its_answer() -> None:
    def fails() -> None:
        raise TypeError

    assert feature_programs.outcome(fails) == "no: TypeError"
    assert feature_programs.outcome(lambda: False) == "no"
    assert feature_programs.outcome(lambda: "2 of 3 fail") == "2 of 3 fail"


def test_a_peer_that_is_not_installed_gets_dashes() -> None:
    assert set(linear_features._answers("no_such_peer", quick=True).values()) == {"–"}


def test_features_and_programs_have_the_same_names() -> None:
    for programs in linear_features.TRIALS.values():
        assert programs.keys() <= set(linear_features.FEATURES)
