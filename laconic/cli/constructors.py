"""Parameters of constructors, read from source: `--help` needs names, defaults and descriptions.

Importing an estimator takes more than a second, reading its source some milliseconds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

SECTION = "Parameters"
SCALARS: tuple[type, ...] = (bool, int, float, str)
# "name : type", "first, second : type" or "name" at the left margin of the section.
ENTRY = re.compile(r"(?P<names>\w+(?:, \w+)*)(?: ?:.*)?")
SENTENCE = re.compile(r".*?[.!?](?=\s+[A-Z(]|$)", re.DOTALL)


class Parameter(NamedTuple):
    """One parameter of a constructor.

    type: what the command line reads it as; default: None also where it is not a plain value;
    help: the first sentence of its description.
    """

    type: type
    default: object
    help: str


@cache
def parameters_of(path: str) -> dict[str, Parameter]:
    """Return the constructor parameters of `module:Class`, by name."""
    described: dict[str, str] = {}
    for _, cls in reversed(list(_bases(*path.split(":")))):
        described |= described_in(ast.get_docstring(cls) or "")
    for module, cls in _bases(*path.split(":")):
        for statement in cls.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                return dict(_read(statement.args, _constants(module), described))
    raise ValueError(f"{path} has no constructor")


def described_in(docstring: str) -> dict[str, str]:
    """Return the first sentence of each description in the section `Parameters`."""
    _, found, section = docstring.partition(f"{SECTION}\n{'-' * len(SECTION)}\n")
    sentences: dict[str, str] = {}
    names: list[str] = []
    lines: list[str] = []
    for line in [*(section.split("\n") if found else []), "end"]:
        if not line.strip() or line.startswith(" "):
            lines.append(line.strip())
            continue
        text = " ".join(filter(None, lines))
        sentence = SENTENCE.match(text)
        sentences |= dict.fromkeys(names, sentence[0] if sentence else text)
        entry = ENTRY.fullmatch(line)
        names, lines = (entry["names"].split(", ") if entry else []), []
        if set(line) == {"-"}:  # the heading of the next section was taken for a parameter
            break
    return {name: sentence for name, sentence in sentences.items() if sentence}


def _read(
    given: ast.arguments, constants: dict[str, ast.expr], described: dict[str, str]
) -> Iterator[tuple[str, Parameter]]:
    positional = [*given.posonlyargs, *given.args]
    pairs = list(zip(reversed(positional), reversed(given.defaults), strict=False))
    pairs += [
        (argument, default)
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        if default is not None
    ]
    for argument, node in pairs:
        default = _value(node, constants)
        yield (
            argument.arg,
            Parameter(
                _type(argument.annotation, default), default, described.get(argument.arg, "")
            ),
        )


def _type(annotation: ast.expr | None, default: object) -> type:
    """Return the first plain type that the annotation names, else the type of the default."""
    names = re.findall(r"\w+", ast.unparse(annotation) if annotation else "")
    if "tuple" in names or "Sequence" in names:
        return tuple
    named = (one for name in names for one in SCALARS if one.__name__ == name)
    return next(named, type(default) if isinstance(default, SCALARS) else str)


def _value(node: ast.expr, constants: dict[str, ast.expr]) -> object:
    """Return a literal, a constant of the module, or a product or power of numbers; else None."""
    if isinstance(node, ast.Name) and node.id in constants:
        return _value(constants[node.id], {})
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Pow):
        left, right = _value(node.left, constants), _value(node.right, constants)
        if isinstance(left, int | float) and isinstance(right, int | float):
            return left * right if isinstance(node.op, ast.Mult) else left**right
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _bases(module: str, name: str) -> Iterator[tuple[ast.Module, ast.ClassDef]]:
    """Yield a class and those it inherits from, as far as they are of the same package."""
    tree = _parsed(module)
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef) and statement.name == name:
            yield tree, statement
            for base in statement.bases:
                if isinstance(base, ast.Name):
                    yield from _bases(_home(tree, module, base.id), base.id)


def _home(tree: ast.Module, module: str, name: str) -> str:
    """Return the module that a name of a module comes from."""
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and not statement.level and statement.module:
            same = statement.module.split(".")[0] == module.split(".")[0]
            if same and name in (alias.name for alias in statement.names):
                return statement.module
    return module


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    return {
        target.id: statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


@cache
def _parsed(module: str) -> ast.Module:
    """Return the syntax tree of a module."""
    path = _inside_package(module)
    if path is None:
        spec = find_spec(module)
        path = Path(spec.origin) if spec is not None and spec.origin is not None else None
    if path is None:
        raise ValueError(f"there is no source of the module {module}")
    return ast.parse(path.read_text("utf-8"))


def _inside_package(module: str) -> Path | None:
    """Return the file of a module in a package; `find_spec` would import the packages around it."""
    package, *inner = module.split(".")
    spec = find_spec(package) if inner else None
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent.joinpath(*inner)
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return path if path.is_file() else None
