"""The shape of the code: short functions, few arguments, lines that fit, every type named once."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from test_imports import MODULES, PACKAGE, dotted_name, tree_of

MOST_LINES = 60  # of a function, its docstring aside
MOST_ARGUMENTS = 12  # of a function, `self` aside; constructors of estimators may have more
WIDEST = 100  # columns of a line

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST) -> Iterator[Function]:
    """Yield all functions, methods and functions inside functions."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def n_lines(function: Function) -> int:
    """Return the lines of a function from `def` to its end, without its docstring."""
    total = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is None:
        return total
    said = function.body[0]
    return total - ((said.end_lineno or 0) - said.lineno + 1)


def n_arguments(function: Function) -> int:
    """Return the number of arguments that a caller may give."""
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"])) + bool(given.vararg) + bool(given.kwarg)


def type_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names of classes and type aliases at the top of a module.

    An alias is annotated as `TypeAlias`, or a name in capitals and small letters that is bound to
    a type, such as `Span = tuple[int, int]`, to a union or to a type variable.
    """
    blocks = (node.body if isinstance(node, ast.If) else [node] for node in tree.body)
    for node in (node for block in blocks for node in block):
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and "TypeAlias" in ast.unparse(node.annotation):
            yield ast.unparse(node.target)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name.lstrip("_")[:1].isupper() and len(name) > 1 and not name.isupper():
                if isinstance(node.value, ast.Subscript | ast.BinOp | ast.Call):
                    yield name


def wide_lines(text: str) -> list[int]:
    """Return the numbers of lines that are too wide."""
    return [number for number, line in enumerate(text.splitlines(), 1) if len(line) > WIDEST]


def test_functions_are_short_and_lines_fit() -> None:
    long, many, wide = {}, {}, {}
    for path in MODULES:
        module = dotted_name(path)
        for f in functions(tree_of(path)):
            if n_lines(f) > MOST_LINES:
                long[f"{module}.{f.name}"] = n_lines(f)
            if n_arguments(f) > MOST_ARGUMENTS and f.name != "__init__":
                many[f"{module}.{f.name}"] = n_arguments(f)
        if found := wide_lines(path.read_text("utf-8")):
            wide[module] = found
    assert (long, many, wide) == ({}, {}, {})


def test_no_type_name_is_defined_twice() -> None:
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for name in type_names(tree_of(path)):
            homes[name].append(str(path.relative_to(PACKAGE)))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_the_checks_see() -> None:
    source = '''
class Kind: pass
Span = tuple[int, int]
Alias: TypeAlias = int
Either = int | str
T = TypeVar("T")
Found = TypeVar("Found")
SIZE = dict[str, int]
value = dict[str, int]
if TYPE_CHECKING:
    class Lazy: pass
def outer(self, a, /, b, *rest, c=1, **more):
    """One line

    and another.
    """
    def inner(): return 1
    return inner
'''
    tree = ast.parse(source)
    assert list(type_names(tree)) == ["Kind", "Span", "Alias", "Either", "Found", "Lazy"]
    outer, inner = functions(tree)
    assert (n_lines(outer), n_arguments(outer)) == (3, 5)
    assert (n_lines(inner), n_arguments(inner)) == (1, 0)
    assert wide_lines("x" * 100 + "\n" + "x" * 101) == [2]
