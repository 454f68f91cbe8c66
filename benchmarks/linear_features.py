"""What libraries of sparse linear models can do: tried on each one that is installed, not typed.

Every cell is the outcome of a small program: "yes" if it ran and gave the right answer, "no" with
the kind of error, or what came out instead. Peers that cannot be installed here are in a second
table, of facts from their documentation with the page they stand on.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

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

Attempt: TypeAlias = Callable[[], Any]
SECONDS = 900  # per library
PEERS = ("laconic", "skglm", "celer", "spams", "adelie")
PACKAGES = {"spams": "spams-bin"}
RNG = np.random.default_rng(0)
N, P = 60, 8
X = RNG.normal(size=(N, P))
Y = X[:, 0] - X[:, 3] + 0.3 * RNG.normal(size=N)
LABELS = np.where(Y > 0, 1, -1)
WEIGHT = np.where(np.arange(N) < 40, 1.0, 0.0)
ALPHA = 0.05
OVERLAPS = [[0, 1, 2, 3], [0, 3, 4, 5], [5, 6, 7]]
STRONG = 0.3  # some of the overlapping groups are zero

# What the pages of peers that were not run here say.
DOCUMENTED = (
    (
        "glmnet 4.1 (R)",
        "elastic net for six families, grouped multinomial; sparse matrices, weights, offset, "
        "penalty factors, bounds, relaxed fits; groups of features are not among its arguments",
        "https://www.rdocumentation.org/packages/glmnet/versions/4.1-1/topics/glmnet",
    ),
    (
        "adelie 1.1",
        "lasso, elastic net, group lasso and group elastic net with GLM and matrix classes that "
        "users can extend; overlapping groups are not named",
        "https://libraries.io/pypi/adelie/1.1.43",
    ),
    (
        "sparse-lm 0.5",
        "linear regression with the lasso, group, overlap, sparse and ridged group lasso, adaptive "
        "forms, best subsets and L0, solved by cvxpy",
        "https://pypi.org/project/sparse-lm/0.5.2/",
    ),
)


def features(data: Path, quick: bool = False) -> str:
    """Return the section as Markdown: one column per library, one row per feature."""
    del data
    found = {peer: _answers(peer, quick) for peer in PEERS}
    rows = [[name, *(found[peer][name] for peer in PEERS)] for name in FEATURES]
    heads = ["feature", *(f"{peer} {_version(peer)}".strip() for peer in PEERS)]
    documented = [[name, says, f"[page]({page})"] for name, says, page in DOCUMENTED]
    return "\n".join(
        [
            "## Features beside other libraries",
            "",
            "Each cell is the outcome of a program that this command ran: yes, no with the error, "
            "or what came out. A dash: the library is not installed, or has no such call.",
            "",
            table(heads, rows),
            "",
            "From the documentation of libraries, not run:",
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
        print(json.dumps({name: _run(attempt)}), flush=True)


def _run(attempt: Attempt) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = attempt()
        except Exception as error:
            return f"no: {type(error).__name__}"
    return "yes" if found is True else "no" if found is False else str(found)


def _csr(index: type[np.integer[Any]]) -> sp.csr_matrix:
    found = sp.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
    found.indices, found.indptr = found.indices.astype(index), found.indptr.astype(index)
    return found


def _same(coef: Any, dense: Any) -> bool:
    return bool(np.allclose(np.ravel(coef), np.ravel(dense), atol=1e-3))


def _sklearn_like(lasso: Callable[..., Any], logistic: Callable[..., Any]) -> dict[str, Attempt]:
    """Return the programs that are the same for every library with scikit-learn's interface."""

    def rows(index: type[np.integer[Any]]) -> bool:
        given = _csr(index)
        return _same(lasso().fit(given, Y).coef_, lasso().fit(given.toarray(), Y).coef_)

    def weighted() -> bool:
        kept = WEIGHT > 0
        return _same(
            logistic().fit(X, LABELS, sample_weight=WEIGHT).coef_,
            logistic().fit(X[kept], LABELS[kept]).coef_,
        )

    def classes() -> bool:
        three = np.digitize(Y, [-0.5, 0.5])
        return bool(np.allclose(logistic().fit(X, three).predict_proba(X).sum(axis=1), 1))

    return {
        "CSR with 32-bit indices": lambda: rows(np.int32),
        "CSR with 64-bit indices": lambda: rows(np.int64),
        "single precision gives what double does": lambda: _same(
            lasso().fit(X.astype(np.float32), Y.astype(np.float32)).coef_, lasso().fit(X, Y).coef_
        ),
        "sample weights (0 is as if left out)": weighted,
        "labels of text": lambda: (
            set(logistic().fit(X, np.where(Y > 0, "a", "b")).predict(X)) == {"a", "b"}
        ),
        "probabilities of three classes": classes,
        "offset": lambda: lasso().fit(X, Y, offset=np.ones(N)) is not None,
        "a gap of optimality after the fit": lambda: _gap(lasso().fit(X, Y)),
        "scikit-learn's checks, lasso": lambda: _checks(lasso()),
        "scikit-learn's checks, logistic": lambda: _checks(logistic()),
        "model file without pickle": lambda: _saved(lasso().fit(X, Y)),
    }


def _gap(model: Any) -> bool:
    names = ("certificate_", "dual_gap_", "dual_gaps_")
    return any(np.all(np.isfinite(getattr(model, name, np.nan))) for name in names)


def _checks(model: Any) -> str:
    from sklearn.utils.estimator_checks import check_estimator

    results = check_estimator(model, on_fail=None, on_skip=None)
    failed = sum(one["status"] == "failed" for one in results)
    return "yes" if not failed else f"{failed} of {len(results)} fail"


def _saved(model: Any) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        model.save(os.path.join(folder, "model"))
    return True


def _laconic() -> dict[str, Attempt]:
    def overlapping() -> bool:
        groups = Groups.from_lists(OVERLAPS, P)
        return SparseRegressor(OverlapGroupLasso(groups), strength=STRONG * N).fit(X, Y).converged_

    def poisson_groups() -> bool:
        groups = Groups.from_lists([[0, 1], [3, 4]], P)
        model = SparseRegressor(GroupLasso(groups), loss=Poisson())
        return model.fit(X, np.round(np.exp(Y))).converged_

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
        return bool(np.isfinite(model.fit(X, np.round(np.exp(Y))).coef_).all())

    def overlapping() -> bool:
        model = skglm.GroupLasso(groups=OVERLAPS, alpha=STRONG, tol=1e-9).fit(X, Y)
        return _solves_overlaps(model.coef_, OVERLAPS)

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
        return _solves_overlaps(
            celer.GroupLasso(OVERLAPS, alpha=STRONG, tol=1e-9).fit(X, Y).coef_, OVERLAPS
        )

    return {
        **_sklearn_like(
            lambda: celer.Lasso(alpha=ALPHA, tol=1e-9),
            lambda: celer.LogisticRegression(C=1 / (ALPHA * N), tol=1e-9),
        ),
        "overlapping groups, least squares": overlapping,
    }


def _solves_overlaps(coef: Any, groups: list[list[int]]) -> bool:
    """Return whether weights solve the least squares problem with overlapping groups.

    Their objective is that of ours, with group weights of one.
    """
    ours = SparseRegressor(
        OverlapGroupLasso(Groups.from_lists(groups, P, weight=np.ones(len(groups)))),
        strength=STRONG * N,
        tol=1e-6,
    ).fit(X, Y)

    def objective(w: Any) -> float:
        left = Y - X @ w
        left = left - left.mean()
        return float(0.5 * left @ left + STRONG * N * sum(np.linalg.norm(w[g]) for g in groups))

    return objective(np.ravel(coef)) <= objective(ours.coef_) * (1 + 1e-3)


def _spams() -> dict[str, Attempt]:
    spams = importlib.import_module("spams")

    def lasso(matrix: Any) -> Any:
        target = np.asfortranarray(Y[:, None])
        start = np.zeros((P, 1), order="F")
        return spams.fistaFlat(
            target, matrix, start, loss="square", regul="l1", lambda1=ALPHA * N, intercept=False
        )

    def rows(index: type[np.integer[Any]]) -> bool:
        given = _csr(index)
        dense = np.asfortranarray(given.toarray())
        return _same(lasso(given), lasso(dense))

    return {
        "CSR with 32-bit indices": lambda: rows(np.int32),
        "CSR with 64-bit indices": lambda: rows(np.int64),
        "single precision gives what double does": lambda: _same(
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
    makers = {"laconic": _laconic, "skglm": _skglm, "celer": _celer, "spams": _spams}
    for peer, make in makers.items():
        try:
            found[peer] = make()
        except ImportError:
            continue
    return found


TRIALS = _trials()

if __name__ == "__main__":
    answer(sys.argv[1])
