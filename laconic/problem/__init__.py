"""Problems: loss of a design's scores + penalty, and how far a point is from the optimum."""

from laconic.problem.base import Objective
from laconic.problem.biased import Biased
from laconic.problem.chain import ChainProblem
from laconic.problem.counts import CountProblem
from laconic.problem.rows import Problem

__all__ = ["Biased", "ChainProblem", "CountProblem", "Objective", "Problem"]
