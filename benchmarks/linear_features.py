"""What libraries of sparse linear models can do: tried on each one that is installed, not typed.

Every cell is the outcome of a small program: "yes" if it ran and gave the right answer, "no" with
the kind of error, or what came out instead. Peers that cannot be installed here are in a second
table, of facts from their documentation with the page they stand on.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import solvers
from benchmarks.feature_programs import (
    ALPHA,
    COUNTS,
    LABELS,
    OVERLAPS,
    STRONG,
    Attempt,
    N,
    P,
    X,
    Y,
    csr,
    lasso_programs,
    logistic_programs,
    outcome,
    overlap_objective,
    same,
)
from benchmarks.page import table
from laconic import (
    L1,
    GroupLasso,
    Groups,
    OverlapGroupLasso,
    Poisson,
    SparseClassifier,
    SparseRegressor,
    StrengthCV,
)

SECONDS = 900  # per library
PEERS = ("laconic", "skglm", "celer", "spams")
PACKAGES = {"spams": "spams-bin"}

# What the pages of peers that were not run here say.
DOCUMENTED = (
    (
        "glmnet 4.1 (R)",
        "elastic net for six families, grouped multinomial; sparse matrices, weights, offset, "
        "penalty factors, bounds, relaxed fits; groups of features are not among its arguments",
        "https://www.rdocumentation.org/packages/glmnet/versions/4.1-1/topics/glmnet",
    ),
)


def features(data: Path, quick: bool = False) -> str:
    """Return the section as Markdown: one column per library, one row per feature."""
    del data
    found = {f"{peer} {_version(peer)}": _answers(peer, quick) for peer in PEERS}
    for peer, *arguments in (("adelie",), ("sparse-lm", _least_overlap_objective())):
        answer = solvers.ask_adelie("benchmarks.adelie_features", peer, *arguments)
        found[f"{peer} {answer.get('version', '(not installed)')}"] = answer.get("answers", {})
    rows = [[name, *(answers.get(name, "–") for answers in found.values())] for name in FEATURES]
    documented = [[name, says, f"[page]({page})"] for name, says, page in DOCUMENTED]
    return "\n".join(
        [
            "## Features beside other libraries",
            "",
            "Each cell is the outcome of a program that this command ran: yes, no with the error, "
            "or what came out. A dash: the library is not installed, or has no such call.",
            "",
            table(["feature", *found], rows),
            "",
            "From the documentation of a library, not run:",
            "",
            table(["library", "what its pages say", "source"], documented),
        ]
    )


def _version(peer: str) -> str:
    try:
        return version(PACKAGES.get(peer, peer))
    except PackageNotFoundError:
        return "(not installed)"


def _answers(peer: str, quick: bool) -> dict[str, str]:
    """Return what came of every feature of one library."""
    try:
        importlib.import_module(peer)
    except ImportError:
        return dict.fromkeys(FEATURES, "–")
    if quick and peer == "skglm":  # minutes of compilation
        return dict.fromkeys(FEATURES, "–")
    # A process of its own: a peer may end the interpreter, or not end at all.
    command = [sys.executable, "-m", "benchmarks.linear_features", peer]
    try:
        said = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False).stdout
    except subprocess.TimeoutExpired as late:
        said = late.stdout or b""
    answers: dict[str, str] = {}
    for line in said.decode().splitlines():
        if line.startswith("{"):
            answers |= json.loads(line)
    tried = TRIALS.get(peer, {})
    return {
        name: answers.get(name, f"no answer in {SECONDS} s" if name in tried else "–")
        for name in FEATURES
    }


def answer(peer: str) -> None:
    """Print what comes of every program of one library, a line of JSON each."""
    for name, attempt in TRIALS.get(peer, {}).items():
        print(json.dumps({name: outcome(attempt)}), flush=True)


def _sklearn_like(lasso: Callable[..., Any], logistic: Callable[..., Any]) -> dict[str, Attempt]:
    """Return the programs that are the same for every library with scikit-learn's interface."""
    return lasso_programs(lasso) | logistic_programs(logistic)


def _laconic() -> dict[str, Attempt]:
    def overlapping() -> bool:
        groups = Groups.from_lists(OVERLAPS, P)
        return SparseRegressor(OverlapGroupLasso(groups), strength=STRONG * N).fit(X, Y).converged_

    def poisson_groups() -> bool:
        groups = Groups.from_lists([[0, 1], [3, 4]], P)
        model = SparseRegressor(GroupLasso(groups), loss=Poisson())
        return model.fit(X, COUNTS).converged_

    return {
        **_sklearn_like(
            lambda: SparseRegressor(L1(ALPHA * N), tol=1e-9),
            lambda: SparseClassifier(L1(ALPHA * N), tol=1e-9),
        ),
        "overlapping groups, least squares": overlapping,
        "group lasso, Poisson": poisson_groups,
        "cross-validation of any penalty": lambda: (
            StrengthCV(SparseClassifier("slope"), n_strengths=5, cv=3).fit(X, LABELS).n_selected_
            > 0
        ),
    }


def _skglm() -> dict[str, Attempt]:
    skglm = importlib.import_module("skglm")

    def poisson_groups() -> bool:
        from skglm.datafits import PoissonGroup  # type: ignore[import-not-found]
        from skglm.penalties import WeightedGroupL2  # type: ignore[import-not-found]
        from skglm.solvers import GroupProxNewton  # type: ignore[import-not-found]
        from skglm.utils.data import grp_converter  # type: ignore[import-not-found]

        index, ptr = grp_converter([[k, k + 1] for k in range(0, P, 2)], P)
        model = skglm.GeneralizedLinearEstimator(
            PoissonGroup(ptr, index),
            WeightedGroupL2(0.05, np.ones(P // 2), ptr, index),
            GroupProxNewton(),
        )
        return bool(np.isfinite(model.fit(X, COUNTS).coef_).all())

    def overlapping() -> bool:
        model = skglm.GroupLasso(groups=OVERLAPS, alpha=STRONG, tol=1e-9).fit(X, Y)
        return _solves_overlaps(model.coef_)

    return {
        **_sklearn_like(
            lambda: skglm.Lasso(alpha=ALPHA, tol=1e-9),
            lambda: skglm.SparseLogisticRegression(alpha=ALPHA, tol=1e-9),
        ),
        "overlapping groups, least squares": overlapping,
        "group lasso, Poisson": poisson_groups,
    }


def _celer() -> dict[str, Attempt]:
    celer = importlib.import_module("celer")

    def overlapping() -> bool:
        return _solves_overlaps(celer.GroupLasso(OVERLAPS, alpha=STRONG, tol=1e-9).fit(X, Y).coef_)

    return {
        **_sklearn_like(
            lambda: celer.Lasso(alpha=ALPHA, tol=1e-9),
            lambda: celer.LogisticRegression(C=1 / (ALPHA * N), tol=1e-9),
        ),
        "overlapping groups, least squares": overlapping,
    }


def _solves_overlaps(coef: Any) -> bool:
    """Return whether weights solve the least squares problem with overlapping groups."""
    return overlap_objective(coef) <= _least_overlap_objective() * (1 + 1e-3)


def _least_overlap_objective() -> float:
    """Return that of ours, with group weights of one."""
    groups = Groups.from_lists(OVERLAPS, P, weight=np.ones(len(OVERLAPS)))
    ours = SparseRegressor(OverlapGroupLasso(groups), strength=STRONG * N, tol=1e-6)
    return overlap_objective(ours.fit(X, Y).coef_)


def _spams() -> dict[str, Attempt]:
    spams = importlib.import_module("spams")

    def lasso(matrix: Any) -> Any:
        target = np.asfortranarray(Y[:, None])
        start = np.zeros((P, 1), order="F")
        return spams.fistaFlat(
            target, matrix, start, loss="square", regul="l1", lambda1=ALPHA * N, intercept=False
        )

    def rows(index: type[np.integer[Any]]) -> bool:
        given = csr(index)
        dense = np.asfortranarray(given.toarray())
        return same(lasso(given), lasso(dense))

    return {
        "CSR with 32-bit indices": lambda: rows(np.int32),
        "CSR with 64-bit indices": lambda: rows(np.int64),
        "single precision gives what double does": lambda: same(
            spams.fistaFlat(
                np.asfortranarray(Y[:, None], dtype=np.float32),
                np.asfortranarray(X, dtype=np.float32),
                np.zeros((P, 1), np.float32, order="F"),
                loss="square",
                regul="l1",
                lambda1=ALPHA * N,
            ),
            lasso(np.asfortranarray(X)),
        ),
    }


FEATURES = (
    "CSR with 32-bit indices",
    "CSR with 64-bit indices",
    "single precision gives what double does",
    "sample weights (0 is as if left out)",
    "labels of text",
    "probabilities of three classes",
    "offset",
    "a gap of optimality after the fit",
    "overlapping groups, least squares",
    "group lasso, Poisson",
    "cross-validation of any penalty",
    "scikit-learn's checks, lasso",
    "scikit-learn's checks, logistic",
    "model file without pickle",
)


def _trials() -> dict[str, dict[str, Attempt]]:
    """Return the programs of every library that is installed."""
    found = {}
    makers = {
        "laconic": _laconic,
        "skglm": _skglm,
        "celer": _celer,
        "spams": _spams,
    }
    for peer, make in makers.items():
        try:
            found[peer] = make()
        except ImportError:
            continue
    return found


TRIALS = _trials()

if __name__ == "__main__":
    answer(sys.argv[1])
