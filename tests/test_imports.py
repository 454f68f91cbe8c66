"""Imports between the packages of laconic go one way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import laconic

PACKAGE = Path(laconic.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# Package -> what it may import from laconic besides itself. A package is a file or folder right
# under laconic/; `__init__` is the public names, `_core` the compiled kernels. "core.ragged"
# allows that one module of a package.
BASE = {"errors", "_core"}
TASK = BASE | {"core", "text", "models", "linear", "version"}
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "version": set(),
    "core": BASE,
    "text": BASE | {"core.arrays", "core.ragged"},
    "models": BASE | {"core", "text"},
    "linear": BASE | {"core", "text", "models", "version"},
    "classify": TASK,
    "tag": TASK,
    "parse": TASK | {"tag"},
    "mine": TASK,
    "rerank": TASK | {"parse", "tag", "mine"},
    "pipeline": TASK | {"parse", "tag"},
    "lm": TASK,
    "embed": TASK,
    "time": TASK | {"classify"},
    "distributed": BASE | {"core", "linear"},
    "report": BASE | {"core", "text", "version"},
    "web": BASE | {"text", "models", "report", "version"},
    "cli": BASE | {"core", "text", "models", "report", "web", "version"},
    "__init__": {"models.kind", "version"},
    "runtime": BASE | {"models", "text"},
    "__main__": {"cli"},
}
TASKS = {"classify", "tag", "parse", "mine", "rerank", "pipeline", "lm", "embed", "time"}
# What only the leaves of a task may import besides: its commands the shared parts of the command
# line, its pages and plots the shared parts of pages.
LEAVES = {"cli": {"cli"}, "train": {"cli"}, "page": {"report"}, "plots": {"report"}}
# The rooms of core: loss, penalty and solver stand apart, a solver knows penalties by protocol.
CORE: dict[str, set[str]] = {
    "arrays": set(),
    "backend": {"problem"},
    "lazy": set(),
    "report": set(),
    "ragged": set(),
    "threads": set(),
    "parameters": set(),
    "groups": {"ragged"},
    "grouping": {"groups", "ragged"},
    "groups_like": {"groups", "ragged"},
    "inference": {"ragged"},
    "designs": {"groups", "ragged"},
    "losses": {"inference", "lazy"},
    "penalties": {"groups", "groups_like", "lazy", "ragged"},
    "problem": {"groups", "ragged", "designs", "inference", "losses", "penalties"},
    "solvers": {"groups", "ragged", "designs", "inference", "penalties", "problem"},
    "checks": {"groups", "ragged", "designs", "losses", "penalties", "problem", "solvers"},
}


def dotted_name(path: Path) -> str:
    """laconic/text/vocab.py -> laconic.text.vocab; a folder's __init__.py is the folder."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a module; it is read once for all tests of the source."""
    return ast.parse(path.read_text("utf-8"))


def imported(tree: ast.AST, package: str, typing_too: bool = True) -> Iterator[str]:
    """Yield the dotted names of all that is imported anywhere in a module of `package`.

    Relative imports are made absolute, imports inside functions count; those that only type
    checkers see may be left out.
    """
    unseen = set() if typing_too else {id(node) for node in typing_only(tree)}
    for node in ast.walk(tree):
        if id(node) in unseen:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            parents = parts[: len(parts) + 1 - node.level] if node.level else []
            source = ".".join([*parents, *filter(None, [node.module])])
            yield from (f"{source}.{alias.name}" for alias in node.names)


def typing_only(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of `if TYPE_CHECKING:` blocks."""
    for block in ast.walk(tree):
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test):
            for statement in block.body:
                yield from ast.walk(statement)


def room_of(module: str) -> str:
    return module.split(".")[1]


def allowed_for(module: str) -> set[str]:
    """Return what a module may import: of its own package, of others, and what leaves may."""
    room = room_of(module)
    allowed = ALLOWED[room] | {room}
    if room in TASKS | {"linear"}:
        allowed |= LEAVES.get(module.split(".")[-1], set())
    if room == "core" and module.count(".") > 1:
        inner = module.split(".")[2]
        within = {inner, "arrays", "parameters", "report", "threads"} | CORE[inner]
        allowed = ALLOWED[room] | {f"core.{entry}" for entry in within}
    return allowed


def forbidden_edges(tree: ast.Module, module: str, is_package: bool = False) -> list[str]:
    """Return the imports of `module` that the tables do not allow."""
    package = module if is_package else module.rpartition(".")[0]
    allowed = allowed_for(module)
    wrong = []
    for name in imported(tree, package, typing_too=False):
        if name.split(".")[0] != "laconic":
            continue
        target = name.removeprefix("laconic").removeprefix(".")
        if target.split(".")[0] not in ALLOWED.keys() | {"_core"}:
            # A public name, `from laconic import TextClassifier`, and not a room.
            target = f"__init__.{target}".removesuffix(".")
        if not any(f"{target}.".startswith(f"{entry}.") for entry in allowed):
            wrong.append(name)
    return wrong


def test_a_module_imports_only_what_its_room_may() -> None:
    wrong = {}
    for path in MODULES:
        module = dotted_name(path)
        assert room_of(module) in ALLOWED, f"{module}: a new room; say in ALLOWED what it may do"
        wrong[module] = forbidden_edges(tree_of(path), module, path.name == "__init__.py")
    assert {module: names for module, names in wrong.items() if names} == {}


@cache
def module_graph() -> dict[str, set[str]]:
    """Return the modules of laconic that each module imports, at its top or inside functions."""
    known = {dotted_name(path): path for path in MODULES}
    graph = {}
    for module, path in known.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        names = imported(tree_of(path), package, typing_too=False)
        found = {part for name in names for part in (name, name.rpartition(".")[0])}
        graph[module] = (found & known.keys()) - {module}
    return graph


def test_no_cycle_of_modules() -> None:
    list(TopologicalSorter(module_graph()).static_order())  # CycleError names the modules


def test_commands_and_pages_are_leaves() -> None:
    """Only commands and pages import commands and pages."""
    for module, found in module_graph().items():
        leaves = {name for name in found if name.split(".")[-1] in ("cli", "train", "page")}
        leaves = {name for name in leaves if room_of(name) in TASKS}
        assert not leaves or module.split(".")[-1] in LEAVES, f"{module} imports {leaves}"


def test_the_tables_themselves_go_one_way() -> None:
    for table in (ALLOWED, CORE):
        rooms = {
            room: {entry.split(".")[0] for entry in entries} for room, entries in table.items()
        }
        rooms.pop("__init__", None)
        list(
            TopologicalSorter(rooms).static_order()
        )  # CycleError if two rooms may import each other
    for shared in ("core", "text", "models", "report", "cli"):
        assert not ALLOWED[shared] & TASKS
    for apart, others in {
        "losses": "penalties",
        "penalties": "losses",
        "solvers": "losses",
    }.items():
        assert others not in CORE[apart]
    assert not {"solvers"} & (CORE["losses"] | CORE["penalties"])


@pytest.mark.parametrize(
    ("module", "source", "wrong"),
    [
        ("laconic.text.vocab", "from laconic.errors import InputError", []),
        ("laconic.text.vocab", "from laconic.text import io", []),
        ("laconic.text.vocab", "import laconic.core.groups", ["laconic.core.groups"]),
        ("laconic.text.vocab", "from laconic.core import groups", ["laconic.core.groups"]),
        ("laconic.text.vocab", "from ..core import groups", ["laconic.core.groups"]),
        ("laconic.text.vocab", "from . import io", []),
        (
            "laconic.text.vocab",
            "def f():\n    import laconic.cli.console as c",
            ["laconic.cli.console"],
        ),
        ("laconic.text.vocab", "from laconic import TextClassifier", ["laconic.TextClassifier"]),
        ("laconic.text.vocab", "import laconic", ["laconic"]),
        ("laconic.text.vocab", "import laconically.cli, numpy", []),
        ("laconic.text.vocab", "if TYPE_CHECKING:\n    from laconic.tag.model import Tagger", []),
        ("laconic.models.file", "from laconic.text.io import atomic_writer", []),
        (
            "laconic.models.kind",
            "from laconic.tag.model import Tagger",
            ["laconic.tag.model.Tagger"],
        ),
        (
            "laconic.core.losses",
            "from laconic.core.penalties import L1",
            ["laconic.core.penalties.L1"],
        ),
        ("laconic.core.losses", "from laconic.text import io", ["laconic.text.io"]),
        (
            "laconic.core.penalties.tree",
            "from laconic.core.solvers.fista import Fista",
            ["laconic.core.solvers.fista.Fista"],
        ),
        (
            "laconic.core.solvers.fista",
            "from laconic.core.losses import log",
            ["laconic.core.losses.log"],
        ),
        ("laconic.core.solvers.fista", "from laconic._core import prox", []),
        (
            "laconic.tag.model",
            "from laconic.parse.model import Parser",
            ["laconic.parse.model.Parser"],
        ),
        ("laconic.parse.model", "from laconic.tag.model import Tagger", []),
        ("laconic.tag.model", "from laconic.cli.console import Bar", ["laconic.cli.console.Bar"]),
        ("laconic.tag.cli", "from laconic.cli.console import Bar", []),
        ("laconic.tag.store", "from laconic.version import __version__", []),
        ("laconic.cli.main", "from laconic.version import __version__", []),
        ("laconic.cli.predict", "from laconic.tag.cli import predict", ["laconic.tag.cli.predict"]),
    ],
)
def test_the_check_of_edges_sees(module: str, source: str, wrong: list[str]) -> None:
    assert forbidden_edges(ast.parse(source), module) == wrong


def test_the_check_of_edges_knows_packages() -> None:
    inside, outside = ast.parse("from . import io"), ast.parse("from ..cli import main")
    assert forbidden_edges(inside, "laconic.text", is_package=True) == []
    found = forbidden_edges(outside, "laconic.text", is_package=True)
    assert found == ["laconic.cli.main"]
