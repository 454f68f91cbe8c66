"""Linear models of matrices, and searches for a strength, in model files.

kept       numbers of the features that have a weight
weight     (K, kept) their weights, and intercept (K,)
name_data, name_ptr   names of the features, where the training data had names
strengths, scores     of a search: (S,) and (S, folds); of StrengthIC also freedom and deviance

Not kept: the solver, cv_results_ and other tables, and what a warm start needs.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from laconic.core.losses import Cox, Loss
from laconic.errors import InputError
from laconic.linear.base import SparseLinear
from laconic.linear.criteria import CRITERIA, StrengthIC
from laconic.linear.cv import RULES, StrengthCV
from laconic.linear.labels import Labels
from laconic.linear.model import SparseClassifier
from laconic.linear.search import StrengthSearch
from laconic.linear.settings import (
    pack_names,
    pack_settings,
    plain,
    read_loss_of,
    read_names,
    read_settings,
    set_names,
)
from laconic.models.checks import (
    Arrays,
    Contents,
    Meta,
    check_names,
    check_parameters,
    check_storable,
    checked_labels,
    is_count,
    is_number,
    item,
    numbers,
    read_report,
    report_meta,
    smallest,
    whole,
)
from laconic.models.parts import pack_loss
from laconic.version import __version__

SEARCHES: dict[str, type[StrengthCV] | type[StrengthIC]] = {"cv": StrengthCV, "ic": StrengthIC}
SEARCH_PARAMETERS = {
    "n_strengths": is_count,
    "ratio": lambda value: value is None or is_number(value),
    "rule": lambda value: value in RULES,
    "criterion": lambda value: value in CRITERIA,
    "gamma": lambda value: is_number(value) and 0 <= value <= 1,
}
CURVES = {"criterion": "criterion_", "freedom": "degrees_of_freedom_", "deviance": "deviance_"}


def pack(model: SparseLinear | StrengthSearch) -> Contents:
    """Return arrays and JSON of a fitted model."""
    if not isinstance(model, StrengthSearch):
        return pack_model(model)
    check_is_fitted(model, "best_estimator_")
    arrays, meta = pack_model(model.best_estimator_)
    kind = "cv" if isinstance(model, StrengthCV) else "ic"
    names = SEARCH_PARAMETERS.keys() & model.get_params(deep=False).keys()
    arrays["strengths"] = np.asarray(model.strengths_, dtype=np.float64)
    if isinstance(model, StrengthCV):
        arrays["scores"] = np.asarray(model.scores_, dtype=np.float64)
    else:
        for name, attribute in CURVES.items():
            arrays[name] = np.asarray(getattr(model, attribute), dtype=np.float64)
    search = {
        "type": kind,
        "parameters": {name: plain(getattr(model, name)) for name in sorted(names)},
        "best_strength": float(model.best_strength_),
        "best_score": float(model.best_score_),
        "best_params": {
            name: plain(value)
            for name, value in model.best_params_.items()
            if is_number(plain(value)) or isinstance(value, str | bool)
        },
    }
    return arrays, {**meta, "search": search}


def unpack(arrays: Arrays, meta: Meta) -> SparseLinear | StrengthSearch:
    """Return the model with these contents, or raise a ValueError that says what is wrong."""
    if "search" not in meta:
        return unpack_model(arrays, meta)
    stored = item(meta, "search", dict)
    kind = item(stored, "type", str)
    if kind not in SEARCHES:
        raise InputError(f"the type of a search is one of {', '.join(SEARCHES)}")
    own = {"scores"} if kind == "cv" else set(CURVES)
    if not {"strengths", *own} <= arrays.keys():
        raise InputError(f"a search has the arrays {', '.join(sorted({'strengths', *own}))}")
    strengths = numbers(arrays, "strengths", (arrays["strengths"].size,))
    curves = {name: arrays.pop(name) for name in own}
    arrays.pop("strengths")
    best = unpack_model(arrays, {k: v for k, v in meta.items() if k != "search"})
    parameters = item(stored, "parameters", dict)
    names = SEARCHES[kind](best).get_params(deep=False).keys()
    check_parameters(parameters, {k: v for k, v in SEARCH_PARAMETERS.items() if k in names})
    search = SEARCHES[kind](clone(best), **parameters)
    search.best_estimator_, search.report_ = best, best.report_
    search.strengths_ = strengths
    for name, attribute in {"scores": "scores_", **CURVES}.items():
        if name in curves:
            width = curves[name].shape[1:] if name == "scores" else ()
            setattr(search, attribute, numbers(curves, name, (len(strengths), *width)))
    for name in ("best_strength", "best_score"):
        value = stored.get(name)
        if not is_number(value):
            raise InputError(f"{name!r} is missing or not a number")
        setattr(search, f"{name}_", value)
    search.best_params_ = item(stored, "best_params", dict)
    if not all(isinstance(value, int | float | str) for value in search.best_params_.values()):
        raise InputError("'best_params' holds more than numbers and text")
    return search


def pack_model(model: SparseLinear) -> Contents:
    """Return arrays and JSON of a fitted classifier or regressor."""
    check_is_fitted(model, "coef_")
    coef = np.atleast_2d(model.coef_)
    kept = np.flatnonzero(np.any(coef != 0, axis=0))
    arrays: Arrays = {
        "kept": smallest(kept),
        "weight": np.ascontiguousarray(coef[:, kept], dtype=np.float64),
        "intercept": np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64)),
    }
    pack_names(model, arrays)
    if hasattr(model, "baseline_"):
        arrays["baseline"] = np.stack(model.baseline_)
    labels = several = None
    if isinstance(model, SparseClassifier):
        labels = model.classes_.tolist()
        if model.labels_ is not None:
            several = "lists" if model.labels_.lists else "matrix"
        check_storable(map(str, labels))
    meta = {
        "laconic": __version__,
        **pack_settings(model, arrays),
        "used_loss": pack_loss(model.loss_),
        "labels": labels,
        "several": several,
        "features": int(model.n_features_in_),
        "flat": bool(np.ndim(model.coef_) == 1),
        "groups": [int(model.report_.groups_total), int(model.report_.groups_kept)],
        **report_meta(model.report_),
    }
    return arrays, meta


def unpack_model(arrays: Arrays, meta: Meta) -> SparseLinear:
    """Return a classifier or regressor; InputError if the contents make none."""
    model = read_settings(meta, arrays)
    used = read_loss_of(meta, "used_loss")
    if not isinstance(used, Loss) or used.classifies != isinstance(model, SparseClassifier):
        raise InputError("the loss does not go with the type of the model")
    model.loss_ = used
    labels = None
    if isinstance(model, SparseClassifier):
        model.classes_ = labels = checked_labels(item(meta, "labels", list))
    names = read_names(arrays)
    check_names(arrays, {"kept", "weight", "intercept"} | _read_baseline(model, arrays))
    p: int = item(meta, "features", int)
    K = arrays["intercept"].size
    if not is_count(p) or K < 1 or p * K >= 2**31:
        raise InputError("'features' is missing or no possible number of them")
    several = _read_several(model, meta, K)
    if labels is not None and not several and used.n_outputs(len(labels)) != K:
        raise InputError(f"{len(labels)} labels do not go with {K} outputs")
    _read_weights(model, arrays, p, K, flat=item(meta, "flat", bool))
    set_names(model, names, p)
    groups = item(meta, "groups", list)
    if len(groups) != 2 or not all(type(count) is int and count >= 0 for count in groups):
        raise InputError("'groups' is not how many groups there are and were kept")
    model.report_ = read_report(
        meta,
        features_total=p,
        features_kept=model.n_selected_,
        groups_total=groups[0],
        groups_kept=groups[1],
    )
    return model


def _read_several(model: SparseLinear, meta: Meta, n_outputs: int) -> bool:
    """Return whether rows may have several labels, one output each, and set labels_."""
    stored = meta.get("several")
    if stored is None:
        return False
    if not isinstance(model, SparseClassifier) or stored not in ("lists", "matrix"):
        raise InputError("'several' is 'lists' or 'matrix', of a classifier")
    if len(model.classes_) != n_outputs:
        raise InputError(f"{len(model.classes_)} labels do not go with {n_outputs} outputs")
    model.labels_ = Labels(np.zeros((0, n_outputs)), model.classes_, stored == "lists")
    return True


def _read_baseline(model: SparseLinear, arrays: Arrays) -> set[str]:
    """Set the cumulative hazard of a survival model, and return the names of its arrays."""
    if "baseline" not in arrays:
        return set()
    if not isinstance(model.loss_, Cox) or isinstance(model, SparseClassifier):
        raise InputError("only a regression with the Cox loss has a baseline")
    time, hazard = numbers(arrays, "baseline", (2, arrays["baseline"].shape[-1]))
    if np.any(np.diff(time) < 0) or np.any(np.diff(hazard) < 0) or np.any(hazard < 0):
        raise InputError("times and cumulative hazards of the baseline must not fall")
    model.baseline_ = (time, hazard)
    return {"baseline"}


def _read_weights(model: SparseLinear, arrays: Arrays, p: int, K: int, flat: bool) -> None:
    """Set coef_ and intercept_ from checked arrays."""
    if flat and (K > 1 or isinstance(model, SparseClassifier)):
        raise InputError("flat weights are those of a regression with one output")
    kept = whole(arrays, "kept", p - 1)
    if len(kept) > 1 and np.any(kept[1:] <= kept[:-1]):
        raise InputError("the numbers of features do not ascend")
    weight = numbers(arrays, "weight", (K, len(kept)))
    intercept = numbers(arrays, "intercept", (K,))
    coef = np.zeros((K, p))
    coef[:, kept] = weight
    model.n_features_in_ = p
    model.coef_ = coef[0] if flat else coef
    model.intercept_ = float(intercept[0]) if flat else intercept
