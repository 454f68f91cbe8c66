"""The benchmark of words of the year to come, on reports of few words: who trains on what, and what
the tables say.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import temporal_sage
from benchmarks.temporal_figures import FIGURES
from benchmarks.temporal_sage import (
    FAMILIES,
    OURS,
    VARIABLES,
    Reports,
    background_alone,
    by_year,
    cost,
    figure,
    roll,
    settings,
)

pytestmark = pytest.mark.slow


def reports(seed: int = 0) -> Reports:
    """Word 0 drifts, word 1 goes with the unemployment rate.

    The variables of years to come are far off.
    """
    rng = np.random.default_rng(seed)
    years = np.repeat(np.arange(1978, 1995), 8)
    rate = rng.normal(5, 1, len(years)) + 100 * (years > 1993)
    fields: dict[str, list] = {"district": ["at", "bo"] * (len(years) // 2)}
    fields |= {name: rng.normal(size=len(years)).tolist() for name in VARIABLES.values()}
    fields[VARIABLES["us_unrate"]] = rate.tolist()
    chance = np.full((len(years), 12), 1.0)
    chance[:, 0] *= np.exp((years - 1986) / 5)
    X = np.stack([rng.multinomial(60, p / p.sum()) for p in chance]).astype(float)
    words = ("employment", "layoffs", *(f"w{n}" for n in range(10)))
    return Reports(sp.csr_matrix(X), years, fields, words)


def test_variables_are_standardized_by_the_past_alone() -> None:
    given = reports()
    known = given.before(1994).describe(given.fields)
    past = given.years < 1994
    column = list(VARIABLES).index("us_unrate") + 2
    assert (
        abs(known[past][:, column].toarray().mean()) < 1e-9
        and known[~past][:, column].toarray().mean() > 50
    )


def test_tables_and_the_picture() -> None:
    given = reports()
    years = (1990, 1993)
    found = {"background": background_alone(given, years)}
    chosen: dict[str, dict] = {"background": {}}
    for kind, family in FAMILIES.items():
        chosen[kind] = family.settings(True)[0]
        found[kind] = roll(family, chosen[kind], given, years)
    assert (
        found[OURS].overall < found["background"].overall
        and found[OURS].overall < found["ridge-all"].overall
    )
    assert found[OURS].model.steps_[-1] == "1992" and found[OURS].model.reader.words == given.words
    assert found[OURS].model.penalty_.floor == 0.003 * 15
    lines = by_year(found).splitlines()
    assert len(lines) == 2 + len(years) + 2 and all("**" in line for line in lines[2:])
    assert "of 2" in settings(found, chosen) and "tau 100.0" in settings(found, chosen)
    assert "12 x 15 x 12" in cost(found[OURS], given, 1993)
    assert "employment" in figure(found[OURS].model, given) and temporal_sage.PICTURE in FIGURES
    assert given.thinned(5).X.shape[1] == len(given.thinned(5).words) == 3
