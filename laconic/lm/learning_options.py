"""What learns a language model on the command line: the options, and the learner they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from laconic.errors import InputError
from laconic.models.option import STRENGTH_HELP, Option, OptionValues, read_strength

# Numerics are imported when the work begins, so that `--help` and wrong options answer at once.
if TYPE_CHECKING:
    from laconic.core.report import FitReport
    from laconic.lm.learn import NgramLearner
    from laconic.lm.log_linear import LogLinear

CLASSES, LOG_LINEAR, KNESER_NEY, INTERPOLATED = LEARNERS = (
    "classes",
    "log-linear",
    "kneser-ney",
    "interpolated",
)
# Penalties that know how contexts are nested, and which of them take these options.
NESTED = ("nested-groups", "nested-ridge", "nested-lasso", "nested-tree", "nested-tree-inf")
GROUPS, TREES = NESTED[0], NESTED[3:]
TAKERS = {"growth": NESTED, "ridge": (GROUPS, *TREES), "fade": TREES}
MOST_CLASSES = 100_000
LEARNING, LOG_LINEAR_MODELS = "Learning", "Log-linear models"


class NgramLearnerOptions(NamedTuple):
    """Options of what learns."""

    learner: Annotated[
        str | None,
        Option(
            "classes (the default: n-grams of words, log-linear where their fit fits the memory, "
            "else Kneser-Ney, mixed with n-grams of classes of words), log-linear (the default "
            "with --arpa, since such files hold no classes), kneser-ney (modified: three "
            "discounts for each order), or interpolated (Kneser-Ney with one).",
            panel=LEARNING,
            choices=LEARNERS,
        ),
    ] = None
    n_classes: Annotated[
        str | None,
        Option("classes: numbers of classes, separated by commas.", panel=LEARNING, metavar="N,.."),
    ] = None
    penalty: Annotated[
        str | None,
        Option(
            f"classes, log-linear: {', '.join(NESTED)}, lasso, ridge, elastic, another name of a "
            "penalty, or a sum such as lasso+ridge.",
            panel=LEARNING,
            metavar="NAME",
        ),
    ] = None


class PenaltyOptions(NamedTuple):
    """Options of the penalty of a log-linear model; None is the penalty's own default."""

    strength: Annotated[
        float | None, Option(STRENGTH_HELP, panel=LOG_LINEAR_MODELS, parse=read_strength)
    ] = None
    growth: Annotated[
        float | None,
        Option(
            "nested-*: factor of the strength for every word of a context; without it, by counts "
            "of n-grams.",
            panel=LOG_LINEAR_MODELS,
            above=0,
        ),
    ] = None
    ridge: Annotated[
        float | None,
        Option(
            "nested-groups, nested-tree, nested-tree-inf: strength of the extra ridge, beside the "
            "penalty: of single words beside groups, of all weights beside trees.",
            panel=LOG_LINEAR_MODELS,
            minimum=0,
        ),
    ] = None
    fade: Annotated[
        float | None,
        Option(
            "nested-tree, nested-tree-inf: in the norm a weight is divided by this for every word "
            "of its context.",
            panel=LOG_LINEAR_MODELS,
            above=0,
        ),
    ] = None

    def given(self) -> OptionValues:
        """Return the options that are not None."""
        return {name: value for name, value in self._asdict().items() if value is not None}


class ChosenLearner(NamedTuple):
    """The name of a learner, the learner, and whether nothing about it was stated."""

    name: str
    learner: NgramLearner
    by_default: bool

    @property
    def has_passes(self) -> bool:
        """Whether it passes over the text several times, so that it can end before its time."""
        return self.name in (CLASSES, LOG_LINEAR)

    def refit(self, report: FitReport) -> LogLinear | None:
        """Return what learned the n-grams of words, if that was a log-linear learner."""
        from laconic.lm.log_linear import LogLinear

        words = getattr(self.learner, "words", self.learner)
        if words is None and report.objective == report.objective:  # not NaN
            return LogLinear()
        return words if isinstance(words, LogLinear) else None


def chosen_learner(
    learning: NgramLearnerOptions,
    given: OptionValues,
    solver: OptionValues,
    jobs: int | None,
    default: str,
) -> ChosenLearner:
    """Return the learner; `given` are parameters of the penalty, InputError for what does not go.

    `default` is the name of the learner where none is stated.
    """
    name = learning.learner or default
    penalty = _check(name, learning, {**given, **solver})
    log_linear = learning.penalty is not None or bool(given or solver)
    by_default = learning.learner is None and not log_linear and name == CLASSES
    words = None
    if name != CLASSES or log_linear:
        words = _words(name, penalty, given, solver, jobs)
    if name != CLASSES and words is not None:
        return ChosenLearner(name, words, by_default)
    return ChosenLearner(name, _with_classes(words, learning.n_classes, jobs), by_default)


def _check(learner: str, learning: NgramLearnerOptions, given: OptionValues) -> str:
    """Return the penalty; InputError for options that do not go with it or with the learner."""
    penalty = learning.penalty or GROUPS
    wanted = {**({} if learning.penalty is None else {"penalty": penalty}), **given}
    if learning.n_classes is not None and learner != CLASSES:
        raise InputError(f"--n-classes does not go with --learner {learner}.")
    for name in wanted:
        if learner not in (CLASSES, LOG_LINEAR):
            raise InputError(f"--{name.replace('_', '-')} does not go with --learner {learner}.")
        if name in TAKERS and penalty not in TAKERS[name]:
            raise InputError(f"--{name} does not go with --penalty {penalty}.")
    return penalty


def _words(
    name: str, penalty: str, given: OptionValues, solver: OptionValues, jobs: int | None
) -> NgramLearner:
    """Return the learner of n-grams of words; `given` are parameters of its penalty."""
    from laconic.lm.kneser_ney import KneserNey

    if name in (KNESER_NEY, INTERPOLATED):
        return KneserNey(modified=name == KNESER_NEY)
    from laconic.core.threads import thread_count
    from laconic.lm.any_penalty import NESTED as MADE
    from laconic.lm.any_penalty import nested_penalty
    from laconic.lm.log_linear import LogLinear

    strength = given.pop("strength", None)
    try:
        if penalty in MADE:
            chosen = nested_penalty(MADE[penalty]().replace(**given), strength)
        else:
            nested_penalty(penalty, strength)  # checked now, stated by its name
            return LogLinear(penalty, strength=strength, **solver, n_jobs=thread_count(jobs))
    except ValueError as error:
        raise InputError(f"--penalty {penalty}: {error}.") from None
    return LogLinear(chosen, **solver, n_jobs=thread_count(jobs))


def _with_classes(
    words: NgramLearner | None, numbers: str | None, jobs: int | None
) -> NgramLearner:
    """Return the mixture of n-grams of words, None for the default ones, with those of classes."""
    from laconic.core.threads import thread_count
    from laconic.lm.class_mixture import ClassMixture

    threads = thread_count(jobs)
    if numbers is None:
        return ClassMixture(words, n_jobs=threads)
    fields = [field.strip() for field in numbers.split(",")]
    if not all(field.isdecimal() and 0 < int(field) < MOST_CLASSES for field in fields):
        raise InputError(
            f"--n-classes must be whole numbers below {MOST_CLASSES}, separated by commas, such as "
            f"100,1000, not {numbers!r}."
        )
    return ClassMixture(words, tuple(map(int, fields)), threads)
