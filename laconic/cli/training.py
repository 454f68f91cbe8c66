"""`laconic train KIND`: checks before, the progress bar and Ctrl-C during, the result after.

What is particular to a kind is in the function `train` of its `cli` module::

    def train(path, run, *, ...) -> Trained

which reads the file, fits a model through `run.fit`, and returns it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from laconic.cli.command import Verb
from laconic.cli.console import INTERRUPTED, Bar, print_result, progress
from laconic.cli.interrupt import graceful_interrupt
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, ModelOutput, Quiet, check_file_output
from laconic.cli.slots import bind
from laconic.core.report import Callback, Event, Reported

Fitted = TypeVar("Fitted")
NOTHING_KEPT = "interrupted before the training was done; no model is written"


class Trained(NamedTuple):
    """What training gave.

    Parameters
    ----------
    model : object
        A fitted model of this kind.
    facts : dict
        What the result says besides the fit report: sizes of the data, settings.
    scores : callable or None
        Returns the scores on development data; called when the model has been written.
    """

    model: Any
    facts: dict[str, Any]
    scores: Callable[[], dict[str, Any]] | None = None


@dataclass
class Run:
    """One run of `laconic train`, as a kind sees it.

    Parameters
    ----------
    bar : Bar
        The progress bar; `bar.describe("reading")` says what is being done.
    output : str or None
        The model file that will be written.
    as_json : bool
        Whether the result is printed as JSON; then it may hold more.
    notes : list of str
        Sentences for standard error, printed after the work.
    kept : bool
        Whether the model is kept in a file of another format.
    """

    bar: Bar
    output: str | None = None
    as_json: bool = False
    notes: list[str] = field(default_factory=list)
    kept: bool = False

    def fit(self, fit: Callable[[Callback], Fitted], at_once: bool = False) -> Fitted:
        """Fit with a progress bar; Ctrl-C stops after the next event.

        Parameters
        ----------
        fit : callable
            Takes a callback for events; returns what it learned.
        at_once : bool, default=False
            Whether Ctrl-C ends the command at once, for learners whose half-done work is no use.
        """
        with (
            warnings.catch_warnings(record=True) as caught,
            graceful_interrupt(at_once) as interrupt,
        ):
            warnings.simplefilter("always")

            def on_event(event: Event) -> bool:
                self.bar.show(event)
                return interrupt.requested

            try:
                fitted = fit(on_event)
                if at_once and interrupt.requested:
                    raise KeyboardInterrupt
            except KeyboardInterrupt:
                raise KeyboardInterrupt(NOTHING_KEPT if at_once else "") from None
        said = {str(one.message).rstrip("."): None for one in caught}
        self.notes += [f"{message}." for message in said]
        return fitted


def train(
    function: Verb,
    *,
    output: ModelOutput = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    **options: object,
) -> None:
    """Train a model with the function `train` of its kind, write it, and print what was learned."""
    from laconic.models.save import save_model

    check_file_output(output, "a model", "-o", *options.values())
    arguments = bind(function, options)
    with Measured() as cost, progress("reading", quiet=quiet) as bar:
        run = Run(bar, output, as_json)
        trained: Trained = function(run=run, **arguments)
        if output is not None:
            bar.describe("writing")
            save_model(trained.model, output)
        bar.describe("scoring")
        scores = {} if trained.scores is None else {"dev": trained.scores()}
    found = {**trained.facts, **fit_facts(trained.model)}
    print_result({"model": output, **cost.report(), **found, **scores}, as_json)
    if output is None and not run.kept and not found["interrupted"]:
        run.notes.append("no model file is written: give -o FILE to keep the model.")
    for note in run.notes:
        print(f"laconic: {note}", file=sys.stderr)
    if found["interrupted"]:
        end_interrupted(output)


def fit_facts(model: Reported) -> dict[str, Any]:
    """Return the fit report of a model by name, as every result of the command line shows it."""
    facts = model.report_.as_dict()
    del facts["seconds"]  # results have those of the whole command
    texts = {name: facts[name] or None for name in ("learner", "certificate_kind")}
    return {**facts, **texts}


def end_interrupted(output: str | None) -> None:
    """Say where the model is whose training was interrupted, and end as Ctrl-C does."""
    kept = (
        "the model is not written, since no -o was given"
        if output is None
        else f"the best model so far is in {output}"
    )
    print(f"laconic: interrupted; {kept}.", file=sys.stderr)
    raise SystemExit(INTERRUPTED)
