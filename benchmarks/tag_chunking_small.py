"""Chunking of CoNLL-2000: the best small models, chosen on a held-out part of train."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.page import table
from benchmarks.tag_chunking import Fit, corpus, held_out, measure
from laconic.estimators.tag import Tagger
from laconic.estimators.tag_batch import Crf
from laconic.solvers.online import Perceptron
from laconic.solvers.online_sparse import Sparseptron
from laconic.text.views import WordClusters

MOST_TEMPLATES = 20
LIMITS = (300_000, 100_000)
GROWTH = 1.12  # sizes grow with the data, by about a tenth: the limit on a held-out fit is lower
FIRST, SECOND = "perceptron", "CRF, lasso and ridge 0.2"
REFITS: dict[str, Any] = {
    FIRST: Perceptron(10),
    SECOND: Crf(ridge=0.2, lasso=0.2, max_iter=60),
}
WEIGHTS = {"one": "1", "sqrt log": "sqrt log2", "log": "log2"}
ABOUT = f"""## Chunking with small models

CoNLL-2000 as above. What is chosen: the set of templates that the sparseptron chooses from (`chunking_clusters`, the 72 templates and n-grams of
the public BLLIP word clusters; `chunking_pairs`, with conjunctions and templates of pairs of labels too), its budget B and group weight d,
and the learner of the refit: 10 epochs of the averaged perceptron, or a CRF (for `chunking_clusters`; templates of pairs make it slow). The
score is F1 on a tenth of train (every tenth sentence) that neither choice nor refit had seen. The best row that keeps to {MOST_TEMPLATES} templates and to a limit of
weights was fitted on all of train with the templates that were kept, and scored on test.

It is not wholly blind. Earlier runs scored test with choices from `chunking72` and `chunking_clusters` and perceptron refits alone: 93.49 and 93.70 when templates were
chosen anew on all of train, 93.99 (280,419 weights) and 93.60 (84,498) with the templates kept as now. That 93.99 was near an aim of 94.0 is why there
are more sets and refits now. Which, was decided on the held-out tenth alone, and test was scored with none of the new ones before this run. Trials on
that tenth that did no better than the rows below, and are not repeated: other budgets of both sets and of `chunking72` (at most 94.54), affixes as further
templates (94.05 to 94.38), CRFs with a ridge alone (94.15 to 94.34) and with a lasso alone (94.35 to 94.48). A set like `chunking_pairs` with B = 20
and d = 1, 94.77, has too many weights. One tenth is a noisy judge: what it puts first need not be first on test.
"""


class Setting(NamedTuple):
    """How templates are chosen."""

    pool: str
    budget: int
    weight: str

    def __str__(self) -> str:
        return f"{self.pool}, B = {self.budget}, d = {WEIGHTS[self.weight]}"


Rows = Mapping[tuple[Setting, str], Fit]


def settings(quick: bool) -> list[Setting]:
    """The grid."""
    if quick:
        return [Setting("chunking_clusters", 8, "one"), Setting("chunking_pairs", 5, "one")]
    found = [Setting("chunking_clusters", budget, "one") for budget in (15, 20)] + [Setting("chunking_clusters", 15, "sqrt log")]
    return [*found, Setting("chunking_pairs", 15, "one"), Setting("chunking_pairs", 20, "sqrt log")]


def section(data: Path, quick: bool = False) -> str:
    """The choice, what it gives on test, and all that was compared."""
    split = corpus(data, quick)
    clusters = WordClusters.read(data / "brown_clusters" / "bllip-clusters.txt.gz")
    apart = held_out(split.train)
    rows: dict[tuple[Setting, str], Fit] = {}
    for setting in settings(quick):
        selection = Sparseptron(setting.budget, group_weight=setting.weight)
        first = measure(Tagger(setting.pool, selection, REFITS[FIRST], clusters=clusters), apart)
        rows[setting, FIRST] = first
        if not any(template.pairs for template in first.kept):
            rows[setting, SECOND] = measure(Tagger(first.kept, REFITS[SECOND], clusters=clusters), apart)
    chosen = {limit: key for limit in LIMITS if (key := choose(rows, limit)) is not None}
    tested = {key: measure(Tagger(rows[key].kept, REFITS[key[1]], clusters=clusters), split) for key in set(chosen.values())}
    return layout(rows, {limit: (key, tested[key]) for limit, key in chosen.items()})


def choose(rows: Rows, limit: int) -> tuple[Setting, str] | None:
    """The best row on held-out sentences under a limit of weights; None if there is none."""
    within = [key for key, fit in rows.items() if fit.weights * GROWTH <= limit and fit.templates <= MOST_TEMPLATES]
    return max(within, key=lambda key: rows[key].f1, default=None)


def layout(rows: Rows, tested: Mapping[int, tuple[tuple[Setting, str], Fit]]) -> str:
    """The tables and the text around them."""
    final = [
        [
            f"at most {limit:,} weights",
            *map(str, key),
            f"{rows[key].f1:.2f}",
            f"{fit.f1:.2f}",
            fit.weights,
            fit.templates,
            fit.seconds,
        ]
        for limit, (key, fit) in tested.items()
    ]
    first = table(["limit", "templates from", "refit", "F1 held out", "F1 on test", "weights", "templates", "seconds"], final)
    lines = [
        [str(setting), refit, f"{fit.f1:.2f}", fit.weights, fit.templates, fit.seconds] for (setting, refit), fit in rows.items()
    ]
    second = table(["templates from", "refit", "F1 held out", "weights", "templates", "seconds"], lines)
    kept = {limit: ", ".join(f"`{name}`" for name in rows[key].kept.names) for limit, (key, _) in tested.items()}
    names = "\n".join(f"- at most {limit:,} weights: {listed}" for limit, listed in kept.items())
    return "\n".join([ABOUT, first, f"The templates that were kept:\n\n{names}\n", "All rows, on the held-out tenth:\n", second])
