"""Sections of the mining page are made from a small part of the data."""

import pytest

from benchmarks import mining, mining_reranking

pytestmark = pytest.mark.slow


def test_documents(data):
    page = mining.run(data, quick=True, section="documents")
    assert (
        "| words, mined to degree 2, lasso |" in page
        and "* ridge: of the mined, dev prefers degree 2: " in page
    )
    assert "| one round from an SVM |" in page


def test_throughput(data):
    page = mining.run(data, quick=True, section="throughput")
    assert "| C | order | counted |" in page
    assert " fits" in page


def test_reranking(data, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mining_reranking, "THRESHOLDS", ((2, 3),))
    assert "| 3 | 2 |" in mining.run(data, quick=True, section="thresholds")
