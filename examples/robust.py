"""Losses: the median and the Huber loss where some targets are wrong.

python examples/robust.py
"""

import numpy as np

from laconic import SparseRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5))
y = X @ [3.0, 0.0, -2.0, 0.0, 0.0] + 0.1 * rng.normal(size=200)
y[:20] += 50  # a tenth of the targets is wrong
for loss in ("squared", "huber"):
    found = SparseRegressor("lasso", loss, strength=2.0).fit(X, y)
    print(f"{loss:8} {found.coef_.round(2).tolist()}")
