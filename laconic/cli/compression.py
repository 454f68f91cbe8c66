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


def compress_model(model: Any, wishes: Compression, read: Callable[[str], tuple[Any, Any]], bar: Bar) -> dict[str, Any]:
    """Write the model with few weight values, and account for it; Ctrl-C keeps the best so far."""
    from laconic import L1, value_set
    from laconic.estimators.compact import CompactClassifier, CompactTagger, save_compact
    from laconic.estimators.discrete import degrees_of_freedom, tune_values
    from laconic.estimators.discrete_forms import weights_of

    if isinstance(model, CompactClassifier | CompactTagger):
        model = model.plain()
    bar.describe("reading")
    train, dev = (None if path is None else read(path) for path in (wishes.data, wishes.dev))
    options: dict[str, Any] = {} if wishes.lasso is None else {"penalty": L1(wishes.lasso)}
    with graceful_interrupt() as interrupt:

        def on_round(progress: Any) -> bool:
            bar.describe(f"round {progress.n_iter}: objective {progress.value:.6g}, residual {progress.error:.1e}")
            return interrupt.requested

        etas = None if wishes.eta is None else [wishes.eta]
        found, trials = tune_values(model, train, dev, wishes.zeta, etas, callback=on_round, **options)
    save_compact(found, wishes.output, wishes.names)
    best = max(trials, key=lambda trial: (trial.score, -trial.n_nonzero))
    learned = {"objective": found.objective_, "certificate": found.certificate_} if train is not None else {}
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
