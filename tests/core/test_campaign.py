"""Random problems of every penalty, loss, kind of data and format keep what their reports say."""

from __future__ import annotations

import pytest

pytest.importorskip("cvxpy")

from benchmarks.linear_campaign import run_case
from benchmarks.linear_penalties import PENALTIES
from benchmarks.linear_random import draw

pytestmark = pytest.mark.slow


def test_random_problems_claim_nothing_false_and_fail_aloud() -> None:
    """Two draws of every penalty: no false certificate, no exception, no silence."""
    found = [run_case(draw(100 * k, penalty=name)) for name in PENALTIES for k in range(2)]
    assert [one for one in found if one.failure] == []
    assert [one for one in found if not one.converged and not one.warned] == []
    assert sum(one.converged for one in found) >= 0.9 * len(found)


@pytest.mark.parametrize("penalty", ["latent groups", "MCP", "L0", "group lasso"])
def test_losses_with_kinks_claim_nothing_false(penalty: str) -> None:
    """Draws of the quantile loss, whose fits smooth problems one after the other."""
    found = [run_case(draw(seed, penalty=penalty, loss="quantile")) for seed in range(3)]
    assert [one for one in found if one.failure] == []
    assert [one for one in found if not one.converged and not one.warned] == []
