"""Which columns are kept again and again in halves of the data?

python examples/stable.py
"""

import numpy as np

from laconic import SparseClassifier, StabilitySelection

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 20))
y = X[:, :3].sum(axis=1) + rng.normal(size=200) > 0
found = StabilitySelection(SparseClassifier("lasso", strength=5.0), random_state=0).fit(X, y)
print(np.flatnonzero(found.get_support()).tolist())
