"""What storing any kind of model needs: values as JSON has them, and checked claims of files."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from laconic.core.arrays import Ints
from laconic.core.report import CERTIFICATES, FitReport
from laconic.errors import InputError
from laconic.models.file import MAX_HEADER_BYTES
from laconic.models.file import Arrays as Arrays
from laconic.models.file import Meta as Meta
from laconic.models.strict_json import dump_json, parse_json

Contents = tuple[Arrays, Meta]
ValueT = TypeVar("ValueT")
WHOLE = (np.uint8, np.uint16, np.uint32, np.uint64)


def check_storable(words: Iterable[str]) -> None:
    """Raise ValueError if a word or label is no valid Unicode, which no file can hold.

    JSON can escape half a character.
    """
    try:
        "\n".join(words).encode()
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])
        raise ValueError(
            f"a word or label holds half a character ({half}), which a model file cannot store"
        ) from None


def finite(value: float) -> float | None:
    """Return a number as JSON can hold it: None if it is not finite."""
    return float(value) if math.isfinite(value) else None


def is_number(value: object) -> bool:
    """Return whether a JSON value is a number, which booleans are not."""
    return type(value) in (int, float)


def is_count(value: object) -> bool:
    """Return whether a JSON value is an integer of at least 1."""
    return type(value) is int and 0 < value < 2**31


def item(meta: Meta, name: str, kind: type[ValueT]) -> ValueT:
    """Return `meta[name]`, which must be of that very type."""
    if type(meta.get(name)) is not kind:
        raise InputError(f"{name!r} is missing or has another type than {kind.__name__}")
    value: ValueT = meta[name]
    return value


def converged(meta: Meta) -> bool:
    """Return whether the solver of a stored fit reached its tolerance.

    Files of laconic 0.1.0 do not say: there, a fit that was not interrupted counts as converged.
    """
    return bool(item({"converged": not item(meta, "interrupted", bool), **meta}, "converged", bool))


def check_parameters(given: Meta, allowed: Mapping[str, Callable[[Any], bool]]) -> None:
    """Raise InputError unless these are the parameters, each with a value that is allowed."""
    if given.keys() != allowed.keys():
        raise InputError(f"expected the parameters {', '.join(sorted(allowed))}")
    for name, value in given.items():
        if not allowed[name](value):
            raise InputError(f"the parameter {name} has an impossible value")


def checked_labels(labels: list[Any], several: bool = False) -> NDArray[Any]:
    """Return labels as an array; InputError unless there are at least two different ones.

    Where a document may have `several`, one label is enough.
    """
    kinds = {type(label) for label in labels}
    if (
        len(labels) < (1 if several else 2)
        or len(kinds) != 1
        or not kinds <= {str, int, float, bool}
        or len(set(labels)) != len(labels)
    ):
        raise InputError("expected at least two different labels, all text or all numbers")
    return np.asarray(labels)


def number_or_nan(meta: Meta, name: str) -> float:
    """Return the number `meta[name]`, NaN where it is null."""
    value = meta.get(name)
    if name not in meta or not (value is None or is_number(value)):
        raise InputError(f"{name!r} is missing or not a number")
    return math.nan if value is None else float(value)


def certificate_kind(meta: Meta) -> str:
    """Return what the stored certificate is; empty in older files, which do not say."""
    kind = meta.get("certificate_kind", "")
    if kind not in ("", *CERTIFICATES):
        raise InputError(f"'certificate_kind' is one of {', '.join(CERTIFICATES)}, or empty")
    return str(kind)


def report_meta(report: FitReport) -> Meta:
    """Return what model files keep of every fit report, as JSON has it."""
    return {
        "objective": finite(report.objective),
        "certificate": finite(report.certificate),
        "certificate_kind": report.certificate_kind,
        "converged": bool(report.converged),
        "interrupted": bool(report.interrupted),
        "n_iter": int(report.n_iter),
    }


def read_report(meta: Meta, **more: Any) -> FitReport:
    """Return the fit report that `report_meta` stored, with `more` of its fields."""
    return FitReport(
        objective=number_or_nan(meta, "objective"),
        certificate=number_or_nan(meta, "certificate"),
        certificate_kind=certificate_kind(meta),
        converged=item(meta, "converged", bool),
        interrupted=item(meta, "interrupted", bool),
        n_iter=item(meta, "n_iter", int),
        **more,
    )


def check_names(arrays: Arrays, wanted: set[str]) -> None:
    """Raise InputError unless the file holds these arrays and no others."""
    if arrays.keys() != wanted:
        raise InputError(
            f"expected the arrays {', '.join(sorted(wanted))}, "
            f"found {', '.join(sorted(arrays)) or 'none'}"
        )


def typed(
    arrays: Arrays, name: str, dtype: type[np.number[Any]], n_dimensions: int = 1
) -> NDArray[Any]:
    """Return an array, which must have this type and number of dimensions."""
    array = arrays[name]
    if array.dtype != dtype or array.ndim != n_dimensions:
        raise InputError(
            f"the array {name} is {array.dtype} of shape {array.shape}, expected {np.dtype(dtype)}"
        )
    return array


def numbers(
    arrays: Arrays,
    name: str,
    shape: tuple[int, ...],
    dtype: type[np.floating[Any]] = np.float64,
) -> NDArray[Any]:
    """Return an array, which must have this type and shape and hold finite numbers."""
    array = arrays[name]
    if array.dtype != dtype or array.shape != shape:
        raise InputError(
            f"the array {name} is {array.dtype} of shape {array.shape}, "
            f"expected {dtype.__name__} of shape {shape}"
        )
    if not np.all(np.isfinite(array)):
        raise InputError(f"the array {name} holds numbers that are not finite")
    return array


def smallest(values: NDArray[Any]) -> NDArray[Any]:
    """Return integers of at least 0 in the smallest unsigned type that holds them."""
    most = int(values.max(initial=0))
    fitting: DTypeLike = next(dtype for dtype in WHOLE if most <= np.iinfo(dtype).max)
    return values.astype(fitting)


def whole(arrays: Arrays, name: str, most: int = 2**32 - 1) -> Ints:
    """Return a row of unsigned integers, which must not exceed `most`, as int64."""
    array = arrays[name]
    if array.ndim != 1 or array.dtype not in WHOLE or int(array.max(initial=0)) > most:
        raise InputError(f"expected the array {name} as a row of whole numbers")
    return array.astype(np.int64)


def pack_json(value: Meta) -> NDArray[np.uint8]:
    """Return JSON as a compressed array, where the meta of a file would take too much space."""
    return np.frombuffer(zlib.compress(dump_json(value).encode(), 9), np.uint8)


def unpack_json(data: NDArray[np.uint8]) -> Meta:
    """Return what `pack_json` packed; arrays that it cannot have written are an InputError."""
    if data.ndim != 1 or data.dtype != np.uint8:
        raise InputError("compressed JSON was expected as a row of uint8.")
    stream = zlib.decompressobj()
    try:
        raw = stream.decompress(data.tobytes(), MAX_HEADER_BYTES)
    except zlib.error:
        raise InputError("compressed JSON cannot be decompressed.") from None
    if not stream.eof:
        raise InputError("compressed JSON is truncated or too long.")
    return parse_json(raw, "description")
