"""What `laconic compress` does with any kind of model: read, choose eta, round or learn again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from laconic.cli.console import Bar
from laconic.cli.interrupt import graceful_interrupt
from laconic.core.report import Event, Reported
from laconic.models.option import Option

LabelledData = tuple[Any, Any]
N_ETAS = 7


class Compression(NamedTuple):
    """Options of `laconic compress`."""

    values: Annotated[
        int,
        Option(
            "Number of values that weights may take besides 0, half of them negative: 2, 4, 8 ..",
            minimum=2,
        ),
    ] = 8
    data: Annotated[
        str | None,
        Option("The training data, to learn the weights again.", metavar="FILE"),
    ] = None
    dev: Annotated[
        str | None,
        Option("Data of the same form, to choose the size of the values on.", metavar="FILE"),
    ] = None
    eta: Annotated[
        float | None,
        Option("The size of the values: they are 1.5, 4.5, 16.5 .. times this.", above=0),
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


def compress_model(
    model: Any,
    output: str,
    settings: Compression,
    read: Callable[[str], LabelledData],
    bar: Bar,
    *,
    n_etas: int = N_ETAS,
    finish: Callable[[Any, LabelledData | None], Any] | None = None,
) -> dict[str, Any]:
    """Write the model with few weight values, and return what was done; Ctrl-C keeps the best.

    read(path) returns the examples and labels of a file; n_etas is the number of sizes of the
    values to try, if none is given. finish(model, data) returns the model that is written, where
    data are those of development, else of training, else None.
    """
    from laconic.core.penalties import L1, value_set
    from laconic.models.discrete.forms import weights_of
    from laconic.models.discrete.values import degrees_of_freedom, eta_grid, tune_values
    from laconic.models.kind import form_of
    from laconic.models.save import save_compact

    form = form_of(model)
    if form is not None and form.compact:
        model = model.plain()
    bar.describe("reading")
    train, dev = (None if path is None else read(path) for path in (settings.data, settings.dev))
    options: dict[str, Any] = {} if settings.lasso is None else {"penalty": L1(settings.lasso)}
    zeta = settings.values // 2
    with graceful_interrupt() as interrupt:

        def on_event(event: Event) -> bool:
            bar.show(event)
            return interrupt.requested

        etas = eta_grid(model, zeta, n_etas) if settings.eta is None else [settings.eta]
        found, trials = tune_values(model, train, dev, zeta, etas, callback=on_event, **options)
    if finish is not None:
        found = finish(found, dev or train)
    save_compact(found, output, settings.names)
    best = max(trials, key=lambda trial: (trial.score, -trial.n_nonzero))
    return {
        "method": "quantization" if train is None else "DC-ADMM",
        "eta": best.eta,
        "values": [value for value in value_set(best.eta, zeta) if value],
        **({} if train is None else _solution(found)),
        "interrupted": interrupt.requested,
        "features_kept": len(weights_of(found)),
        "features_kept_before": len(weights_of(model)),
        "degrees_of_freedom": degrees_of_freedom(found),
        "degrees_of_freedom_before": degrees_of_freedom(model),
        "trials": [trial._asdict() for trial in trials],
    }


def _solution(model: Reported) -> dict[str, float]:
    """Return how good a solution weights that were learned again are."""
    return {"objective": model.report_.objective, "certificate": model.report_.certificate}
