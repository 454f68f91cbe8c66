"""Groups of columns that live or die together.

A path over strengths, the best one by cross-validation, and what it kept.

python examples/groups.py
"""

import numpy as np

from laconic import GroupLasso, Groups, SparseClassifier, StrengthCV, regularization_path

rng = np.random.default_rng(0)
groups = Groups.from_lists([range(g * 5, g * 5 + 5) for g in range(20)], n_features=100)
X = rng.normal(size=(400, 100))
y = X[:, :10].sum(axis=1) + rng.normal(size=400) > 0  # only the first two groups matter

path = regularization_path(SparseClassifier(GroupLasso(groups)), X, y, n_strengths=10)
for strength, selected, gap in zip(path.strengths, path.selected, path.certificates, strict=True):
    print(f"strength {strength:8.3f}  columns kept {selected:3d}  relative duality gap {gap:.0e}")

search = StrengthCV(SparseClassifier(GroupLasso(groups)), scoring="accuracy", rule="1se")
model = search.fit(X, y)
kept = np.flatnonzero(model.best_estimator_.coef_.ravel())
print(
    f"best strength {model.best_strength_:.3f}, accuracy {model.best_score_:.3f}, "
    f"groups kept {sorted({int(j) // 5 for j in kept})}"
)
