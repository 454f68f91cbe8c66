"""Options of the command line, declared where the parameter is that they set.

An option is declared in one of three ways, and the command is built from it
(laconic/cli/command.py):

- `dev: Annotated[str | None, Option("Labelled documents to report scores on.")] = None`, as a
  keyword-only parameter of a kind's function, or as a field of a NamedTuple that such a parameter
  is annotated with;
- `Parameters(...)`: parameters of a constructor, whose names, types, defaults and descriptions
  are read where the constructor is.

Only what was given on the command line is passed on, so that defaults live in one place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from laconic.errors import InputError

# Parameters of a constructor that were given on the command line, by name.
OptionValues: TypeAlias = dict[str, Any]


STRENGTH_HELP = "Strength of the penalty, or one per term of a sum: lasso=0.5,ridge=0.1."


def read_strength(text: str) -> float | dict[str, float]:
    """Return a strength, or one per term of a sum such as "lasso=0.5,ridge=0.1"."""
    parts = [part.partition("=") for part in text.split(",")]
    try:
        found = {name.strip(): float(value if sign else name) for name, sign, value in parts}
    except ValueError:
        found = {}
    named = all(sign for _, sign, _ in parts)
    if (
        len(found) != len(parts)
        or not all(math.isfinite(value) and value >= 0 for value in found.values())
        or not (named or len(parts) == 1)
    ):
        raise InputError(
            "takes a number of at least 0, or one per term of a sum such as lasso=0.5,ridge=0.1, "
            f"not {text!r}."
        )
    return found if named else next(iter(found.values()))


def read_class_weight(text: str) -> str | dict[str, float]:
    """Return "balanced", or the weight of each label from "spam=5,ham=1"."""
    if text == "balanced":
        return text
    found = read_strength(text) if "=" in text else 0.0
    if not isinstance(found, dict):
        raise InputError(f"takes balanced, or weights such as spam=5,ham=1, not {text!r}.")
    return found


def read_one_strength(text: str) -> float:
    """Return the strength of a penalty that is no sum."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise InputError(f"must be a number of at least 0, not {text!r}.")
    return value


@dataclass(frozen=True)
class Option:
    """One option or argument of a command.

    Parameters
    ----------
    help : str
        One sentence; empty to take the first sentence of what `of` says about the parameter.
    flag : str
        Such as "--jobs" or "--output,-o"; empty for the name of the parameter.
    of : str
        `module:Class` whose constructor parameter of the same name this option sets.
    panel : str
        Heading under which help shows it; empty for the main one.
    metavar : str
        What help calls the value.
    choices : sequence of str
        The values that are allowed, if they are names.
    minimum : float or None
        The value must be a finite number of at least this.
    above : float or None
        The value must be a finite number above this.
    parse : callable or None
        Turns the text given into the value; an InputError without the name of the option if it
        cannot.
    """

    help: str = ""
    flag: str = ""
    of: str = ""
    panel: str = ""
    metavar: str = ""
    choices: Sequence[str] = ()
    minimum: float | None = None
    above: float | None = None
    parse: Callable[[str], object] | None = None


@dataclass(frozen=True)
class Parameters:
    """Constructor parameters that a command offers as options.

    Parameters
    ----------
    of : str
        The class, `module:Class`. It is not imported: its source is read.
    panels : mapping from str to sequence of str
        Names of parameters by the heading under which help shows them.
    options : mapping from str to Option
        What differs from the parameter itself: another flag, another help, a check.
    """

    of: str
    panels: Mapping[str, Sequence[str]]
    options: Mapping[str, Option] = field(default_factory=dict)
