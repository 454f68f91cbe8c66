"""Chunking of CoNLL-2000: other groups than templates, and the lasso beside equal budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchmarks.page import table
from benchmarks.tag_chunking import BUDGETS, Fit, Split, measure, row
from laconic.core.solvers.online import Mira
from laconic.core.solvers.online_sparse import Fobos, Sparseptron
from laconic.tag.model import Tagger

LASSOS = (1e-4, 3e-4, 1e-3, 3e-3)
CLOSE = 0.03  # sizes that differ by less than this share are equal
MOST_FITS = 5
GROUPS = """\
### Other groups, and the lasso

The same two stages with 96 templates. `lasso` and `rows` (label-based groups: all labels of a \
feature) are forward-backward
splitting with the perceptron loss (5 epochs), refitted by MIRA (10 epochs) on the features they \
kept. `sparse group` adds a lasso of
0.0001 to a budget of templates, `coarse to fine` keeps a template only with all that it refines; \
d = 1 in both."""
EQUAL = """\
### Group lasso against lasso at equal sizes

Each budget of Table 1 beside the lasso whose strength was searched so that the refitted model has \
as many weights (to 3 %, or the
nearest of five fits). Where even a tiny strength leaves fewer weights than the budget, the \
lasso's largest model stands."""


def groups(split: Split, everything: Fit, budgets: Mapping[str, Fit], quick: bool) -> str:
    """Both tables; the lasso's fits of the first are where the search of the second starts."""
    strengths = LASSOS[2:3] if quick else LASSOS
    lassos = {strength: lasso_fit(strength, split) for strength in strengths}
    fits = {f"lasso {strength:g}": fit for strength, fit in lassos.items()}
    for strength in strengths[1:]:
        fits[f"rows {strength:g}"] = measure(
            Tagger("chunking", Fobos(strength, "rows", epochs=5), Mira(10), "features"), split
        )
    for budget in BUDGETS[:1] if quick else BUDGETS:
        sparse = Sparseptron(budget, penalty="group+lasso", strength={"lasso": 1e-4})
        fits[f"sparse group, B = {budget}"] = measure(
            Tagger("chunking", sparse, Mira(10), "features"), split
        )
        nested = Sparseptron(budget, penalty="coarse-to-fine")
        fits[f"coarse to fine, B = {budget}"] = measure(Tagger("chunking", nested, Mira(10)), split)
    rows = [row(name, fit, everything)[:6] for name, fit in fits.items()]
    first = table(["model", "F1", "weights", "templates", "held", "seconds"], rows)
    pairs = equal_sizes(budgets, lassos, lambda strength: lasso_fit(strength, split))
    columns = [
        "budget",
        "F1",
        "weights",
        "templates",
        "lasso",
        "F1",
        "weights",
        "templates",
        "budget's F1 - lasso's",
    ]
    return "\n\n".join([first.rstrip("\n"), EQUAL, table(columns, pairs)])


def lasso_fit(strength: float, split: Split) -> Fit:
    """Single weights by the lasso, refitted."""
    return measure(Tagger("chunking", Fobos(strength, epochs=5), Mira(10), "features"), split)


def equal_sizes(
    budgets: Mapping[str, Fit], lassos: Mapping[float, Fit], fit: Callable[[float], Fit]
) -> list[list[Any]]:
    """A row for each budget: its fit beside that of the lasso with about as many weights."""
    tried = dict(lassos)
    rows: list[list[Any]] = []
    for name, ours in sorted(budgets.items(), key=lambda named: named[1].weights):
        strength = search_size(ours.weights, tried, fit)
        theirs = tried[strength]
        sizes = [
            f"{strength:.2g}",
            f"{theirs.f1:.2f}",
            theirs.weights,
            theirs.templates,
            f"{ours.f1 - theirs.f1:+.2f}",
        ]
        rows.append([name, f"{ours.f1:.2f}", ours.weights, ours.templates, *sizes])
    return rows


def search_size(target: int, tried: dict[float, Fit], fit: Callable[[float], Fit]) -> float:
    """The strength whose fit has about `target` weights, by interpolation of logarithms.

    Adds its fits to `tried`.
    """

    def miss(strength: float) -> float:
        return abs(np.log(tried[strength].weights / target))

    for _ in range(MOST_FITS):
        if miss(min(tried, key=miss)) < np.log1p(CLOSE):
            break
        strength = next_strength(target, {strength: one.weights for strength, one in tried.items()})
        if strength in tried:
            break
        before = max((one.weights for one in tried.values()), default=0)
        tried[strength] = fit(strength)
        if strength == min(tried) and tried[strength].weights < min(target, before * (1 + CLOSE)):
            break  # weaker still would hardly add weights
    return min(tried, key=miss)


def next_strength(target: int, sizes: Mapping[float, int]) -> float:
    """Where the line through the logarithms of the nearest strengths on both sides meets the
    target; outside, three times as far.
    """
    above = max((s for s, size in sizes.items() if size >= target), default=None)
    below = min(
        (s for s, size in sizes.items() if size < target and (above is None or s > above)),
        default=None,
    )
    if above is None:
        return min(sizes) / 3
    if below is None:
        return max(sizes) * 3
    share = np.log(sizes[above] / target) / np.log(sizes[above] / sizes[below])
    return float(np.exp(np.log(above) + share * np.log(below / above)))
