"""Learners of taggers by name: which penalties each knows, and the parameter object that the options make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from laconic.errors import InputError


class Wishes(NamedTuple):
    """Options of `laconic train tag`; None is the learner's own default."""

    penalty: str | None = None
    strength: float | None = None
    lasso: float | None = None
    budget: int = 30
    epochs: int | None = None
    every: int | None = None
    group_weight: str | None = None
    seed: int = 0


class Entry(NamedTuple):
    """The penalties that a learner knows, its default first, and how it is made."""

    penalties: tuple[str, ...]
    make: Callable[[str, Wishes], Any]


def make_learner(name: str, wishes: Wishes, option: str = "--learner") -> Any:
    """The parameter object of a learner; InputError if there is none, or if it does not know the penalty."""
    if name not in LEARNERS:
        raise InputError(f"{option} is one of {', '.join(LEARNERS)}, not {name!r}.")
    penalties, make = LEARNERS[name]
    penalty = penalties[0] if wishes.penalty is None else wishes.penalty
    if penalty not in penalties:
        raise InputError(f"--penalty of the learner {name} is one of {', '.join(penalties)}, not {penalty!r}.")
    for given, takers in (("strength", STRONG), ("lasso", WITH_LASSO)):
        if getattr(wishes, given) is not None and penalty not in takers.get(name, ()):
            raise InputError(f"--{given} does not go with the learner {name} and the penalty {penalty}.")
    return make(penalty, wishes)


def _given(**parameters: Any) -> dict[str, Any]:
    """The parameters that are not None."""
    return {name: value for name, value in parameters.items() if value is not None}


def _perceptron(penalty: str, wishes: Wishes) -> Any:
    from laconic import Perceptron

    return Perceptron(**_given(epochs=wishes.epochs), random_state=wishes.seed)


def _mira(penalty: str, wishes: Wishes) -> Any:
    from laconic import Mira

    return Mira(**_given(epochs=wishes.epochs), random_state=wishes.seed)


def _sparseptron(penalty: str, wishes: Wishes) -> Any:
    from laconic import Sparseptron

    groups = "coarse to fine" if penalty == "coarse-to-fine" else "templates"
    chosen = _given(epochs=wishes.epochs, every=wishes.every, group_weight=wishes.group_weight, lasso=wishes.lasso)
    return Sparseptron(wishes.budget, groups=groups, **chosen, random_state=wishes.seed)


def _rda(penalty: str, wishes: Wishes) -> Any:
    from laconic import Rda

    return Rda(**_given(lasso=wishes.strength, epochs=wishes.epochs), random_state=wishes.seed)


def _fobos(penalty: str, wishes: Wishes) -> Any:
    from laconic import Fobos

    groups = "rows" if penalty == "label-group" else "weights"
    lasso, ridge = (wishes.lasso, wishes.strength) if penalty == "elastic" else (wishes.strength, None)
    chosen = _given(lasso=lasso, ridge=ridge, epochs=wishes.epochs, every=wishes.every)
    return Fobos(groups=groups, **chosen, random_state=wishes.seed)


def _stochastic(loss: str) -> Callable[[str, Wishes], Any]:
    def make(penalty: str, wishes: Wishes) -> Any:
        from laconic import StochasticGradient

        ridge = None if penalty == "none" else wishes.strength if wishes.strength is not None else 1e-5
        return StochasticGradient(loss, **_given(epochs=wishes.epochs, ridge=ridge), random_state=wishes.seed)

    return make


def _crf(penalty: str, wishes: Wishes) -> Any:
    from laconic import Crf

    strength = 1.0 if wishes.strength is None else wishes.strength
    lasso = 1.0 if wishes.lasso is None else wishes.lasso
    parts: dict[str, dict[str, Any]] = {
        "ridge": {"ridge": strength},
        "lasso": {"ridge": 0.0, "lasso": strength},
        "elastic": {"ridge": strength, "lasso": lasso},
        "group": {"ridge": 0.0, "group": strength},
        "sparse-group": {"ridge": 0.0, "group": strength, "lasso": lasso},
        "label-group": {"ridge": 0.0, "group": strength, "groups": "rows", **_given(lasso=wishes.lasso)},
        "tree": {"ridge": 0.0, "group": strength, "groups": "tree", **_given(lasso=wishes.lasso)},
    }
    return Crf(**parts[penalty], **_given(group_weight=wishes.group_weight, max_iter=wishes.epochs))


LEARNERS: dict[str, Entry] = {
    "sparseptron": Entry(("group", "sparse-group", "coarse-to-fine"), _sparseptron),
    "mira": Entry(("none",), _mira),
    "perceptron": Entry(("none",), _perceptron),
    "crf": Entry(("ridge", "lasso", "elastic", "group", "sparse-group", "label-group", "tree"), _crf),
    "svm": Entry(("none", "ridge"), _stochastic("hinge")),
    "sgd": Entry(("none", "ridge"), _stochastic("log")),
    "rda": Entry(("lasso",), _rda),
    "fobos": Entry(("lasso", "label-group", "elastic"), _fobos),
}
# Which penalties of which learners take a --strength, and which a --lasso beside it.
STRONG: dict[str, tuple[str, ...]] = {
    "crf": LEARNERS["crf"].penalties,
    "svm": ("ridge",),
    "sgd": ("ridge",),
    "rda": LEARNERS["rda"].penalties,
    "fobos": LEARNERS["fobos"].penalties,
}
WITH_LASSO: dict[str, tuple[str, ...]] = {
    "sparseptron": ("sparse-group",),
    "crf": ("elastic", "sparse-group", "label-group", "tree"),
    "fobos": ("elastic",),
}
