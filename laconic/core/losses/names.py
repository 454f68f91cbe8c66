"""Losses by name: what every estimator accepts as `loss=`."""

from __future__ import annotations

from laconic.core.losses.base import Loss
from laconic.core.losses.cox import Cox
from laconic.core.losses.huber import Huber
from laconic.core.losses.logistic import Logistic
from laconic.core.losses.multinomial import Multinomial
from laconic.core.losses.poisson import Poisson
from laconic.core.losses.quantile import Quantile
from laconic.core.losses.squared import Squared
from laconic.core.losses.squared_hinge import SquaredHinge
from laconic.core.losses.tweedie import Tweedie

NAMED_LOSSES: dict[str, type[Loss]] = {
    "cox": Cox,
    "huber": Huber,
    "log_loss": Logistic,
    "logistic": Logistic,
    "multinomial": Multinomial,
    "poisson": Poisson,
    "quantile": Quantile,
    "squared": Squared,
    "squared_error": Squared,
    "squared_hinge": SquaredHinge,
    "tweedie": Tweedie,
}


def as_loss(loss: Loss | str | None, default: Loss | None = None) -> Loss:
    """Return a loss from an object, a name or None (the default), checked.

    Examples
    --------
    >>> from laconic.core.losses.names import as_loss
    >>> as_loss("quantile").q
    0.5
    """
    if loss is None and default is not None:
        return default
    if isinstance(loss, str):
        if loss not in NAMED_LOSSES:
            raise ValueError(
                f"there is no loss called {loss!r}: expected one of "
                f"{', '.join(sorted(NAMED_LOSSES))}, or an object such as Huber(delta=0.5)"
            )
        loss = NAMED_LOSSES[loss]()
    if not isinstance(loss, Loss):
        raise ValueError(f"loss must be a Loss or the name of one, got {loss!r}")
    return loss.check()
