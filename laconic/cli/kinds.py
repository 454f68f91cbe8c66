"""Verbs by kind of model: `laconic VERB MODEL` finds the kind in the file and asks that kind.

A kind's `cli` module has a function per verb: train, predict, evaluate, inspect, report, and
perhaps compress, export and demo. The options that a function takes by keyword are those that the
verb has for models of this kind.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from laconic.errors import InputError
from laconic.models.kind import all_kinds, find


def verb_for(verb: str, model_path: str, **options: Any) -> Callable[..., dict[str, Any]]:
    """Return what the verb does with the model of a file, with the given options filled in.

    Options that are None or False were not given.
    """
    from laconic.models.save import storable_form

    model = _loaded(model_path)
    kind = storable_form(model).kind
    function = getattr(find(kind.cli), verb, None) if kind.cli else None
    if function is None:
        raise InputError(
            f"laconic {verb} does not go with {model_path}, which holds a model of the kind {kind.name!r}."
        )
    given = {
        name: value for name, value in options.items() if value is not None and value is not False
    }
    for name in given:
        if name not in inspect.signature(function).parameters:
            raise InputError(
                f"--{name.replace('_', '-')} does not go with {model_path}, which holds a model of the kind {kind.name!r}."
            )
    return partial(function, model, **given)


def _loaded(path: str) -> Any:
    """Return the model of a file of laconic, or of another program whose files a kind reads."""
    from laconic.models.save import load

    for kind in all_kinds():
        if kind.reader:
            reader = find(kind.reader)
            if reader.recognizes(path):
                return reader.read(path)
    return load(path)
