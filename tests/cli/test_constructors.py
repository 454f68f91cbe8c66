"""Constructors read from source say what the classes themselves say."""

from __future__ import annotations

import inspect

import pytest

from laconic.cli.constructors import described_in, parameters_of
from laconic.cli.kinds import functions_of
from laconic.models.kind import find
from laconic.models.option import Parameters

OFFERED = {
    declared.of: declared
    for function in functions_of("train").values()
    for parameter in inspect.signature(function, eval_str=True).parameters.values()
    for declared in getattr(parameter.annotation, "__metadata__", ())
    if isinstance(declared, Parameters)
}


@pytest.mark.parametrize("path", OFFERED)
def test_names_and_defaults_are_those_of_the_class(path: str) -> None:
    real = inspect.signature(find(path)).parameters
    read = parameters_of(path)
    assert read.keys() == real.keys()
    for name, parameter in read.items():
        if parameter.default is not None:
            assert parameter.default == real[name].default


@pytest.mark.parametrize(
    ("docstring", "sentences"),
    [
        ("One line.", {}),
        ("Parameters\n----------\nsize : int\n", {}),
        (
            "Parameters\n----------\nsize : int, default=3\n    Number of them. At most 9.\n",
            {"size": "Number of them."},
        ),
        (
            "Parameters\n----------\na, b : float\n    Two\n    of e.g. 0.5 each. More.\n\n"
            "Attributes\n----------\nc : int\n    Not this.\n",
            {"a": "Two of e.g. 0.5 each.", "b": "Two of e.g. 0.5 each."},
        ),
        (
            "Parameters\n----------\nname\n    Without a type\n\nlast : str\n    Ends. \n",
            {"name": "Without a type", "last": "Ends."},
        ),
    ],
)
def test_first_sentences(docstring: str, sentences: dict[str, str]) -> None:
    assert described_in(docstring) == sentences


def test_what_has_no_constructor_is_refused() -> None:
    with pytest.raises(ValueError, match="has no constructor"):
        parameters_of("laconic.errors:InputError")
