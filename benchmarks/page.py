"""What a results page is made of: the header that says where numbers come from, tables, and paired
tests.
"""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binomtest

PACKAGES = (
    "laconic",
    "numpy",
    "scipy",
    "scikit-learn",
    "celer",
    "skglm",
    "adelie",
    "spams-bin",
    "cvxpy",
    "tomotopy",
    "gensim",
)


class Paired(NamedTuple):
    """Outcome of a paired test: how often only the first, or only the second, was right or ahead.

    Two-sided p.
    """

    only_first: int
    only_second: int
    p_value: float


def header(command: str, repository: Path) -> str:
    """The opening of a page: command, commit, date, processor and versions of all packages that are
    installed.
    """
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    versions = ", ".join(f"{name} {found}" for name in PACKAGES if (found := _version(name)))
    lines = (
        f"Command: `{command}`",
        f"Commit: {_commit(repository)} · date: {today}",
        f"Machine: {_processor()}, {os.cpu_count()} cores · Python {platform.python_version()}",
        f"Packages: {versions}",
    )
    return "".join(f"{line}  \n" for line in lines)


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table; the first column is aligned left, the others right; floats are formatted by
    `number`.
    """
    ragged = [row for row in rows if len(row) != len(columns)]
    if ragged:
        raise ValueError(
            f"a table of {len(columns)} columns was given a row of {len(ragged[0])}: {ragged[0]!r}"
        )
    rule = ["---"] + ["---:"] * (len(columns) - 1)
    cells = [[number(cell) if not isinstance(cell, str) else cell for cell in row] for row in rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in [list(columns), rule, *cells])


def number(value: float | int | None, digits: int = 3) -> str:
    """12345 -> '12,345'; 0.0123456 -> '0.0123'; None and NaN -> '–'.

    `digits` significant digits below 1,000.
    """
    if value is None or value != value:
        return "–"
    if isinstance(value, (int, np.integer)) or abs(value) >= 1000:
        return f"{value:,.0f}"
    magnitude = 0 if value == 0 or np.isinf(value) else int(np.floor(np.log10(abs(value))))
    return (
        f"{value:.{digits}g}" if magnitude < -4 else f"{value:.{max(0, digits - 1 - magnitude)}f}"
    )


def percent(share: float) -> str:
    """0.93671 -> '93.7'."""
    return f"{100 * share:.1f}"


def mcnemar(gold: ArrayLike, first: ArrayLike, second: ArrayLike) -> Paired:
    """McNemar's exact test: of the examples where just one of two predictions is right, is the
    share 1/2?
    """
    right = np.asarray(first) == np.asarray(gold)
    other = np.asarray(second) == np.asarray(gold)
    return _sign(int(np.sum(right & ~other)), int(np.sum(other & ~right)))


def sign_test(first: ArrayLike, second: ArrayLike) -> Paired:
    """Exact sign test over pairs of scores, one pair a seed; ties are left out."""
    difference = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    return _sign(int(np.sum(difference > 0)), int(np.sum(difference < 0)))


def bootstrap_difference(
    gold: ArrayLike, first: ArrayLike, second: ArrayLike, level: float = 0.95, draws: int = 10_000
) -> tuple[float, float, float]:
    """accuracy(first) - accuracy(second) with its paired bootstrap interval: (difference, low,
    high).
    """
    step = np.asarray(np.asarray(first) == np.asarray(gold), int) - np.asarray(
        np.asarray(second) == np.asarray(gold)
    )
    # A resample is a multinomial draw over the three values a paired difference can take.
    shares = np.array([np.mean(step == 1), np.mean(step == -1), np.mean(step == 0)])
    counts = np.random.default_rng(0).multinomial(len(step), shares, size=draws)
    low, high = np.quantile(
        (counts[:, 0] - counts[:, 1]) / len(step), [(1 - level) / 2, (1 + level) / 2]
    )
    return float(step.mean()), float(low), float(high)


def _sign(only_first: int, only_second: int) -> Paired:
    decided = only_first + only_second
    return Paired(
        only_first, only_second, float(binomtest(only_first, decided).pvalue) if decided else 1.0
    )


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _commit(repository: Path) -> str:
    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=repository, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    try:
        changed = git(
            "status", "--porcelain", "--", ".", ":!docs/results"
        )  # pages that other sections wrote are no code
        return git("rev-parse", "--short", "HEAD") + (" dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
