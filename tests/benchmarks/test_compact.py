"""The page about compact models is made from a small part of the data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import compact, compact_accuracy
from benchmarks.compact_accuracy import DC, L1, QT, Fitted, label_of
from benchmarks.corpora import Task, load

pytestmark = pytest.mark.slow


def thinned(name: str, data: Path) -> Task:
    """Return a task with every fifth of its documents."""
    found = load(name, data)
    parts = (found.train, found.dev, found.test)
    return Task(found.name, *(part.take(np.arange(0, len(part), 5)) for part in parts))


@pytest.mark.parametrize("section", ["chunking", "documents"])
def test_sections_of_the_page(data: Path, section: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact_accuracy, "SHOWN", (2, 1))
    monkeypatch.setattr(compact_accuracy, "load", thinned)
    page = compact.run(data, quick=True, section=section)
    assert f"{QT}, 4 values |" in page and f"{DC}, 2 values |" in page
    if section == "chunking":
        assert "Beside the L1-CRF's" in page and "(compact_chunking.svg)" in page
        axes = compact.FIGURES["compact_chunking.svg"].axes[0]
        assert {line.get_label() for line in axes.lines} == {"L2-CRF", L1, QT, DC}


def test_names_of_rows() -> None:
    assert label_of(Fitted(DC, 4, None, 1.0, "", 0.0)) == "DC-ADMM, 8 values"
    assert label_of(Fitted(L1, 0, None, 1.0, "", 0.0)) == "L1-CRF"
