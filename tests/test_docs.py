"""README and all pages of docs/ run, and print what they show (see tests/pages.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import REPOSITORY, Block, differences, outputs, read_page, same_line

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_prints_what_it_shows(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    page = read_page(path)
    if page.missing:
        pytest.skip(f"needs the corpora {', '.join(page.missing)}")
    wrong = [line for block, printed in outputs(page) for line in differences(block, printed)]
    assert not wrong, "\n" + "\n".join(wrong)


def test_every_page_shows_output() -> None:
    for path in PAGES:
        languages = {block.language for block in read_page(path).blocks}
        assert languages <= {"python", "text", "console"}, path
        assert languages & {"python", "console"}, path


def test_the_readme_is_short() -> None:
    assert len((REPOSITORY / "README.md").read_text("utf-8").splitlines()) <= 80


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("accuracy 0.981", "accuracy  0.982", True),
        ("accuracy 0.981", "accuracy 0.881", False),
        ("636 of 13,065 words", "637 of 13,070 words", True),
        ("636 of 13,065 words", "736 of 13,065 words", False),
        ("seconds  1.2", "seconds 77", True),
        ("gap 9e-05", "gap 9e-04", False),
        ("word[-1]=a", "word[-2]=a", False),
        ("B-NP I-NP", "B-NP O", False),
    ],
)
def test_lines_are_compared_with_a_tolerance(shown: str, printed: str, same: bool) -> None:
    assert same_line(shown, printed, 0.02) == same


def test_dots_stand_for_lines() -> None:
    block = Block("text", "a\n..\nz\n", 0, 0)
    assert differences(block, "a\nb\nc\nz\n") == []
    assert differences(block, "a\nb\nc\ny\n") != []
