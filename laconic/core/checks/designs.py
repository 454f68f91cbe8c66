"""Laws of designs: adjoint, storage formats and threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from laconic.core.arrays import Array, MatrixLike
from laconic.core.checks.law import near, require
from laconic.core.designs.rows import Rows


def check_design(make: Callable[..., Rows], X: MatrixLike, rng: np.random.Generator) -> None:
    """Check the adjoint law, Hessian products, and that storage and threads change nothing.

    `make(X, n_outputs=, intercept=, threads=)` returns a design.
    """
    dense: Array = np.asarray(sp.csr_matrix(X).toarray(), dtype=np.float64)
    wide = [sp.csr_matrix(dense), sp.csc_matrix(dense)]
    for matrix in wide:
        matrix.indices, matrix.indptr = (
            matrix.indices.astype(np.int64),
            matrix.indptr.astype(np.int64),
        )
    stored = [
        dense,
        np.asfortranarray(dense),
        sp.csr_matrix(dense),
        sp.csc_matrix(dense),
        sp.coo_matrix(dense),
        sp.csr_array(dense),
        *wide,
    ]
    # In single precision to its digits, and the same ones however it is stored.
    single = dense.astype(np.float32)
    narrow = [single, np.asfortranarray(single), sp.csr_matrix(single), sp.csc_matrix(single)]
    for n_outputs in (1, 3):
        for intercept in (False, True):
            plain = make(dense, n_outputs=n_outputs, intercept=intercept, threads=1)
            w = rng.normal(size=plain.n_weights)
            r = rng.normal(size=len(dense) * n_outputs)
            scores, pulled = plain.score(w), plain.pull(r)
            table = dense @ w[: plain.n_penalised].reshape(-1, n_outputs) + (
                w[plain.n_penalised :] if intercept else 0.0
            )
            require(near(scores, table.ravel()), "scores = X W + b")
            require(near(scores @ r, w @ pulled), "the adjoint: <A w, r> = <w, A' r>")
            bend, shared = rng.random(len(r)), rng.random(len(dense))
            for coupling in (np.zeros(0), shared) if n_outputs > 1 else (np.zeros(0),):
                curved = plain.curve(bend, coupling, w)
                bent = bend * scores
                if len(coupling):
                    total = coupling * bent.reshape(-1, n_outputs).sum(axis=1)
                    bent = bent - bend * np.repeat(total, n_outputs)
                require(near(curved, plain.pull(bent)), "A'HA v is the pull of H A v")
            for matrix in stored:
                for threads in (1, 2, 5):
                    other = make(matrix, n_outputs=n_outputs, intercept=intercept, threads=threads)
                    same = (
                        near(other.score(w), scores)
                        and near(other.pull(r), pulled)
                        and near(other.curve(bend, coupling, w), curved)
                        and near(other.curvature(bend), plain.curvature(bend))
                    )
                    stored_as = f"{type(matrix).__name__} with {threads} threads"
                    require(same, f"{stored_as} agrees with the dense matrix")
            rounded = make(single.astype(float), n_outputs=n_outputs, intercept=intercept)
            for matrix in narrow:
                other = make(matrix, n_outputs=n_outputs, intercept=intercept)
                require(
                    near(other.score(w), rounded.score(w))
                    and near(other.pull(r), rounded.pull(r))
                    and near(other.curve(bend, coupling, w), rounded.curve(bend, coupling, w)),
                    "single precision is computed with in double precision",
                )
