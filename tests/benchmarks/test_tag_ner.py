"""The page about names: its rows, how parts are read, and what it says of aims."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.tag_ner import AIMS, BEST, FILES, PUBLISHED, Job, Part, Row, fit, layout, models, read_part, with_clusters
from laconic.text.sequences import TokenColumns
from laconic.text.views import WordClusters


def rows(test: float) -> list[Row]:
    names = [*models(quick=True), BEST]
    return [Row(language, name, 70.0 + k, test, 1000 * (k + 1), 100, 1.5) for language in FILES for k, name in enumerate(names)]


def test_every_row_of_the_article_is_fitted() -> None:
    assert all(list(published) == list(models(quick=True)) for published in PUBLISHED.values())


def test_strength_of_the_lasso_falls_with_the_number_of_sentences() -> None:
    made = models(quick=False)["Lasso, C = 0.5"]
    assert made(1000).learner.lasso == pytest.approx(0.002)
    assert made(2000).learner.lasso == pytest.approx(0.001)


def test_the_page_says_which_aims_were_reached() -> None:
    page = layout(rows(test=78.5))
    assert "| Dutch | 77.00 | 78.50 | 78.00 | yes |" in page
    assert "| Spanish | 77.00 | 78.50 | 79.00 | no, 0.50 short |" in page
    assert page.count("\n## ") == len(AIMS) + 1
    assert page.count("700 % of the weights") == len(AIMS)


def test_further_clusters_become_a_column() -> None:
    part = Part(TokenColumns(("word", "pos"), [["Rome", "xyz"], ["N", "N"]], np.array([0, 2])), [["B-LOC", "O"]])
    found = with_clusters(part, {"more": WordClusters({"rome": "0110"})})
    assert list(found.tokens.column("more")) == ["0110", ""]
    assert found.labels is part.labels


def test_parts_have_a_label_a_token(data: Path) -> None:
    part = read_part(data, "Dutch", "testa")
    assert len(part.labels) == len(part.tokens) == 2895
    assert list(map(len, part.labels)) == np.diff(part.tokens.ptr).tolist()
    first = part.first(3)
    assert list(map(len, first.labels)) == np.diff(first.tokens.ptr).tolist()
    assert len(first.tokens.column("pos")) == first.tokens.ptr[-1]


@pytest.mark.parametrize("name", ["group lasso, B = 100", BEST])
def test_a_quick_fit_gives_a_row(data: Path, name: str) -> None:
    row = fit(Job("Spanish", name, data, quick=True))
    assert (row.language, row.name) == ("Spanish", name)
    assert 0 <= row.dev <= 100
    assert 0 < row.n_templates <= 106
    assert row.n_weights > 0
