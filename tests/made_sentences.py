"""Sentences of made-up words whose classes follow each other, for tests of language models."""

from __future__ import annotations

import numpy as np


def sentences(n: int, seed: int = 0) -> list[str]:
    """Return sentences of words whose order depends on what class they are of."""
    random = np.random.default_rng(seed)
    nouns, verbs, adverbs = ([f"{kind}{i}" for i in range(12)] for kind in "nva")
    parts = (["the", "a"], nouns, verbs, adverbs)
    return [
        " ".join(str(random.choice(part)) for part in parts[: random.integers(2, 5)])
        for _ in range(n)
    ]
