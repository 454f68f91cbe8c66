"""The parameters of parsers in model files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from laconic.core.inference.tree import MODELS
from laconic.core.report import in_one_line
from laconic.errors import InputError
from laconic.models.checks import check_parameters
from laconic.parse.pieces import MOST_TOKENS
from laconic.tag.predict import REFIT_FEATURES

if TYPE_CHECKING:
    from laconic.parse.model import Parser


def as_text(value: object) -> str | None:
    """Return a parameter as model files keep it, for people to read."""
    return value if value is None or isinstance(value, str) else in_one_line(value)


def parameters_of(model: Parser) -> dict[str, Any]:
    """Return the parameters of a parser, as JSON has them."""
    clusters = model.clusters
    return {
        "model": model.model,
        "learner": as_text(model.learner),
        "refit": as_text(model.refit),
        "refit_features": model.refit_features,
        "crossing": bool(model.crossing),
        "labels": bool(model.labels),
        "labeler": as_text(model.labeler),
        "single_root": model.single_root,
        "prune": None if model.prune is None else float(model.prune),
        "most_heads": int(model.most_heads),
        "columns": list(model.columns),
        "clusters": os.fspath(clusters) if isinstance(clusters, str | os.PathLike) else None,
        "n_jobs": None if model.n_jobs is None else int(model.n_jobs),
        "tagger": as_text(model.tagger),
        "most_tokens": int(model.most_tokens),
    }


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)


_PARAMETERS: dict[str, Callable[[Any], bool]] = {
    "model": lambda value: value in MODELS,
    "learner": _is_text,
    "refit": _is_text,
    "refit_features": lambda value: value in REFIT_FEATURES,
    "crossing": lambda value: isinstance(value, bool),
    "labels": lambda value: isinstance(value, bool),
    "labeler": _is_text,
    "single_root": lambda value: value is None or isinstance(value, bool),
    "prune": lambda value: value is None or (type(value) is float and 0 <= value <= 1),
    "most_heads": lambda value: type(value) is int and 0 < value < 2**31,
    "columns": lambda value: (
        isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)
    ),
    "clusters": _is_text,
    "n_jobs": lambda value: value is None or (type(value) is int and abs(value) < 2**31),
    "tagger": _is_text,
    "most_tokens": lambda value: type(value) is int and 0 < value < 2**31,
}


def checked_parameters(given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a file as a parser takes them, or raise an InputError."""
    given = {"most_tokens": MOST_TOKENS, **given}  # files of laconic 0.1.0 do not have it
    check_parameters(given, _PARAMETERS)
    if given["crossing"] and given["model"] != "arcs":
        raise InputError("trees with crossing arcs are scored by arcs alone")
    return {**given, "columns": tuple(given["columns"])}
