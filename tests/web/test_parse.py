"""Parsers in JavaScript: the heads and labels that Python gives, for models of orders 1 and 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from javascript import PREDICT, run_js

from laconic import Mira, Parser, load, save_compact
from laconic.parse.relation_columns import RELATION_COLUMNS, relation_columns
from laconic.parse.tags import WordTagger
from laconic.text.sequences import TokenColumns
from laconic.text.treebanks import COLUMNS, Treebank, read_treebank

SCRIPT = (
    PREDICT
    + """
say(given.sentences.map((tokens) => {
  const { heads, labels } = model.predict(tokens);
  return heads.map((head, t) => [head, labels ? labels[t] : null]);
}));
"""
)
SETTINGS: dict[str, dict[str, Any]] = {
    "crossing": {"crossing": True, "single_root": True},
    "unlabelled": {"labels": False, "prune": 0.01},
    "siblings": {"model": "siblings", "labels": False},
    "words": {"model": "carreras", "tagger": WordTagger(learner=Mira(2), folds=2)},
}


def rows_of(tokens: TokenColumns) -> list[list[tuple[str, ...]]]:
    return [list(zip(*sentence.values, strict=True)) for sentence in tokens.split()]


def some(bank: Treebank, most: int, step: int) -> Treebank:
    lengths = np.diff(bank.tokens.ptr)
    return bank.some(np.flatnonzero(lengths <= most)[::step])


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_trees_of_a_treebank(name: str, data: Path, tmp_path: Path) -> None:
    bank = read_treebank(data / "ud" / "Danish-DDT" / "dev.conllu.gz")
    test = read_treebank(data / "ud" / "Danish-DDT" / "test.conllu.gz")
    model = Parser(learner=Mira(2), **SETTINGS[name]).fit(some(bank, 15, 5))
    save_compact(model, tmp_path / "model", names=False)
    compact = load(tmp_path / "model")
    tokens = some(test, 25, 4).tokens
    sentences: list[Any] = rows_of(tokens)
    if name == "words":
        sentences = [[token[0] for token in sentence] for sentence in sentences]
    heads, labels = compact.parse(sentences if name == "words" else tokens)
    found = run_js(SCRIPT, {"path": str(tmp_path / "model"), "sentences": sentences})
    flat = [tuple(token) for sentence in found for token in sentence]
    given = [None] * len(heads) if labels is None else labels
    assert flat == list(zip(heads.tolist(), given, strict=True))


def test_columns_about_places_in_trees(data: Path) -> None:
    bank = some(read_treebank(data / "ud" / "Danish-DDT" / "dev.conllu.gz"), 60, 5)
    script = """
    import { relationColumns } from "WEB/lib/relations.js";
    say(given.map(({ table, heads }) => relationColumns(table, heads)));
    """
    heads = np.split(bank.heads, bank.tokens.ptr[1:-1])
    sentences = list(bank.tokens.split())
    found = run_js(
        script,
        [
            {"table": dict(zip(COLUMNS, s.values, strict=True)), "heads": h.tolist()}
            for s, h in zip(sentences, heads, strict=True)
        ],
    )
    for answer, sentence, own in zip(found, sentences, heads, strict=True):
        expected = relation_columns(sentence, own)
        assert answer == dict(zip(RELATION_COLUMNS, expected.values, strict=True))
