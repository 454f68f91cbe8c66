"""What `laconic compress` does with any kind of model: read, choose eta, round or learn again, account."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from laconic.cli.console import Bar
from laconic.cli.interrupt import graceful_interrupt


class Compression(NamedTuple):
    """Options of `laconic compress`: the file to write, 2 zeta values, files of training and development data, eta, lasso, names."""

    output: str
    zeta: int
    data: str | None
    dev: str | None
    eta: float | None
    lasso: float | None
    names: bool = True


def compress_model(
    model: Any,
    wishes: Compression,
    read: Callable[[str], tuple[Any, Any]],
    bar: Bar,
    n_etas: int = 7,
    finish: Callable[[Any, Any], Any] | None = None,
) -> dict[str, Any]:
    """Write the model with few weight values, and account for it; Ctrl-C keeps the best so far.

    finish(model, data) is the model that is written; data: that of development, else of training, else None.
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
    train, dev = (None if path is None else read(path) for path in (wishes.data, wishes.dev))
    options: dict[str, Any] = {} if wishes.lasso is None else {"penalty": L1(wishes.lasso)}
    with graceful_interrupt() as interrupt:

        def on_round(step: Any) -> bool:
            if hasattr(step, "held"):  # a pass of an online learner
                bar.describe(f"pass {step.done}: {step.wrong:.2%} of tokens wrong")
            else:
                bar.describe(
                    f"round {step.done}: objective {step.value:.6g}, residual {step.certificate:.1e}"
                )
            return interrupt.requested

        etas = eta_grid(model, wishes.zeta, n_etas) if wishes.eta is None else [wishes.eta]
        found, trials = tune_values(
            model, train, dev, wishes.zeta, etas, callback=on_round, **options
        )
    if finish is not None:
        found = finish(found, dev or train)
    save_compact(found, wishes.output, wishes.names)
    best = max(trials, key=lambda trial: (trial.score, -trial.n_nonzero))
    told = [
        name
        for name in ("objective", "certificate")
        if train is not None and hasattr(found, f"{name}_")
    ]
    learned = {name: getattr(found, f"{name}_") for name in told}
    return {
        "method": "quantization" if train is None else "DC-ADMM",
        "eta": best.eta,
        "values": [value for value in value_set(best.eta, wishes.zeta) if value],
        **learned,
        "interrupted": interrupt.requested,
        "features_nonzero": len(weights_of(found)),
        "features_nonzero_before": len(weights_of(model)),
        "degrees_of_freedom": degrees_of_freedom(found),
        "degrees_of_freedom_before": degrees_of_freedom(model),
        "trials": [trial._asdict() for trial in trials],
    }
