"""Learners of taggers and parsers by name: their penalties, and how options make them.

`strength` is that of the penalty that was chosen, or one per term of a sum such as "group+lasso".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, NamedTuple

from laconic.errors import InputError
from laconic.models.option import STRENGTH_HELP, Option, read_strength

LEARNING, REFIT = "Learning", "Refit"
SPARSEPTRON = "laconic.core.solvers.online_sparse:Sparseptron"


def read_budget(text: str) -> int | str:
    """Return a number of templates, or "auto"."""
    if text == "auto":
        return text
    if not text.isdecimal() or int(text) < 1:
        raise InputError(f"must be auto or a number of at least 1, not {text!r}.")
    return int(text)


class LearnerOptions(NamedTuple):
    """What the command line says about a learner; None is the learner's own default."""

    penalty: str | None = None
    strength: float | dict[str, float] | None = None
    budget: int | str | None = None
    epochs: int | None = None
    every: int | None = None
    group_weight: str | None = None
    seed: int = 0


class LearningOptions(NamedTuple):
    """The options that learners of taggers and parsers share."""

    strength: Annotated[
        float | dict[str, float] | None,
        Option(STRENGTH_HELP, panel=LEARNING, parse=read_strength),
    ] = None
    budget: Annotated[
        int | str | None,
        Option(
            "auto, sparseptron: number of templates that keep weights, at most; auto is the "
            "smallest within a standard error of the best on held-out sentences.",
            panel=LEARNING,
            metavar="N|auto",
            parse=read_budget,
        ),
    ] = None
    every: Annotated[
        int | None,
        Option(
            "sparseptron, fobos: number of sentences between two steps of the penalty.",
            panel=LEARNING,
            minimum=1,
        ),
    ] = None
    group_weight: Annotated[str | None, Option(of=SPARSEPTRON, panel=LEARNING)] = None
    epochs: Annotated[
        int | None,
        Option(
            "Number of passes over the training data; of crf, number of steps at most.",
            panel=LEARNING,
            minimum=1,
        ),
    ] = None
    refit: Annotated[
        str | None,
        Option(
            "A second learner, which learns again from what the first has kept.",
            panel=REFIT,
            metavar="NAME",
        ),
    ] = None
    refit_epochs: Annotated[
        int | None, Option("Number of passes of the second learner.", panel=REFIT, minimum=1)
    ] = None
    seed: Annotated[int, Option("Seed of everything that is random.", metavar="N", minimum=0)] = 0


class Entry(NamedTuple):
    """One learner.

    penalties: names that help lists, the default first; make: returns the learner for a penalty;
    strong: whether the penalty has a --strength. A learner whose penalties are not only "none"
    checks the name itself, since it takes sums too.
    """

    penalties: tuple[str, ...]
    make: Callable[[str, LearnerOptions], Any]
    strong: bool = True


def make_learners(
    learners: Mapping[str, Entry], name: str, penalty: str | None, options: LearningOptions
) -> tuple[Any, Any]:
    """Return the learner and the one that refits what it has kept, or None."""
    given = options._asdict()
    refit, refit_epochs = given.pop("refit"), given.pop("refit_epochs")
    first = make_learner(learners, name, LearnerOptions(penalty, **given))
    if refit is None:
        return first, None
    again = LearnerOptions(epochs=refit_epochs, seed=options.seed)
    return first, make_learner(learners, refit, again, "--refit")


def make_learner(
    learners: Mapping[str, Entry], name: str, options: LearnerOptions, flag: str = "--learner"
) -> object:
    """Return the learner of this name; InputError if it does not go with the options."""
    if name not in learners:
        raise InputError(f"{flag} must be one of {', '.join(learners)}, not {name!r}.")
    penalties, make, strong = learners[name]
    penalty = penalties[0] if options.penalty is None else options.penalty
    if options.strength is not None and not (strong and penalty != "none"):
        raise InputError(
            f"--strength does not go with the learner {name} and the penalty {penalty}."
        )
    if penalty != penalties[0] and (penalties == ("none",) or not strong):
        raise InputError(
            f"--penalty of the learner {name} must be {penalties[0]}, not {penalty!r}."
        )
    try:
        learner = make(penalty, options)
        learner.check()
    except ValueError as error:
        raise InputError(f"--penalty {penalty} of the learner {name}: {error}.") from None
    return learner


def penalties_help(learners: Mapping[str, Entry]) -> str:
    """Return the penalties of those learners that know more than one, as help says them."""
    several = [
        f"{name}: {', '.join(entry.penalties)}"
        for name, entry in learners.items()
        if len(entry.penalties) > 1
    ]
    return "; ".join(several) + "; or a sum such as lasso+ridge. Without it, the first."


def _given(**parameters: object) -> dict[str, Any]:
    """Return the parameters that are not None."""
    return {name: value for name, value in parameters.items() if value is not None}


def _online(name: str, penalty: str, options: LearnerOptions) -> object:
    from laconic.core.solvers import online

    return getattr(online, name)(**_given(epochs=options.epochs), random_state=options.seed)


def _sparseptron(penalty: str, options: LearnerOptions) -> object:
    from laconic.core.solvers.online_sparse import Sparseptron

    if not (options.budget is None or isinstance(options.budget, int)):
        raise ValueError(f"a budget {options.budget} is chosen by the learner auto of taggers")
    chosen = _given(
        budget=options.budget,
        epochs=options.epochs,
        every=options.every,
        group_weight=options.group_weight,
        strength=options.strength,
    )
    return Sparseptron(penalty=penalty, **chosen, random_state=options.seed)


def _auto(penalty: str, options: LearnerOptions) -> object:
    from laconic.tag.auto import AutoLearner

    chosen = _given(budget=options.budget, group_weight=options.group_weight, epochs=options.epochs)
    return AutoLearner(**chosen, random_state=options.seed)


def _rda(penalty: str, options: LearnerOptions) -> object:
    from laconic.core.solvers.online_sparse import Rda

    chosen = _given(strength=options.strength, epochs=options.epochs)
    return Rda(penalty=penalty, **chosen, random_state=options.seed)


def _fobos(penalty: str, options: LearnerOptions) -> object:
    from laconic.core.solvers.online_sparse import Fobos

    chosen = _given(
        strength=options.strength,
        epochs=options.epochs,
        every=options.every,
        group_weight=options.group_weight,
    )
    return Fobos(penalty=penalty, **chosen, random_state=options.seed)


def _stochastic(loss: str, penalty: str, options: LearnerOptions) -> object:
    from laconic.core.solvers.online import StochasticGradient

    chosen = _given(epochs=options.epochs)
    if penalty != "none":
        strength = 1e-5 if options.strength is None else options.strength
        chosen |= {"penalty": penalty, "strength": strength}
    return StochasticGradient(loss, **chosen, random_state=options.seed)


def _crf(penalty: str, options: LearnerOptions) -> object:
    from laconic.tag.crf import Crf

    chosen = _given(
        strength=options.strength, group_weight=options.group_weight, max_iter=options.epochs
    )
    return Crf(penalty, **chosen)


_SPARSEPTRON = Entry(
    ("group", "coarse-to-fine", "group+lasso", "coarse-to-fine+lasso"), _sparseptron
)
_CRF = ("ridge", "lasso", "elastic", "group", "sparse-group", "label-group", "tree")
_RDA = Entry(("lasso",), _rda)
_FOBOS = ("lasso", "label-group", "elastic", "group", "sparse-group", "coarse-to-fine")

LEARNERS: dict[str, Entry] = {
    "auto": Entry(("group",), _auto, strong=False),
    "sparseptron": _SPARSEPTRON,
    "mira": Entry(("none",), partial(_online, "Mira")),
    "perceptron": Entry(("none",), partial(_online, "Perceptron")),
    "crf": Entry((*_CRF, "coarse-to-fine"), _crf),
    "svm": Entry(("none", "ridge"), partial(_stochastic, "hinge")),
    "sgd": Entry(("none", "ridge"), partial(_stochastic, "log")),
    "rda": _RDA,
    "fobos": Entry(_FOBOS, _fobos),
}
# A feature of a part of a tree has one weight: there are no rows of labels, and all learners see
# one sentence at a time, so that there is no `crf`.
TREE_LEARNERS: dict[str, Entry] = {
    "mira": LEARNERS["mira"],
    "kbest-mira": Entry(("none",), partial(_online, "KBestMira")),
    "perceptron": LEARNERS["perceptron"],
    "sparseptron": _SPARSEPTRON,
    "sgd": LEARNERS["sgd"],
    "svm": LEARNERS["svm"],
    "rda": _RDA,
    "fobos": Entry(tuple(name for name in _FOBOS if name != "label-group"), _fobos),
}
