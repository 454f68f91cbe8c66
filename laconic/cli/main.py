"""`laconic VERB ..`: one file per verb; what a verb does with a kind of model is up to the kind."""

from __future__ import annotations

import inspect
import platform
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperCommand

from laconic.cli.command import Click, LazyCommand, LazyGroup, command
from laconic.cli.kinds import function_of, functions_of
from laconic.errors import InputError
from laconic.models.kind import Kind, all_kinds, find
from laconic.version import __version__

# Verbs by name: where they are, and one line of help.
VERBS = {
    "predict": "Predict with a model.",
    "evaluate": "Score a model on data with known answers.",
    "inspect": "Show what a model selected and what it dropped.",
    "explain": "Explain one decision, or the model as a whole.",
    "report": "Write a page of what a model selected and why.",
    "compress": "Give a model few weight values, and write it to a small file.",
    "export": "Write a model as a file that other programs read.",
    "serve": "Answer requests on a port of this machine.",
    "demo": "Train and inspect two small models on docstrings.",
}


def verb_command(name: str) -> TyperCommand:
    """Build the command of a verb, with the options that kinds of models have for it."""
    verb = find(f"laconic.cli.{name}:{name}")
    kinds = functions_of(name)
    help = [inspect.getdoc(verb) or "", *(f"{kind}: {_summary(kinds[kind])}" for kind in kinds)]
    return command(name, verb, kinds, "\n\n".join(help))


def train_command(kind: Kind) -> TyperCommand:
    """Build the command that trains models of a kind."""
    from laconic.cli.training import train

    function = function_of(kind, "train")
    if function is None:
        raise InputError(f"models of the kind {kind.name!r} are not trained by laconic train.")
    return command(
        kind.name, partial(train, function), {kind.name: function}, inspect.getdoc(function) or ""
    )


def _summary(function: Callable[..., object]) -> str:
    """Return the first paragraph of a docstring."""
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())


class Verbs(LazyGroup):
    """`laconic`: all verbs."""

    def entries(self) -> dict[str, Click]:
        """Return the verbs by name, train first."""
        lazy = {
            name: LazyCommand(name, help, partial(verb_command, name))
            for name, help in VERBS.items()
        }
        return {**self.commands, **lazy}


class Trainers(LazyGroup):
    """`laconic train`: all kinds of models that can be trained."""

    def entries(self) -> dict[str, Click]:
        """Return the commands by the name of the kind."""
        return {
            kind.name: LazyCommand(kind.name, kind.help, partial(train_command, kind))
            for kind in all_kinds()
            if kind.help
        }


app = typer.Typer(
    name="laconic",
    cls=Verbs,
    help="Small, readable, fast linear models of text.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)
app.add_typer(typer.Typer(cls=Trainers, no_args_is_help=True, help="Train a model."), name="train")


def _print_version(wanted: bool) -> None:
    if wanted:
        from laconic import _core

        kernels = "".join(Path(str(_core.__file__)).suffixes[:-1]) or ".abi3"
        print(
            f"laconic {__version__} (Python {platform.python_version()}, {platform.system()} "
            f"{platform.machine()}, kernels {kernels[1:]})"
        )
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version, and what it runs on.",
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    app()
