"""Kernel spaces: the search for features in them (Algorithm 1 of Qian and Liu 2015), and the kernels that use all of them."""

from laconic.mining.gradient import GradientMining, Mined, Outputs, Round, members_of
from laconic.mining.kernels import PolynomialKernel, TreeKernel
from laconic.mining.perceptron import KernelPerceptron
from laconic.mining.polynomial import Polynomial

__all__ = [
    "GradientMining",
    "KernelPerceptron",
    "Mined",
    "Outputs",
    "Polynomial",
    "PolynomialKernel",
    "Round",
    "TreeKernel",
    "members_of",
]
