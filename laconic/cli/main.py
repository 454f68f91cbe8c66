"""`laconic VERB ...`: the verbs of the command line, one file each; what they do with a kind of model is in the file of that kind."""

from __future__ import annotations

from typing import Annotated

import typer

from laconic.cli.compress import compress
from laconic.cli.demo import demo
from laconic.cli.evaluate import evaluate
from laconic.cli.export import export
from laconic.cli.inspect import inspect
from laconic.cli.predict import predict
from laconic.cli.report import report
from laconic.models.kind import all_kinds, find
from laconic.version import __version__

app = typer.Typer(
    name="laconic",
    help="Small, readable, fast linear models of text.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
train = typer.Typer(no_args_is_help=True, help="Learn a model.")
for kind in all_kinds():
    if kind.cli and kind.name != "temporal":
        train.command(kind.name)(find(kind.cli.removesuffix("cli") + "train:train"))
app.add_typer(train, name="train")
for verb in (predict, evaluate, inspect, compress, export, report, demo):
    app.command()(verb)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"laconic {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    app()
