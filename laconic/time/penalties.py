"""Penalties of models over time by name, and the options that they take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from laconic.errors import InputError
from laconic.models.kind import find
from laconic.models.option import Option

if TYPE_CHECKING:
    from laconic.core.penalties import Penalty

FEATURES, LEARNING = "Features", "Learning"
ADAPTIVE = "adaptive"
STEPS = ("year", "quarter", "month", "week", "day")
MODES = ("moving", "pooled", "last")
# Penalties by name: their class, and which of the options are its parameters.
PENALTIES = {
    ADAPTIVE: ("laconic.time.adaptive:AdaptivePrior", ("tau", "floor")),
    "smooth-ridge": ("laconic.time.trajectories:SmoothRidge", ("smoothness",)),
    "smooth-group": ("laconic.time.fused:SmoothGroupLasso", ("smoothness",)),
    "fused": ("laconic.time.fused:FusedLasso", ("fusion",)),
    "ridge": ("laconic.core.penalties:Ridge", ()),
    "lasso": ("laconic.core.penalties:L1", ()),
}
OPTIONS = ("tau", "floor", "smoothness", "fusion")


class OverTimeOptions(NamedTuple):
    """Options of how weights move over time; None is the penalty's own default."""

    step: Annotated[str, Option("Length of a step of time.", choices=STEPS)] = STEPS[0]
    penalty: Annotated[
        str, Option(f"{', '.join(PENALTIES)}.", panel=LEARNING, choices=tuple(PENALTIES))
    ] = ADAPTIVE
    mode: Annotated[
        str | None,
        Option(
            "moving, pooled (weights that do not move) or last (from the last step alone): pooled "
            "for ridge and lasso, else moving, if not given.",
            panel=LEARNING,
            choices=MODES,
        ),
    ] = None
    tau: Annotated[
        float | None,
        Option(
            "adaptive: how smooth weights are expected to be: 1, of train sage 300, if not given.",
            panel=LEARNING,
            minimum=0,
        ),
    ] = None
    fit_tau: Annotated[bool, Option("adaptive: fit tau too.", panel=LEARNING)] = False
    floor: Annotated[
        float | None,
        Option(
            "adaptive: sum of squares below which a trajectory counts as zero: 1e-4, of train sage "
            "0.01 per step, if not given.",
            panel=LEARNING,
            minimum=0,
        ),
    ] = None
    smoothness: Annotated[
        float | None,
        Option(
            "smooth-*: strength of the penalty on changes: 1, if not given.",
            panel=LEARNING,
            minimum=0,
        ),
    ] = None
    fusion: Annotated[
        float | None,
        Option(
            "fused: strength of the penalty on changes: 1, if not given.", panel=LEARNING, minimum=0
        ),
    ] = None

    def used_mode(self) -> str:
        """Return the mode; without one, that of the penalty."""
        return self.mode or ("pooled" if self.penalty in ("ridge", "lasso") else "moving")

    def given(self) -> dict[str, float]:
        """Return the options of the penalty that are not None."""
        found = {name: getattr(self, name) for name in OPTIONS}
        return {name: value for name, value in found.items() if value is not None}

    def check(self) -> None:
        """Raise InputError for options that do not go with the penalty."""
        flags = [*self.given(), *(["fit_tau"] if self.fit_tau else [])]
        taken = (*PENALTIES[self.penalty][1], *(["fit_tau"] if self.penalty == ADAPTIVE else []))
        for name in flags:
            if name not in taken:
                raise InputError(
                    f"--{name.replace('_', '-')} does not go with --penalty {self.penalty}."
                )

    def make(self, strength: float) -> Penalty:
        """Return the penalty of this name and strength."""
        cls = find(PENALTIES[self.penalty][0])
        penalty: Penalty = cls(strength=strength, **self.given()).check()
        return penalty
