"""Models that move over time in model files: trajectories, drift, and the clock of the steps.

kept          one bit per feature: 1 where its trajectory is not zero throughout
trajectories  (kept, T), or (kept, T, K) for K > 2 classes
drift         (T,) or (T, K)
alpha         (features,) or (features, K): mean autocorrelations, AdaptivePrior alone
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.classify.store import checked_labels
from laconic.core import losses
from laconic.core.penalties import L1, ElasticNet, Penalty, Ridge
from laconic.errors import InputError
from laconic.models.checks import (
    Arrays,
    Contents,
    check_names,
    check_parameters,
    check_storable,
    is_count,
    is_number,
    item,
    numbers,
    read_report,
    report_meta,
)
from laconic.time.adaptive import AdaptivePrior
from laconic.time.base import MODES, TemporalLinear
from laconic.time.fused import FusedLasso, OverTime, SmoothGroupLasso
from laconic.time.model import TemporalClassifier, TemporalRegressor
from laconic.time.times import MOST_STEPS, UNITS, TimeGrid
from laconic.time.trajectories import SmoothRidge, Trajectories
from laconic.version import __version__

TYPES = {"regressor": TemporalRegressor, "classifier": TemporalClassifier}
PENALTIES = {
    one.__name__: one
    for one in (AdaptivePrior, SmoothRidge, FusedLasso, SmoothGroupLasso, L1, Ridge, ElasticNet)
}
LOSSES = {
    one.__name__: one
    for one in (
        losses.Squared,
        losses.Poisson,
        losses.Logistic,
        losses.Multinomial,
        losses.SquaredHinge,
    )
}
ALWAYS = {"kept", "trajectories", "drift"}
PARAMETERS = {
    "fit_intercept": lambda value: type(value) is bool,
    "drift": lambda value: type(value) is bool,
    "mode": lambda value: value in MODES,
    "step": lambda value: value is None or value in UNITS or (is_number(value) and value > 0),
    "fit_tau": lambda value: type(value) is bool,
    "tol": is_number,
    "max_iter": lambda value: value is None or is_count(value),
}


def pack(model: TemporalLinear) -> Contents:
    """Return arrays and JSON of a fitted model."""
    check_is_fitted(model, "trajectories_")
    kept = np.any(model.trajectories_.reshape(model.n_features_in_, -1) != 0, axis=1)
    arrays: Arrays = {
        "kept": np.packbits(kept),
        "trajectories": model.trajectories_[kept],
        "drift": np.asarray(model.drift_, dtype=np.float64),
    }
    if hasattr(model, "alpha_"):
        arrays["alpha"] = model.alpha_
    labels = model.classes_.tolist() if isinstance(model, TemporalClassifier) else None
    check_storable(map(str, labels or []))
    meta = {
        "laconic": __version__,
        "type": next(name for name, kind in TYPES.items() if isinstance(model, kind)),
        "parameters": {name: plain(getattr(model, name)) for name in PARAMETERS},
        "penalty": penalty_meta(model.penalty_),
        "loss": type(model.loss_).__name__,
        "labels": labels,
        "clock": model.clock_._asdict(),
        "features": int(model.n_features_in_),
        **report_meta(model.report_),
    }
    return arrays, meta


def unpack(arrays: Arrays, meta: dict[str, Any]) -> TemporalLinear:
    """Return the model with these contents, or raise a ValueError that says what is wrong."""
    check_names(arrays, ALWAYS | ({"alpha"} & arrays.keys()))
    kind = item(meta, "type", str)
    if kind not in TYPES:
        raise InputError(f"'type' is one of {', '.join(TYPES)}")
    parameters = item(meta, "parameters", dict)
    check_parameters(parameters, PARAMETERS)
    penalty = read_penalty(item(meta, "penalty", dict))
    loss = LOSSES.get(item(meta, "loss", str))
    if loss is None or loss.classifies != (kind == "classifier"):
        raise InputError("the loss does not go with the type of the model")
    model = TYPES[kind](penalty, **parameters)
    if kind == "classifier":
        model.classes_ = checked_labels(item(meta, "labels", list))
    n_outputs = loss().n_outputs(len(model.classes_)) if kind == "classifier" else 1
    model.clock_ = read_clock(item(meta, "clock", dict))
    n_steps = model.clock_.n_steps if model.mode == "moving" else 1
    model.loss_, model.penalty_ = loss(), as_used(penalty, n_steps, n_outputs)
    p: int = item(meta, "features", int)
    if not is_count(p) or p * n_steps * n_outputs >= 2**31:
        raise InputError("'features' is missing or no possible number of them")
    outputs = (n_outputs,) if n_outputs > 1 else ()
    if arrays["kept"].dtype != np.uint8 or arrays["kept"].shape != ((p + 7) // 8,):
        raise InputError("there is not one bit per feature")
    kept = np.unpackbits(arrays["kept"], count=p).astype(bool)
    trajectories = numbers(arrays, "trajectories", (int(kept.sum()), n_steps, *outputs))
    model.drift_ = numbers(arrays, "drift", (n_steps, *outputs))
    if "alpha" in arrays:
        shape = (p, n_outputs) if arrays["alpha"].ndim == 2 else (p,)
        model.alpha_ = numbers(arrays, "alpha", shape)
    model.n_features_in_ = p
    model.trajectories_ = np.zeros((p, n_steps, *outputs))
    model.trajectories_[kept] = trajectories
    model.report_ = read_report(meta, features_total=p, features_kept=int(kept.sum()))
    model.take_last_step()
    return model


def plain(value: object) -> object:
    """Return a scalar of NumPy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def penalty_meta(penalty: Penalty) -> dict[str, Any]:
    """Return name and parameters of a penalty; ValueError if they are not scalars."""
    name = type(penalty).__name__
    parameters = {key: plain(value) for key, value in penalty.get_params(deep=False).items()}
    if name not in PENALTIES or not all(
        value is None or isinstance(value, (bool, int, float, str)) for value in parameters.values()
    ):
        raise ValueError(
            f"a model with the penalty {name} of such parameters cannot be saved; "
            f"those that can are {', '.join(PENALTIES)}"
        )
    return {"name": name, "parameters": parameters}


def read_penalty(meta: dict[str, Any]) -> Penalty:
    """Return the penalty that `penalty_meta` describes."""
    name, parameters = item(meta, "name", str), item(meta, "parameters", dict)
    if (
        name not in PENALTIES
        or parameters.keys() != PENALTIES[name]().get_params(deep=False).keys()
    ):
        raise InputError("the penalty is none that this version of laconic knows")
    if not all(
        value is None or type(value) in (bool, int, float, str) for value in parameters.values()
    ):
        raise InputError("the parameters of the penalty have impossible values")
    try:
        penalty = PENALTIES[name](**parameters).check()
    except TypeError:
        raise InputError("the parameters of the penalty have impossible values") from None
    return penalty


def as_used(penalty: Penalty, n_steps: int, n_outputs: int) -> Penalty:
    """Return the penalty; InputError unless it has these numbers of steps and outputs."""
    if isinstance(penalty, (Trajectories, OverTime)) and (penalty.n_steps, penalty.n_outputs) != (
        n_steps,
        n_outputs,
    ):
        raise InputError("the penalty has other numbers of steps and outputs than the model")
    return penalty


def read_clock(meta: dict[str, Any]) -> TimeGrid:
    """Return the clock with these entries."""
    unit, width, origin, n_steps = (meta.get(name, math.nan) for name in TimeGrid._fields)
    numeric = is_number(width) and 0 < width < 1e15 and is_number(origin) and abs(origin) < 1e15
    if (
        meta.keys() != set(TimeGrid._fields)
        or unit not in (None, *UNITS)
        or not numeric
        or not is_count(n_steps)
    ):
        raise InputError("the clock is not a unit, a width, an origin and a number of steps")
    if n_steps > MOST_STEPS or (unit is not None and (width not in (1, 3) or abs(origin) > 10**7)):
        raise InputError("the clock has impossible steps")
    return TimeGrid(unit, float(width), float(origin), n_steps)
