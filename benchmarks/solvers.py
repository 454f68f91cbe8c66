"""Solvers of other packages on the problems of the speed pages.

Each is imported only when it is called.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse
from sklearn.linear_model import LogisticRegression

from benchmarks.problems import Counts, GroupPath

REPOSITORY = Path(__file__).resolve().parents[1]
ADELIE_PYTHON = REPOSITORY / ".venv-adelie" / "bin" / "python"


class Solution(NamedTuple):
    """Weights (words, or words x classes) and intercept (a number, or one a class)."""

    weights: NDArray[np.float64]
    intercept: Any


def liblinear_lasso(
    counts: Counts, strength: float, tol: float = 1e-6, scaling: float = 100.0
) -> Solution:
    """`mean log-loss + strength * ||w||_1`.

    The intercept is penalised by 1 / scaling of the strength, 0 leaves it out.
    """
    cost = 1 / (strength * len(counts.labels))
    model = LogisticRegression(
        C=cost,
        solver="liblinear",
        l1_ratio=1.0,
        fit_intercept=scaling > 0,
        intercept_scaling=scaling or 1.0,
        tol=tol,
        max_iter=10_000,
        random_state=0,
    ).fit(counts.rows, counts.labels)
    return Solution(model.coef_.ravel(), float(np.ravel(model.intercept_)[0]))


def celer_lasso(counts: Counts, strength: float, tol: float = 1e-6) -> Solution:
    """The same without an intercept, which celer does not have: compare it with fits that have none
    either.
    """
    from celer import LogisticRegression as CelerLogistic

    cost = 1 / (strength * len(counts.labels))
    model = CelerLogistic(C=cost, tol=tol).fit(counts.rows.tocsc(), counts.labels)
    return Solution(model.coef_.ravel(), 0.0)


def celer_squared(
    X: NDArray[np.float64], y: NDArray[np.float64], strength: float, tol: float = 1e-6
) -> Solution:
    """`sum of squares / 2 + strength * ||w||_1` without an intercept."""
    from celer import Lasso

    model = Lasso(alpha=strength / len(y), fit_intercept=False, tol=tol, max_iter=1000).fit(X, y)
    return Solution(model.coef_, 0.0)


def ask_adelie(module: str, *arguments: object) -> dict[str, Any]:
    """Return what a module prints as JSON in adelie's own environment, or why there is nothing.

    Adelie needs numpy < 2; the environment is absent where `make bench` did not make one.
    """
    if not ADELIE_PYTHON.exists():
        return {"failure": "not installed"}
    command = [str(ADELIE_PYTHON), "-m", module, *map(str, arguments)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failure": f"failed: {done.stderr.strip().splitlines()[-1:]}"}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def adelie_groups(
    problem: GroupPath, tol: float = 1e-7, threads: int = 1
) -> tuple[csr_matrix, NDArray[np.float64]]:
    """Weights (strengths, columns) and intercepts of the problem's whole path.

    Adelie weighs groups by the square roots of their sizes too, and takes the mean of losses.
    """
    import adelie

    matrix = adelie.matrix
    X = (
        matrix.sparse(problem.X, method="naive", n_threads=threads)
        if issparse(problem.X)
        else matrix.dense(problem.X, method="naive", n_threads=threads)
    )
    state = adelie.grpnet(
        X,
        adelie.glm.binomial(problem.y),
        groups=problem.starts,
        lmda_path=problem.strengths,
        tol=tol,
        irls_tol=tol,
        early_exit=False,
        progress_bar=False,
        n_threads=threads,
    )
    return csr_matrix(state.betas), np.asarray(state.intercepts)


def adelie_rows(
    counts: Counts, path: NDArray[np.float64], tol: float = 1e-8, threads: int = 1
) -> Solution:
    """`mean multinomial log-loss + strength * sum_j ||W_j||_2` at the last strength of a decreasing
    path.

    Adelie groups the weights of a word over the K classes by default, weighs each group by sqrt(K)
    and divides the log-loss by K, so that its lambda is strength / K^1.5. It needs numpy < 2, hence
    an environment of its own.
    """
    import adelie

    n_words, classes = counts.rows.shape[1], int(counts.labels.max()) + 1
    state = adelie.grpnet(
        adelie.matrix.sparse(counts.rows.tocsc(), method="naive", n_threads=threads),
        adelie.glm.multinomial(np.eye(classes)[counts.labels.astype(int)]),
        lmda_path=np.asarray(path) / classes**1.5,
        tol=tol,
        irls_tol=tol,
        early_exit=False,
        progress_bar=False,
        n_threads=threads,
    )
    return Solution(
        state.betas[-1].toarray().reshape(n_words, classes), np.ravel(state.intercepts[-1])
    )


def spams_tree_prox(
    values: NDArray[np.float64], tree: dict[str, Any], strength: float, norm: str
) -> NDArray[np.float64]:
    """argmin_x ||x - values||^2 / 2 + strength * sum_g weight_g ||x_g|| over the subtrees.

    Norm is "l2" or "linf".
    """
    import spams

    column = np.asfortranarray(values.reshape(-1, 1))
    return spams.proximalTree(
        column, tree, False, numThreads=1, lambda1=strength, regul=f"tree-{norm}"
    ).ravel()
