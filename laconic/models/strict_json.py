"""JSON as model files hold it: what is written comes back unchanged, and nothing else is read."""

from __future__ import annotations

import json
import math
from typing import Any

from laconic.errors import InputError

MAX_DEPTH = 64


def parse_json(raw: bytes, what: str) -> dict[str, Any]:
    """Return one JSON object; `what` names it in an InputError.

    Duplicate keys, huge or non-finite numbers, broken Unicode and deep nesting are refused.
    """
    try:
        value = json.loads(
            raw.decode(),
            object_pairs_hook=_object_without_duplicates,
            parse_int=_bounded_int,
            parse_constant=_refuse_constant,
        )
        _check_json(value)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the {what} is not valid JSON: {error}.") from None
    if not isinstance(value, dict):
        raise InputError(f"the {what} is not a JSON object.")
    return value


def dump_json(value: object) -> str:
    """Return the JSON of a value; ValueError for what `parse_json` would not give back."""
    _check_json(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def brief(value: object) -> str:
    """Return a value as an error message can show it: ASCII, at most 80 characters."""
    text = ascii(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice")
    return value


def _bounded_int(digits: str) -> int:
    if len(digits) > 20:  # more than 64 bits; converting very long ones takes quadratic time
        raise ValueError("an integer is too long")
    return int(digits)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _check_json(root: object) -> None:
    """Raise ValueError unless JSON gives `root` back unchanged, tuples aside."""
    level: list[Any] = [root]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner.extend(value.values())
                for key in value:
                    if not isinstance(key, str):
                        raise ValueError(f"keys are strings, not {brief(key)}")
                    key.encode()
            elif isinstance(value, list | tuple):
                inner.extend(value)
            else:
                _check_scalar(value)
        if not inner:
            return
        level = inner
    raise ValueError(f"nested more than {MAX_DEPTH} deep")


def _check_scalar(value: object) -> None:
    if isinstance(value, str):
        value.encode()  # a lone surrogate cannot be written or printed
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("a number is not finite")
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise ValueError("an integer has more than 64 bits")
    elif value is not None:
        raise ValueError(f"{type(value).__name__} is not a JSON type")
