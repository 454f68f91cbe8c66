"""Features that fire at the same tokens, templates that imply others: the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.core.checks.law import near
from laconic.core.designs.chain import Chain, Tokens
from laconic.core.losses import ChainLog
from laconic.core.solvers.owlqn import Owlqn
from laconic.tag.crf import Crf
from laconic.tag.problem import ChainProblem


@pytest.mark.parametrize("support", ["observed", "all"])
@pytest.mark.parametrize("n_labels", [3, 22])
def test_twins_and_implied_templates_change_nothing(support, n_labels):
    """Merged or not, scores, losses and sums of gradients over twins are the same.

    There are templates that determine others, features that fire at the same tokens, and silent
    ones.
    """
    rng = np.random.default_rng(n_labels)
    fine = rng.integers(0, 60, 400)
    fine[300:] = np.arange(100) + 60  # features of a single token: twins of each other
    values = [
        fine,
        fine // 3,
        fine // 9,
        rng.permutation(fine),
        np.where(fine % 7 == 0, -1, fine % 5),
        fine,
    ]
    sizes = np.array([v.max() + 1 for v in values])
    ids = np.stack(
        [np.where(v < 0, -1, v + s) for v, s in zip(values, np.cumsum(sizes) - sizes, strict=True)],
        axis=1,
    )
    ptr = np.array([0, 150, 150, 151, 400])
    tokens = Tokens(
        ids.astype(np.int32), sizes, ptr, rng.integers(0, n_labels, 400).astype(np.int32), n_labels
    )
    apart, merged = Chain(tokens, support), Chain(tokens, support, merge_twins=True)
    assert merged.n_state < 0.8 * apart.n_state
    assert merged.twins.sum() == len(merged.feature_unit) == sizes.sum()
    shared = rng.normal(size=merged.n_weights)
    roots = np.concatenate([merged.roots(), np.ones(n_labels**2 + n_labels)])
    unit, ptr_of = merged.feature_unit, merged.unit_ptr
    owner = np.concatenate(
        [np.arange(ptr_of[u], ptr_of[u + 1]) for u in unit]
        + [np.arange(merged.n_state, merged.n_weights)]
    )
    w = (shared / roots)[owner]
    label = apart.weight_label
    for t in range(0, 400, 37):
        row = np.zeros(n_labels)
        for f in ids[t][ids[t] >= 0]:
            at = np.arange(apart.unit_ptr[f], apart.unit_ptr[f + 1])
            row[label[at]] += w[at]
        assert near(apart.score(w)[t], row, 1e-12)
    assert near(merged.score(shared), apart.score(w), 1e-12)
    assert near(w @ w, shared @ shared, 1e-12)
    value, gradient = apart.loss_gradient(0, 0.0, w)
    shared_value, shared_gradient = merged.loss_gradient(0, 0.0, shared)
    assert shared_value == pytest.approx(value, rel=1e-12)
    assert near(np.bincount(owner, gradient, merged.n_weights), shared_gradient * roots, 1e-10)
    for threads in (2, 7):
        assert np.array_equal(
            Chain(tokens, support, threads=threads, merge_twins=True).loss_gradient(0, 0.0, shared)[
                1
            ],
            shared_gradient,
        )
    for m in range(len(sizes)):
        features, rows = merged.rows(shared, m)
        other, other_rows = apart.rows(w, m)
        assert np.array_equal(features, other)
        assert near(rows, other_rows, 1e-6)
    with pytest.raises(ValueError, match="twins"):
        merged.by_template()


@pytest.mark.parametrize(
    "penalty", [{"ridge": 0.5}, {"ridge": 0.0, "lasso": 0.3}, {"ridge": 0.1, "lasso": 0.2}]
)
def test_twins_share_the_optimum(penalty):
    """Merged twins reach the objective of features apart, with the same weights."""
    rng = np.random.default_rng(3)
    sizes = np.array([5, 30, 30, 3])
    ids = rng.integers(0, sizes, (38, 4)) + np.cumsum(sizes) - sizes
    tokens = Tokens(
        ids.astype(np.int32),
        sizes,
        np.array([0, 6, 15, 19, 31, 38]),
        rng.integers(0, 4, 38).astype(np.int32),
        4,
    )
    found = []
    for merge in (False, True):
        design = Chain(tokens, merge_twins=merge, penalise_tail=True)
        problem = ChainProblem(
            design, ChainLog(), Crf("ridge+lasso", {"lasso": 0.0, **penalty}).penalty_over(design)
        )
        result = Owlqn(tol=1e-9, max_iter=3000).run(problem)
        assert result.converged
        found.append((problem.value(result.x), design.score(result.x)))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-8)
    if penalty["ridge"]:
        assert near(found[0][1], found[1][1], 1e-4)
