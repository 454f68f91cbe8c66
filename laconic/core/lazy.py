"""Packages whose names are imported when they are asked for, so that a model opens quickly."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazily(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package whose modules are imported for their names.

    Parameters
    ----------
    package : str
        The package's `__name__`.
    homes : mapping from str to sequence of str
        The public names of each of its modules.

    Returns
    -------
    callable
        A function of a name, as PEP 562 has it.
    """
    home = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get
