"""Models that move over time in model files: trajectories, drift, and the clock of the steps.

kept          one bit per feature: 1 where its trajectory is not zero throughout
trajectories  (kept, T), or (kept, T, K) for K > 2 classes
drift         (T,) or (T, K)
alpha         (features,) or (features, K): mean autocorrelations, AdaptivePrior alone
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.core.penalties import Penalty
from laconic.errors import InputError
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
)
from laconic.models.foreign import ForeignLoss
from laconic.models.parts import pack_loss, pack_penalty, read_loss, read_penalty
from laconic.time.base import MODES, TemporalLinear
from laconic.time.fused import OverTime
from laconic.time.model import TemporalClassifier, TemporalRegressor
from laconic.time.times import MOST_STEPS, UNITS, TimeGrid
from laconic.time.trajectories import Trajectories
from laconic.version import __version__

TYPES = {"regressor": TemporalRegressor, "classifier": TemporalClassifier}
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
        **penalties_meta(model, arrays),
        "loss": pack_loss(model.loss_),
        "labels": labels,
        "clock": model.clock_._asdict(),
        "features": int(model.n_features_in_),
        **report_meta(model.report_),
    }
    return arrays, meta


def unpack(arrays: Arrays, meta: dict[str, Any]) -> TemporalLinear:
    """Return the model with these contents, or raise a ValueError that says what is wrong."""
    kind = item(meta, "type", str)
    if kind not in TYPES:
        raise InputError(f"'type' is one of {', '.join(TYPES)}")
    penalty, stated = read_penalties(meta, arrays)
    check_names(arrays, ALWAYS | ({"alpha"} & arrays.keys()))
    parameters = item(meta, "parameters", dict)
    check_parameters(parameters, PARAMETERS)
    told = meta.get("loss")
    # In files of laconic 0.1.0 the name alone stands for a loss.
    by_name: Meta = {"name": told, "parameters": {}}
    loss = read_loss(by_name if isinstance(told, str) else item(meta, "loss", dict))
    if isinstance(loss, ForeignLoss) or loss.classifies != (kind == "classifier"):
        raise InputError("the loss does not go with the type of the model")
    model: TemporalLinear = TYPES[kind](stated, **parameters)
    model.strength = read_strength(meta)
    if kind == "classifier":
        model.classes_ = checked_labels(item(meta, "labels", list))
    n_outputs = loss.n_outputs(len(model.classes_)) if kind == "classifier" else 1
    model.clock_ = read_clock(item(meta, "clock", dict))
    n_steps = model.clock_.n_steps if model.mode == "moving" else 1
    model.loss_, model.penalty_ = loss, as_used(penalty, n_steps, n_outputs)
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


class HasPenalty(Protocol):
    """A fitted model with the penalty as stated and as used."""

    penalty: Penalty | str | None
    strength: float | None
    penalty_: Penalty


def penalties_meta(model: HasPenalty, arrays: Arrays) -> Meta:
    """Return the penalty of a fitted model as used and as stated, their arrays among the file's."""
    stated = model.penalty
    return {
        "penalty": pack_penalty(model.penalty_, arrays),
        "stated": pack_penalty(stated, arrays, "stated") if isinstance(stated, Penalty) else stated,
        "strength": plain(model.strength),
    }


def read_penalties(meta: Meta, arrays: Arrays) -> tuple[Penalty, Penalty | str | None]:
    """Return the penalties that `penalties_meta` wrote, as used and as stated.

    Files of laconic 0.1.0 have the first alone. Their arrays are taken out of the file's.
    """
    used = read_penalty(item(meta, "penalty", dict), arrays)
    stated = meta.get("stated", used)
    if isinstance(stated, dict):
        stated = read_penalty(stated, arrays, "stated")
    if not (stated is None or isinstance(stated, str | Penalty)):
        raise InputError("the stated penalty is neither a name nor a penalty")
    return used, stated


def read_strength(meta: Meta) -> float | None:
    """Return the stated strength of the penalty; files of laconic 0.1.0 have none."""
    found = meta.get("strength")
    if found is not None and not is_number(found):
        raise InputError("the strength of the penalty is not a number")
    return found


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
