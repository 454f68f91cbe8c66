"""What `laconic train` does for every kind of model: the checks before, the bar with Ctrl-C, and the word after."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from typing import Any

from laconic.cli.console import INTERRUPTED, progress
from laconic.cli.interrupt import graceful_interrupt
from laconic.cli.options import check_output
from laconic.errors import InputError

Callback = Callable[[Any], bool]


def check_model_output(output: str | None) -> None:
    """InputError unless a model can be written there; None: it is not written."""
    if output == "-":
        raise InputError("a model is written to a file: give its name with -o.")
    if output is not None:
        check_output(output)


def fit_by_passes(
    fit: Callable[[Callback], Any], learners: Iterable[Any], what: str, quiet: bool
) -> None:
    """Call fit(callback) with a bar by pass of the learners; the callback says stop after Ctrl-C. `what`: are told wrong or right."""
    passes = [getattr(learner, "epochs", math.nan) for learner in learners if learner is not None]
    total = None if math.isnan(sum(passes)) else sum(passes)
    with graceful_interrupt() as interrupt, progress("encoding", total, quiet=quiet) as bar:

        def on_step(step: Any) -> bool:
            if hasattr(step, "held"):
                bar.describe(
                    f"pass {step.done}: {step.wrong:.2%} of {what} wrong, {step.features:,} weights"
                )
                bar.advance()
            else:
                bar.describe(
                    f"step {step.done}: objective {step.value:.6g}, certificate {step.certificate:.1e}"
                )
            return interrupt.requested

        fit(on_step)


def learner_text(learner: Any) -> str | None:
    """A learner in one line."""
    return (
        learner if learner is None or isinstance(learner, str) else " ".join(repr(learner).split())
    )


def learned(model: Any) -> dict[str, Any]:
    """What is told of taggers and parsers alike: whether they were interrupted, and how much of what there was they keep."""
    from laconic.core.solvers.online import passes_of  # numerics: only once something was learned

    return {
        "interrupted": model.interrupted_,
        "features_total": model.n_features_total_,
        "features_nonzero": model.n_features_selected_,
        "degrees_of_freedom": model.weights_.n_distinct,
        "features_held_most": max(
            (held for epoch in passes_of(model.trace_) for _, held in epoch.held), default=None
        ),
        "groups_total": len(model.templates_given_),
    }


def end_interrupted(output: str | None) -> None:
    """Say where the model is whose training was interrupted, and end with the exit code of Ctrl-C."""
    kept = (
        "the model is not written, since no -o was given"
        if output is None
        else f"the best model so far is in {output}"
    )
    print(f"laconic: interrupted; {kept}.", file=sys.stderr)
    raise SystemExit(INTERRUPTED)
