"""Sub feature trees of up to R arcs: the space of the dependency tree kernel (Qian and Liu 2015, section 5.2), each tree once."""

from __future__ import annotations

from sklearn.base import BaseEstimator


class SubTrees(BaseEstimator):
    """Connected arcs of a dependency tree, siblings among them adjacent; at most `arcs` of them."""

    def __init__(self, arcs: int = 3):
        self.arcs = arcs

    @property
    def most_order(self) -> int:
        """The order of the largest features."""
        return self.arcs
