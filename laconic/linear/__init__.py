"""Sparse linear models of matrices."""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="linear",
        model="laconic.linear.base:SparseLinear",
        store="laconic.linear.store",
        cli="laconic.linear.cli",
        page="laconic.linear.page:write_report",
        discrete="laconic.linear.discrete",
    ),
    Kind(
        name="linear-search",
        model="laconic.linear.search:StrengthSearch",
        store="laconic.linear.store",
        cli="laconic.linear.cli",
        page="laconic.linear.page:write_report",
    ),
    Kind(
        name="linear-stability",
        model="laconic.linear.stability:StabilitySelection",
        store="laconic.linear.stability_store",
        cli="laconic.linear.stability_cli",
    ),
)
PUBLIC = {
    "SparseClassifier": "laconic.linear.model",
    "SparseRegressor": "laconic.linear.model",
    "StabilitySelection": "laconic.linear.stability",
    "StrengthCV": "laconic.linear.cv",
    "StrengthIC": "laconic.linear.criteria",
    "bootstrap_intervals": "laconic.linear.bootstrap",
    "regularization_path": "laconic.linear.path",
}
