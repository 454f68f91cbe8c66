"""No module of laconic can run code that it reads."""

from __future__ import annotations

import ast

import pytest
from test_imports import MODULES, dotted_name, imported, tree_of

UNSAFE_MODULES = {
    "pickle",
    "cPickle",
    "_pickle",
    "dill",
    "cloudpickle",
    "marshal",
    "shelve",
    "yaml",
    "code",
    "runpy",
}
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__"}
UNSAFE_FUNCTIONS = {"joblib.load", "pandas.read_pickle", "pd.read_pickle"}
UNSAFE_ATTRIBUTES = {name.split(".")[1] for name in UNSAFE_FUNCTIONS}


def unsafe_uses(tree: ast.Module) -> list[str]:
    """Return what in a module could run code found in data."""
    names = imported(tree, "laconic")
    found = [
        name for name in names if name.split(".")[0] in UNSAFE_MODULES or name in UNSAFE_FUNCTIONS
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in UNSAFE_CALLS:
            found.append(node.id)
        elif isinstance(node, ast.Attribute) and node.attr in UNSAFE_ATTRIBUTES:
            if ast.unparse(node) in UNSAFE_FUNCTIONS:
                found.append(ast.unparse(node))
        elif (
            isinstance(node, ast.keyword)
            and node.arg == "allow_pickle"
            and ast.unparse(node.value) != "False"
        ):
            found.append("allow_pickle")
    return found


def test_no_module_can_run_what_it_reads() -> None:
    found = {dotted_name(path): unsafe_uses(tree_of(path)) for path in MODULES}
    assert {module: uses for module, uses in found.items() if uses} == {}


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
        (
            "import re\nre.compile('x')\nfrom joblib import Parallel\n"
            "model.load(path)\nmodel.eval()",
            [],
        ),
    ],
)
def test_the_check_of_safety_sees(source: str, found: list[str]) -> None:
    assert unsafe_uses(ast.parse(source)) == found
