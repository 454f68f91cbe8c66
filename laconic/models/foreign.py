"""Penalties and losses of other packages, as model files name them: shown, never imported."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NoReturn

from laconic.core.arrays import Array
from laconic.core.losses import Gold, Loss
from laconic.core.parameters import HasParameters
from laconic.core.penalties import Penalty


class Foreign(HasParameters):
    """What a file names but does not import: a class of another package, with its parameters.

    Parameters
    ----------
    path : str
        Where the class is, `module:Class`.
    parameters : dict
        Its parameters, as text where a file cannot hold them otherwise.
    """

    def __init__(self, path: str = "", parameters: Mapping[str, Any] | None = None) -> None:
        self.path = path
        self.parameters = parameters

    def refuse(self, *_: object) -> NoReturn:
        """Raise a ValueError that says what to do."""
        raise ValueError(
            f"the model file names {self.path}, which is not imported from files: make the object "
            "and set it as the parameter of the model"
        )


class ForeignPenalty(Foreign, Penalty):
    """A penalty of another package, as a model file names it; it can be shown, not used."""

    @property
    def strength(self) -> float:  # type: ignore[override]
        """Strength that the file gives, NaN without one."""
        found = (self.parameters or {}).get("strength")
        return float(found) if isinstance(found, int | float) else math.nan

    def value(self, w: Array) -> float:
        """Raise a ValueError that says what to do."""
        self.refuse(w)

    def prox(self, w: Array, step: float = 1.0) -> Array:
        """Raise a ValueError that says what to do."""
        self.refuse(w, step)

    def spread(self, n_outputs: int) -> Penalty:
        """Raise a ValueError that says what to do."""
        self.refuse(n_outputs)

    def check(self) -> Penalty:
        """Raise a ValueError that says what to do."""
        self.refuse()


class ForeignLoss(Foreign, Loss):
    """A loss of another package, as a model file names it; it can be shown, not used."""

    def log_probabilities(self, scores: Array) -> Array:
        """Raise a ValueError that says what to do."""
        self.refuse(scores)

    def value_residual(self, scores: Array, gold: Gold) -> tuple[float, Array]:
        """Raise a ValueError that says what to do."""
        self.refuse(scores, gold)
