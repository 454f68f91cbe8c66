"""One dialect: the same option has the same name, type and meaning in every command."""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from pathlib import Path
from typing import get_args

import pytest

import laconic
from laconic.cli.command import Verb
from laconic.cli.kinds import functions_of
from laconic.cli.main import VERBS
from laconic.cli.slots import Slot, slots_of
from laconic.cli.training import train
from laconic.models.kind import all_kinds, find

MOST_LINES, MOST_ARGUMENTS = 60, 12
PACKAGE = Path(laconic.__file__).parent
# Which options have one help, word by word, wherever they are.
SAME_HELP = (
    "--output",
    "--quiet",
    "--json",
    "--encoding",
    "--text-field",
    "--label-field",
    "--date-field",
    "--seed",
    "--jobs",
    "--constrained",
)
# In these verbs an option says what it does there: the seed of --sample, files of other kinds.
OTHER_HELP = {("inspect", "--seed"), *((verb, "--output") for verb in VERBS)}


def commands() -> dict[str, list[Slot]]:
    """Return the options of every command, those of `train KIND` by kind."""
    found = {
        f"train {kind}": [*slots_of(train), *slots_of(function)]
        for kind, function in functions_of("train").items()
    }
    for verb in VERBS:
        functions: list[Verb] = [find(f"laconic.cli.{verb}:{verb}"), *functions_of(verb).values()]
        found[verb] = [slot for function in functions for slot in slots_of(function)]
    return found


COMMANDS = commands()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_help(command: str) -> None:
    for slot in COMMANDS[command]:
        help = slot.option.help
        own = slot.argument and command in VERBS  # kinds say what an input is
        assert own or help.rstrip("[]0123456789 :").endswith((".", "..")), (slot.name, help)


def test_an_option_has_one_type() -> None:
    types: dict[str, dict[object, str]] = defaultdict(dict)
    for command, slots in COMMANDS.items():
        for slot in slots:
            for flag in slot.flags:
                one = next(iter(get_args(slot.type)), slot.type)  # options may be repeated
                types[flag].setdefault(one, command)
    assert {flag: found for flag, found in types.items() if len(found) > 1} == {}


@pytest.mark.parametrize("flag", SAME_HELP)
def test_an_option_that_all_share_has_one_help(flag: str) -> None:
    helps = {
        slot.option.help
        for command, slots in COMMANDS.items()
        for slot in slots
        if flag in slot.flags and (command, flag) not in OTHER_HELP
    }
    assert len(helps) == 1


def test_strength_is_that_of_the_penalty() -> None:
    """And whatever has a strength has a penalty to choose."""
    for command, slots in COMMANDS.items():
        flags = {flag: slot for slot in slots for flag in slot.flags}
        if command.startswith("train ") and "--strength" in flags:
            assert flags["--strength"].option.help.startswith("Strength of the penalty")
            assert "--penalty" in flags
        assert "--regularizer" not in flags


@pytest.mark.parametrize("command", [name for name in COMMANDS if name.startswith("train ")])
def test_every_training_has_the_common_options(command: str) -> None:
    flags = {flag for slot in COMMANDS[command] for flag in slot.flags}
    assert flags >= {"--output", "-o", "--quiet", "-q", "--json", "--jobs"}
    assert "--dev" in flags or command == "train embed"


def test_every_kind_that_can_be_trained_is_listed() -> None:
    assert {kind.name for kind in all_kinds() if kind.help} == functions_of("train").keys()


def command_modules() -> list[Path]:
    names = ("cli.py", "train.py", "demo.py", "scores.py", "selection.py", "learners.py")
    found = [path for name in names for path in PACKAGE.rglob(name)]
    return [*found, *(PACKAGE / "cli").glob("*.py")]


@pytest.mark.parametrize("path", command_modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_functions_are_short(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < MOST_LINES, node.name
            given = node.args
            count = len([*given.posonlyargs, *given.args, *given.kwonlyargs])
            assert count <= MOST_ARGUMENTS, node.name


def test_verbs_know_no_kind() -> None:
    names = {kind.name for kind in all_kinds()} - {"linear"}
    for path in (PACKAGE / "cli").glob("*.py"):
        constants = {
            node.value
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Constant)
        }
        # `laconic demo` begins with classify, and "text" is the usual name of a column.
        assert not names & constants - {"classify", "text"}, path
    assert inspect.signature(train).parameters["options"].kind is inspect.Parameter.VAR_KEYWORD
