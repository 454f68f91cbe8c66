"""What a model of text over time has learned about one effect."""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from laconic.time.explain import Movers, moved
from laconic.time.sage.model import TemporalTextModel


def effect_movers(
    model: TemporalTextModel, effect: object, n: int = 10, since: object = None
) -> Movers:
    """Return the n words whose weights for an effect rose and fell most.

    Changes are counted from step `since`, by default the first, to the last.
    """
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
