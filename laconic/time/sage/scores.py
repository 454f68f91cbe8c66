"""Scores of models of text over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from laconic.errors import InputError

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray

    from laconic.time.sage.model import TemporalTextModel


def scores(
    model: TemporalTextModel, X: sp.csr_matrix, effects: sp.csr_matrix, dates: list[str], name: str
) -> dict[str, Any]:
    """Return the negative log-likelihood and perplexity of a word, over all documents and by step.

    Documents after the last step have its weights.
    """
    log_p, words = model.log_likelihood(X, effects, dates), n_words(X)
    if not words.sum():
        raise InputError(f"{name}: the documents have none of the model's words.")
    alone = float(np.asarray(X.sum(axis=0)).ravel() @ model.background_[-1])
    steps = model.clock_.steps(dates)
    by_step = []
    for step in np.unique(steps).tolist():
        here = steps == step
        counts = {
            "step": model.clock_.label(step),
            "documents": int(here.sum()),
            "words": int(words[here].sum()),
        }
        by_step.append({**counts, **per_word(float(log_p[here].sum()), float(words[here].sum()))})
    total = float(words.sum())
    return {
        "documents": len(words),
        "words": int(total),
        "negative_log_likelihood": -float(log_p.sum()),
        **per_word(float(log_p.sum()), total),
        "background_alone": per_word(alone, total),
        "steps": by_step,
    }


def n_words(X: sp.csr_matrix) -> NDArray[np.float64]:
    """Return the number of words of each document."""
    counts: NDArray[np.float64] = np.asarray(X.sum(axis=1)).ravel()
    return counts


def per_word(log_p: float, n_words: float) -> dict[str, float]:
    """Return nats and perplexity per word."""
    nats = -log_p / n_words if n_words else math.nan
    return {"nats_per_word": nats, "perplexity": math.exp(nats)}
