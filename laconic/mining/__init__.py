"""Search of kernel spaces for features: Algorithm 1 of Qian and Liu (2015), and the spaces it searches."""

from laconic.mining.gradient import GradientMining, Mined, Outputs, Round, members_of
from laconic.mining.polynomial import Polynomial

__all__ = ["GradientMining", "Mined", "Outputs", "Polynomial", "Round", "members_of"]
