"""What commands say of language models: perplexities, n-grams by order, and what is mixed."""

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


def model_facts(model: LanguageModel | CompactLanguageModel) -> dict[str, Any]:
    """Return what is known of a language model besides its fit report."""
    facts = {"order": model.order, "vocabulary": len(model.encoder_)}
    if not model.others_:
        return facts
    n_words = len(model.encoder_)
    parts = [
        f"{'other words' if part.model.n_words == n_words else f'{part.model.n_words} classes'} "
        f"{part.weight:.2f}"
        for part in model.others_
    ]
    words = 1 - sum(part.weight for part in model.others_)
    return {**facts, "mixture": ", ".join([f"words {words:.2f}", *parts])}
