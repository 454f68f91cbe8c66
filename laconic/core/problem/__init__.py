"""Problems: loss of a design's scores + penalty, and how far a point is from the optimum."""

from laconic.core.problem.base import Objective, Solvable
from laconic.core.problem.gap import GapProblem
from laconic.core.problem.kinked import Kinked, pose
from laconic.core.problem.row_sum import RowSum
from laconic.core.problem.rows import Problem

__all__ = ["GapProblem", "Kinked", "Objective", "Problem", "RowSum", "Solvable", "pose"]
