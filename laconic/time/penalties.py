"""Penalties of models over time by name, and the options that they take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from laconic.errors import InputError
from laconic.models.option import Option

if TYPE_CHECKING:
    from laconic.core.penalties import Penalty
    from laconic.core.penalties.names import Strength

FEATURES, LEARNING = "Features", "Learning"
ADAPTIVE = "adaptive"
STEPS = ("year", "quarter", "month", "week", "day")
MODES = ("moving", "pooled", "last")
# Penalties over time by name, and which of the options are their parameters.
TAKERS: dict[str, tuple[str, ...]] = {
    ADAPTIVE: ("tau", "floor"),
    "smooth-ridge": ("smoothness",),
    "smooth-group": ("smoothness",),
    "fused": ("fusion",),
}
OPTIONS = ("tau", "floor", "smoothness", "fusion")


class OverTimeOptions(NamedTuple):
    """Options of how weights move over time; None is the penalty's own default."""

    step: Annotated[str, Option("Length of a step of time.", choices=STEPS)] = STEPS[0]
    penalty: Annotated[
        str,
        Option(
            f"{', '.join(TAKERS)}, ridge, lasso, elastic, another name of a penalty, or a sum such "
            "as smooth-ridge+lasso.",
            panel=LEARNING,
            metavar="NAME",
        ),
    ] = ADAPTIVE
    mode: Annotated[
        str | None,
        Option(
            "moving, pooled (weights that do not move) or last (from the last step alone): moving "
            f"for {', '.join(TAKERS)} and their sums, else pooled, if not given.",
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
        moves = any(name.strip() in TAKERS for name in self.penalty.split("+"))
        return self.mode or ("moving" if moves else "pooled")

    def given(self) -> dict[str, float]:
        """Return the options of the penalty that are not None."""
        found = {name: getattr(self, name) for name in OPTIONS}
        return {name: value for name, value in found.items() if value is not None}

    def check(self, strength: Strength | None) -> None:
        """Raise InputError for options that do not go with the penalty, or a wrong name of one."""
        flags = [*self.given(), *(["fit_tau"] if self.fit_tau else [])]
        taken = TAKERS.get(self.penalty, ())
        taken = (*taken, "fit_tau") if self.penalty == ADAPTIVE else taken
        for name in flags:
            if name not in taken:
                raise InputError(
                    f"--{name.replace('_', '-')} does not go with --penalty {self.penalty}."
                )
        if self.penalty not in TAKERS or isinstance(strength, dict):
            self.make(strength)

    def make(self, strength: Strength | None) -> Penalty:
        """Return the penalty of this name and strength."""
        from laconic.core.penalties.names import as_penalty
        from laconic.time.learn import TIME_PENALTIES

        try:
            found = as_penalty(self.penalty, strength, ADAPTIVE, TIME_PENALTIES)
            return found.replace(**self.given()).check()
        except ValueError as error:
            raise InputError(f"--penalty {self.penalty}: {error}.") from None
