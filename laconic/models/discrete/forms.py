"""What a kind of model registers to have few weight values (laconic.models.discrete.values):

    posed(model, X, y, penalty, features)   its problem on training data, the point at which it
                                            stands, and the way back from a point to a model
    rounded(model, change)                  a copy with all weights changed
    weights_of(model)                       its non-zero weights, where they are not in coef_

The module that `Kind.discrete` names registers them. A model of an online learner without a batch
problem registers the last two and `relearner`, and its kernel the weights it has
(laconic.core.solvers.online_discrete: read, write).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch, wraps
from typing import Any, NamedTuple

from numpy.typing import NDArray

from laconic.core.arrays import Array
from laconic.core.penalties import ElasticNet
from laconic.core.problem import Objective
from laconic.core.solvers.base import Result
from laconic.models.kind import find, form_of

LASSO = 0.5  # of a refit, where a model does not say with which lasso it was learned
FEATURES = ("model", "data")
Change = Callable[[NDArray[Any]], NDArray[Any]]


class Posed(NamedTuple):
    """The problem of a fitted model, where the model stands, and the model of a result."""

    problem: Objective
    x: Array
    model: Callable[[Result], Any]


def of_kind(function: Callable[..., Any]) -> Any:
    """Dispatch on the model's class, after its kind has registered what it has to."""
    generic = singledispatch(function)

    @wraps(function)
    def call(model: Any, *args: Any, **options: Any) -> Any:
        form = form_of(model)
        if form is not None and form.kind.discrete:
            find(form.kind.discrete)
        return generic(model, *args, **options)

    call.register = generic.register  # type: ignore[attr-defined]
    return call


def _no_form(model: Any) -> ValueError:
    return ValueError(
        f"a model of type {type(model).__name__} has no discrete form; expected a classifier, regressor or tagger"
    )


@of_kind
def posed(
    model: Any, X: Any, y: Any, penalty: ElasticNet | None = None, features: str = "model"
) -> Posed:
    """Return the problem of a fitted model on training data.

    The penalty is that of the model, if none is given. Features are those that have weights in the
    "model", or all that its templates, columns or words have in the "data".
    """
    raise _no_form(model)


@of_kind
def rounded(model: Any, change: Change) -> Any:
    """Return a copy of a fitted model with all weights changed."""
    raise _no_form(model)


@of_kind
def weights_of(model: Any) -> Array:
    """Return all non-zero weights of a fitted model; intercepts are not among them."""
    weights: Array = model.coef_[model.coef_ != 0]
    return weights


def keeps_features(features: str) -> bool:
    """Return whether only the model's features take part."""
    if features not in FEATURES:
        raise ValueError(f"features must be 'model' or 'data', got {features!r}")
    return features == "model"
