"""Perplexities of language models, and their n-grams by order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.lm.compact import CompactLanguageModel
    from laconic.lm.model import LanguageModel

LN10 = math.log(10)


def scores(model: LanguageModel | CompactLanguageModel, sentences: list[str]) -> dict[str, Any]:
    """Return counts, the log10 probability of all words and ends, and four perplexities."""
    found = model.evaluate(sentences)
    return {
        "sentences": found.sentences,
        "words": found.words,
        "unknown": found.unknown,
        "log10_prob": found.log_prob / LN10,
        "perplexity": found.perplexity(),
        "perplexity_known": found.perplexity(unknown=False),
        "perplexity_without_ends": found.perplexity(ends=False),
        "perplexity_known_without_ends": found.perplexity(unknown=False, ends=False),
    }


def orders(model: LanguageModel | CompactLanguageModel) -> list[dict[str, Any]]:
    """Return one row per order of n-grams."""
    from laconic.lm.explain import order_rows

    return [row._asdict() for row in order_rows(model)]
