"""Losses: summed value, residual = predicted - gold, and the conjugate that a duality gap needs.

The formulas of kernels are in cpp/numeric/losses.hpp, shared with coordinate descent; here are the
parameter objects, a file per loss, and losses in Python.
"""

from typing import TYPE_CHECKING

from laconic.core.lazy import lazily

if TYPE_CHECKING:
    from laconic.core.losses.base import Loss
    from laconic.core.losses.bound import BoundLoss, Gold
    from laconic.core.losses.chain import ChainHinge, ChainLog, ChainLoss, ChainPerceptron
    from laconic.core.losses.cox import Cox
    from laconic.core.losses.huber import Huber
    from laconic.core.losses.logistic import Logistic
    from laconic.core.losses.multinomial import Multinomial
    from laconic.core.losses.names import as_loss
    from laconic.core.losses.poisson import Poisson
    from laconic.core.losses.quantile import Quantile
    from laconic.core.losses.squared import Squared
    from laconic.core.losses.squared_hinge import SquaredHinge
    from laconic.core.losses.tweedie import Tweedie

__all__ = [
    "BoundLoss",
    "ChainHinge",
    "ChainLog",
    "ChainLoss",
    "ChainPerceptron",
    "Cox",
    "Gold",
    "Huber",
    "Logistic",
    "Loss",
    "Multinomial",
    "Poisson",
    "Quantile",
    "Squared",
    "SquaredHinge",
    "Tweedie",
    "as_loss",
]

HOMES = {
    "base": ("Loss",),
    "bound": (
        "BoundLoss",
        "Gold",
    ),
    "chain": (
        "ChainHinge",
        "ChainLog",
        "ChainLoss",
        "ChainPerceptron",
    ),
    "cox": ("Cox",),
    "huber": ("Huber",),
    "logistic": ("Logistic",),
    "multinomial": ("Multinomial",),
    "names": ("as_loss",),
    "poisson": ("Poisson",),
    "quantile": ("Quantile",),
    "squared": ("Squared",),
    "squared_hinge": ("SquaredHinge",),
    "tweedie": ("Tweedie",),
}
__getattr__ = lazily(__name__, HOMES)
