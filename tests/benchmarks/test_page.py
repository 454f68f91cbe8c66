"""Tables, numbers and paired tests of the results pages."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import binomtest

from benchmarks import page
from benchmarks.__main__ import REPOSITORY, main, split_sections, tasks, write_atomically


def test_table_has_a_line_for_each_row_and_formats_numbers() -> None:
    text = page.table(
        ["task", "seconds", "words"], [["science", 0.01234, 23261], ["sports", None, 16674]]
    )
    assert text.splitlines() == [
        "| task | seconds | words |",
        "| --- | ---: | ---: |",
        "| science | 0.0123 | 23,261 |",
        "| sports | – | 16,674 |",
    ]


def test_table_refuses_a_ragged_row() -> None:
    with pytest.raises(ValueError, match="2 columns was given a row of 1"):
        page.table(["a", "b"], [["x"]])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (341.6465, "342"),
        (12345.6, "12,346"),
        (0.00001234, "1.23e-05"),
        (7, "7"),
        (float("nan"), "–"),
    ],
)
def test_number(value: float, text: str) -> None:
    assert page.number(value) == text


def test_mcnemar_counts_only_the_discordant_pairs() -> None:
    gold = np.array(["a"] * 12)
    first = np.array(["a"] * 10 + ["b"] * 2)
    second = np.array(["b"] * 9 + ["a"] * 2 + ["b"])
    outcome = page.mcnemar(gold, first, second)
    assert (outcome.only_first, outcome.only_second) == (9, 1)
    assert outcome.p_value == pytest.approx(binomtest(9, 10).pvalue)


def test_equal_predictions_are_no_evidence() -> None:
    gold = np.array([0, 1, 1])
    assert page.mcnemar(gold, gold, gold).p_value == 1.0
    assert page.sign_test([0.9, 0.8], [0.9, 0.8]).p_value == 1.0


def test_sign_test_over_seeds() -> None:
    outcome = page.sign_test([0.94, 0.93, 0.95, 0.94, 0.90], [0.92, 0.92, 0.92, 0.93, 0.90])
    assert outcome == (4, 0, pytest.approx(0.125))


def test_bootstrap_interval_holds_the_difference_and_is_as_wide_as_theory_says() -> None:
    rng = np.random.default_rng(3)
    gold = np.ones(1000)
    first, second = (rng.random(1000) < 0.93).astype(float), (rng.random(1000) < 0.90).astype(float)
    difference, low, high = page.bootstrap_difference(gold, first, second)
    assert difference == pytest.approx(first.mean() - second.mean())
    assert low < difference < high
    assert high - low == pytest.approx(2 * 1.96 * np.std(first - second) / np.sqrt(1000), rel=0.1)


def test_header_names_command_commit_and_versions() -> None:
    text = page.header("python -m benchmarks classify", Path(__file__).parent)
    assert "`python -m benchmarks classify`" in text
    assert f"numpy {np.__version__}" in text
    assert "Commit: " in text


def test_a_page_replaces_the_old_one_and_leaves_nothing_behind(tmp_path: Path) -> None:
    target = tmp_path / "results" / "classify.md"
    write_atomically(target, "old")
    write_atomically(target, "new")
    assert target.read_text(encoding="utf-8") == "new"
    assert list(target.parent.iterdir()) == [target]


def test_an_unknown_task_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "page" not in tasks()
    with pytest.raises(SystemExit):
        main(["page", "--data", str(tmp_path)])
    assert "invalid choice: 'page'" in capsys.readouterr().err


def test_a_task_prints_its_page_under_the_header(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = ModuleType("benchmarks.toy")
    monkeypatch.setattr(toy, "run", lambda data, quick: f"# Toy {data.name} {quick}", raising=False)
    monkeypatch.setitem(sys.modules, "benchmarks.toy", toy)
    monkeypatch.setattr("benchmarks.__main__.tasks", lambda: ["toy"])
    assert main(["toy", "--data", str(tmp_path), "--quick"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Command: `python -m benchmarks toy --data DIR --quick`")
    assert printed.endswith(f"# Toy {tmp_path.name} True\n")


def test_a_section_written_alone_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = ModuleType("benchmarks.toy")
    said = {"a": "first", "b": "second"}
    sections = {name: (lambda data, quick, n=name: f"## {n}\n\n{said[n]}\n") for name in said}
    for name, value in {"TITLE": "Toy", "SECTIONS": sections}.items():
        monkeypatch.setattr(toy, name, value, raising=False)
    monkeypatch.setitem(sys.modules, "benchmarks.toy", toy)
    monkeypatch.setattr("benchmarks.__main__.tasks", lambda: ["toy"])
    monkeypatch.setattr("benchmarks.__main__.REPOSITORY", tmp_path)
    page = tmp_path / "docs" / "results" / "toy.md"
    assert main(["toy", "--data", str(tmp_path), "--write"]) == 0
    whole = page.read_text("utf-8")
    assert whole.startswith("# Toy\n") and "first" in whole and "second" in whole
    said.update(a="third", b="fourth")
    assert main(["toy", "--data", str(tmp_path), "--write", "--section", "b"]) == 0
    again = page.read_text("utf-8")
    assert "first" in again and "fourth" in again and "second" not in again and "third" not in again
    assert again.count("Command:") == 2 and again.index("first") < again.index("fourth")


def test_sections_run_beside_each_other_are_all_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = ModuleType("benchmarks.toy")
    said = {"long": "old", "short": "old"}

    def long(data: Path, quick: bool) -> str:
        said["short"] = "new"
        assert main(["toy", "--data", str(tmp_path), "--write", "--section", "short"]) == 0
        return "## long\n\nlong is new\n"

    monkeypatch.setattr(toy, "TITLE", "Toy", raising=False)
    monkeypatch.setattr(
        toy,
        "SECTIONS",
        {name: (lambda d, q, n=name: f"## {n}\n\n{n} is {said[n]}\n") for name in said},
        raising=False,
    )
    monkeypatch.setitem(sys.modules, "benchmarks.toy", toy)
    monkeypatch.setattr("benchmarks.__main__.tasks", lambda: ["toy"])
    monkeypatch.setattr("benchmarks.__main__.REPOSITORY", tmp_path)
    assert main(["toy", "--data", str(tmp_path), "--write"]) == 0
    monkeypatch.setitem(toy.SECTIONS, "long", long)
    assert main(["toy", "--data", str(tmp_path), "--write", "--section", "long"]) == 0
    whole = (tmp_path / "docs" / "results" / "toy.md").read_text("utf-8")
    assert "long is new" in whole and "short is new" in whole and "old" not in whole


@pytest.mark.parametrize("task", tasks())
def test_a_written_page_has_every_section_of_its_task(task: str) -> None:
    sections = getattr(import_module(f"benchmarks.{task}"), "SECTIONS", {})
    written = (REPOSITORY / "docs" / "results" / f"{task}.md").read_text("utf-8")
    assert [name for name in sections if name not in split_sections(written)] == []
