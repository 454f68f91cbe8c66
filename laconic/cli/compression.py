"""What `laconic compress` does with any kind of model: read, choose values, round, learn again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from laconic.cli.console import Bar
from laconic.cli.interrupt import graceful_interrupt
from laconic.core.report import Event, Reported
from laconic.models.option import Option

if TYPE_CHECKING:
    from laconic.models.discrete.tuning import ValuesTrial

LabelledData = tuple[Any, Any]
N_VALUES = 8  # of weights, if no number is given
MOST_LOST = 0.5  # points of the score, above which the command says so


class Compression(NamedTuple):
    """Options of `laconic compress`."""

    values: Annotated[
        int | None,
        Option(
            "Number of values that weights may take besides 0, half of them negative: 2, 4, 8 ..; "
            "8, if not given. Of language models: of the n-grams of each order; 256.",
            minimum=2,
        ),
    ] = None
    data: Annotated[
        str | None,
        Option(
            "The training data, to learn the weights again where that is better than rounding; "
            "without --dev every tenth example is left out to choose by.",
            metavar="FILE",
        ),
    ] = None
    dev: Annotated[
        str | None,
        Option("Data of the same form, to choose the values by.", metavar="FILE"),
    ] = None
    eta: Annotated[
        float | None,
        Option(
            "The size of the values: they are 1.5, 4.5, 16.5 .. times this. Without it, they are "
            "learned from the weights, or the best of several with --dev or --data.",
            above=0,
        ),
    ] = None
    lasso: Annotated[
        float | None,
        Option(
            "Strength of the lasso with --data; without it, the model's own if known.", minimum=0
        ),
    ] = None
    names: Annotated[
        bool, Option("Keep the names of features, so that the model can be inspected.")
    ] = True

    @property
    def n_values(self) -> int:
        """Number of values of weights."""
        return N_VALUES if self.values is None else self.values


def compress_model(
    model: Any,
    output: str,
    settings: Compression,
    read: Callable[[str], LabelledData],
    bar: Bar,
    *,
    prepare: Callable[[Any, LabelledData | None], Any] | None = None,
) -> dict[str, Any]:
    """Write the model with few weight values, and return what was done; Ctrl-C keeps the best.

    read(path) returns the examples and labels of a file. prepare(model, data) returns the model
    with everything rounded but the weights to choose values for, so that trials score what will be
    written; data are those that values are chosen by, or None. Sentences for standard error are
    under "notes".
    """
    from laconic.core.penalties import L1
    from laconic.models.discrete.tuning import tune_values
    from laconic.models.kind import form_of
    from laconic.models.save import load, save_compact

    form = form_of(model)
    if form is not None and form.compact:
        model = model.plain()
    bar.describe("reading")
    train, dev = (None if path is None else read(path) for path in (settings.data, settings.dev))
    if train is not None and dev is None:
        train, dev = split(train)
    options: dict[str, Any] = {} if settings.lasso is None else {"penalty": L1(settings.lasso)}
    etas = None if settings.eta is None else [settings.eta]
    with graceful_interrupt() as interrupt:

        def on_event(event: Event) -> bool:
            bar.show(event)
            return interrupt.requested

        bar.describe("rounding")
        start = model if prepare is None else prepare(model, dev)
        found, trials = tune_values(
            start, train, dev, settings.n_values // 2, etas, callback=on_event, **options
        )
    save_compact(found, output, settings.names)
    bar.describe("scoring")
    scores = (
        {}
        if dev is None
        else {"score": float(load(output).score(*dev)), "score_before": float(model.score(*dev))}
    )
    facts = {**scores, "interrupted": interrupt.requested}
    return {**_what_was_done(model, found, trials, facts), "notes": _notes(settings, scores)}


def _what_was_done(
    model: Any, found: Any, trials: Sequence[ValuesTrial], facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Return how the weights of a model got few values, further facts, and what was tried."""
    from laconic.models.discrete.forms import weights_of
    from laconic.models.discrete.tuning import AGAIN
    from laconic.models.discrete.values import degrees_of_freedom

    best = max(trials, key=lambda trial: (trial.score, -trial.n_nonzero))
    return {
        "method": best.method,
        "eta": best.eta,
        "values": sorted(set(weights_of(found).tolist())),
        **(_solution(found) if best.method == AGAIN else {}),
        **facts,
        "features_kept": len(weights_of(found)),
        "features_kept_before": len(weights_of(model)),
        "degrees_of_freedom": degrees_of_freedom(found),
        "degrees_of_freedom_before": degrees_of_freedom(model),
        "trials": [trial._asdict() for trial in trials],
    }


def split(data: LabelledData) -> tuple[LabelledData | None, LabelledData]:
    """Return nine tenths of examples to learn from, and every tenth to choose by.

    Of fewer than ten, all are to choose by, and none to learn from.
    """
    X, y = data
    held = set(range(0, len(X), 10))
    parts = (
        [i for i in range(len(X)) if i not in held],
        sorted(held) if len(X) >= 10 else list(range(len(X))),
    )
    rest, chosen = ((_some(X, part), None if y is None else [y[i] for i in part]) for part in parts)
    return (rest if len(X) >= 10 else None), chosen


def _some(X: Any, chosen: list[int]) -> Any:
    """Return these examples of a list, or of sentences that can be chosen from."""
    if hasattr(X, "some"):
        import numpy as np

        return X.some(np.array(chosen, dtype=np.int64))
    return [X[i] for i in chosen]


def _notes(settings: Compression, scores: Mapping[str, float]) -> list[str]:
    """Return a sentence if few values cost more than half a point."""
    lost = 100 * (scores["score_before"] - scores["score"]) if scores else 0.0
    if lost <= MOST_LOST:
        return []
    more = f"--values {2 * settings.n_values}" + (
        "" if settings.data is not None else ", or --data with the training data"
    )
    place = (
        f"on {settings.dev}"
        if settings.dev is not None
        else f"on every tenth example of {settings.data}, which the model had learned from"
    )
    return [f"{settings.n_values} values cost {lost:.1f} points {place}: try {more}."]


def _solution(model: Reported) -> dict[str, float]:
    """Return how good a solution weights that were learned again are."""
    return {"objective": model.report_.objective, "certificate": model.report_.certificate}
