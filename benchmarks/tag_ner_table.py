"""Names by templates chosen with a budget, beside all templates and the lasso: Table 2 of Martins
et al. (EMNLP 2011).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.page import table
from benchmarks.tag_ner_parts import read_parts
from laconic.core.solvers.online import Mira
from laconic.core.solvers.online_sparse import Fobos, Sparseptron
from laconic.tag.model import Tagger

WORKERS = 2
EPOCHS, SELECTION_EPOCHS, REFIT_EPOCHS, EVERY = 15, 5, 10, 1000
MIRA, LASSO, GROUP = "MIRA, all features", "Lasso, C = ", "group lasso, B = "
HEAD = (
    "model",
    "dev F1",
    "test F1",
    "weights",
    "selected",
    "templates",
    "seconds",
    "paper: dev",
    "test",
    "features",
)
ABOUT = f"""CoNLL 2002 (Spanish, Dutch) and CoNLL 2003 (English; its chunk column is not used). \
The tables repeat Table 2 of Martins, Smith,
Aguiar and Figueiredo (EMNLP 2011) with the 452 templates of the set `ner`, labels in IOB2 (nine \
of them), first-order chains and as
many passes as in the article. Development text is testa, test text testb; F1 is that of whole \
names, as conlleval counts it. Nothing
in the tables was tuned.

- MIRA: {EPOCHS} passes over all features (the article tuned a regularization constant by \
cross-validation; here there is none).
- Lasso: {SELECTION_EPOCHS} passes of perceptron steps and, every {EVERY:,} sentences and at the \
end, a proximal step of
  {EVERY:,} times the lasso of strength 1 / (C N), N the number of sentences; then {REFIT_EPOCHS} \
passes of MIRA over the features that were kept.
- Group lasso: {SELECTION_EPOCHS} passes of the sparseptron with a budget of B templates, d_m = \
log2 of a template's number of
  features, a proximal step every {EVERY:,} sentences; then {REFIT_EPOCHS} passes of MIRA over the \
features that were kept.

Weights are pairs of a feature and a label that are not zero, and label bigrams; "selected" are \
those left before MIRA learned anew.
There are more after it, because a feature that was kept for one label may then get weights for \
all. Seconds are those of learning,
reading not counted; {WORKERS} fits ran at a time on a machine that did other work too, so that \
they tell the order of size only.
"""
# Martins et al. (EMNLP 2011), Table 2: F1 on development and test text, and the number of features.
PUBLISHED = {
    "Spanish": {
        MIRA: (70.38, 74.09, 8_598_246),
        LASSO + "0.1": (69.19, 71.9, 68_565),
        LASSO + "0.5": (70.75, 72.38, 1_017_769),
        LASSO + "1": (71.7, 74.03, 1_555_683),
        GROUP + "100": (71.79, 73.62, 83_036),
        GROUP + "200": (72.08, 75.05, 354_872),
        GROUP + "300": (71.48, 73.3, 600_646),
    },
    "Dutch": {
        MIRA: (69.15, 71.54, 5_727_004),
        LASSO + "0.1": (64.07, 66.35, 164_960),
        LASSO + "0.5": (66.82, 69.42, 565_704),
        LASSO + "1": (70.43, 71.89, 953_668),
        GROUP + "100": (69.48, 72.83, 128_320),
        GROUP + "200": (71.03, 73.33, 447_193),
        GROUP + "300": (71.2, 72.59, 889_660),
    },
    "English": {
        MIRA: (83.95, 79.81, 8_376_901),
        LASSO + "0.1": (80.92, 76.95, 232_865),
        LASSO + "0.5": (82.58, 78.84, 870_587),
        LASSO + "1": (83.38, 79.35, 1_114_016),
        GROUP + "100": (85.62, 80.26, 255_165),
        GROUP + "200": (85.86, 81.47, 953_178),
        GROUP + "300": (85.03, 80.91, 1_719_229),
    },
}


class Job(NamedTuple):
    """One row of a table, to be fitted in a process of its own.

    `quick` takes few sentences and passes.
    """

    language: str
    row: str
    data: Path
    quick: bool = False


class Row(NamedTuple):
    """What one fit gave: F1 in percent on development and test text, its size and its seconds."""

    name: str
    dev: float
    test: float
    n_weights: int
    n_selected: int
    n_templates: int
    seconds: float


def models(quick: bool) -> dict[str, Callable[[int], Tagger]]:
    """The rows of the article's table: a tagger for a number of training sentences.

    The lasso's strength is tau = 1 / (C N). Both kinds of selection are followed by MIRA on the
    features that were kept.
    """
    all_epochs, selection, refit = (1, 1, 1) if quick else (EPOCHS, SELECTION_EPOCHS, REFIT_EPOCHS)
    every = 20 if quick else EVERY

    def refitted(learner: Any) -> Tagger:
        return Tagger("ner", learner, Mira(refit), refit_features="features", scheme="IOB2")

    def lasso(C: float) -> Callable[[int], Tagger]:
        return lambda n: refitted(Fobos(1 / (C * n), every=every, epochs=selection))

    def group(budget: int) -> Callable[[int], Tagger]:
        return lambda n: refitted(Sparseptron(budget, selection, every, group_weight="log"))

    rows: dict[str, Callable[[int], Tagger]] = {
        MIRA: lambda n: Tagger("ner", Mira(all_epochs), scheme="IOB2")
    }
    rows |= {f"{LASSO}{C:g}": lasso(C) for C in (0.1, 0.5, 1)}
    return rows | {f"{GROUP}{budget}": group(budget) for budget in (100, 200, 300)}


def fit(job: Job) -> Row:
    """Read the three parts, learn from the first, and score the others."""
    train, dev, test = read_parts(job.data, job.language, job.quick)
    tagger = models(job.quick)[job.row](len(train.labels))
    start = time.perf_counter()
    tagger.fit(train.tokens, train.labels)
    seconds = time.perf_counter() - start
    dev_f1, test_f1 = (100 * tagger.score(part.tokens, part.labels) for part in (dev, test))
    sizes = (tagger.n_features_selected_, tagger.n_features_first_, len(tagger.templates_))
    print(f"{job.language}, {job.row}: {seconds:.0f} s", file=sys.stderr)
    return Row(job.row, dev_f1, test_f1, *sizes, seconds)


def section(language: str, data: Path, quick: bool) -> str:
    """The table of a language, with its heading."""
    jobs = [Job(language, row, data, quick) for row in models(quick)]
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        return layout(language, {row.name: row for row in pool.map(fit, jobs)})


def layout(language: str, rows: Mapping[str, Row]) -> str:
    """The heading, the table, and what it says."""
    published = PUBLISHED[language]
    about = f"\n{ABOUT}" if language == next(iter(PUBLISHED)) else ""
    cells = [_cells(rows[name], published[name]) for name in published]
    return f"## {language}\n{about}\n{table(HEAD, cells)}\n{_verdict(rows)}"


def _cells(row: Row, published: tuple[float, float, int]) -> tuple[Any, ...]:
    dev, test, size = published
    ours = (f1(row.dev), f1(row.test), row.n_weights, row.n_selected, row.n_templates, row.seconds)
    return (row.name, *ours, f1(dev), f1(test), size)


def _verdict(rows: Mapping[str, Row]) -> str:
    """Which row does best on development text, and how large it is."""
    first = max(rows.values(), key=lambda row: row.dev)
    every = rows[MIRA]
    best = f"Best on development text: {first.name} (dev {f1(first.dev)}, test {f1(first.test)})"
    if first is every:
        return f"{best}.\n"
    share = 100 * first.n_weights / every.n_weights
    return (
        f"{best}, with {share:.0f} % of the weights of MIRA with all features (test "
        f"{f1(every.test)}).\n"
    )


def f1(percent: float) -> str:
    """Two digits after the point."""
    return f"{percent:.2f}"
