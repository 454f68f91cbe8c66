"""Problems in small and large units: whether a fit converges must not depend on them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from benchmarks.linear_campaign import Outcome, failures, outcomes, show
from benchmarks.linear_random import Case, draw
from benchmarks.page import table

PENALTIES = (
    "lasso",
    "lasso, positive",
    "ridge",
    "elastic net",
    "group lasso",
    "group lasso, infinity",
    "sparse group lasso",
    "tree",
    "overlapping groups",
    "sum",
    "L0",
)
LOSSES = (
    "logistic, 2 classes",
    "multinomial, 5 classes",
    "squared hinge, 2 classes",
    "squared",
    "Poisson",
)
SCALES: dict[str, dict[str, str]] = {
    "features x 1e8": {"data": "x 1e8", "weights": "none"},
    "features x 1e-8": {"data": "x 1e-8", "weights": "none"},
    "sample weights x 1e8": {"data": "plain", "weights": "1e8"},
    "sample weights x 1e-8": {"data": "plain", "weights": "1e-8"},
}
CASES = list(product(PENALTIES, SCALES, LOSSES))

ABOUT = """{count} problems of 24 rows and 10 columns at a tenth of the largest strength:
{penalties} penalties x {losses} losses (*{names}*) x features or sample weights 1e8 times as large
or as small as they might be. Cells are fits that converged with the defaults, those with a failure
left out. Distances to the optimum are checked as in the section on certificates."""


def case_of(number: int) -> Case:
    """Return one of the cases by its number."""
    penalty, scale, loss = CASES[number]
    return draw(
        number, penalty=penalty, loss=loss, form="dense", intercept=True, share=0.1, **SCALES[scale]
    )


def section(data: Path, quick: bool = False) -> str:
    """Return the section of the page."""
    found = sorted(outcomes(range(0, len(CASES), 11 if quick else 1), case_of))
    failed = [one for one in found if one.failure]
    parts = [
        "## Scales",
        ABOUT.format(
            count=len(found),
            penalties=len(PENALTIES),
            losses=len(LOSSES),
            names="*, *".join(LOSSES),
        ),
        converged(found),
        f"Converged: {len(sound(found))} of {len(found)}. Failures: {len(failed)}.",
    ]
    if failed:
        parts.append(failures(failed, "benchmarks.linear_scales"))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def converged(found: list[Outcome]) -> str:
    """Return the table of penalties x scales."""
    rows = []
    for penalty in PENALTIES:
        row = [penalty]
        for scale in SCALES:
            those = [one for one in found if CASES[one.seed][:2] == (penalty, scale)]
            row.append(f"{len(sound(those))} of {len(those)}")
        rows.append(row)
    return table(["penalty", *SCALES], rows)


def sound(found: list[Outcome]) -> list[Outcome]:
    """Return those that converged, and rightly say so."""
    return [one for one in found if one.converged and not one.failure]


if __name__ == "__main__":
    show("benchmarks.linear_scales", case_of)
