"""Dated documents with a real target, as matrices: district reports of the Federal Reserve,
earnings calls, movies, paper titles.

Words are the most frequent ones before the first test step, as 0/1 features; what happened later
decides nothing. Numbers go beside them.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from laconic import RollingOrigin
from laconic.time.times import make_clock

Array = NDArray[np.float64]


TOKENS = r"(?u)\b[^\W\d_]+(?:'[^\W\d_]+)?\b"  # letters, with an apostrophe inside


class Dated(NamedTuple):
    """Rows with targets and times.

    Rolling origins for tuning and for the test; what is said about the set.
    """

    title: str
    about: str
    X: sp.csr_matrix
    y: Array
    times: NDArray[Any]
    names: list[str]
    step: str | None
    dev: RollingOrigin
    test: RollingOrigin
    n_numbers: int = 0  # columns at the end of X that are no words

    def n_steps(self, times: NDArray[Any]) -> int:
        """How many steps some of the times span."""
        return make_clock(times, self.step)[0].n_steps


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a gzip-compressed file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def words(
    texts: Sequence[str], known: NDArray[np.bool_], first: int, last: int
) -> tuple[sp.csr_matrix, list[str]]:
    """0/1 features of the words ranked first to last by how often they occur in the texts that are
    known before the test.
    """
    counter = CountVectorizer(token_pattern=TOKENS)
    counts = counter.fit_transform(texts)
    often = np.asarray(counts[np.flatnonzero(known)].sum(axis=0)).ravel()
    chosen = np.argsort(-often, kind="stable")[first - 1 : last]
    chosen = chosen[often[chosen] > 1]
    return (counts[:, chosen] > 0).astype(np.float64).tocsr(), counter.get_feature_names_out()[
        chosen
    ].tolist()


def with_numbers(texts: sp.csr_matrix, numbers: Array) -> sp.csr_matrix:
    """Words and numbers side by side."""
    return sp.hstack([texts, sp.csr_matrix(numbers)], format="csr")


def beige_book(data: Path) -> Dated:
    """Change of a district's unemployment over the twelve months from a report on."""
    documents = list(lines(data / "beige_book" / "docs.jsonl.gz"))
    with gzip.open(data / "beige_book" / "aligned.csv.gz", "rt", encoding="utf-8") as file:
        aligned = {row["id"]: row for row in csv.DictReader(file)}
    rows = [(one, aligned[one["id"]]) for one in documents]
    # Targets that reach into the pandemic are left out: from April 2019 on the twelve months end
    # after February 2020.
    rows = [
        (one, row)
        for one, row in rows
        if row["ur_d12_future"] and row["ur_d12_past"] and one["date"] < "2019-04"
    ]
    years = np.array([one["year"] for one, _ in rows])
    X, names = words([one["text"] for one, _ in rows], years < 1990, 101, 5100)
    past = np.array([[float(row["ur_d12_past"])] for _, row in rows])
    return Dated(
        "Beige Book: unemployment of a district, change over the next twelve months, in points",
        "Yearly steps. A target is known a year later: models for year y are trained on reports "
        "up to year y - 2. The change over the last twelve months is a feature.",
        with_numbers(X, past),
        np.array([float(row["ur_d12_future"]) for _, row in rows]),
        years,
        [*names, "(change over the last year)"],
        None,
        RollingOrigin(first=1980, last=1989, gap=1),
        RollingOrigin(first=1990, last=2019, gap=1),
        1,
    )


def earnings_calls(data: Path) -> Dated:
    """Log volatility of a stock over the 30 trading days after a call."""
    rows = [
        one
        for one in lines(data / "maec_volatility" / "docs.jsonl.gz")
        if one["logvol_future_30"] is not None and one["logvol_past_30"] is not None
    ]
    dates = np.array([one["date"] for one in rows])
    X, names = words([one["text"] for one in rows], dates < "2016-07", 101, 5100)
    past = np.array([[one["logvol_past_30"]] for one in rows])
    gap = np.timedelta64(45, "D")
    return Dated(
        "Earnings calls: log volatility over the next 30 trading days",
        "Quarterly steps. Targets reach 31 trading days ahead: models are trained on calls at "
        "least 45 days before the quarter that is forecast begins. The log volatility of the "
        "last 30 days is a feature.",
        with_numbers(X, past - past[dates < "2016-07"].mean()),
        np.array([one["logvol_future_30"] for one in rows]),
        dates,
        [*names, "(past log volatility)"],
        "quarter",
        RollingOrigin("quarter", first="2015Q4", last="2016Q2", gap=gap),
        RollingOrigin("quarter", first="2016Q3", gap=gap),
        1,
    )


def movies(data: Path) -> Dated:
    """Log revenue of a movie."""
    rows = [
        one
        for one in lines(data / "tmdb_movies" / "docs.jsonl.gz")
        if one["revenue"] >= 1000 and 1980 <= one["year"] <= 2016
    ]
    years = np.array([one["year"] for one in rows])
    genres = [
        " ".join("genre" + genre.replace(" ", "").lower() for genre in one["genres"])
        for one in rows
    ]
    X, names = words(
        [f"{one['text']} {kinds}" for one, kinds in zip(rows, genres, strict=True)],
        years < 2000,
        1,
        5000,
    )
    budget = np.array([float(one["budget"]) for one in rows])
    known = budget > 1000
    size = np.where(known, np.log(np.maximum(budget, 1000)) - 16, 0.0)
    return Dated(
        "Movies: log revenue",
        "Yearly steps, one year ahead. Words of the plot and genres; log budget and whether it "
        "is unknown are features.",
        with_numbers(X, np.column_stack([size, ~known])),
        np.log([one["revenue"] for one in rows]),
        years,
        [*names, "(log budget)", "(budget unknown)"],
        None,
        RollingOrigin(first=1995, last=1999),
        RollingOrigin(first=2000, last=2016),
        2,
    )


def paper_titles(data: Path) -> Dated:
    """log(1 + citations in three years) of a paper, by the words of its title."""
    rows = [
        one
        for one in lines(data / "aan_citations" / "docs.jsonl.gz")
        if 1985 <= one["year"] <= 2008
    ]
    years = np.array([one["year"] for one in rows])
    X, names = words([one["text"] for one in rows], years < 2002, 1, 5000)
    return Dated(
        "Paper titles: log(1 + citations within three years)",
        "Yearly steps. A count is known three years later: models for year y are trained on "
        "papers up to year y - 4.",
        X,
        np.log1p([float(one["citations_3y"]) for one in rows]),
        years,
        names,
        None,
        RollingOrigin(first=1994, last=2001, gap=3),
        RollingOrigin(first=2002, last=2008, gap=3),
    )


SETS = {"beige": beige_book, "calls": earnings_calls, "movies": movies, "titles": paper_titles}
