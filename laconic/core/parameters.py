"""Objects that are their parameters: penalties, losses, solvers, learners, parts of models.

They have the protocol of scikit-learn's estimators, so that its `clone` and searches over nested
parameters (`penalty__strength`) work with them, and need nothing but Python to be imported.
"""

from __future__ import annotations

import inspect
import reprlib
from typing import TYPE_CHECKING, Any, TypeVar

HasParametersT = TypeVar("HasParametersT", bound="HasParameters")
MOST_SHOWN = 30  # entries of a list, tuple or dict
MOST_LETTERS = 700  # of any other value


class HasParameters:
    """The arguments of `__init__`, stored under their names, are parameters."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        if cls.__init__ is object.__init__:
            return []
        kinds = inspect.signature(cls.__init__).parameters
        return sorted(
            name
            for name, one in kinds.items()
            if name != "self" and one.kind is not inspect.Parameter.VAR_KEYWORD
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Whether those of parameters that have parameters are there too, as `name__inner`.
        """
        found = {}
        for name in self._get_param_names():
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found.update({f"{name}__{key}": inner for key, inner in value.get_params().items()})
            found[name] = value
        return found

    def set_params(self: HasParametersT, **params: Any) -> HasParametersT:
        """Set parameters by name; `name__inner` sets one of a parameter."""
        nested: dict[str, dict[str, Any]] = {}
        names = self._get_param_names()
        for key, value in params.items():
            name, inside, inner = key.partition("__")
            if name not in names:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {names!r}."
                )
            if inside:
                nested.setdefault(name, {})[inner] = value
            else:
                setattr(self, name, value)
        for name, inner_params in nested.items():
            getattr(self, name).set_params(**inner_params)
        return self

    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(self))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    if TYPE_CHECKING:  # what subclasses and `fit` set

        def __getattr__(self, name: str) -> Any: ...

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        short = reprlib.Repr()
        short.maxlist = short.maxtuple = short.maxdict = short.maxset = MOST_SHOWN
        short.maxstring = short.maxother = short.maxlong = MOST_LETTERS
        shown = (
            f"{name}={short.repr(value)}"
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(defaults[name].default)
        )
        return f"{type(self).__name__}({', '.join(shown)})"
