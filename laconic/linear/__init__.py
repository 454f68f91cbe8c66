"""Sparse linear models of matrices."""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="linear",
        model="laconic.linear.base:SparseLinear",
        discrete="laconic.linear.discrete",
    ),
)
PUBLIC = {
    "SparseClassifier": "laconic.linear.model",
    "SparseRegressor": "laconic.linear.model",
    "StrengthCV": "laconic.linear.cv",
    "regularization_path": "laconic.linear.path",
}
