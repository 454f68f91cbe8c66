"""Kernel spaces: the search for features in them (Algorithm 1 of Qian and Liu 2015), and the kernels that use all of them."""

from laconic.mining.gradient import GradientMining, Mined, OrderCount, Outputs, Round, best_of_lists, members_of
from laconic.mining.kernels import PolynomialKernel, TreeKernel
from laconic.mining.narrowing import Narrowed
from laconic.mining.perceptron import KernelPerceptron
from laconic.mining.polynomial import Polynomial
from laconic.mining.ranking import ListFeatures, Ranked, decayed, orders, rank
from laconic.mining.refusal import ThresholdTooSmall, named_if_refused
from laconic.mining.sub_trees import SubTrees

__all__ = [
    "GradientMining",
    "KernelPerceptron",
    "ListFeatures",
    "Mined",
    "Narrowed",
    "OrderCount",
    "Outputs",
    "Polynomial",
    "PolynomialKernel",
    "Ranked",
    "Round",
    "SubTrees",
    "ThresholdTooSmall",
    "TreeKernel",
    "best_of_lists",
    "decayed",
    "members_of",
    "named_if_refused",
    "orders",
    "rank",
]
