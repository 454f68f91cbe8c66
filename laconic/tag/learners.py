"""Learners of taggers and parsers by name: which penalties each knows, and the parameter object that the options make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from laconic.errors import InputError


class Wishes(NamedTuple):
    """Options of `laconic train tag` and `train parse`; None is the learner's own default."""

    penalty: str | None = None
    strength: float | None = None
    lasso: float | None = None
    budget: int = 30
    epochs: int | None = None
    every: int | None = None
    group_weight: str | None = None
    seed: int = 0


class Entry(NamedTuple):
    """The penalties that a learner knows, its default first, how it is made, and which take a --strength and a --lasso beside it."""

    penalties: tuple[str, ...]
    make: Callable[[str, Wishes], Any]
    strong: tuple[str, ...] = ()
    with_lasso: tuple[str, ...] = ()


def make_learner(
    name: str,
    wishes: Wishes,
    option: str = "--learner",
    learners: Mapping[str, Entry] | None = None,
) -> Any:
    """The parameter object of one of the learners (LEARNERS); InputError if there is none, or if it does not know the penalty."""
    known = LEARNERS if learners is None else learners
    if name not in known:
        raise InputError(f"{option} is one of {', '.join(known)}, not {name!r}.")
    penalties, make, strong, with_lasso = known[name]
    penalty = penalties[0] if wishes.penalty is None else wishes.penalty
    if penalty not in penalties:
        raise InputError(
            f"--penalty of the learner {name} is one of {', '.join(penalties)}, not {penalty!r}."
        )
    for given, takers in (("strength", strong), ("lasso", with_lasso)):
        if getattr(wishes, given) is not None and penalty not in takers:
            raise InputError(
                f"--{given} does not go with the learner {name} and the penalty {penalty}."
            )
    return make(penalty, wishes)


def penalties_help(learners: Mapping[str, Entry]) -> str:
    """The penalties of those learners that know more than one."""
    several = [
        f"{name}: {', '.join(entry.penalties)}"
        for name, entry in learners.items()
        if len(entry.penalties) > 1
    ]
    return "; ".join(several) + ". Without it, the first."


def _given(**parameters: Any) -> dict[str, Any]:
    """The parameters that are not None."""
    return {name: value for name, value in parameters.items() if value is not None}


def _perceptron(penalty: str, wishes: Wishes) -> Any:
    from laconic.core.solvers.online import Perceptron

    return Perceptron(**_given(epochs=wishes.epochs), random_state=wishes.seed)


def _mira(penalty: str, wishes: Wishes) -> Any:
    from laconic.core.solvers.online import Mira

    return Mira(**_given(epochs=wishes.epochs), random_state=wishes.seed)


def _k_best_mira(penalty: str, wishes: Wishes) -> Any:
    from laconic.core.solvers.online import KBestMira

    return KBestMira(**_given(epochs=wishes.epochs), random_state=wishes.seed)


def _sparseptron(penalty: str, wishes: Wishes) -> Any:
    from laconic.core.solvers.online_sparse import Sparseptron

    groups = "coarse to fine" if penalty == "coarse-to-fine" else "templates"
    chosen = _given(
        epochs=wishes.epochs,
        every=wishes.every,
        group_weight=wishes.group_weight,
        lasso=wishes.lasso,
    )
    return Sparseptron(wishes.budget, groups=groups, **chosen, random_state=wishes.seed)


def _rda(penalty: str, wishes: Wishes) -> Any:
    from laconic.core.solvers.online_sparse import Rda

    return Rda(**_given(lasso=wishes.strength, epochs=wishes.epochs), random_state=wishes.seed)


def _fobos(penalty: str, wishes: Wishes) -> Any:
    from laconic.core.solvers.online_sparse import Fobos

    groups = "rows" if penalty == "label-group" else "weights"
    lasso, ridge = (
        (wishes.lasso, wishes.strength) if penalty == "elastic" else (wishes.strength, None)
    )
    chosen = _given(lasso=lasso, ridge=ridge, epochs=wishes.epochs, every=wishes.every)
    return Fobos(groups=groups, **chosen, random_state=wishes.seed)


def _stochastic(loss: str) -> Callable[[str, Wishes], Any]:
    def make(penalty: str, wishes: Wishes) -> Any:
        from laconic.core.solvers.online import StochasticGradient

        ridge = (
            None if penalty == "none" else wishes.strength if wishes.strength is not None else 1e-5
        )
        return StochasticGradient(
            loss, **_given(epochs=wishes.epochs, ridge=ridge), random_state=wishes.seed
        )

    return make


def _crf(penalty: str, wishes: Wishes) -> Any:
    from laconic.tag.crf import Crf

    strength = 1.0 if wishes.strength is None else wishes.strength
    lasso = 1.0 if wishes.lasso is None else wishes.lasso
    parts: dict[str, dict[str, Any]] = {
        "ridge": {"ridge": strength},
        "lasso": {"ridge": 0.0, "lasso": strength},
        "elastic": {"ridge": strength, "lasso": lasso},
        "group": {"ridge": 0.0, "group": strength},
        "sparse-group": {"ridge": 0.0, "group": strength, "lasso": lasso},
        "label-group": {
            "ridge": 0.0,
            "group": strength,
            "groups": "rows",
            **_given(lasso=wishes.lasso),
        },
        "tree": {"ridge": 0.0, "group": strength, "groups": "tree", **_given(lasso=wishes.lasso)},
    }
    return Crf(**parts[penalty], **_given(group_weight=wishes.group_weight, max_iter=wishes.epochs))


_SPARSEPTRON = Entry(
    ("group", "sparse-group", "coarse-to-fine"), _sparseptron, with_lasso=("sparse-group",)
)
_CRF = ("ridge", "lasso", "elastic", "group", "sparse-group", "label-group", "tree")
_RDA = Entry(("lasso",), _rda, strong=("lasso",))

LEARNERS: dict[str, Entry] = {
    "sparseptron": _SPARSEPTRON,
    "mira": Entry(("none",), _mira),
    "perceptron": Entry(("none",), _perceptron),
    "crf": Entry(
        _CRF, _crf, strong=_CRF, with_lasso=("elastic", "sparse-group", "label-group", "tree")
    ),
    "svm": Entry(("none", "ridge"), _stochastic("hinge"), strong=("ridge",)),
    "sgd": Entry(("none", "ridge"), _stochastic("log"), strong=("ridge",)),
    "rda": _RDA,
    "fobos": Entry(
        ("lasso", "label-group", "elastic"),
        _fobos,
        ("lasso", "label-group", "elastic"),
        ("elastic",),
    ),
}
# A feature of a part of a tree has one weight: there are no rows of labels, and all learners see a sentence at a time.
TREE_LEARNERS: dict[str, Entry] = {
    "mira": LEARNERS["mira"],
    "kbest-mira": Entry(("none",), _k_best_mira),
    "perceptron": LEARNERS["perceptron"],
    "sparseptron": _SPARSEPTRON,
    "crf": LEARNERS["sgd"],
    "svm": LEARNERS["svm"],
    "rda": _RDA,
    "fobos": Entry(("lasso", "elastic"), _fobos, ("lasso", "elastic"), ("elastic",)),
}
