"""Laws that any penalty, loss, design, solver, tagger or parser must obey: call them on your own. A broken law is an AssertionError that names it.

    check_penalty(penalty, n_weights, rng)      prox, conjugate, strength_max, positivity, factors, spread, parameters
    check_nested_penalty(penalty, weights, rng) proximal steps, duality, parameters of penalties of nested contexts
    check_loss(loss, rng)                       residual, convexity, Fenchel-Young, sample weights
    check_design(make, X, rng)                  adjoint, storage formats, threads
    check_solver(solver, problem)               certificate, warm start, repeatability, early stops
    check_tagger(tagger, X, y)                  parameters, repeatability, unchanged input, agreement of predictions
    check_parser(parser, X, y)                  the same, and that trees are trees

Laws, not numbers: nothing here knows what the right answer is, only what every right answer has in common.
"""

from laconic.checks.designs import check_design
from laconic.checks.losses import check_loss, make_gold
from laconic.checks.nested import check_nested_penalty
from laconic.checks.parsers import check_parser
from laconic.checks.penalties import check_penalty
from laconic.checks.solvers import check_solver
from laconic.checks.taggers import check_tagger

__all__ = [
    "check_design",
    "check_loss",
    "check_nested_penalty",
    "check_parser",
    "check_penalty",
    "check_solver",
    "check_tagger",
    "make_gold",
]
