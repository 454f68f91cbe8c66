"""Models that change over time (Yogatama 2015, chapter 3).

Penalties of trajectories are in `trajectories`, `adaptive` and `fused`, their solver in
`variational`. There are three kinds: `temporal` takes rows of numbers and has no page, since no
file of documents shows its features; `forecast` learns by a temporal model, so that it has no room
`learn`; `sage` models words and has no page yet. Estimators of rows have no
room `predict`: they score by one product. None has a compact form: trajectories are dense.
"""

from laconic.models.kind import Kind

KINDS = (
    Kind(
        name="forecast",
        model="laconic.time.forecast.model:Forecaster",
        store="laconic.time.forecast.store",
        cli="laconic.time.forecast.cli",
        page="laconic.time.forecast.page:write_forecast_report",
        help="Train a model that forecasts numbers or labels from dated documents.",
    ),
    Kind(
        name="temporal",
        model="laconic.time.base:TemporalLinear",
        store="laconic.time.store",
        cli="laconic.time.cli",
    ),
    Kind(
        name="sage",
        model="laconic.time.sage.model:TemporalTextModel",
        store="laconic.time.sage.store",
        cli="laconic.time.sage.cli",
        help="Train a model of which words documents use, by their fields and over time.",
    ),
)
PUBLIC = {
    "AdaptivePrior": "laconic.time.adaptive",
    "Forecaster": "laconic.time.forecast.model",
    "FusedLasso": "laconic.time.fused",
    "RollingOrigin": "laconic.time.rolling",
    "SmoothGroupLasso": "laconic.time.fused",
    "SmoothRidge": "laconic.time.trajectories",
    "TemporalClassifier": "laconic.time.model",
    "TemporalRegressor": "laconic.time.model",
    "TemporalTextModel": "laconic.time.sage.model",
    "Variational": "laconic.time.variational",
    "rolling_forecast": "laconic.time.rolling",
}
