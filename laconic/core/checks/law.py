"""What all laws are written with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike


def require(holds: object, law: str) -> None:
    """Raise an AssertionError that names the law, unless it holds.

    An assert statement would vanish under python -O.
    """
    if not holds:
        raise AssertionError(law)


def near(a: ArrayLike, b: ArrayLike, tol: float = 1e-8) -> bool:
    """Return whether two numbers or arrays agree to `tol`, relative to the largest entry or 1."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
        return bool(np.array_equal(a, b))
    return bool(
        np.max(np.abs(a - b), initial=0.0) <= tol * max(1.0, float(np.max(np.abs(b), initial=0.0)))
    )


def raises(call: Callable[..., object], *arguments: object) -> bool:
    """Return whether a call is refused with a ValueError."""
    try:
        call(*arguments)
    except ValueError:
        return True
    return False
