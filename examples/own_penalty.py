"""A penalty of your own: positive weights.

A penalty is a class with `value` and `prox`; a solver that needs no more is found by itself.

python examples/own_penalty.py
"""

import numpy as np

from laconic import SparseRegressor
from laconic.core.penalties import Penalty


class Positive(Penalty):
    """strength sum_i w_i, w >= 0."""

    def __init__(self, strength: float = 1.0) -> None:
        self.strength = strength

    def value(self, w: np.ndarray) -> float:
        return np.inf if np.any(w < 0) else self.strength * float(w.sum())

    def prox(self, w: np.ndarray, step: float = 1.0) -> np.ndarray:
        return np.maximum(w - step * self.strength, 0)

    def spread(self, n_outputs: int) -> Penalty:
        return self


rng = np.random.default_rng(0)
X = rng.normal(size=(100, 6))
y = X @ [2.0, 0.0, 1.0, 0.0, -1.0, 0.0]
print(SparseRegressor(Positive(5.0)).fit(X, y).coef_.round(2).tolist())
