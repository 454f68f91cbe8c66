"""The page of language models runs, on little text."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import pytest

from benchmarks import lm, lm_adaptation, lm_corpora, lm_defaults, lm_perplexity
from laconic import LanguageModel
from laconic.text.docstrings import docstring_corpus

pytestmark = pytest.mark.slow


def test_perplexity(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lm_perplexity, "PASSES", 8)
    monkeypatch.setattr(lm_perplexity, "MANY_PASSES", 16)
    page = lm.run(data, quick=True, section="perplexity")
    assert "| groups of contexts |" in page and "Penn Treebank" in page


def test_corpora(data: Path, one_process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lm_corpora, "corpus", cache(lm_corpora.corpus))
    assert "| ptb | 9 | groups of contexts and extensions |" in lm.run(
        data, quick=True, section="corpora"
    )


def test_scale_and_files(data: Path) -> None:
    assert "| 10,000 | 35,718 |" in lm.run(data, quick=True, section="scale")
    assert "| compact, 256 values |" in lm.run(data, quick=True, section="files")


def test_scoring(data: Path) -> None:
    page = lm.run(data, quick=True, section="scoring")
    assert "| laconic: score(state, word) |" in page


def test_texts_of_the_section_on_defaults(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A third of all docstrings is enough for the words that are taken.
    monkeypatch.setattr(lm_defaults, "docstring_corpus", lambda: docstring_corpus(["numpy"]))
    names = []
    for name, train, test in lm_defaults.corpora(data, 30_000):
        names.append(name)
        n_train, n_test = (sum(map(len, part)) for part in (train, test))
        assert 25_000 < n_train <= 33_000 and 1500 < n_test <= 10_000, (name, n_train, n_test)
        assert all(train) and not {"</s>", "<s>"} & {word for words in train for word in words}
    assert len(names) == 8 and tuple(names[-2:]) == lm_defaults.HELD_BACK


def test_defaults_on_a_text_of_ones_own(one_process: None, tmp_path: Path) -> None:
    lines = [f"the {a} {b} {c}" for a in "nm" for b in "vw" for c in "xyz"] * 60
    (tmp_path / "own.txt").write_text("\n".join(lines), encoding="utf-8")
    page = lm_defaults.section(tmp_path, quick=True, corpus=tmp_path / "own.txt")
    assert "| own.txt |" in page


def test_a_row_of_adaptation() -> None:
    general = [f"the {a} {b}".split() for a in "nm" for b in "vw"] * 5
    domain = [f"ye {a} {b}".split() for a in "kl" for b in "vw"] * 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LanguageModel(2).fit(general)
        row = lm_adaptation._row(model, general, domain, domain[:8], 30)
    assert row[0] == "30" and len(row) == 8
    assert all(1 <= float(each) < 20 for each in row[1:6])
