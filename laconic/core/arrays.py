"""Types of arrays, each named once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import scipy.sparse as sp

Array: TypeAlias = NDArray[np.float64]
Floats: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int64]
Ints32: TypeAlias = NDArray[np.int32]
Bools: TypeAlias = NDArray[np.bool_]
Integers: TypeAlias = NDArray[np.integer[Any]]  # of any width
AnyArray: TypeAlias = NDArray[Any]

# What estimators take: tables of numbers, dense or sparse.
MatrixLike: TypeAlias = "sp.spmatrix | sp.sparray | ArrayLike"
RandomState: TypeAlias = "int | np.random.Generator | np.random.RandomState | None"
