"""`laconic train forecast`: dated documents to a model whose weights move over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from laconic.cli.options import ANY_FILE, TEXT_FIELD, DateField, TargetField, TextField
from laconic.cli.training import Run, Trained
from laconic.core.report import Callback, Event
from laconic.errors import InputError
from laconic.models.option import STRENGTH_HELP, Option, OptionValues, Parameters, read_strength
from laconic.time.facts import label_facts, step_facts
from laconic.time.forecast.rows import (
    DATE,
    TARGET,
    DatedRows,
    Fields,
    error_of,
    model_scores,
    read_rows,
    rolling_scores,
)
from laconic.time.penalties import ADAPTIVE, FEATURES, LEARNING, OverTimeOptions

# Numerics are imported when the work begins, so that `--help` and wrong options answer at once.
if TYPE_CHECKING:
    from laconic.core.penalties.names import Strength
    from laconic.time.forecast.model import Forecaster

ROLLING = "Rolling forecasts"
MODEL = Parameters(
    "laconic.time.forecast.model:Forecaster",
    {
        FEATURES: (
            "weighting",
            "first_rank",
            "max_words",
            "min_count",
            "ngrams",
            "number_scale",
        )
    },
    {"first_rank": Option(minimum=1), "max_words": Option(minimum=1)},
)
INNER = Parameters("laconic.time.base:TemporalLinear", {"": ("n_jobs",)})


def strengths_of(text: str) -> tuple[float, ...]:
    """Return numbers that are separated by commas."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = [math.nan]
    if not all(math.isfinite(one) and one >= 0 for one in found):
        raise InputError(f"takes numbers of at least 0 with commas between them, not {text!r}.")
    return tuple(dict.fromkeys(found))


class RowOptions(NamedTuple):
    """Options of how rows are read."""

    text_field: TextField = TEXT_FIELD
    date_field: DateField = DATE
    target_field: TargetField = TARGET
    number: Annotated[
        list[str] | None,
        Option(
            "A JSON field with a number that is a feature too; may be repeated.", metavar="NAME"
        ),
    ] = None
    categories: Annotated[bool, Option("The target is a label, not a number.")] = False
    skip_missing: Annotated[bool, Option("Leave out rows without a target.")] = False

    def fields(self) -> Fields:
        """Return the names of the fields."""
        numbers = tuple(dict.fromkeys(self.number or ()))
        return Fields(self.text_field, self.date_field, self.target_field, numbers)

    def read(self, path: str) -> DatedRows:
        """Return the rows of a file."""
        return read_rows(path, self.fields(), self.categories, self.skip_missing)


class RollingOptions(NamedTuple):
    """Options of rolling forecasts."""

    strengths: Annotated[
        tuple[float, ...] | None,
        Option(
            "Strengths to choose from by rolling forecasts, with commas between them.",
            panel=ROLLING,
            parse=strengths_of,
        ),
    ] = None
    first: Annotated[
        str | None,
        Option(
            "Forecast every step from this one on by what was before it.",
            panel=ROLLING,
            metavar="STEP",
        ),
    ] = None
    last: Annotated[str | None, Option("Up to this step.", panel=ROLLING, metavar="STEP")] = None
    gap: Annotated[
        int,
        Option(
            "Number of steps between training and forecast: those a target takes to be known.",
            panel=ROLLING,
            minimum=0,
        ),
    ] = 0

    def check(self, strength: Strength | None) -> None:
        """Raise InputError for options that need rolling forecasts, or exclude each other."""
        if self.strengths is not None and strength is not None:
            raise InputError("--strength and --strengths exclude each other: give one of them.")
        if self.first is None and self.last is None and (self.strengths is not None or self.gap):
            raise InputError(
                "--strengths and --gap need rolling forecasts: give --first or --last."
            )


class RolledForecasts(NamedTuple):
    """Scores of rolling forecasts at one strength."""

    strength: float
    scores: dict[str, Any]


def train(
    path: Annotated[
        str, Option(f"JSON lines with a text, a date and a target. {ANY_FILE}", metavar="TRAIN")
    ],
    run: Run,
    *,
    dev: Annotated[
        str | None, Option("Later rows of the same form, to report scores on.", metavar="DEV")
    ] = None,
    rows: RowOptions,
    over_time: OverTimeOptions,
    strength: Annotated[
        float | None,
        Option(
            f"{STRENGTH_HELP} Without it, 10, and of adaptive half the variance of the targets.",
            panel=LEARNING,
            parse=read_strength,
        ),
    ] = None,
    rolling: RollingOptions,
    model: Annotated[OptionValues, MODEL],
    inner: Annotated[OptionValues, INNER],
) -> Trained:
    """Train a model that forecasts numbers or labels from dated documents.

    Weights of words move over time, and a forecast uses those of the last step. With --first or
    --last, every step of that range is forecast by a model of the steps before it, which is how
    errors and strengths should be judged. Ctrl-C keeps the model as it is then.
    """
    over_time.check(strength)
    rolling.check(strength)
    data = rows.read(path)
    later = None if dev is None else rows.read(dev)
    run.bar.describe("importing")
    from laconic.time.forecast.model import Forecaster
    from laconic.time.model import TemporalClassifier, TemporalRegressor

    settings = {"step": over_time.step, "mode": over_time.used_mode(), "fit_tau": over_time.fit_tau}
    cls: Any = TemporalClassifier if rows.categories else TemporalRegressor
    forecaster = Forecaster(cls(**settings, **inner), **model)
    default = _default_strength(over_time.penalty, data, rows.categories)
    tried = rolling.strengths or (default if strength is None else strength,)
    penalties = {one.strength: one for one in map(over_time.make, tried)}
    rolled = _roll(forecaster, penalties, data, over_time.step, rolling, run)
    first = next(iter(penalties))
    best = min(rolled, key=lambda one: error_of(one.scores)).strength if rolled else first
    forecaster.set_params(model__penalty=penalties[best])
    _fit(forecaster, data, rows.fields(), run)
    facts: dict[str, Any] = {"rows_skipped": data.skipped} if data.skipped else {}
    facts |= {**forecaster_facts(forecaster), **_rolled_facts(rolled, best)}
    scores = None if later is None else lambda: model_scores(forecaster, later)
    return Trained(forecaster, facts, scores)


def _fit(model: Forecaster, rows: DatedRows, fields: Fields, run: Run) -> None:
    """Fit, and remember the names of the fields."""
    run.bar.describe("encoding")
    run.fit(
        lambda callback: model.fit(rows.documents, rows.targets, rows.dates, rows.numbers, callback)
    )
    model.fields_ = {"text": fields.text, "date": str(fields.date), "target": str(fields.target)}


def _roll(
    model: Forecaster,
    penalties: dict[float, Any],
    rows: DatedRows,
    step: str,
    rolling: RollingOptions,
    run: Run,
) -> list[RolledForecasts]:
    """Return rolling forecasts at every strength; after Ctrl-C those that were finished."""
    from laconic.time.rolling import RollingOrigin

    if rolling.first is None and rolling.last is None:
        return []
    origin = RollingOrigin(step, rolling.first, rolling.last, rolling.gap)
    given = (rows.documents, rows.targets, rows.dates, origin, rows.numbers)
    rolled: list[RolledForecasts] = []

    def roll(callback: Callback) -> None:
        for strength, penalty in penalties.items():
            run.bar.describe(f"rolling forecasts, strength {strength:g}")
            model.set_params(model__penalty=penalty)
            asked: list[bool] = []

            def on_event(event: Event, asked: list[bool] = asked) -> bool:
                asked.append(bool(callback(event)))
                return asked[-1]

            found = model.roll(*given, on_event)
            if any(asked):
                return
            rolled.append(RolledForecasts(strength, rolling_scores(found, rows.targets)))

    run.fit(roll)
    return rolled


def _rolled_facts(rolled: list[RolledForecasts], best: float) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if rolled:
        facts["rolling"] = next(one.scores for one in rolled if one.strength == best)
    if len(rolled) > 1:
        facts["strengths"] = [
            {"strength": one.strength, "error": error_of(one.scores)} for one in rolled
        ]
    return facts


def forecaster_facts(model: Forecaster) -> dict[str, Any]:
    """Return what is known of a forecaster besides its fit report."""
    return {
        "words": len(model.encoder_.vocab),
        "numbers": list(model.numbers_),
        **label_facts(model.model_),
        **step_facts(model.model_),
    }


def _default_strength(penalty: str, rows: DatedRows, labels: bool) -> float:
    if penalty != ADAPTIVE:
        return 10.0
    if labels:
        return 1.0
    mean = sum(rows.targets) / len(rows.targets)
    return 0.5 * sum((one - mean) ** 2 for one in rows.targets) / len(rows.targets) or 1.0
