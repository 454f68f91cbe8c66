"""Learners of taggers and parsers by name: their penalties, and how options make them.

`strength` is always the strength of the penalty that was chosen, `lasso` that of the extra lasso
of penalties that have one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, NamedTuple

from laconic.errors import InputError
from laconic.models.option import Option

LEARNING, REFIT = "Learning", "Refit"
SPARSEPTRON = "laconic.core.solvers.online_sparse:Sparseptron"


class LearnerOptions(NamedTuple):
    """What the command line says about a learner; None is the learner's own default."""

    penalty: str | None = None
    strength: float | None = None
    lasso: float | None = None
    budget: int | None = None
    epochs: int | None = None
    every: int | None = None
    group_weight: str | None = None
    seed: int = 0


class LearningOptions(NamedTuple):
    """The options that learners of taggers and parsers share."""

    strength: Annotated[
        float | None, Option("Strength of the penalty.", panel=LEARNING, minimum=0)
    ] = None
    lasso: Annotated[
        float | None,
        Option("Strength of the extra lasso, beside the penalty.", panel=LEARNING, minimum=0),
    ] = None
    budget: Annotated[int | None, Option(of=SPARSEPTRON, panel=LEARNING, minimum=1)] = None
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

    penalties: those that it knows, its default first; make: returns the learner for a penalty;
    strong, with_lasso: the penalties that take a --strength, and a --lasso beside it.
    """

    penalties: tuple[str, ...]
    make: Callable[[str, LearnerOptions], Any]
    strong: tuple[str, ...] = ()
    with_lasso: tuple[str, ...] = ()


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
) -> Any:
    """Return the learner of this name; InputError if it does not go with the options."""
    if name not in learners:
        raise InputError(f"{flag} must be one of {', '.join(learners)}, not {name!r}.")
    penalties, make, strong, with_lasso = learners[name]
    penalty = penalties[0] if options.penalty is None else options.penalty
    if penalty not in penalties:
        raise InputError(
            f"--penalty of the learner {name} must be one of {', '.join(penalties)}, not "
            f"{penalty!r}."
        )
    for given, takers in (("strength", strong), ("lasso", with_lasso)):
        if getattr(options, given) is not None and penalty not in takers:
            raise InputError(
                f"--{given} does not go with the learner {name} and the penalty {penalty}."
            )
    return make(penalty, options)


def penalties_help(learners: Mapping[str, Entry]) -> str:
    """Return the penalties of those learners that know more than one, as help says them."""
    several = [
        f"{name}: {', '.join(entry.penalties)}"
        for name, entry in learners.items()
        if len(entry.penalties) > 1
    ]
    return "; ".join(several) + ". Without it, the first."


def _given(**parameters: object) -> dict[str, Any]:
    """Return the parameters that are not None."""
    return {name: value for name, value in parameters.items() if value is not None}


def _online(name: str, penalty: str, options: LearnerOptions) -> object:
    from laconic.core.solvers import online

    return getattr(online, name)(**_given(epochs=options.epochs), random_state=options.seed)


def _sparseptron(penalty: str, options: LearnerOptions) -> object:
    from laconic.core.solvers.online_sparse import Sparseptron

    groups = "coarse to fine" if penalty == "coarse-to-fine" else "templates"
    chosen = _given(
        budget=options.budget,
        epochs=options.epochs,
        every=options.every,
        group_weight=options.group_weight,
        lasso=options.lasso,
    )
    return Sparseptron(groups=groups, **chosen, random_state=options.seed)


def _rda(penalty: str, options: LearnerOptions) -> object:
    from laconic.core.solvers.online_sparse import Rda

    return Rda(**_given(lasso=options.strength, epochs=options.epochs), random_state=options.seed)


def _fobos(penalty: str, options: LearnerOptions) -> object:
    from laconic.core.solvers.online_sparse import Fobos

    groups = "rows" if penalty == "label-group" else "weights"
    lasso, ridge = (
        (options.lasso, options.strength) if penalty == "elastic" else (options.strength, None)
    )
    chosen = _given(lasso=lasso, ridge=ridge, epochs=options.epochs, every=options.every)
    return Fobos(groups=groups, **chosen, random_state=options.seed)


def _stochastic(loss: str, penalty: str, options: LearnerOptions) -> object:
    from laconic.core.solvers.online import StochasticGradient

    strength = 1e-5 if options.strength is None else options.strength
    ridge = None if penalty == "none" else strength
    return StochasticGradient(
        loss, **_given(epochs=options.epochs, ridge=ridge), random_state=options.seed
    )


def _crf(penalty: str, options: LearnerOptions) -> object:
    from laconic.tag.crf import Crf

    strength = 1.0 if options.strength is None else options.strength
    lasso = 1.0 if options.lasso is None else options.lasso
    extra = _given(lasso=options.lasso)
    group = {"ridge": 0.0, "group": strength}
    parts: dict[str, dict[str, Any]] = {
        "ridge": {"ridge": strength},
        "lasso": {"ridge": 0.0, "lasso": strength},
        "elastic": {"ridge": strength, "lasso": lasso},
        "group": group,
        "sparse-group": {**group, "lasso": lasso},
        "label-group": {**group, "groups": "rows", **extra},
        "tree": {**group, "groups": "tree", **extra},
    }
    chosen = _given(group_weight=options.group_weight, max_iter=options.epochs)
    return Crf(**parts[penalty], **chosen)


_SPARSEPTRON = Entry(
    ("group", "sparse-group", "coarse-to-fine"), _sparseptron, with_lasso=("sparse-group",)
)
_CRF = ("ridge", "lasso", "elastic", "group", "sparse-group", "label-group", "tree")
_CRF_WITH_LASSO = ("elastic", "sparse-group", "label-group", "tree")
_RDA = Entry(("lasso",), _rda, strong=("lasso",))
_FOBOS = ("lasso", "label-group", "elastic")

LEARNERS: dict[str, Entry] = {
    "sparseptron": _SPARSEPTRON,
    "mira": Entry(("none",), partial(_online, "Mira")),
    "perceptron": Entry(("none",), partial(_online, "Perceptron")),
    "crf": Entry(_CRF, _crf, strong=_CRF, with_lasso=_CRF_WITH_LASSO),
    "svm": Entry(("none", "ridge"), partial(_stochastic, "hinge"), strong=("ridge",)),
    "sgd": Entry(("none", "ridge"), partial(_stochastic, "log"), strong=("ridge",)),
    "rda": _RDA,
    "fobos": Entry(_FOBOS, _fobos, strong=_FOBOS, with_lasso=("elastic",)),
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
    "fobos": Entry(
        ("lasso", "elastic"), _fobos, strong=("lasso", "elastic"), with_lasso=("elastic",)
    ),
}
