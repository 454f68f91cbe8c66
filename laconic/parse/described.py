"""What model files say of a parser beside its arrays, and how the arrays of its parts are named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from laconic.core.report import FitReport, Pass
from laconic.errors import InputError
from laconic.models.checks import Arrays, check_storable, item
from laconic.parse.parameters import checked_parameters, parameters_of
from laconic.parse.predict import ParsePredictor
from laconic.parse.templates import PartTemplates, parse_part_template
from laconic.parse.weights import TreeShape
from laconic.tag.refit import learners_text
from laconic.text.sequences import BEFORE_BASE
from laconic.text.treebanks import COLUMNS
from laconic.version import __version__

if TYPE_CHECKING:
    from laconic.parse.model import Parser

# Values of the root, and of a role that no word has.
ROOT, NOBODY = BEFORE_BASE + 8192, BEFORE_BASE + 8193
TRACE = {"trace", "held", "held_ptr"}
Predictor = TypeVar("Predictor", bound=ParsePredictor)


def parser_meta(model: Parser, dropped: bool = True) -> dict[str, Any]:
    """Return what arrays do not hold of a fitted model, pruner and labels aside, as JSON has it.

    With `dropped`, that includes the templates that the model does not use.
    """
    kept = model.scorer_.templates.names
    given = model.templates_given_.names if dropped else kept
    check_storable([*given, *model.columns])
    return {
        "laconic": __version__,
        "parameters": parameters_of(model),
        "templates": given,
        "kept": [given.index(name) for name in kept],
        "single_root": model.shape_.single_root,
        "features_total": int(model.report_.features_total),
        "interrupted": bool(model.report_.interrupted),
    }


def described(kind: type[Predictor], meta: dict[str, Any]) -> tuple[Predictor, PartTemplates]:
    """Return a model without weights, and its kept templates, from what `parser_meta` wrote."""
    model = kind(**checked_parameters(item(meta, "parameters", dict)))
    model.templates_given_ = model.templates = checked_templates(
        item(meta, "templates", list), model.columns
    )
    model.shape_ = TreeShape(model.model, model.crossing, item(meta, "single_root", bool))
    model.pruner_ = model.labeler_ = model.tagger_ = None
    return model, kept_of(meta, model.templates_given_)


def parser_report(
    model: ParsePredictor, meta: dict[str, Any], trace: tuple[Pass, ...] = ()
) -> FitReport:
    """Return the report of a fit from what `parser_meta` wrote, for a model with weights."""
    interrupted = item(meta, "interrupted", bool)
    report = FitReport(
        learner=learners_text(model.learner, model.refit),
        n_iter=len(trace),
        converged=not interrupted,
        interrupted=interrupted,
        features_total=item(meta, "features_total", int),
        trace=trace,
    )
    return model._completed(report)


def kept_of(meta: dict[str, Any], given: PartTemplates) -> PartTemplates:
    """Return the templates of a model that have weights, or raise an InputError."""
    kept = item(meta, "kept", list)
    if not all(type(m) is int and 0 <= m < len(given) for m in kept) or sorted(set(kept)) != kept:
        raise InputError("expected the numbers of kept templates in ascending order")
    return given.subset(kept)


def checked_templates(names: list[Any], columns: Sequence[str]) -> PartTemplates:
    """Return the templates of these names, or raise an InputError."""
    if not all(isinstance(name, str) for name in names):
        raise InputError("expected templates as text")
    found = PartTemplates(parse_part_template(name, columns) for name in names)
    if found.names != names:
        raise InputError("a template cannot be read back from its name, or occurs twice")
    return found


def prefixed(part: str, arrays: Arrays) -> Arrays:
    """Return the arrays of a part under the names that they have in the file."""
    return {f"{part}.{name}": array for name, array in arrays.items()}


def part_of(arrays: Arrays, part: str) -> Arrays:
    """Return the arrays of a part under their own names, the inverse of `prefixed`."""
    return {
        name[len(part) + 1 :]: array
        for name, array in arrays.items()
        if name.startswith(f"{part}.")
    }


def check_parts(arrays: Iterable[str]) -> None:
    """Raise an InputError if there are arrays of other parts than a parser has."""
    if {name.partition(".")[0] for name in arrays} - {"parser", "pruner", "labels", "tags"}:
        raise InputError("expected arrays of the parser, its pruner, its labels and its tags")


def check_columns(model: ParsePredictor) -> None:
    """Raise an InputError unless a tagger of words can fill the columns that a parser reads."""
    if tuple(model.columns) != COLUMNS:
        raise InputError("a tagger of words needs a parser with the columns of treebanks")
