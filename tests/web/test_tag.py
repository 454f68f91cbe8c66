"""Taggers in JavaScript: the labels that Python gives, on thousands of real sentences."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from javascript import PREDICT, run_js

from laconic import Mira, Tagger, load, save_compact

TEMPLATES = """word[0]
lower[-1] lower[0] lower[1]
shape[0] class[-2] class[2]
prefix3[0] suffix2[-1] case[0] punct[0] digit[0]
pairs:bias
pairs:word[0]
test(word,"^[A-Z][\\w']+$")[0]
match(word,".{1,2}$")[1]
word[-3] word[-2] word[-1] word[0] word[1] word[2] word[3]
"""


def read(path: Path, first: int, last: int) -> tuple[list[Any], list[list[str]]]:
    """Return sentences first .. last - 1: their tokens, and their labels."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        blocks = stream.read().split("\n\n")[first:last]
    rows = [[line.split() for line in block.splitlines() if line.strip()] for block in blocks]
    rows = [block for block in rows if block]
    tokens = [[tuple(row[:-1]) for row in block] for block in rows]
    return tokens, [[row[-1] for row in block] for block in rows]


def check(model: Tagger, path: Path, sentences: list[Any], names: bool = False) -> None:
    save_compact(model, path, names=names)
    script = PREDICT + "say(given.sentences.map((tokens) => model.predict(tokens)));"
    found = run_js(script, {"path": str(path), "sentences": sentences})
    assert found == load(path).predict(sentences)


@pytest.mark.slow
@pytest.mark.parametrize("names", [False, True])
def test_a_chunker_on_all_test_sentences(names: bool, data: Path, tmp_path: Path) -> None:
    sentences, labels = read(data / "conll2000" / "train.txt.gz", 0, 300)
    model = Tagger(learner=Mira()).fit(sentences, labels)
    test, _ = read(data / "conll2000" / "test.txt.gz", 0, 300 if names else 3000)
    assert len(test) > (250 if names else 2000)
    check(model, tmp_path / "model", [*test, []], names)


def test_pairs_of_labels_regular_expressions_and_constraints(data: Path, tmp_path: Path) -> None:
    (tmp_path / "templates").write_text(TEMPLATES)
    sentences, labels = read(data / "conll2002" / "esp.train.gz", 0, 100)
    words = [[token[0] for token in sentence] for sentence in sentences]
    for constrained in (True, False):
        model = Tagger(
            str(tmp_path / "templates"), Mira(), scheme="BIOES", constrained=constrained
        ).fit(words, labels)
        test, _ = read(data / "conll2002" / "esp.testb.gz", 0, 300)
        check(model, tmp_path / "model", [[token[0] for token in s] for s in test])


def test_clusters_of_words(tmp_path: Path) -> None:
    (tmp_path / "paths").write_text("0010\tcat\t5\n0011\tdog\t5\n11\truns\t9\n10\tthe\t9\n")
    sentences = [["the", "cat", "runs"], ["The", "dog", "runs"], ["a", "dog", "x"]] * 3
    labels = [["D", "N", "V"], ["D", "N", "V"], ["D", "N", "N"]] * 3
    (tmp_path / "templates").write_text("cluster[0]\ncluster2[0] cluster3[-1]\nlower[0]\n")
    model = Tagger(str(tmp_path / "templates"), Mira(), clusters=str(tmp_path / "paths")).fit(
        sentences, labels
    )
    check(model, tmp_path / "model", [*sentences, ["THE", "Cat", "dogs"], ["𝔘", "\ud800x"]])


def test_patterns_of_python() -> None:
    """Expressions mean the same; what JavaScript cannot say is refused."""
    import re

    patterns = [
        r"^\w+$", r"\bx\b", r"[\w.-]+@\S+", r"a{2}|b{,3}c", r"(?P<year>\d{4})-\d\d", r"[]x]",
        r"\Aab\Z", r"x{y}", r"(?:a|b)+\.$", r"[A-Z]\u00e9?", r"(?i)a", r"\W", r"(?<!a)b",
    ]  # fmt: skip
    texts = [
        "xx x",
        "é1_²",
        "me@x.org",
        "aabbc",
        "1999-01",
        "]x",
        "ab\n",
        "x{y}",
        "abab.",
        "Aé",
        "b",
        "",
    ]
    script = """
    import { pythonPattern } from "WEB/lib/patterns.js";
    say(given.patterns.map((source) => {
      let pattern;
      try { pattern = pythonPattern(source); } catch { return null; }
      return given.texts.map((text) => pattern.exec(text)?.[0] ?? null);
    }));
    """
    found = run_js(script, {"patterns": patterns, "texts": texts})
    expected = [
        [match[0] if (match := re.search(p, text)) else None for text in texts] for p in patterns
    ]
    refused = [p for p, row in zip(patterns, found, strict=True) if row is None]
    assert refused == ["(?i)a"]
    assert [row for row in found if row] == [
        row for p, row in zip(patterns, expected, strict=True) if p not in refused
    ]
