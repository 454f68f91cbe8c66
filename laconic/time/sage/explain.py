"""What a model of text that moves over time has learned of one effect."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from laconic.time.explain import Movers, moved
from laconic.time.sage.model import TemporalTextModel


def effect_movers(model: TemporalTextModel, effect: Any, n: int = 10, since: Any = None) -> Movers:
    """The n words whose weights for an effect rose and fell most from step `since` (default the first) to the last."""
    check_is_fitted(model)
    j = model.effect_number(effect)
    alpha = getattr(model, "alpha_", None)
    start = 0 if since is None or len(model.steps_) == 1 else model.clock_.find(since)
    return moved(
        model.trajectories_[j].T,
        model.word_names,
        n,
        start,
        None if alpha is None or alpha.ndim == 1 else alpha[j],
    )
