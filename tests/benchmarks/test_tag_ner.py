"""The page about names: its rows, how parts are read and get more columns, and what it says of
aims.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import tag_ner_best, tag_ner_table
from benchmarks.tag_ner import SECTIONS
from benchmarks.tag_ner_knowledge import (
    Capitals,
    capital_shares,
    cased_clusters,
    published_clusters,
    with_lists,
)
from benchmarks.tag_ner_parts import FILES, Part, read_part, with_clusters
from benchmarks.tag_ner_table import PUBLISHED, Job, Row, fit, models
from laconic.tag.phrases import PhraseList
from laconic.text.token_columns import TokenColumns
from laconic.text.views import WordClusters

pytestmark = pytest.mark.slow

ROME = Part(
    TokenColumns(("word", "pos"), [["Rome", "xyz"], ["N", "N"]], np.array([0, 2])), [["B-LOC", "O"]]
)


def test_every_row_of_the_article_is_fitted() -> None:
    assert all(list(published) == list(models(quick=True)) for published in PUBLISHED.values())
    assert list(SECTIONS) == [*map(str.lower, FILES), "beyond"]


def test_strength_of_the_lasso_falls_with_the_number_of_sentences() -> None:
    made = models(quick=False)["Lasso, C = 0.5"]
    assert made(1000).learner.strength == pytest.approx(0.002)
    assert made(2000).learner.strength == pytest.approx(0.001)
    assert made(2000).learner.every == 1000


def test_a_table_says_which_row_is_best() -> None:
    rows = {
        name: Row(name, 70.0 + k, 78.5, 1000 * (k + 1), 50, 100, 1.5)
        for k, name in enumerate(models(quick=True))
    }
    page = tag_ner_table.layout("Dutch", rows)
    assert (
        "| MIRA, all features | 70.00 | 78.50 | 1,000 | 50 | 100 | 1.50 | 69.15 | 71.54 | "
        "5,727,004 |" in page
    )
    assert (
        "Best on development text: group lasso, B = 300 (dev 76.00, test 78.50), with 700 % of "
        "the weights" in page
    )
    assert page.startswith("## Dutch\n\n|") and "EMNLP 2011" in tag_ner_table.layout(
        "Spanish", rows
    )


def test_the_page_says_which_aims_were_reached() -> None:
    rows = [tag_ner_best.Row(language, 77.0, 78.5, 1000, 40, 1.5, 2.5) for language in FILES]
    page = tag_ner_best.layout(
        [*rows, tag_ner_best.Row("English, dev too", None, 90.0, 1000, 40, 1.5, 2.5)], 30.2
    )
    assert "those of cased text took 30 seconds." in page
    assert "| English, dev too | – | 90.00 | 90.00 | yes | 1,000 | 40 | 1.50 | 2.50 |" in page
    assert "| Dutch | 77.00 | 78.50 | 78.00 | yes | 1,000 | 40 | 1.50 | 2.50 |" in page
    assert "| Spanish | 77.00 | 78.50 | 79.00 | no, 0.50 short |" in page


def test_sentences_of_two_parts_follow_each_other() -> None:
    both = ROME.followed_by(ROME)
    assert list(both.tokens.column("word")) == ["Rome", "xyz"] * 2 and both.tokens.ptr.tolist() == [
        0,
        2,
        4,
    ]
    assert both.labels == ROME.labels * 2


def test_further_clusters_become_a_column() -> None:
    found = with_clusters(ROME, {"more": WordClusters({"rome": "0110"})})
    assert list(found.tokens.column("more")) == ["0110", ""]
    assert found.labels is ROME.labels


def test_words_in_capitals_are_looked_up_as_in_running_text() -> None:
    clusters = Capitals(
        WordClusters({"Rome": "01", "ROME": "10", "A": "11", "us": "00", "NATO": "001"})
    )
    found = [clusters.bits(word) for word in ("ROME", "Rome", "A", "US", "NATO", "xyz")]
    assert found == ["01", "01", "11", "00", "001", None]


def test_shares_of_capitals(tmp_path: Path) -> None:
    (tmp_path / "paths").write_text("0\tmay\t60\n1\tMay\t40\n10\tRome\t9\n11\tNATO\t9\n11\tx\t9\n")
    share = capital_shares(tmp_path / "paths")
    assert [share(word) for word in ("MAY", "may", "rome", "NATO", "x")] == [
        "4",
        "4",
        "all",
        "?",
        "0",
    ]


def test_phrases_of_lists_become_columns() -> None:
    found = with_lists(ROME, {"city": PhraseList(["rome"])})
    assert found.tokens.names == ("word", "pos", "city") and list(found.tokens.column("city")) == [
        "U",
        "O",
    ]


def test_clusters_of_unlabelled_text(data: Path) -> None:
    found = cased_clusters(data, quick=True)
    assert {"The", "#number#", "Germany"} <= set(found.clusters.paths)
    assert len(set(found.clusters.paths.values())) == 50 and found.seconds > 0


def test_published_clusters_put_like_words_together() -> None:
    pytest.importorskip("spacy_lookups_data")
    found = published_clusters("es")
    assert found.bits("lunes") == found.bits("martes") != found.bits("Madrid")


def test_parts_have_a_label_a_token(data: Path) -> None:
    part = read_part(data, "Dutch", "testa")
    assert len(part.labels) == len(part.tokens) == 2895
    assert list(map(len, part.labels)) == np.diff(part.tokens.ptr).tolist()
    first = part.first(3)
    assert list(map(len, first.labels)) == np.diff(first.tokens.ptr).tolist()
    assert len(first.tokens.column("pos")) == first.tokens.ptr[-1]


@pytest.mark.parametrize("name", ["group lasso, B = 100", "Lasso, C = 0.1"])
def test_a_quick_fit_gives_a_row(data: Path, name: str) -> None:
    row = fit(Job("Spanish", name, data, quick=True))
    assert row.name == name
    assert 0 <= row.dev <= 100
    assert 0 < row.n_templates <= (100 if "100" in name else 452)
    assert 0 < row.n_selected <= row.n_weights


def test_a_quick_best_model(data: Path) -> None:
    row = tag_ner_best.fit(tag_ner_best.Job("Dutch", data, quick=True))
    assert row.language == "Dutch" and 0 <= row.test <= 100
    assert 0 < row.n_templates <= 40 and row.n_weights > 0
