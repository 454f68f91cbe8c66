"""The stub that nanobind writes of the kernels: few arguments, all of them named and typed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from laconic import _core

MOST = 7
# What may have any type, and why.
UNTYPED: dict[str, str] = {"LossRows.of_python": "any object with value_residual and curvature"}


@cache
def stub() -> ast.Module:
    """The signatures of the module that is in use, written anew by nanobind's generator."""
    stubgen = pytest.importorskip("nanobind.stubgen")
    made = stubgen.StubGen(module=_core)
    made.put(_core)
    return ast.parse(made.get())


def functions() -> Iterator[tuple[str, ast.FunctionDef, bool]]:
    """Name and definition of every function and method, and whether it is the setter of a field."""
    for node in stub().body:
        owner = node.name if isinstance(node, ast.ClassDef) else ""
        for entry in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(entry, ast.FunctionDef):
                setter = any(
                    isinstance(mark, ast.Attribute) and mark.attr == "setter"
                    for mark in entry.decorator_list
                )
                yield f"{owner}.{entry.name}".lstrip("."), entry, setter


def arguments(function: ast.FunctionDef) -> list[ast.arg]:
    """All arguments but self."""
    given = function.args
    found = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return [argument for argument in found if argument.arg not in ("self", "cls")]


def test_there_are_signatures_of_all_rooms() -> None:
    names = {name for name, _, _ in functions()}
    assert {"loss_conjugate", "Tagger.learn", "Parser.parse", "solve_codes", "Miner.add"} <= names


def test_no_call_has_many_arguments() -> None:
    """Fields of parameter structs are given by name alone, and are not counted."""
    many = {
        name: len(function.args.posonlyargs + function.args.args) - 1
        for name, function, _ in functions()
        if len(arguments(function)) - len(function.args.kwonlyargs) > MOST
    }
    assert not many, many


def test_arguments_have_names() -> None:
    for name, function, setter in functions():
        if setter or (name.endswith(("__", "__init__")) and not arguments(function)):
            continue
        assert not function.args.vararg and not function.args.kwarg, name
        for argument in arguments(function):
            assert not argument.arg.startswith("arg"), f"{name}: {argument.arg}"


def test_arguments_and_results_have_types() -> None:
    untyped = set()
    for name, function, _ in functions():
        assert function.returns is not None, name
        types = [function.returns, *(a.annotation for a in arguments(function) if a.annotation)]
        assert all(a.annotation is not None for a in arguments(function)), name
        words = {node.id for kind in types for node in ast.walk(kind) if isinstance(node, ast.Name)}
        if words & {"object", "Any"}:
            untyped.add(name)
    assert untyped == set(UNTYPED)


def test_parameter_structs_take_their_fields_by_name() -> None:
    with pytest.raises(TypeError):
        _core.DescentLimits(1e-6, 5)  # type: ignore[misc]
    limits = _core.DescentLimits(tolerance=1e-6, max_rounds=5)
    assert (limits.tolerance, limits.max_rounds, limits.max_passes) == (1e-6, 5, 200)
