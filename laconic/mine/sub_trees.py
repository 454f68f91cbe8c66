"""Sub feature trees of up to R arcs: the space of the dependency tree kernel, each tree once.

(Qian and Liu 2015, section 5.2.)
"""

from __future__ import annotations

from sklearn.base import BaseEstimator


class SubTrees(BaseEstimator):
    """Connected arcs of a dependency tree, at most `arcs`; siblings among them are adjacent.

    Parameters
    ----------
    arcs : int, default=3
        Largest number of arcs of a feature.

    Examples
    --------
    >>> from laconic import SubTrees
    >>> SubTrees(arcs=2).most_order
    2
    """

    def __init__(self, arcs: int = 3):
        self.arcs = arcs

    @property
    def most_order(self) -> int:
        """Order of the largest features."""
        return self.arcs
