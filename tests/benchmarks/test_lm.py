"""The page of language models runs, on little text."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import lm

pytestmark = pytest.mark.slow


def test_perplexity(data: Path) -> None:
    page = lm.run(data, quick=True, section="perplexity")
    assert "| groups of contexts |" in page and "Penn Treebank" in page


def test_corpora(data: Path) -> None:
    assert "| ptb | 9 | groups of contexts and extensions |" in lm.run(
        data, quick=True, section="corpora"
    )


def test_scoring(data: Path) -> None:
    page = lm.run(data, quick=True, section="scoring")
    assert "| laconic: score(state, word) |" in page
