"""What trainings of models that move over time share: options, penalties by name, and a fit with a bar that Ctrl-C ends."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import typer

from laconic.cli.console import Bar
from laconic.cli.interrupt import graceful_interrupt
from laconic.cli.learning_options import LEARNING
from laconic.errors import InputError

FEATURES = "Features"
ADAPTIVE = "adaptive"
STEPS = ("year", "quarter", "month", "week", "day")
MODES = ("moving", "pooled", "last")
# Penalties by name: their class, and what an option is called there.
PENALTIES = {
    ADAPTIVE: ("AdaptivePrior", ("tau", "floor")),
    "smooth-ridge": ("SmoothRidge", ("smoothness",)),
    "smooth-groups": ("SmoothGroupLasso", ("smoothness",)),
    "fused": ("FusedLasso", ("fusion",)),
    "ridge": ("Ridge", ()),
    "lasso": ("L1", ()),
}

Step = Annotated[str, typer.Option(help=f"Steps of time: {', '.join(STEPS)}.")]
PenaltyName = Annotated[
    str, typer.Option("--penalty", help=f"{', '.join(PENALTIES)}.", rich_help_panel=LEARNING)
]
Mode = Annotated[
    str | None,
    typer.Option(
        help="moving, pooled (weights that do not move) or last (from the last step alone): "
        "pooled for ridge and lasso, else moving, if not given.",
        rich_help_panel=LEARNING,
    ),
]
Tau = Annotated[
    float | None,
    typer.Option(
        help="adaptive: how smooth, beforehand: 1, of train sage 300, if not given.",
        rich_help_panel=LEARNING,
    ),
]
FitTau = Annotated[
    bool, typer.Option("--fit-tau", help="adaptive: fit tau too.", rich_help_panel=LEARNING)
]
Floor = Annotated[
    float | None,
    typer.Option(
        help="adaptive: squares below which a trajectory is as good as zero: 1e-4, of train sage 0.01 a step, if not given.",
        rich_help_panel=LEARNING,
    ),
]
Smoothness = Annotated[
    float | None,
    typer.Option(help="smooth-*: of changes: 1, if not given.", rich_help_panel=LEARNING),
]
Fusion = Annotated[
    float | None, typer.Option(help="fused: of changes: 1, if not given.", rich_help_panel=LEARNING)
]
FirstRank = Annotated[
    int,
    typer.Option(
        min=1, help="Leave out the words before this rank by frequency.", rich_help_panel=FEATURES
    ),
]
MaxWords = Annotated[
    int, typer.Option(min=1, help="So many words at most.", rich_help_panel=FEATURES)
]


def default_mode(penalty: str) -> str:
    """Whether weights move, if nothing is said of it."""
    return "pooled" if penalty in ("ridge", "lasso") else "moving"


def check_choices(
    penalty: str, mode: str | None, step: str, wishes: dict[str, Any], fit_tau: bool
) -> None:
    """InputError for names that there are not, and for options that do not go with the penalty."""
    for option, value, known in (
        ("--penalty", penalty, PENALTIES),
        ("--mode", mode, MODES),
        ("--step", step, STEPS),
    ):
        if value is not None and value not in known:
            raise InputError(f"{option} is one of {', '.join(known)}, not {value!r}.")
    for option, value in wishes.items():
        if value is not None and option not in PENALTIES[penalty][1]:
            raise InputError(f"--{option} does not go with --penalty {penalty}.")
        if value is not None and not math.isfinite(value):
            raise InputError(f"--{option} must be a finite number, not {value}.")
    if fit_tau and penalty != ADAPTIVE:
        raise InputError(f"--fit-tau does not go with --penalty {penalty}.")


def make_penalty(name: str, strength: float, wishes: dict[str, Any]) -> Any:
    """The penalty of a name with what was wished for it."""
    import laconic

    kind, options = PENALTIES[name]
    return getattr(laconic, kind)(
        strength=strength, **{one: wishes[one] for one in options if wishes.get(one) is not None}
    ).check()


def fit_with_bar(fit: Callable[[Callable[[Any], bool]], Any], bar: Bar) -> None:
    """Call fit(callback); the bar tells of every step, and Ctrl-C ends the fit after one."""
    with graceful_interrupt() as interrupt, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `converged` and the certificate are in the report

        def on_step(step: Any) -> bool:
            certificate = (
                f", certificate {step.certificate:.1e}" if math.isfinite(step.certificate) else ""
            )
            bar.describe(f"step {step.done}: objective {step.value:.6g}{certificate}")
            return interrupt.requested

        fit(on_step)
