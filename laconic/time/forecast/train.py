"""`laconic train forecast`: dated documents to a model whose weights move over time."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from laconic.cli.console import Bar, guard, print_result, progress
from laconic.cli.interrupt import graceful_interrupt
from laconic.cli.learning_options import LEARNING, Jobs, Output
from laconic.cli.measure import Measured
from laconic.cli.options import (
    TEXT_FIELD,
    AsJson,
    DateField,
    NumberField,
    Quiet,
    TargetField,
    TextField,
    check_strength,
)
from laconic.cli.training import check_model_output, end_interrupted
from laconic.errors import InputError
from laconic.time.forecast.cli import (
    Fields,
    Rows,
    account,
    error_of,
    read_rows,
    rolling_scores,
    scores_of,
)
from laconic.time.options import (
    ADAPTIVE,
    FEATURES,
    FirstRank,
    FitTau,
    Floor,
    Fusion,
    MaxWords,
    Mode,
    PenaltyName,
    Smoothness,
    Step,
    Tau,
    check_choices,
    default_mode,
    fit_with_bar,
    make_penalty,
)

if TYPE_CHECKING:
    from laconic.time.forecast.model import Forecaster
    from laconic.time.rolling import Forecasts, RollingOrigin

ROLLING = "Rolling forecasts"


class Rolled(NamedTuple):
    """Rolling forecasts at one strength."""

    strength: float
    found: Forecasts
    scores: dict[str, Any]


@guard()
def train(
    train: Annotated[
        str,
        typer.Argument(
            metavar="TRAIN", help="JSON lines with a text, a date and a target; gzip is fine."
        ),
    ],
    dev: Annotated[
        str | None, typer.Option(help="Later rows of the same form, to report scores on.")
    ] = None,
    output: Output = None,
    text_field: TextField = None,
    date_field: DateField = None,
    target_field: TargetField = None,
    number: NumberField = None,
    labels: Annotated[
        bool, typer.Option("--labels", help="Targets are labels, not numbers.")
    ] = False,
    skip_missing: Annotated[
        bool, typer.Option("--skip-missing", help="Leave out rows without a target.")
    ] = False,
    step: Step = "year",
    penalty: PenaltyName = ADAPTIVE,
    mode: Mode = None,
    strength: Annotated[
        str | None,
        typer.Option(
            help="Of the penalty; several with commas between them: the best for the steps --first to --last. adaptive: the variance of "
            "the noise, by default half of the targets'; others: 10.",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    tau: Tau = None,
    fit_tau: FitTau = False,
    floor: Floor = None,
    smoothness: Smoothness = None,
    fusion: Fusion = None,
    weighting: Annotated[
        str, typer.Option(help="binary, count, tfidf or logtfidf.", rich_help_panel=FEATURES)
    ] = "binary",
    first_rank: FirstRank = 1,
    max_words: MaxWords = 5000,
    min_count: Annotated[
        int,
        typer.Option(min=1, help="Words seen less often are left out.", rich_help_panel=FEATURES),
    ] = 2,
    ngrams: Annotated[
        int, typer.Option(min=1, help="Word n-grams up to this length.", rich_help_panel=FEATURES)
    ] = 1,
    number_scale: Annotated[
        float,
        typer.Option(
            help="Deviation that numbers are scaled to: larger, and the penalty holds them less.",
            rich_help_panel=FEATURES,
        ),
    ] = 1.0,
    first: Annotated[
        str | None,
        typer.Option(
            help="Forecast every step from this one on by what was before it.",
            rich_help_panel=ROLLING,
        ),
    ] = None,
    last: Annotated[
        str | None, typer.Option(help="Up to this step.", rich_help_panel=ROLLING)
    ] = None,
    gap: Annotated[
        int,
        typer.Option(
            min=0,
            help="Steps between training and forecast: as long as a target takes to be known.",
            rich_help_panel=ROLLING,
        ),
    ] = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn to forecast a number, or a label, from dated documents, by weights of words that move over time.

    A forecast uses the weights of the last step. With --first, or --last, every step of that range is forecast by a model of what lies
    before it, which is what errors and strengths should be judged by. Ctrl-C keeps the model as it is then.
    """
    check_model_output(output)
    strengths = _strengths(strength)
    wishes = {"tau": tau, "floor": floor, "smoothness": smoothness, "fusion": fusion}
    check_choices(penalty, mode, step, wishes, fit_tau)
    rolling = first is not None or last is not None
    if not rolling and (len(strengths) > 1 or gap):
        raise InputError(
            "several strengths, and a --gap, need rolling forecasts: give --first or --last."
        )
    fields = Fields(
        text_field or TEXT_FIELD,
        date_field or "date",
        target_field or "target",
        tuple(dict.fromkeys(number or ())),
    )
    with Measured() as cost, progress("reading", quiet=quiet) as bar:
        rows = read_rows(train, fields, labels, skip_missing)
        later = None if dev is None else read_rows(dev, fields, labels, skip_missing)
        bar.describe("importing")
        from laconic import Forecaster, RollingOrigin, TemporalClassifier, TemporalRegressor

        kind: Any = TemporalClassifier if labels else TemporalRegressor
        inner = kind(step=step, mode=mode or default_mode(penalty), fit_tau=fit_tau, n_jobs=jobs)
        model = Forecaster(
            inner,
            weighting=weighting,
            first_rank=first_rank,
            max_words=max_words,
            min_count=min_count,
            ngrams=ngrams,
            number_scale=number_scale,
        )
        tried = strengths or [_default_strength(penalty, rows, labels)]
        penalties = {one: make_penalty(penalty, one, wishes) for one in tried}
        rolled: list[Rolled] = []
        if rolling:
            rolled = _roll(model, penalties, rows, RollingOrigin(step, first, last, gap), bar)
        best = min(rolled, key=lambda one: error_of(one.scores)).strength if rolled else tried[0]
        model.set_params(model__penalty=penalties[best])
        _fit(model, rows, fields, bar)
        bar.describe("writing")
        if output is not None:
            model.save(output)
        report: dict[str, Any] = {} if later is None else {"dev": scores_of(model, later)}
        if rolled:
            report["rolling"] = next(one.scores for one in rolled if one.strength == best)
        if len(rolled) > 1:
            report["strengths"] = [
                {"strength": one.strength, "error": error_of(one.scores)} for one in rolled
            ]
    skipped = {"rows_skipped": rows.skipped} if rows.skipped else {}
    print_result({"model": output, **cost.report(), **skipped, **account(model), **report}, as_json)
    if model.model_.interrupted_:
        end_interrupted(output)


def _roll(
    model: Forecaster, penalties: dict[float, Any], rows: Rows, origin: RollingOrigin, bar: Bar
) -> list[Rolled]:
    """Rolling forecasts at every strength; after Ctrl-C those that were finished."""
    rolled = []
    with graceful_interrupt() as interrupt:
        for strength, penalty in penalties.items():
            bar.describe(f"rolling forecasts, strength {strength:g}")
            model.set_params(model__penalty=penalty)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the last fit tells its certificate
                found = model.roll(
                    rows.documents,
                    rows.targets,
                    rows.dates,
                    origin,
                    rows.numbers,
                    lambda step: interrupt.requested,
                )
            if interrupt.requested:
                break
            rolled.append(Rolled(strength, found, rolling_scores(found, rows.targets)))
    return rolled


def _fit(model: Forecaster, rows: Rows, fields: Fields, bar: Bar) -> None:
    bar.describe("encoding")
    fit_with_bar(
        lambda on_step: model.fit(rows.documents, rows.targets, rows.dates, rows.numbers, on_step),
        bar,
    )
    model.fields_ = {"text": fields.text, "date": str(fields.date), "target": str(fields.target)}


def _strengths(given: str | None) -> list[float]:
    if given is None:
        return []
    try:
        strengths = [float(part) for part in given.split(",")]
    except ValueError:
        raise InputError(
            f"--strength takes a number, or several with commas between them, not {given!r}."
        ) from None
    for one in strengths:
        check_strength("--strength", one)
    return list(dict.fromkeys(strengths))


def _default_strength(penalty: str, rows: Rows, labels: bool) -> float:
    if penalty != ADAPTIVE:
        return 10.0
    if labels:
        return 1.0
    mean = sum(rows.targets) / len(rows.targets)
    return 0.5 * sum((one - mean) ** 2 for one in rows.targets) / len(rows.targets) or 1.0
