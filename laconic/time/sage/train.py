"""`laconic train sage`: dated documents to a model of which words they have, by what is observed of them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from laconic.cli.console import guard, print_result, progress
from laconic.cli.learning_options import LEARNING, Jobs, Output, Strength
from laconic.cli.measure import Measured
from laconic.cli.options import TEXT_FIELD, AsJson, DateField, Quiet, TextField, check_strength
from laconic.cli.training import check_model_output, end_interrupted
from laconic.errors import InputError
from laconic.text.io import name_of
from laconic.time.dated import CATEGORY, EITHER, NUMBER, read_dated
from laconic.time.options import (
    ADAPTIVE,
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

BACKGROUNDS = ("all", "steps")


@guard()
def train(
    train: Annotated[
        str,
        typer.Argument(
            metavar="TRAIN", help="JSON lines with a text, a date and effects; gzip is fine."
        ),
    ],
    dev: Annotated[
        str | None, typer.Option(help="Later documents of the same form, to report scores on.")
    ] = None,
    output: Output = None,
    effect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD",
            help="A JSON field that is an effect, a number or a category; may be given again.",
        ),
    ] = None,
    text_field: TextField = None,
    date_field: DateField = None,
    step: Step = "year",
    first_rank: FirstRank = 1,
    max_words: MaxWords = 5000,
    constant: Annotated[
        bool,
        typer.Option(help="An effect that all documents have: words come and go by themselves."),
    ] = True,
    background: Annotated[
        str,
        typer.Option(
            help="all: frequencies in all documents; steps: those of every step.",
            rich_help_panel=LEARNING,
        ),
    ] = BACKGROUNDS[0],
    penalty: PenaltyName = ADAPTIVE,
    mode: Mode = None,
    strength: Strength = None,
    tau: Tau = None,
    fit_tau: FitTau = False,
    floor: Floor = None,
    smoothness: Smoothness = None,
    fusion: Fusion = None,
    tol: Annotated[
        float | None,
        typer.Option(
            help="Certificate at which to stop: 1e-4, if not given.", rich_help_panel=LEARNING
        ),
    ] = None,
    max_iter: Annotated[
        int | None,
        typer.Option(min=1, help="Steps of the solver, at most.", rich_help_panel=LEARNING),
    ] = None,
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn which words documents have, by regions, numbers and other effects whose weights move over time (SAGE).

    A word is as likely as its background frequency times a factor for every effect. Documents to come are described with the weights of the
    last step. Ctrl-C keeps the model as it is then.
    """
    check_model_output(output)
    check_strength("--strength", strength)
    wishes = {"tau": tau, "floor": floor, "smoothness": smoothness, "fusion": fusion}
    check_choices(penalty, mode, step, wishes, fit_tau)
    if background not in BACKGROUNDS:
        raise InputError(f"--background is one of {', '.join(BACKGROUNDS)}, not {background!r}.")
    if tol is not None and not tol > 0:
        raise InputError(f"--tol must be a number above 0, not {tol}.")
    effects = tuple(dict.fromkeys(effect or ()))
    if not effects and not constant:
        raise InputError("there are no effects: name some with --effect, or leave the constant.")
    names = (text_field or TEXT_FIELD, date_field or "date")
    with Measured() as cost, progress("reading", quiet=quiet) as bar:
        read = read_dated(train, dict.fromkeys(effects, EITHER), *names)
        kinds = {
            name: CATEGORY if isinstance(values[0], str) else NUMBER
            for name, values in read.fields.items()
        }
        later = None if dev is None else read_dated(dev, kinds, *names)
        bar.describe("importing")
        from laconic import TemporalTextModel
        from laconic.models.checks import check_storable
        from laconic.time.sage.cli import account, scores
        from laconic.time.sage.reader import learn_reader

        bar.describe("encoding")
        reader = learn_reader(read.documents, read.fields, first_rank, max_words)._replace(
            text_field=names[0], date_field=names[1]
        )
        check_storable([*reader.words, *reader.effects])
        options: dict[str, Any] = {} if tol is None else {"tol": tol}
        model = TemporalTextModel(
            constant=constant,
            background=background,
            mode=mode or default_mode(penalty),
            step=step,
            fit_tau=fit_tau,
            max_iter=max_iter,
            reader=reader,
            n_jobs=jobs,
            **options,
        )
        wished = {
            name: value
            for name, value in {"strength": strength, **wishes}.items()
            if value is not None
        }
        if penalty != ADAPTIVE or wished:
            model.set_params(penalty=_penalty(model, penalty, wished, read.dates))
        fit_with_bar(
            lambda on_step: model.fit(
                reader.count(read.documents),
                reader.describe(read.fields),
                read.dates,
                callback=on_step,
            ),
            bar,
        )
        bar.describe("writing")
        if output is not None:
            model.save(output)
        report: dict[str, Any] = {"documents": len(read.documents)}
        told: dict[str, Any] = {}
        if later is not None:
            counted = (reader.count(later.documents), reader.describe(later.fields), later.dates)
            told["dev"] = scores(model, *counted, name_of(dev or ""))
    print_result({"model": output, **cost.report(), **report, **account(model), **told}, as_json)
    if model.interrupted_:
        end_interrupted(output)


def _penalty(model: Any, name: str, wished: dict[str, Any], dates: list[str]) -> Any:
    """What was wished; of the adaptive prior the rest is as the model has it by default."""
    from laconic.time.sage.learn import text_prior
    from laconic.time.times import make_clock

    if name != ADAPTIVE:
        return make_penalty(name, wished.get("strength", 1.0), wished)
    n_steps = make_clock(dates, model.step)[0].n_steps if model.mode == "moving" else 1
    return text_prior(n_steps).replace(**wished).check()
