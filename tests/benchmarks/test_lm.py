"""The page of language models runs, on little text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from benchmarks import lm, lm_corpora, lm_perplexity

pytestmark = pytest.mark.slow


def test_perplexity(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lm_perplexity, "PASSES", 8)
    monkeypatch.setattr(lm_perplexity, "MANY_PASSES", 16)
    page = lm.run(data, quick=True, section="perplexity")
    assert "| groups of contexts |" in page and "Penn Treebank" in page


def test_corpora(data: Path, one_process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lm_corpora, "corpus", cache(lm_corpora.corpus))
    assert "| ptb | 9 | groups of contexts and extensions |" in lm.run(
        data, quick=True, section="corpora"
    )


def test_scoring(data: Path) -> None:
    page = lm.run(data, quick=True, section="scoring")
    assert "| laconic: score(state, word) |" in page
