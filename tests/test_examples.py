"""The scripts of examples/ run and print something; the site names every public name."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import laconic

REPOSITORY = Path(__file__).parents[1]
EXAMPLES = sorted((REPOSITORY / "examples").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
    assert not list(tmp_path.iterdir()), "examples leave nothing behind"


def test_the_site_has_every_public_name_once() -> None:
    pages = (REPOSITORY / "docs" / "api").glob("*.md")
    lines = [line for page in pages for line in page.read_text("utf-8").splitlines()]
    shown = sorted(line.removeprefix("::: laconic.") for line in lines if line.startswith(":::"))
    public = [name for name in laconic.__all__ if name != "__version__"]
    assert shown == sorted([*public, "runtime.load"])


def test_every_page_is_in_the_navigation() -> None:
    docs = REPOSITORY / "docs"
    navigation = (REPOSITORY / "mkdocs.yml").read_text("utf-8")
    pages = [str(page.relative_to(docs)) for page in docs.rglob("*.md")]
    assert [page for page in pages if f": {page}\n" not in navigation] == []
