"""What model files say of a tagger beside its arrays: parameters, templates, labels, its report."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from laconic.core.report import FitReport, Pass, in_one_line
from laconic.errors import InputError
from laconic.models.checks import (
    certificate_kind,
    check_storable,
    converged,
    finite,
    item,
    number_or_nan,
)
from laconic.tag.layout import LABEL
from laconic.tag.predict import REFIT_FEATURES, TagPredictor
from laconic.tag.refit import learners_text
from laconic.text.labels import SCHEMES, Scheme, is_chunk_label
from laconic.text.patterns import parse_template
from laconic.text.templates import Templates
from laconic.version import __version__

if TYPE_CHECKING:
    from laconic.tag.model import Tagger
    from laconic.tag.training import LabelWeights


def tagger_meta(model: Tagger, dropped: bool = True) -> dict[str, Any]:
    """Return what arrays do not hold of a fitted model, as JSON has it.

    With `dropped`, that includes the templates that the model does not use.
    """
    labels = model.classes_.tolist()
    kept = model.templates_.names
    given = model.templates_given_.names if dropped else kept
    check_storable([*labels, *given, *model.columns_, model.label])
    meta = {
        "laconic": __version__,
        "parameters": _parameters(model),
        "templates": given,
        "kept": [given.index(name) for name in kept],
        "labels": labels,
        "scheme": model.scheme_,
        "given_scheme": model.given_scheme_,
        "learner": model.report_.learner,
        "objective": finite(model.report_.objective),
        "certificate": finite(model.report_.certificate),
        "certificate_kind": model.report_.certificate_kind,
        "converged": bool(model.report_.converged),
        "interrupted": bool(model.report_.interrupted),
        "features_total": int(model.report_.features_total),
    }
    checked_templates(meta, model.columns_)  # what could not be read back must not be written
    return meta


def tagger_report(
    model: TagPredictor, meta: dict[str, Any], trace: tuple[Pass, ...] = ()
) -> FitReport:
    """Return the report of a fit from what `tagger_meta` wrote, for a model with weights."""
    known = {"learner": learners_text(model.learner, model.refit), **meta}  # not in those of 0.1.0
    return FitReport(
        learner=item(known, "learner", str),
        objective=number_or_nan(meta, "objective"),
        certificate=number_or_nan(meta, "certificate"),
        certificate_kind=certificate_kind(meta),
        n_iter=len(trace),
        converged=converged(meta),
        interrupted=item(meta, "interrupted", bool),
        features_total=item(meta, "features_total", int),
        features_kept=model.weights_.n_nonzero,
        groups_total=len(model.templates_given_),
        groups_kept=len(model.templates_),
        trace=trace,
    )


def _parameters(model: Tagger) -> dict[str, Any]:
    def text(value: object) -> str | None:
        return value if value is None or isinstance(value, str) else in_one_line(value)

    clusters = model.clusters
    return {
        "learner": text(model.learner),
        "refit": text(model.refit),
        "refit_features": model.refit_features,
        "columns": list(model.columns_),
        "scheme": model.scheme,
        "clusters": os.fspath(clusters) if isinstance(clusters, str | os.PathLike) else None,
        "constrained": bool(model.constrained),
        "n_jobs": None if model.n_jobs is None else int(model.n_jobs),
        "label": model.label,
        "class_weight": _stored_weights(model.class_weight),
    }


def _stored_weights(given: LabelWeights | None) -> str | dict[str, float] | None:
    if given is None or isinstance(given, str):
        return given
    return {str(label): float(weight) for label, weight in given.items()}


def _is_class_weight(value: object) -> bool:
    return value in (None, "balanced") or (
        isinstance(value, dict)
        and all(isinstance(weight, float) and 0 <= weight < np.inf for weight in value.values())
    )


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)


_PARAMETERS: dict[str, Callable[[Any], bool]] = {
    "learner": _is_text,
    "refit": _is_text,
    "refit_features": lambda value: value in REFIT_FEATURES,
    "columns": lambda value: (
        isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)
    ),
    "scheme": lambda value: value is None or value in SCHEMES,
    "clusters": _is_text,
    "constrained": lambda value: isinstance(value, bool),
    "n_jobs": lambda value: value is None or (type(value) is int and abs(value) < 2**31),
    "label": lambda value: isinstance(value, str) and bool(value),
    "class_weight": _is_class_weight,
}


def checked_parameters(given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a file as a tagger takes them, or raise an InputError."""
    # Files of laconic 0.1.0 do not have these.
    given = {"label": LABEL, "class_weight": None, **given}
    if given.keys() != _PARAMETERS.keys():
        raise InputError(f"expected the parameters {', '.join(sorted(_PARAMETERS))}")
    for name, value in given.items():
        if not _PARAMETERS[name](value):
            raise InputError(f"the parameter {name} has an impossible value")
    return {**given, "columns": tuple(given["columns"])}


def checked_templates(meta: dict[str, Any], columns: Sequence[str]) -> tuple[Templates, Templates]:
    """Return all templates and the kept ones, or raise an InputError."""
    names, kept = item(meta, "templates", list), item(meta, "kept", list)
    if not all(isinstance(name, str) for name in names):
        raise InputError("expected templates as text")
    given = Templates(parse_template(name, columns) for name in names)
    if given.names != names:
        raise InputError("a template cannot be read back from its name, or occurs twice")
    if not all(type(m) is int and 0 <= m < len(names) for m in kept) or sorted(set(kept)) != kept:
        raise InputError("expected the numbers of kept templates in ascending order")
    return given, given.subset(kept)


def checked_labels(labels: list[Any]) -> NDArray[np.str_]:
    """Return at least two different labels, or raise an InputError."""
    found = (
        np.array(labels)
        if labels and all(isinstance(label, str) for label in labels)
        else np.array([])
    )
    if len(labels) < 2 or len(set(labels)) != len(labels) or found.tolist() != labels:
        raise InputError("expected at least two different labels as text")
    return found


def checked_schemes(meta: dict[str, Any], labels: list[str]) -> tuple[Scheme, Scheme]:
    """Return the scheme in which labels were learned, and that of the training data."""
    found = item(meta, "scheme", str), item(meta, "given_scheme", str)
    if not set(found) <= set(SCHEMES) or (found[0] == "plain") != (found[1] == "plain"):
        raise InputError(f"expected two schemes of labels among {', '.join(SCHEMES)}")
    if found[0] != "plain" and not all(map(is_chunk_label, labels)):
        raise InputError("a label is not one of chunks, as the scheme of labels says")
    return cast("tuple[Scheme, Scheme]", found)
