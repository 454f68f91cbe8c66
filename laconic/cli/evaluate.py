"""`laconic evaluate`: the scores of a model on data with known answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, get_origin

from laconic.cli.console import print_result, progress
from laconic.cli.kinds import verb_for
from laconic.cli.measure import Measured
from laconic.cli.options import AsJson, ModelPath, Quiet
from laconic.cli.slots import slots_of
from laconic.errors import InputError
from laconic.models.option import Option


def evaluate(
    model_path: ModelPath,
    gold: Annotated[list[str], Option(metavar="GOLD")],
    *,
    quiet: Quiet = False,
    as_json: AsJson = False,
    **options: object,
) -> None:
    """Score a model on data with known answers."""
    with Measured() as cost, progress("loading", quiet=quiet) as bar:
        run = verb_for("evaluate", model_path, options)
        scores = run(_files_for(run, model_path, gold), bar)
    print_result({**scores, **cost.report()}, as_json)


def _files_for(run: Callable[..., Any], model_path: str, gold: list[str]) -> str | list[str]:
    """Return all files for kinds whose `evaluate` takes a list, else the only one."""
    if any(slot.key == "gold" and get_origin(slot.type) is list for slot in slots_of(run)):
        return gold
    if len(gold) > 1:
        raise InputError(f"{model_path} is evaluated on one file, not on {len(gold)}.")
    return gold[0]
