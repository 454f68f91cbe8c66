"""Laws that any penalty, loss, design or solver must obey: call them on your own.

A broken law is an AssertionError that names it.

    check_penalty(penalty, n_weights, rng)      prox, conjugate, strength_max, positivity, factors,
                                                spread, parameters
    check_loss(loss, rng)                       residual, convexity, Fenchel-Young, sample weights
    check_design(make, X, rng)                  adjoint, storage formats, threads
    check_solver(solver, problem)               certificate, warm start, repeatability, early stops

Laws, not numbers: nothing here knows the right answer, only what all right answers have in common.
"""

from laconic.core.checks.designs import check_design
from laconic.core.checks.losses import check_loss, make_gold
from laconic.core.checks.penalties import check_penalty
from laconic.core.checks.solvers import check_solver

__all__ = [
    "check_design",
    "check_loss",
    "check_penalty",
    "check_solver",
    "make_gold",
]
