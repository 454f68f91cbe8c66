"""Options that a function declares, and the arguments that given options make for it."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import SimpleNamespace, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from laconic.cli.constructors import Parameter, parameters_of
from laconic.errors import InputError
from laconic.models.option import Option, Parameters, read_one_strength

EMPTY = inspect.Parameter.empty
# Constructor parameters that every command offers under one name and with one meaning.
COMMON: dict[str, Option] = {
    "random_state": Option(
        "Seed of everything that is random.", flag="--seed", metavar="N", minimum=0
    ),
    "n_jobs": Option("Number of threads; -1 for all cores.", flag="--jobs", metavar="N"),
    "tol": Option("Certificate at which the solver stops.", above=0),
    "max_iter": Option("Number of steps of the solver, at most.", minimum=1),
    "strength": Option("Strength of the penalty.", parse=read_one_strength),
    "lasso": Option("Strength of the extra lasso, beside the penalty.", minimum=0),
    "ridge": Option("Strength of the extra ridge, beside the penalty.", minimum=0),
    "min_count": Option(minimum=1),
}


class Slot(NamedTuple):
    """One option of a function.

    target: the parameter it sets, or the group of parameters and the name within it; type: what
    the command line reads it as; argument: whether it is given by place and not by name.
    """

    target: tuple[str, ...]
    type: Any
    default: object
    option: Option
    argument: bool = False

    @property
    def flags(self) -> tuple[str, ...]:
        """Return the names on the command line, the long one first; none of an argument."""
        return () if self.argument else tuple(self.option.flag.split(","))

    @property
    def key(self) -> str:
        """Return the one name by which a value that was given is known."""
        if self.argument:
            return self.target[-1]
        return self.flags[0].split("/")[0].strip("-").replace("-", "_")

    @property
    def name(self) -> str:
        """Return the option as messages name it."""
        return self.option.metavar if self.argument else self.flags[0].split("/")[0]


def slots_of(function: Callable[..., object]) -> list[Slot]:
    """Return the options of a function: its parameters with an `Option`, and groups of them."""
    found: list[Slot] = []
    for parameter in inspect.signature(function).parameters.values():
        hint = _hint(function, parameter)
        declared = [one for one in get_args(hint)[1:] if isinstance(one, Option | Parameters)]
        by_name = parameter.kind is parameter.KEYWORD_ONLY
        if get_origin(hint) is Annotated and declared:
            if isinstance(declared[0], Parameters):
                found += _constructor_slots(parameter.name, declared[0])
            else:
                found.append(
                    _slot((parameter.name,), hint, parameter.default, declared[0], not by_name)
                )
        elif by_name and (form := _form(hint)) is not None:
            found += _fields(parameter.name, form)
    return found


def bind(function: Callable[..., object], given: Mapping[str, object]) -> dict[str, Any]:
    """Return the arguments of a function that options make, checked; `given` by `Slot.key`.

    What was not given keeps the function's own default.
    """
    arguments: dict[str, Any] = {}
    forms: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        hint = _hint(function, parameter)
        if any(isinstance(one, Parameters) for one in get_args(hint)[1:]):
            arguments[parameter.name] = {}
        elif parameter.kind is parameter.KEYWORD_ONLY and (form := _form(hint)) is not None:
            arguments[parameter.name], forms[parameter.name] = {}, form
    for slot in slots_of(function):
        if slot.key in given:
            place = arguments if len(slot.target) == 1 else arguments[slot.target[0]]
            place[slot.target[-1]] = checked(slot, given[slot.key])
    return arguments | {name: form(**arguments[name]) for name, form in forms.items()}


def checked(slot: Slot, value: object) -> object:
    """Return the value of an option, parsed; InputError if it cannot be."""
    option = slot.option
    if option.choices and value not in option.choices:
        raise InputError(f"{slot.name} must be one of {', '.join(option.choices)}, not {value!r}.")
    if isinstance(value, int | float):
        low, above = option.minimum, option.above
        if low is not None and not (math.isfinite(value) and value >= low):
            raise InputError(f"{slot.name} must be a number of at least {low:g}, not {value}.")
        if above is not None and not (math.isfinite(value) and value > above):
            raise InputError(f"{slot.name} must be a number above {above:g}, not {value}.")
    if option.parse is None or not isinstance(value, str):
        return value
    try:
        return option.parse(value)
    except InputError as error:
        raise InputError(f"{slot.name} {error}") from None


def numbers(text: str) -> tuple[int, ...]:
    """Return whole numbers that are separated by commas."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"takes numbers with commas between them, such as 3,6, not {text!r}."
        ) from None


def _form(hint: object) -> type | None:
    """Return the NamedTuple that groups several options; None if the hint is something else."""
    return hint if isinstance(hint, type) and hasattr(hint, "_fields") else None


def _hint(function: Callable[..., object], parameter: inspect.Parameter) -> object:
    """Return the annotation of a parameter; None if only type checkers can see it."""
    if parameter.annotation is EMPTY or parameter.kind is parameter.VAR_KEYWORD:
        return None
    while isinstance(function, partial):
        function = function.func
    names = getattr(inspect.unwrap(function), "__globals__", None)
    alone = SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    try:
        return get_type_hints(alone, names, include_extras=True)[parameter.name]
    except NameError:
        if parameter.kind is parameter.KEYWORD_ONLY:
            raise
        return None


def _fields(group: str, form: type) -> Iterator[Slot]:
    """Yield the options that the fields of a NamedTuple declare."""
    defaults: dict[str, object] = form._field_defaults  # type: ignore[attr-defined]
    for name, hint in get_type_hints(form, include_extras=True).items():
        option = next(one for one in get_args(hint)[1:] if isinstance(one, Option))
        yield _slot((group, name), hint, defaults.get(name, EMPTY), option)


def _constructor_slots(group: str, parameters: Parameters) -> Iterator[Slot]:
    """Yield the options for parameters of a constructor, in the order in which they are listed."""
    known = parameters_of(parameters.of)
    for panel, names in parameters.panels.items():
        for name in names:
            own = known[name]
            differs = parameters.options.get(name, Option())
            option = _completed(name, differs, own, panel)
            kind = own.type
            if kind is tuple:
                kind, option = str, replace(option, parse=option.parse or numbers)
            default = None if differs.parse else own.default
            yield Slot((group, name), str if option.parse else kind, default, option)


def _slot(
    target: tuple[str, ...], hint: object, default: object, option: Option, argument: bool = False
) -> Slot:
    known = parameters_of(option.of).get(target[-1]) if option.of else None
    option = _completed(target[-1], option, known, option.panel)
    if known is not None and default is None:
        default = known.default
    kind = str if option.parse else _plain(get_args(hint)[0])
    return Slot(target, kind, default, option, argument)


def _completed(name: str, option: Option, known: Parameter | None, panel: str) -> Option:
    """Fill in what an option leaves to the common ones, and to the constructor."""
    common = COMMON.get(name, Option()) if known is not None else Option()
    return replace(
        option,
        help=option.help or common.help or (known.help if known else ""),
        flag=option.flag or common.flag or f"--{name.replace('_', '-')}",
        metavar=option.metavar or common.metavar,
        panel=option.panel or panel,
        minimum=common.minimum if option.minimum is None else option.minimum,
        above=common.above if option.above is None else option.above,
    )


def _plain(hint: object) -> object:
    """Return the type without None."""
    if get_origin(hint) in (Union, UnionType):
        return next(one for one in get_args(hint) if one is not type(None))
    return hint
