"""Solvers: one algorithm a file; init, step, run, and a certificate with every result."""

from laconic.solvers.admm import Admm
from laconic.solvers.base import Progress, Result, Solver
from laconic.solvers.choose import choose_solver
from laconic.solvers.discrete import DiscreteAdmm
from laconic.solvers.fista import Fista
from laconic.solvers.owlqn import Owlqn
from laconic.solvers.reweighted import Reweighted
from laconic.solvers.variational import Variational
from laconic.solvers.working_set import WorkingSet

__all__ = [
    "Admm",
    "DiscreteAdmm",
    "Fista",
    "Owlqn",
    "Progress",
    "Result",
    "Reweighted",
    "Solver",
    "Variational",
    "WorkingSet",
    "choose_solver",
]
