"""Verbs by kind of model: `laconic VERB MODEL` finds the kind in the file and asks that kind."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from laconic.cli.slots import bind, slots_of
from laconic.errors import InputError
from laconic.models.kind import Kind, all_kinds, find

N_SHOWN = 100  # rows of each listing of a page that shows what `inspect` says


def functions_of(verb: str) -> dict[str, Callable[..., Any]]:
    """Return the function of a verb of every kind that has one, by the name of the kind.

    A package whose commands cannot be imported is one warning, and the others work.
    """
    found = {}
    for kind in all_kinds():
        try:
            function = function_of(kind, verb)
        except ImportError as error:
            warnings.warn(f"the commands of {kind.name} cannot be used ({error}).", stacklevel=2)
            continue
        if function is not None:
            found[kind.name] = function
    return found


def function_of(kind: Kind, verb: str) -> Callable[..., Any] | None:
    """Return what a kind does at a verb; None if the verb does not apply to it."""
    function: Callable[..., Any] | None = getattr(find(kind.cli), verb, None) if kind.cli else None
    if function is None and verb == "report":
        if kind.page:
            return _page_writer(kind.page)
        inspect = function_of(kind, "inspect")
        return None if inspect is None else _inspection_writer(kind, inspect)
    return function


def _page_writer(page: str) -> Callable[..., None]:
    """Return the verb `report` of a kind that has a page, without options of its own."""

    def report(model: object, output: str) -> None:
        """Show what was selected."""
        find(page)(model, output)

    return report


def _inspection_writer(kind: Kind, inspect: Callable[..., dict[str, Any]]) -> Callable[..., None]:
    """Return the verb `report` of a kind without a page: what `inspect` says, as one."""

    def report(model: object, output: str) -> None:
        """Show what `laconic inspect` shows."""
        from laconic.report.inspection import write_inspection

        found = inspect(model, N_SHOWN, True, **bind(inspect, {}))
        write_inspection(f"A model of the kind {kind.name}", found, output)

    return report


def verb_for(
    verb: str, model_path: str, options: Mapping[str, object]
) -> Callable[..., dict[str, Any]]:
    """Return what the verb does with the model of a file, with the given options filled in."""
    from laconic.models.save import storable_form

    model = loaded(model_path)
    kind = storable_form(model).kind
    holds = f"{model_path}, which holds a model of the kind {kind.name!r}."
    function = function_of(kind, verb)
    if function is None:
        raise InputError(f"laconic {verb} does not go with {holds}")
    taken = {slot.key for slot in slots_of(function)}
    for key in options:
        if key not in taken:
            raise InputError(f"--{key.replace('_', '-')} does not go with {holds}")
    return partial(function, model, **bind(function, options))


def loaded(path: str) -> object:
    """Return the model of a file of laconic, or of another program whose files a kind reads."""
    from laconic.models.save import load

    for kind in all_kinds():
        if kind.reader:
            reader = find(kind.reader)
            if reader.recognizes(path):
                found: object = reader.read(path)
                return found
    return load(path)
