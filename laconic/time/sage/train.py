"""`laconic train sage`: dated documents to a model of their words, given what is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from laconic.cli.options import ANY_FILE, TEXT_FIELD, DateField, TextField
from laconic.cli.training import Run, Trained
from laconic.errors import InputError
from laconic.models.option import STRENGTH_HELP, Option, OptionValues, Parameters, read_strength
from laconic.text.io import name_of
from laconic.time.dated import CATEGORY, EITHER, NUMBER, Dated, read_dated
from laconic.time.facts import step_facts
from laconic.time.penalties import ADAPTIVE, FEATURES, LEARNING, OverTimeOptions
from laconic.time.sage.scores import scores

# Numerics are imported when the work begins, so that `--help` and wrong options answer at once.
if TYPE_CHECKING:
    from laconic.core.penalties import Penalty
    from laconic.core.penalties.names import Strength
    from laconic.time.sage.model import TemporalTextModel

BACKGROUNDS = ("all", "steps")
MODEL = Parameters(
    "laconic.time.sage.model:TemporalTextModel",
    {"": ("constant", "n_jobs"), LEARNING: ("background", "tol", "max_iter")},
    {"background": Option(choices=BACKGROUNDS)},
)


class DocumentOptions(NamedTuple):
    """Options of how documents are read."""

    effect: Annotated[
        list[str] | None,
        Option(
            "A JSON field that is an effect, a number or a category; may be repeated.",
            metavar="NAME",
        ),
    ] = None
    text_field: TextField = TEXT_FIELD
    date_field: DateField = "date"
    first_rank: Annotated[
        int,
        Option("Leave out the words before this rank by frequency.", panel=FEATURES, minimum=1),
    ] = 1
    max_words: Annotated[int, Option("Number of words, at most.", panel=FEATURES, minimum=1)] = 5000

    def effects(self) -> tuple[str, ...]:
        """Return the names of the effects, once each."""
        return tuple(dict.fromkeys(self.effect or ()))

    def read(self, path: str, kinds: dict[str, str] | None = None) -> Dated:
        """Return the documents of a file; the kinds of effects are those of training, if given."""
        wanted = dict.fromkeys(self.effects(), EITHER) if kinds is None else kinds
        return read_dated(path, wanted, self.text_field, self.date_field)


def train(
    path: Annotated[
        str, Option(f"JSON lines with a text, a date and effects. {ANY_FILE}", metavar="TRAIN")
    ],
    run: Run,
    *,
    dev: Annotated[
        str | None, Option("Later documents of the same form, to report scores on.", metavar="DEV")
    ] = None,
    documents: DocumentOptions,
    over_time: OverTimeOptions,
    strength: Annotated[
        float | None, Option(STRENGTH_HELP, panel=LEARNING, parse=read_strength)
    ] = None,
    model: Annotated[OptionValues, MODEL],
) -> Trained:
    """Train a model of which words documents use, by effects whose weights move over time (SAGE).

    A word is as likely as its background frequency times a factor for every effect: a region, a
    number, a category. Documents to come are described with the weights of the last step. Ctrl-C
    keeps the model as it is then.
    """
    over_time.check(strength)
    if not documents.effects() and not model.get("constant", True):
        raise InputError("there are no effects: name some with --effect, or leave the constant.")
    read = documents.read(path)
    kinds = {
        name: CATEGORY if isinstance(values[0], str) else NUMBER
        for name, values in read.fields.items()
    }
    later = None if dev is None else documents.read(dev, kinds)
    run.bar.describe("importing")
    from laconic.models.checks import check_storable
    from laconic.time.sage.model import TemporalTextModel
    from laconic.time.sage.reader import learn_reader

    run.bar.describe("encoding")
    reader = learn_reader(
        read.documents, read.fields, documents.first_rank, documents.max_words
    )._replace(text_field=documents.text_field, date_field=documents.date_field)
    check_storable([*reader.words, *reader.effects])
    settings: OptionValues = {
        "step": over_time.step,
        "mode": over_time.used_mode(),
        "fit_tau": over_time.fit_tau,
    }
    found = TemporalTextModel(reader=reader, **settings, **model)
    if over_time.penalty != ADAPTIVE or strength is not None or over_time.given():
        found.set_params(penalty=_penalty(found, over_time, strength, read.dates))
    counts, effects = reader.count(read.documents), reader.describe(read.fields)
    run.fit(lambda callback: found.fit(counts, effects, read.dates, callback=callback))

    def later_scores() -> dict[str, Any]:
        assert later is not None and dev is not None
        counted = (reader.count(later.documents), reader.describe(later.fields), later.dates)
        return scores(found, *counted, name_of(dev))

    facts = {"documents": len(read.documents), **text_facts(found)}
    return Trained(found, facts, None if later is None else later_scores)


def text_facts(model: TemporalTextModel) -> dict[str, Any]:
    """Return what is known of a model of text besides its fit report."""
    return {
        **step_facts(model),
        "vocabulary": model.n_features_in_,
        "effects": model.effect_names,
    }


def _penalty(
    model: TemporalTextModel, options: OverTimeOptions, strength: Strength | None, dates: list[str]
) -> Penalty:
    """Return the penalty; of the adaptive prior, what was not given is the model's own default."""
    from laconic.time.sage.learn import text_prior
    from laconic.time.times import make_clock

    if options.penalty != ADAPTIVE:
        return options.make(1.0 if strength is None else strength)
    n_steps = make_clock(dates, options.step)[0].n_steps if model.mode == "moving" else 1
    given = options.given() | ({} if strength is None else {"strength": strength})
    penalty: Penalty = text_prior(n_steps).replace(**given).check()
    return penalty
