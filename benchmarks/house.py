"""Figures of the source tree: `python -m benchmarks.house [TREE]`.

Cycles of imports, imports between packages, long functions, wide lines, type names that are defined
twice, modules loaded to open a classifier, strict type errors and uses of Any. For a comparison of
two trees run it with each of them.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

TASKS = {"classify", "tag", "parse", "rerank", "pipeline", "mine", "lm", "embed", "time"}
LONGEST, WIDEST, MOST_ARGUMENTS = 60, 100, 12
LOADED = """
import sys, tempfile, laconic
model = laconic.TextClassifier(strength=0.1).fit(["good film", "bad film"] * 4, [1, 0] * 4)
path = tempfile.mkdtemp() + "/m"
model.save(path)
import subprocess
script = (
    "import sys, laconic; laconic.load(sys.argv[1]);"
    "print(sum(name.split('.')[0] == 'laconic' for name in sys.modules))"
)
print(subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True).stdout)
"""


def modules_of(package: Path) -> dict[str, Path]:
    """Return the modules below a package by their dotted names."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imports_of(tree: ast.Module, known: set[str]) -> Iterator[str]:
    """Yield the known modules that a module imports anywhere but for type checkers."""
    unseen = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in unseen:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name for name in names if name in known)


def knots(graph: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of modules that import each other in a circle."""
    reach = {module: _reachable(graph, module) for module in graph}
    found: list[set[str]] = []
    for module in graph:
        knot = {other for other in reach[module] if module in reach[other]}
        if module in reach[module] and knot not in found:
            found.append(knot)
    return found


def _reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    todo = list(graph[start])
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo += graph[module]
    return seen


def type_names(tree: ast.Module) -> Iterator[str]:
    """Yield the public classes and aliases of types that a module defines."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id[:1].isupper() and not target.id.isupper():
            yield target.id


def length_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without those of its docstring."""
    total = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is None:
        return total
    said = function.body[0]
    return total - ((said.end_lineno or 0) - said.lineno + 1)


def figures(root: Path) -> dict[str, object]:
    """Return everything that the source alone tells."""
    modules = modules_of(root / "laconic")
    trees = {name: ast.parse(path.read_text("utf-8")) for name, path in modules.items()}
    known = set(modules) - {"laconic"}
    graph = {name: set(imports_of(tree, known)) - {name} for name, tree in trees.items()}
    graph.pop("laconic")
    functions = [
        node
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    lengths = [length_of(node) for node in functions]
    arguments = [
        len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs])
        for node in functions
        if node.name != "__init__"
    ]
    lines = [line for path in modules.values() for line in path.read_text("utf-8").split("\n")]
    names = Counter(name for tree in trees.values() for name in type_names(tree) if name[0] != "_")
    rooms = [
        (one.split(".")[1], other.split(".")[1])
        for one, others in graph.items()
        for other in others
    ]
    between = Counter(pair for pair in rooms if set(pair) <= TASKS and pair[0] != pair[1])
    return {
        "modules": len(modules),
        "knots of imports": [len(knot) for knot in knots(graph)],
        "imports between tasks": ", ".join(f"{a} -> {b} {n}" for (a, b), n in between.items()),
        f"functions over {LONGEST} lines, docstrings aside": sum(
            length > LONGEST for length in lengths
        ),
        f"functions over {MOST_ARGUMENTS} arguments": sum(n > MOST_ARGUMENTS for n in arguments),
        f"lines over {WIDEST} columns": f"{sum(len(line) > WIDEST for line in lines)} of "
        f"{len(lines)}",
        "type names defined twice": sorted(name for name, times in names.items() if times > 1),
    }


def told_by(root: Path, *command: str) -> str:
    """Return the last line that a command prints in the tree."""
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).strip().split("\n")
    return lines[-1]


def main() -> None:
    """Print the figures of a tree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", nargs="?", default=".", type=Path)
    root = parser.parse_args().tree
    found = figures(root)
    found["modules loaded by laconic.load"] = told_by(root, sys.executable, "-c", LOADED)
    found["mypy --strict"] = told_by(root, sys.executable, "-m", "mypy", "--strict", "laconic")
    any_types = told_by(
        root, sys.executable, "-m", "ruff", "check", "--select", "ANN401", "--quiet",
        "--output-format", "concise", "--statistics", "laconic",
    )  # fmt: skip
    found["uses of Any (ANN401)"] = any_types
    for name, value in found.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
