"""Penalties and losses in model files: their names and parameters, as data and never as code.

    {"name": "GroupLasso", "parameters": {"groups": {"groups": {"index": {"array": "penalty.0"}, ..

Scalars and lists of them stand in the JSON as they are; arrays, of which groups are made, are
arrays of the file. A class of another package is kept by its path and its parameters, so that it
can be shown; reading a file never imports it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from laconic.core import losses, penalties
from laconic.core.groups import Groups
from laconic.core.groups_like import SpreadGroups
from laconic.core.losses import Loss
from laconic.core.parameters import HasParameters
from laconic.core.penalties import Penalty
from laconic.core.report import in_one_line
from laconic.errors import InputError
from laconic.models.checks import Arrays, Meta, is_count
from laconic.models.foreign import Foreign, ForeignLoss, ForeignPenalty
from laconic.models.kind import find

PartT = TypeVar("PartT", bound=Loss | Penalty)
DEEPEST = 16  # lists and penalties inside of each other
FLOATS = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}
GROUP_ARRAYS = ("index", "ptr", "weight", "parent")
# Penalties that belong to a task, or that none but a task makes; others go by their public names.
OF_TASKS = {
    "BlockNorms": "laconic.core.penalties.blocks:BlockNorms",
    "AdaptivePrior": "laconic.time.adaptive:AdaptivePrior",
    "FusedLasso": "laconic.time.fused:FusedLasso",
    "NestedGroups": "laconic.lm.nested_groups:NestedGroups",
    "NestedLasso": "laconic.lm.nested:NestedLasso",
    "NestedRidge": "laconic.lm.nested:NestedRidge",
    "NestedTree": "laconic.lm.nested_tree:NestedTree",
    "SmoothGroupLasso": "laconic.time.fused:SmoothGroupLasso",
    "SmoothRidge": "laconic.time.trajectories:SmoothRidge",
}


def pack_penalty(penalty: Penalty, arrays: Arrays, prefix: str = "penalty") -> Meta:
    """Return the JSON of a penalty; its arrays are added to `arrays`, under names with a prefix.

    Parameters
    ----------
    penalty : Penalty
        One of laconic's, or of another package.
    arrays : dict of str to array
        The arrays of the file, to which those of the penalty are added.
    prefix : str, default="penalty"
        Beginning of their names; a dot and a number follow.

    Returns
    -------
    dict
        What `read_penalty` reads.
    """
    return _pack(penalty, penalty_class(type(penalty).__name__), arrays, prefix)


def read_penalty(meta: Meta, arrays: Arrays, prefix: str = "penalty") -> Penalty:
    """Return the penalty that `pack_penalty` packed; InputError if the file does not hold one.

    Its arrays are taken out of `arrays`, so that those of the model are left. A penalty of another
    package is a ForeignPenalty, since files are data and never code.
    """
    found = _read_part(meta, arrays, prefix, 0)
    _all_used(arrays, prefix)
    return found


def pack_loss(loss: Loss) -> Meta:
    """Return the JSON of a loss, whose parameters must be numbers, text or lists of them."""
    return _pack(loss, loss_class(type(loss).__name__), {}, "loss")


def read_loss(meta: Meta) -> Loss:
    """Return the loss that `pack_loss` packed; InputError if the file does not hold one.

    A loss of another package is a ForeignLoss.
    """
    if set(meta) == {"class", "parameters"}:
        return ForeignLoss(*_foreign(meta, {}, "loss", 0))
    name, parameters = _named(meta)
    return _make(loss_class(name), name, _values(parameters, {}, "loss", 1))


def penalty_class(name: str) -> type[Penalty] | None:
    """Return the penalty of laconic with this name, or None."""
    if name in penalties.__all__:
        found = getattr(penalties, name)
    elif name in OF_TASKS:
        found = find(OF_TASKS[name])
    else:
        return None
    return found if isinstance(found, type) and issubclass(found, Penalty) else None


def loss_class(name: str) -> type[Loss] | None:
    """Return the loss of laconic with this name, or None."""
    found = getattr(losses, name, None)
    return found if isinstance(found, type) and issubclass(found, Loss) else None


def _pack(part: HasParameters, own: type | None, arrays: Arrays, prefix: str) -> Meta:
    """Return name or path, and parameters, of a penalty or loss."""
    given = part.get_params(deep=False)
    if isinstance(part, Foreign):  # it came from a file, and goes into one as it was
        path, given = part.path, dict(part.parameters or {})
    elif own is type(part):
        packed = {key: _pack_value(value, arrays, prefix) for key, value in given.items()}
        return {"name": type(part).__name__, "parameters": packed}
    else:
        path = f"{type(part).__module__}:{type(part).__qualname__}"
    return {"class": path, "parameters": {k: _or_text(v, arrays, prefix) for k, v in given.items()}}


def _or_text(value: object, arrays: Arrays, prefix: str) -> object:
    """Return a parameter of a foreign class as files hold it: as text, if in no other way."""
    try:
        return _pack_value(value, arrays, prefix)
    except ValueError:
        return in_one_line(value)


def _pack_value(value: object, arrays: Arrays, prefix: str) -> object:
    """Return a value of a parameter as JSON, its arrays beside it."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else {"float": repr(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        name = f"{prefix}.{sum(one.startswith(f'{prefix}.') for one in arrays)}"
        arrays[name] = np.ascontiguousarray(value)
        return {"array": name}
    if isinstance(value, Groups):
        held = {key: _pack_value(getattr(value, key), arrays, prefix) for key in GROUP_ARRAYS}
        return {"groups": {**held, "n_features": int(value.n_features)}}
    if isinstance(value, SpreadGroups):
        spread = {"groups": value.given, "n_outputs": value.n_outputs}
        return {"spread": {key: _pack_value(one, arrays, prefix) for key, one in spread.items()}}
    if isinstance(value, Penalty):
        return {"penalty": pack_penalty(value, arrays, prefix)}
    if isinstance(value, list | tuple):
        items = [_pack_value(item, arrays, prefix) for item in value]
        return items if isinstance(value, list) else {"tuple": items}
    if isinstance(value, Mapping):
        pairs = ([_pack_value(part, arrays, prefix) for part in pair] for pair in value.items())
        return {"dict": list(pairs)}
    raise ValueError(
        f"a value of type {type(value).__name__} cannot be saved in a model file; expected "
        "numbers, text, arrays, Groups, penalties, or lists of them"
    )


def _read_part(meta: object, arrays: Arrays, prefix: str, depth: int) -> Penalty:
    if isinstance(meta, dict) and set(meta) == {"class", "parameters"}:
        return ForeignPenalty(*_foreign(meta, arrays, prefix, depth))
    name, parameters = _named(meta)
    values = _values(parameters, arrays, prefix, depth + 1)
    return _make(penalty_class(name), name, values)


def _named(meta: object) -> tuple[str, Meta]:
    """Return name and parameters of a part of laconic, or raise an InputError."""
    if not isinstance(meta, dict) or set(meta) != {"name", "parameters"}:
        raise InputError("expected a penalty or loss as a name and parameters")
    if not isinstance(meta["name"], str) or not isinstance(meta["parameters"], dict):
        raise InputError("expected a penalty or loss as a name and parameters")
    return meta["name"], meta["parameters"]


def _foreign(meta: Meta, arrays: Arrays, prefix: str, depth: int) -> tuple[str, Meta]:
    """Return path and parameters of a class of another package, or raise an InputError."""
    path, parameters = meta["class"], meta["parameters"]
    if not isinstance(path, str) or not path.isprintable() or not isinstance(parameters, dict):
        raise InputError("expected a class as its path and parameters")
    return path, _values(parameters, arrays, prefix, depth + 1)


def _values(parameters: Meta, arrays: Arrays, prefix: str, depth: int) -> Meta:
    return {key: _read_value(one, arrays, prefix, depth) for key, one in parameters.items()}


def _make(cls: type[PartT] | None, name: str, values: Meta) -> PartT:
    """Return the part with these parameters; InputError if there is none such."""
    if cls is None:
        raise InputError(f"this version of laconic knows no {ascii(name)[:80]}")
    allowed = cls._get_param_names()
    if not set(values) <= set(allowed):
        raise InputError(f"{name} has no parameters {sorted(set(values) - set(allowed))!a}")
    try:
        made = cls(**values)
        checked = getattr(made, "check", None)
        if checked is not None:
            checked()
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise InputError(
            f"the parameters of {name} have impossible values: {ascii(str(error))[:200]}"
        ) from None
    return made


def _read_value(value: object, arrays: Arrays, prefix: str, depth: int) -> Any:
    """Return the value that `_pack_value` packed; InputError if it cannot have packed this."""
    if depth > DEEPEST:
        raise InputError("parameters are nested too deep")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [_read_value(item, arrays, prefix, depth + 1) for item in value]
    if isinstance(value, dict) and len(value) == 1:
        ((kind, held),) = value.items()
        if kind == "array":
            return _array(held, arrays, prefix)
        if kind == "penalty":
            return _read_part(held, arrays, prefix, depth + 1)
        if kind == "float" and isinstance(held, str) and held in FLOATS:
            return FLOATS[held]
        if kind == "tuple" and isinstance(held, list):
            return tuple(_read_value(item, arrays, prefix, depth + 1) for item in held)
        if kind == "dict" and isinstance(held, list):
            return _read_pairs(held, arrays, prefix, depth + 1)
        if kind == "groups" and isinstance(held, dict):
            return _groups(held, arrays, prefix)
        if kind == "spread" and isinstance(held, dict) and held.keys() == {"groups", "n_outputs"}:
            if is_count(held["n_outputs"]):
                given = _read_value(held["groups"], arrays, prefix, depth + 1)
                return SpreadGroups(given, held["n_outputs"])
    raise InputError("a parameter has a value that this version of laconic cannot read")


def _read_pairs(pairs: list[Any], arrays: Arrays, prefix: str, depth: int) -> dict[Any, Any]:
    if not all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str | int)
        for pair in pairs
    ):
        raise InputError("expected names with their values")
    return {key: _read_value(value, arrays, prefix, depth) for key, value in pairs}


def _array(name: object, arrays: Arrays, prefix: str) -> NDArray[Any]:
    """Take an array out of the file's, or raise an InputError."""
    if not isinstance(name, str) or not name.startswith(f"{prefix}.") or name not in arrays:
        raise InputError("a parameter names an array that is not there")
    found = arrays.pop(name)
    if found.dtype.kind == "f" and not np.all(np.isfinite(found)):
        raise InputError(f"the array {name} holds numbers that are not finite")
    return found


def _groups(held: Meta, arrays: Arrays, prefix: str) -> Groups:
    """Return groups of features, or raise an InputError."""
    if held.keys() != {*GROUP_ARRAYS, "n_features"} or type(held["n_features"]) is not int:
        raise InputError("expected groups as index, ptr, weight, parent and n_features")
    parts = {key: _read_value(held[key], arrays, prefix, 0) for key in GROUP_ARRAYS}
    if not 0 <= held["n_features"] < 2**31:
        raise InputError("the groups have an impossible number of features")
    if not all(isinstance(parts[key], np.ndarray) for key in GROUP_ARRAYS[:3]):
        raise InputError("expected groups as arrays")
    try:
        return Groups(**parts, n_features=held["n_features"])
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise InputError(f"the groups are impossible: {ascii(str(error))[:200]}") from None


def _all_used(arrays: Arrays, prefix: str) -> None:
    left = sorted(name for name in arrays if name.startswith(f"{prefix}."))
    if left:
        raise InputError(f"the array {left[0]} belongs to no parameter")
