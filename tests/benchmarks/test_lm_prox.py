"""The section on proximal steps is made from a small part of the data.

Ways that do not agree are found.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from benchmarks import lm_prox
from benchmarks.lm_texts import penn

pytestmark = pytest.mark.slow


def test_section(data):
    page = lm_prox.section(data, quick=True)
    assert "| order | trie | Kneser-Ney | tree |" in page
    assert "| exponent |" in page and "| tree, infinity: Accelerated |" in page


def test_ways_that_disagree_are_found(data, monkeypatch: pytest.MonkeyPatch):
    text = lm_prox.first_words(penn(data), 500)
    monkeypatch.setattr(lm_prox.Step, "pivots", lambda self: lambda: np.zeros(len(self.rates)))
    with pytest.raises(AssertionError, match="pivots, trie at order 3"):
        lm_prox.race(text, 3, (lm_prox.PIVOTS,), ThreadPoolExecutor())
