"""Sections of the mining page are made from a small part of the data."""

import numpy as np
import pytest

from benchmarks import mining, mining_documents, mining_lists, mining_reranking
from benchmarks.corpora import Task
from benchmarks.mining_documents import Grid

pytestmark = pytest.mark.slow


def test_documents(data, one_process, monkeypatch: pytest.MonkeyPatch):
    load = mining_documents.corpora.load

    def small(*task):
        found = load(*task)
        parts = (part.take(np.arange(0, len(part), 3)) for part in (found.train, found.dev))
        return Task(found.name, *parts, found.test)

    monkeypatch.setattr(mining_documents.corpora, "load", small)
    grid = Grid({2: (8,)}, {"lasso": (0.3, 0.1), "ridge": (0.3, 0.03)})
    monkeypatch.setattr(mining_documents, "TASKS", [("science", True, grid)] * 2)
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


def test_reranking(data, one_process, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mining_reranking, "THRESHOLDS", ((2, 3),))
    # The sample is read in a tenth of the time.
    monkeypatch.setitem(mining_lists.BANKS, "english", mining_lists.BANKS["penn"])
    assert "| 3 | 2 |" in mining.run(data, quick=True, section="thresholds")
