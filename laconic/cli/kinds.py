"""Verbs by kind of model: `laconic VERB MODEL` finds the kind in the file and runs that kind's function of the verb's name.

A kind is one module with the functions predict, evaluate, inspect, report and perhaps compress and export; the options a function takes by keyword
are those that the verb has for models of this kind.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from laconic.errors import InputError

MODULES = {kind + form: f"laconic.cli.{kind}" for kind in ("classify", "tag", "parse") for form in ("", ".compact")}
MODULES |= {kind: f"laconic.cli.{kind}" for kind in ("rerank", "lm", "embed", "forecast", "temporal", "sage")}


def verb_for(verb: str, model_path: str, **options: Any) -> Callable[..., dict[str, Any]]:
    """What the verb does with the model of a file, the options that were given (not None or False) filled in."""
    from laconic.estimators.storage import kind_of

    model = _loaded(model_path)
    kind = kind_of(model)
    function = getattr(import_module(MODULES[kind]), verb, None)
    if function is None:
        raise InputError(f"laconic {verb} does not go with {model_path}, which holds a model of the kind {kind!r}.")
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    for name in given:
        if name not in inspect.signature(function).parameters:
            raise InputError(
                f"--{name.replace('_', '-')} does not go with {model_path}, which holds a model of the kind {kind!r}."
            )
    return partial(function, model, **given)


def _loaded(path: str) -> Any:
    """The model of a file of ours, of an ARPA file, or of a file of word vectors."""
    from laconic.estimators.embed import WordVectors
    from laconic.estimators.language import LanguageModel
    from laconic.estimators.storage import load_model
    from laconic.text.arpa import is_arpa
    from laconic.text.vectors import is_word2vec

    if is_word2vec(path):
        return WordVectors.from_word2vec(path)
    return LanguageModel.from_arpa(path) if is_arpa(path) else load_model(path)
