"""Pages of what `inspect` says, and tables that are sorted and searched."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import run
from javascript import played

from laconic import KneserNey, LanguageModel, TextClassifier, load, save_compact
from laconic.report.inspection import write_inspection

HOSTILE = "</script><img src=x onerror=alert(1)>"
ROWS = [{"word": f"w{k}", "weight": (-1) ** k * k * 1500.0, HOSTILE: HOSTILE} for k in range(12)]


def test_everything_is_on_the_page_and_escaped(tmp_path: Path) -> None:
    found = {"size": 12345, "nested": {"deep": {"share": 0.25}}, "words": ["a", HOSTILE]}
    write_inspection(
        HOSTILE, {**found, "rows": ROWS, "empty": [], HOSTILE: "x" * 200}, tmp_path / "p"
    )
    page = (tmp_path / "p").read_text("utf-8")
    for part in ("12,345", "nested: deep: share", "0.25", "w11", "x" * 200, "-16500"):
        assert part in page
    assert "<img" not in page and page.count("<script") == 1 and "unsafe-eval" not in page


@pytest.mark.filterwarnings("ignore:the text has too few n-grams")
def test_every_kind_that_can_be_inspected_has_a_page(tmp_path: Path) -> None:
    LanguageModel(2, KneserNey()).fit(["a b c", "a b d"] * 4).save(tmp_path / "model")
    outcome = run("report", str(tmp_path / "model"), "-o", str(tmp_path / "page.html"))
    assert outcome.exit_code == 0, outcome.output
    assert "A model of the kind lm" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 1400])
def test_tables_are_sorted_and_searched(width: int, tmp_path: Path) -> None:
    write_inspection("A page", {"rows": ROWS}, tmp_path / "page.html")
    script = """
      const words = () => [...page.querySelectorAll("tbody tr:not([hidden]) td:first-child")]
        .map((cell) => cell.textContent);
      const heading = page.querySelectorAll("th button")[1], found = [];
      heading.click();
      found.push(words());
      heading.click();
      found.push(words(), heading.parentNode.getAttribute("aria-sort"));
      const search = page.querySelector("input[type=search]");
      search.value = "W1";
      search.dispatchEvent(new Event("input"));
      return [...found, words(), page.querySelector("output").textContent];
    """
    down, up, state, left, count = played(tmp_path / "page.html", script, width, awaited=False)
    expected = [row["word"] for row in sorted(ROWS, key=lambda row: -float(row["weight"]))]
    assert down == expected and up == expected[::-1] and state == "ascending"
    assert sorted(left) == ["w1", "w10", "w11"] and count == " 3 of 12"


def test_a_fitted_model_shows_itself_in_a_notebook(tmp_path: Path) -> None:
    """A few lines, in which hostile parameters stay text, from plain and compact models."""
    model = TextClassifier("lasso", strength=0.1, label_tree=None, stop_words=[HOSTILE])
    assert "<td" in model._repr_html_() and "fitted" in model._repr_html_()
    model.fit(["sun and sand", "snow and ice"] * 10, ["w", "c"] * 10)
    save_compact(model, tmp_path / "model")
    for one in (model, load(tmp_path / "model")):
        shown = one._repr_mimebundle_()["text/html"]
        assert f"{model.report_.features_kept:,} of" in shown and "converged" in shown
        assert "<img" not in shown and len(shown) < 2000
    assert "&lt;img" in model._repr_html_()
