"""What a kind of model registers to have few weight values (laconic.models.discrete.values).

    posed(model, X, y, penalty, features)   its problem on training data, the point at which it
                                            stands, and the way back from a point to a model
    rounded(model, change)                  a copy with all weights changed
    weights_of(model)                       its non-zero weights, where they are not in coef_
    rounding_power(model)                   how much more an error in a large weight counts

The module that `Kind.discrete` names registers them. A model of an online learner without a batch
problem registers the last two and `relearner`, and its kernel the weights it has
(laconic.core.solvers.online_discrete: read, write).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch, update_wrapper
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar

from numpy.typing import NDArray

from laconic.core.arrays import Array
from laconic.core.penalties import ElasticNet
from laconic.core.problem import Objective
from laconic.core.solvers.base import Result
from laconic.models.kind import find, form_of

LASSO = 0.5  # of a refit, where a model does not say with which lasso it was learned
FEATURES = ("model", "data")
Change = Callable[[NDArray[Any]], NDArray[Any]]

P = ParamSpec("P")
R = TypeVar("R")
FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


class Posed(NamedTuple):
    """The problem of a fitted model, the point of the model, and the model of a result."""

    problem: Objective
    x: Array
    model: Callable[[Result], Any]


class OfKind(Generic[P, R]):
    """A function of a model, dispatched on the model's class after its kind has registered it.

    Parameters
    ----------
    function : callable
        Called for models of classes that have registered nothing.
    """

    def __init__(self, function: Callable[P, R]) -> None:
        update_wrapper(self, function)
        self._dispatch = singledispatch(function)

    def __call__(self, *args: P.args, **options: P.kwargs) -> R:
        """Call the function that was registered for the class of the first argument.

        A compact model is turned into a plain one, which needs names.
        """
        form = form_of(args[0])
        if form is not None and form.kind.discrete:
            find(form.kind.discrete)
        first: Any = args[0]
        if form is not None and form.compact:
            first = first.plain()
        return self._dispatch(first, *args[1:], **options)  # type: ignore[arg-type]

    def register(self, function: FunctionT) -> FunctionT:
        """Register a function for the class that its first annotation names."""
        self._dispatch.register(function)
        return function


def _no_form(model: object) -> ValueError:
    return ValueError(
        f"a model of type {type(model).__name__} has no discrete form; "
        "expected a classifier, regressor or tagger"
    )


@OfKind
def posed(
    model: object,
    X: object,
    y: object,
    penalty: ElasticNet | None = None,
    features: str = "model",
) -> Posed:
    """Return the problem of a fitted model on training data.

    The penalty is that of the model, if none is given. Features are those that have weights in the
    "model", or all that its templates, columns or words have in the "data".
    """
    raise _no_form(model)


@OfKind
def rounded(model: object, change: Change) -> Any:
    """Return a copy of a fitted model with all weights changed."""
    raise _no_form(model)


@OfKind
def weights_of(model: Any) -> Array:
    """Return all non-zero weights of a fitted model; intercepts are not among them."""
    if not hasattr(model, "coef_"):
        raise _no_form(model)
    weights: Array = model.coef_[model.coef_ != 0]
    return weights


@OfKind
def rounding_power(model: object) -> float:
    """Return the power of `learned_values` that suits the weights: 0 for those of a lasso or ridge.

    It is 1 for dense averages of online learners.
    """
    return 0.0


def keeps_features(features: str) -> bool:
    """Return whether only the model's features take part."""
    if features not in FEATURES:
        raise ValueError(f"features must be 'model' or 'data', got {features!r}")
    return features == "model"
