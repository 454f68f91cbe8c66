"""The parameter `penalty` of estimators: an object, a name or None, and its own parameters."""

from __future__ import annotations

from typing import Any, TypeVar

from sklearn.base import BaseEstimator

from laconic.core.penalties.base import Penalty
from laconic.core.penalties.names import as_penalty

TakesPenaltyT = TypeVar("TakesPenaltyT", bound="TakesPenalty")


class TakesPenalty(BaseEstimator):
    """An estimator with the parameter `penalty`, and perhaps `strength`.

    The penalty is an object, a name, or None for the estimator's default. Its parameters, such as
    `penalty__strength`, can be set and searched in every one of these forms.
    """

    penalty: Any

    def make_penalty(self, given: Penalty | str | None) -> Penalty:
        """Return the penalty that a value of the parameter means.

        Estimators with another default, or with names of their own, override it.
        """
        return as_penalty(given)

    def chosen_penalty(self) -> Penalty:
        """Return the penalty that the parameters mean, checked."""
        return as_penalty(self.make_penalty(self.penalty), getattr(self, "strength", None))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; if deep, those of a penalty given by name or None too.

        Parameters
        ----------
        deep : bool, default=True
            Whether parameters of the penalty and of other parts are among them.

        Returns
        -------
        dict
            Values by name; `penalty__strength` is the strength of the penalty.
        """
        params: dict[str, Any] = super().get_params(deep)
        if deep and (self.penalty is None or isinstance(self.penalty, str)):
            try:
                inner = self.make_penalty(self.penalty)
            except ValueError:  # `fit` says what is wrong with it
                return params
            params.update({f"penalty__{key}": value for key, value in inner.get_params().items()})
        return params

    def set_params(self: TakesPenaltyT, **params: object) -> TakesPenaltyT:
        """Set parameters; `penalty__strength` also where the penalty is a name or None.

        What is said last holds: `penalty__strength` replaces a `strength` of the estimator.

        Parameters
        ----------
        **params : dict
            Values by name.

        Returns
        -------
        self
            The estimator.
        """
        given = params.get("penalty", self.penalty)
        if any(name.startswith("penalty__") for name in params):
            if given is None or isinstance(given, str):
                params["penalty"] = self.make_penalty(given)
            if "penalty__strength" in params and getattr(self, "strength", None) is not None:
                params.setdefault("strength", None)
        super().set_params(**params)
        return self
