"""Imports between the rooms of laconic go one way, and no room can run code that it reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import laconic

PACKAGE = Path(laconic.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# Room -> what it may import from laconic besides itself. A room is a file or folder right under laconic/; `__init__` is
# the public names, `_core` the compiled kernels. "text.io" allows that one module of a room. A room may be listed
# before it is built. Loss, penalty and solver stand apart: a solver knows penalties by their protocol alone.
BASE = {"errors", "ragged", "_core"}
NUMERICS = BASE | {"groups", "grouping", "designs", "inference", "losses", "penalties"}
MODELS = NUMERICS | {"problem", "solvers", "mining", "language", "coding"}
READERS = BASE | {"text", "files", "metrics", "tree_metrics"}
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "ragged": set(),
    "text": BASE,
    "groups": BASE,
    "grouping": BASE | {"groups"},
    "inference": BASE,
    "metrics": BASE | {"text.labels"},
    "tree_metrics": BASE | {"text.sequences"},
    "files": {"errors", "text.io"},
    "designs": BASE | {"groups"},
    "losses": BASE | {"inference"},
    "penalties": BASE | {"groups"},
    "problem": NUMERICS,
    "solvers": BASE | {"groups", "designs", "inference", "penalties", "problem"},
    "mining": NUMERICS | {"problem", "solvers"},
    "language": NUMERICS | {"problem", "solvers", "text.arpa", "text.contexts", "text.running"},
    "coding": BASE | {"groups", "penalties"},
    "estimators": MODELS | READERS,
    "checks": MODELS | READERS | {"estimators"},
    "report": READERS | {"estimators", "__init__"},
    "cli": READERS | {"estimators", "report", "__init__"},
    "__init__": MODELS | READERS | {"estimators"},
    "__main__": {"cli"},
}

UNSAFE_MODULES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "marshal", "shelve", "yaml", "code", "runpy"}
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__"}
UNSAFE_FUNCTIONS = {"joblib.load", "pandas.read_pickle", "pd.read_pickle"}


def dotted_name(path: Path) -> str:
    """laconic/text/vocab.py -> laconic.text.vocab; a folder's __init__.py is the folder."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


def imported(tree: ast.AST, package: str) -> Iterator[str]:
    """Dotted names of all that is imported anywhere in a module of `package`, relative imports made absolute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            source = ".".join([*parents, *filter(None, [node.module])])
            yield from (f"{source}.{alias.name}" for alias in node.names)


def room_of(module: str) -> str:
    return module.split(".")[1]


def forbidden_edges(source: str, module: str, is_package: bool = False) -> list[str]:
    """The imports of `module` that the table does not allow."""
    package = module if is_package else module.rpartition(".")[0]
    allowed = ALLOWED[room_of(module)] | {room_of(module)}
    wrong = []
    for name in imported(ast.parse(source), package):
        if name.split(".")[0] != "laconic":
            continue
        target = name.removeprefix("laconic").removeprefix(".")
        if target.split(".")[0] not in ALLOWED.keys() | {"_core"}:
            target = "__init__"  # a public name, `from laconic import TextClassifier`, and not a room
        if not any(f"{target}.".startswith(f"{entry}.") for entry in allowed):
            wrong.append(name)
    return wrong


def unsafe_uses(source: str) -> list[str]:
    """Whatever in a module could run code found in data."""
    tree = ast.parse(source)
    names = imported(tree, "laconic")
    found = [name for name in names if name.split(".")[0] in UNSAFE_MODULES or name in UNSAFE_FUNCTIONS]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in UNSAFE_CALLS:
            found.append(node.id)
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in UNSAFE_FUNCTIONS:
            found.append(ast.unparse(node))
        elif isinstance(node, ast.keyword) and node.arg == "allow_pickle" and ast.unparse(node.value) != "False":
            found.append("allow_pickle")
    return found


@pytest.mark.parametrize("path", MODULES, ids=dotted_name)
def test_a_module_imports_only_what_its_room_may(path: Path) -> None:
    module = dotted_name(path)
    assert room_of(module) in ALLOWED, f"{module}: a new room; say in ALLOWED what it may import"
    assert forbidden_edges(path.read_text("utf-8"), module, path.name == "__init__.py") == []


@pytest.mark.parametrize("path", MODULES, ids=dotted_name)
def test_no_module_can_run_what_it_reads(path: Path) -> None:
    assert unsafe_uses(path.read_text("utf-8")) == []


def test_the_table_itself_goes_one_way() -> None:
    rooms = {room: {entry.split(".")[0] for entry in entries} for room, entries in ALLOWED.items()}
    order = list(TopologicalSorter(rooms).static_order())  # CycleError if two rooms may import each other
    assert order[-1] == "__main__"
    assert {room for room, entries in rooms.items() if "cli" in entries} == {"__main__"}
    for apart, others in {"losses": "penalties", "penalties": "losses", "solvers": "losses"}.items():
        assert others not in rooms[apart]
    assert not {"solvers"} & (rooms["losses"] | rooms["penalties"])
    assert not rooms["text"] - BASE


@pytest.mark.parametrize(
    ("module", "source", "wrong"),
    [
        ("laconic.text.vocab", "from laconic.errors import InputError", []),
        ("laconic.text.vocab", "from laconic.text import io", []),
        ("laconic.text.vocab", "import laconic.groups", ["laconic.groups"]),
        ("laconic.text.vocab", "from laconic import groups", ["laconic.groups"]),
        ("laconic.text.vocab", "from ..groups import Groups", ["laconic.groups.Groups"]),
        ("laconic.text.vocab", "from .. import groups", ["laconic.groups"]),
        ("laconic.text.vocab", "from . import io", []),
        ("laconic.text.vocab", "def f():\n    import laconic.cli.console as c", ["laconic.cli.console"]),
        ("laconic.text.vocab", "from laconic import TextClassifier", ["laconic.TextClassifier"]),
        ("laconic.text.vocab", "import laconic", ["laconic"]),
        ("laconic.text.vocab", "import laconically.cli, numpy", []),
        ("laconic.files", "from laconic.text.io import atomic_writer", []),
        ("laconic.files", "from laconic.text.ionic import x", ["laconic.text.ionic.x"]),
        ("laconic.files", "from laconic.text import vocab", ["laconic.text.vocab"]),
        ("laconic.losses", "from laconic.penalties import L1", ["laconic.penalties.L1"]),
        ("laconic.penalties.tree", "from laconic.solvers.fista import Fista", ["laconic.solvers.fista.Fista"]),
        ("laconic.solvers.fista", "from laconic.losses import log", ["laconic.losses.log"]),
        ("laconic.solvers.fista", "from laconic._core import prox", []),
        ("laconic.cli.main", "from laconic import __version__", []),
    ],
)
def test_the_check_of_edges_sees(module: str, source: str, wrong: list[str]) -> None:
    assert forbidden_edges(source, module) == wrong


def test_the_check_of_edges_knows_packages() -> None:
    assert forbidden_edges("from . import io", "laconic.text", is_package=True) == []
    assert forbidden_edges("from ..cli import main", "laconic.text", is_package=True) == ["laconic.cli.main"]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import pickle", ["pickle"]),
        ("from pickle import loads", ["pickle.loads"]),
        ("def f():\n    import yaml.loader", ["yaml.loader"]),
        ("from joblib import load", ["joblib.load"]),
        ("joblib.load(path)", ["joblib.load"]),
        ("x = eval('1')", ["eval"]),
        ("run = exec", ["exec"]),
        ("np.load(path, allow_pickle=True)", ["allow_pickle"]),
        ("np.load(path, allow_pickle=False)", []),
        ("import re\nre.compile('x')\nfrom joblib import Parallel\nmodel.load(path)\nmodel.eval()", []),
    ],
)
def test_the_check_of_safety_sees(source: str, found: list[str]) -> None:
    assert unsafe_uses(source) == found
