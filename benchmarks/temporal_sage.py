"""Table 3.2's form: negative log-likelihood of the Beige Books of years to come, given district and
economic variables; and the form of Fig. 3.3.
"""

from __future__ import annotations

import csv
import gzip
import resource
import time
import warnings
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.page import number, table
from benchmarks.temporal_data import TOKENS, lines
from benchmarks.temporal_figures import FIGURES
from laconic import L1, AdaptivePrior, FusedLasso, Ridge, SmoothRidge, TemporalTextModel
from laconic.core.penalties import Penalty
from laconic.time.plots import plot_trajectories, series_by_step
from laconic.time.sage.reader import DatedReader, learn_fields

PICTURE = "temporal_sage.svg"
WATCHED = ("layoffs", "hiring", "jobs")  # besides words with "employ" in them
OURS = "adaptive prior"
FIRST_YEAR = 1978  # since when all variables are known
DEV, TEST = (1990, 1993), (1995, 2002, 2009, 2016)
FIRST_RANK, LAST_RANK = 501, 5501
THINNED = 10  # one word in 10 is enough to choose settings
VARIABLES = {
    "us_unrate": "unemployment rate",
    "us_indpro_yoy": "growth of industrial production",
    "us_cpi_yoy": "inflation",
    "us_payems_yoy": "growth of employment",
    "us_sp500_yoy": "growth of stock prices",
    "us_houst": "housing starts",
    "us_fedfunds": "federal funds rate",
    "us_10yr": "ten-year rate",
    "us_umcsent": "consumer sentiment",
}


class Reports(NamedTuple):
    """Counts of words of all reports, their years, and the fields that are effects."""

    X: sp.csr_matrix
    years: NDArray[np.int64]
    fields: dict[str, list[Any]]
    words: tuple[str, ...]

    def thinned(self, by: int) -> Reports:
        """Return the reports with one word in `by`."""
        return self._replace(X=self.X[:, ::by].tocsr(), words=self.words[::by])

    def before(self, year: int) -> DatedReader:
        """Words and fields as they are known before a year: means and scales of numbers are those
        of the past.
        """
        past = np.flatnonzero(self.years < year)
        return DatedReader(
            self.words,
            learn_fields({name: [column[n] for n in past] for name, column in self.fields.items()}),
        )


def read_reports(data: Path) -> Reports:
    """District reports and national summaries with last month's economic variables.

    Words ranked by their frequency before the first test year.
    """
    with gzip.open(data / "beige_book" / "aligned.csv.gz", "rt", encoding="utf-8") as file:
        aligned = {row["id"]: row for row in csv.DictReader(file)}
    documents = [
        one
        for one in lines(data / "beige_book" / "docs.jsonl.gz")
        if FIRST_YEAR <= one["year"] <= TEST[-1]
    ]
    rows = [aligned[one["id"]] for one in documents]
    years = np.array([one["year"] for one in documents])
    counter = CountVectorizer(token_pattern=TOKENS)
    counts = counter.fit_transform([one["text"] for one in documents])
    often = np.asarray(counts[np.flatnonzero(years < TEST[0])].sum(axis=0)).ravel()
    chosen = np.argsort(-often, kind="stable")[FIRST_RANK - 1 : LAST_RANK]
    fields: dict[str, list[Any]] = {"district": [one["district"] for one in documents]}
    for name, called in VARIABLES.items():
        fields[called] = [float(row[name]) if row[name] else float("nan") for row in rows]
    names = tuple(counter.get_feature_names_out()[chosen].tolist())
    return Reports(counts[:, chosen].astype(np.float64).tocsr(), years, fields, names)


class Family(NamedTuple):
    """A kind of model: penalty of a setting, mode, and settings to choose from.

    Floors are per step, for trajectories grow longer by the year.
    """

    make: Callable[..., Penalty]
    mode: str
    tol: float
    max_iter: int
    grid: dict[str, Sequence[Any]]

    def settings(self, quick: bool) -> list[dict[str, Any]]:
        """All combinations; in a quick run the first."""
        every = [
            dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())
        ]
        return every[:1] if quick else every

    def model(
        self, setting: dict[str, Any], n_steps: int, model: TemporalTextModel | None
    ) -> TemporalTextModel:
        """A model with this setting, or the model of the last test year with the penalty for so
        many steps.
        """
        chosen = {name: value for name, value in setting.items() if name != "background"}
        if "floor" in chosen:
            chosen["floor"] *= n_steps
        if model is not None:
            return model.set_params(penalty=self.make(**chosen))
        background = setting.get("background", "all")
        return TemporalTextModel(
            self.make(**chosen),
            mode=self.mode,
            background=background,
            tol=self.tol,
            max_iter=self.max_iter,
            warm_start=True,
        )


FAMILIES = {
    "ridge-one": Family(
        Ridge,
        "last",
        1e-4,
        1000,
        {"strength": (1.0, 2.0, 4.0, 8.0), "background": ("all", "steps")},
    ),
    "ridge-all": Family(Ridge, "pooled", 1e-4, 1000, {"strength": (1.0, 3.0, 10.0, 30.0)}),
    "ridge-ts": Family(
        SmoothRidge,
        "moving",
        1e-4,
        1000,
        {"strength": (0.1, 0.3, 1.0), "smoothness": (30.0, 100.0, 300.0)},
    ),
    "lasso-one": Family(
        L1, "last", 1e-3, 1000, {"strength": (1.0, 1.5, 2.0, 3.0), "background": ("all", "steps")}
    ),
    "lasso-all": Family(L1, "pooled", 1e-3, 1000, {"strength": (1.0, 2.0, 4.0)}),
    "fused lasso": Family(
        FusedLasso,
        "moving",
        1e-3,
        1000,
        {"strength": (0.1, 0.25, 0.5), "fusion": (3.0, 10.0, 30.0)},
    ),
    OURS: Family(
        AdaptivePrior,
        "moving",
        1e-3,
        1000,
        {"floor": (0.003, 0.01, 0.03), "tau": (100.0, 300.0, 1000.0)},
    ),
}


class Tested(NamedTuple):
    """Of every year the negative log-likelihood, the number of words, CPU seconds of the fit and
    its certificate; the last model.
    """

    loss: dict[int, float]
    words: dict[int, float]
    seconds: list[float]
    certificates: list[float]
    model: TemporalTextModel

    @property
    def overall(self) -> float:
        """A word, over all years."""
        return sum(self.loss.values()) / sum(self.words.values())


def roll(family: Family, setting: dict[str, Any], reports: Reports, years: Sequence[int]) -> Tested:
    """Train on all that was written before a year, score that year with the weights of the last
    step; begin with the model of the year before it.
    """
    model = None
    loss, words, seconds, certificates = {}, {}, [], []
    for year in years:
        reader = reports.before(year)
        effects = reader.describe(reports.fields)
        past, now = np.flatnonzero(reports.years < year), np.flatnonzero(reports.years == year)
        model = family.model(setting, year - FIRST_YEAR, model).set_params(reader=reader)
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the page has the certificates
            model.fit(reports.X[past], effects[past], reports.years[past])
        seconds.append(time.process_time() - began)
        loss[year] = -float(model.log_likelihood(reports.X[now], effects[now]).sum())
        words[year] = float(reports.X[now].sum())
        certificates.append(model.certificate_)
    assert model is not None
    return Tested(loss, words, seconds, certificates, model)


def tune(family: Family, reports: Reports, quick: bool) -> dict[str, Any]:
    """The setting with the least loss on development years, on some of the words."""
    some = reports.thinned(THINNED)
    tried = [
        (roll(family, one, some, DEV).overall, n, one)
        for n, one in enumerate(family.settings(quick))
    ]
    return min(tried)[2]


def background_alone(reports: Reports, years: Sequence[int]) -> Tested:
    """No effects: log-frequencies of all the past."""
    loss, words = {}, {}
    for year in years:
        seen = np.asarray(reports.X[np.flatnonzero(reports.years < year)].sum(axis=0)).ravel() + 0.5
        now = np.asarray(reports.X[np.flatnonzero(reports.years == year)].sum(axis=0)).ravel()
        loss[year], words[year] = -float(now @ np.log(seen / seen.sum())), float(now.sum())
    return Tested(loss, words, [], [], TemporalTextModel())


def sage(data: Path, quick: bool) -> str:
    """The section."""
    reports = read_reports(data)
    years = DEV if quick else TEST
    if quick:
        reports = reports.thinned(50)
    found = {"background": background_alone(reports, years)}
    chosen: dict[str, dict[str, Any]] = {"background": {}}
    for kind, family in FAMILIES.items():
        chosen[kind] = tune(family, reports, quick)
        found[kind] = roll(family, chosen[kind], reports, years)
    return "\n".join(
        [
            "## SAGE: words of the Beige Books of the year to come",
            about(reports, years),
            "",
            by_year(found),
            settings(found, chosen),
            cost(found[OURS], reports, years[-1]),
            figure(found[OURS].model, reports),
        ]
    )


def about(reports: Reports, years: Sequence[int]) -> str:
    """Return what is measured."""
    return (
        f"Reports since {FIRST_YEAR}, yearly steps; the {reports.X.shape[1]:,} words ranked "
        f"{FIRST_RANK:,} to {LAST_RANK:,} by frequency before {years[0]}. Effects: the twelve "
        f"districts and the national summary, {len(VARIABLES)} variables of the month before a "
        "report, standardized by their past, and a constant. Models for a year are "
        "trained on all years before it and use the weights of the last one; test years are "
        "seven years apart, and a fit begins with the model of the test year before. Settings "
        "were chosen on "
        f"{' and '.join(map(str, DEV))}, on one word in {THINNED}. Every model has a constant "
        'effect and the same background, log-frequencies of all the past, unless "steps" was '
        "chosen: those of the last year. "
        "Numbers are nats a word (lower is better); the last row is the sum over all words in "
        "thousands, as in the table of the paper (there ours 11,618, ridge-ts 11,619, lasso-one "
        "11,620, ridge-all 11,718)."
    )


def by_year(found: dict[str, Tested]) -> str:
    """A row a year, the lowest in bold."""
    rows = []
    for year, n_words in found[OURS].words.items():
        rows.append(
            [
                str(year),
                f"{n_words:,.0f}",
                *best([one.loss[year] / one.words[year] for one in found.values()], 4),
            ]
        )
    n_words = sum(found[OURS].words.values())
    rows.append(["overall", f"{n_words:,.0f}", *best([one.overall for one in found.values()], 4)])
    rows.append(
        [
            "overall, sum in thousands",
            f"{n_words:,.0f}",
            *best([one.overall * n_words / 1000 for one in found.values()], 2),
        ]
    )
    return table(["year", "words", *found], rows)


def best(values: Sequence[float], digits: int) -> list[str]:
    """The lowest in bold."""
    return [
        f"**{value:,.{digits}f}**" if value == min(values) else f"{value:,.{digits}f}"
        for value in values
    ]


def settings(found: dict[str, Tested], chosen: dict[str, dict[str, Any]]) -> str:
    """Return the chosen settings, and how well they were solved."""
    ours = found[OURS]
    rows = []
    for kind, one in found.items():
        ahead = sum(ours.loss[year] < one.loss[year] for year in one.loss)
        chosen_text = ", ".join(f"{name} {value}" for name, value in chosen[kind].items()) or "–"
        worst = f"{max(one.certificates):.0e}" if one.certificates else "–"
        rows.append(
            [
                kind,
                chosen_text,
                number(sum(one.seconds)) if one.seconds else "–",
                worst,
                "–" if kind == OURS else f"{ahead} of {len(one.loss)}",
            ]
        )
    columns = [
        "model",
        "chosen on development years",
        "CPU seconds of test fits",
        "worst certificate",
        f"years in which {OURS} is ahead",
    ]
    return table(columns, rows)


def cost(ours: Tested, reports: Reports, year: int) -> str:
    """Time and memory of the last fit."""
    model = ours.model
    effects, steps, n_words = model.trajectories_.shape
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = [
        [
            f"{effects} x {steps} x {n_words:,}",
            int((reports.years < year).sum()),
            model.n_iter_,
            ours.seconds[-1],
            f"{peak:,.0f}",
        ]
    ]
    columns = [
        "effects x steps x words",
        "documents",
        "solver steps",
        "CPU seconds",
        "peak MB, all models",
    ]
    return (
        f"The last fit of {OURS}, from the weights of the test year before, in one "
        f"thread:\n\n{table(columns, rows)}"
    )


def figure(model: TemporalTextModel, reports: Reports) -> str:
    """Words of employment beside the unemployment rate."""
    past = np.flatnonzero(reports.years < model.clock_.origin + model.clock_.n_steps)
    rate = [reports.fields[VARIABLES["us_unrate"]][n] for n in past]
    observed = series_by_step(
        model.clock_, reports.years[past].tolist(), rate, "unemployment rate, %"
    )
    names = [word for word in reports.words if "employ" in word or word in WATCHED][:6]
    lines = {name: model.trajectory(name) for name in names}
    title = "Words of employment: weights of the constant effect"
    FIGURES[PICTURE] = plot_trajectories(lines, model.steps_, observed, title)
    rows = [
        [name, float(line[0]), float(line[-1]), float(np.corrcoef(line, observed.values)[0, 1])]
        for name, line in lines.items()
    ]
    values = table(
        [
            "word",
            f"weight in {model.steps_[0]}",
            f"in {model.steps_[-1]}",
            "correlation with the rate",
        ],
        rows,
    )
    return f"![Trajectories of words of employment]({PICTURE})\n\n{values}"
