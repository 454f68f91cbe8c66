"""Relation labels: what a labeler learns from trees, and that it survives saving."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from laconic.core.solvers.online import Mira
from laconic.core.solvers.online_sparse import Sparseptron
from laconic.parse.labels import RelationLabeler, labeler_of, plain_tagger, relation_templates
from laconic.parse.relation_columns import RELATION_COLUMNS
from laconic.tag import store as tag_store
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import COLUMNS, Treebank, read_treebank


def small_bank(n_sentences: int) -> Treebank:
    """Sentences `noun* verb noun*`: relations depend on the place and the words below."""
    rng = np.random.default_rng(0)
    words, tags, heads, labels, lengths = [], [], [], [], []
    for _ in range(n_sentences):
        after = int(rng.integers(0, 3))
        words += ["she", "sees", *(["it", "him"][:after])]
        tags += ["N", "V", *["N"] * after]
        heads += [2, 0, *[2] * after]
        labels += [
            "subject",
            "root",
            *(["object"] if after == 1 else ["receiver", "object"])[:after],
        ]
        lengths.append(2 + after)
    nothing = ["_"] * len(words)
    tokens = TokenColumns(COLUMNS, [words, words, tags, tags, nothing], np.cumsum([0, *lengths]))
    return Treebank(tokens, np.array(heads, dtype=np.int32), labels)


def test_templates_use_the_columns() -> None:
    templates = relation_templates()
    assert 70 <= len(templates) <= 120
    used = {view.removeprefix("suffix3(").rstrip(")") for view in templates.views}
    assert used - {"suffix3", "shape"} == set(RELATION_COLUMNS), "no column is made for nothing"


def test_labels_are_learned_from_the_tree() -> None:
    bank = small_bank(40)
    model = RelationLabeler(learner=Mira(5)).fit(bank.tokens, bank.heads, bank.labels)
    assert model.predict(bank.tokens, bank.heads) == bank.labels
    other = bank.heads.copy()
    first = int(np.flatnonzero(np.diff(bank.ptr) == 4)[0])
    other[bank.ptr[first] + 2] = (
        4  # the receiver under the object: now the verb has one noun behind it
    )
    assert model.predict(bank.tokens, other) != bank.labels
    with pytest.raises(ValueError, match="a head for each"):
        model.predict(bank.tokens, bank.heads[1:])


def test_there_and_back() -> None:
    bank = small_bank(30)
    model = RelationLabeler(learner=Sparseptron(budget=5, epochs=3), refit=Mira(3)).fit(
        bank.tokens, bank.heads, bank.labels
    )
    assert len(model.tagger_.templates_) <= 5
    again = labeler_of(tag_store.unpack(*tag_store.pack(plain_tagger(model.tagger_))))
    assert again.predict(bank.tokens, bank.heads) == model.predict(bank.tokens, bank.heads)
    assert again.tagger_.templates_ == model.tagger_.templates_


@pytest.mark.slow
def test_a_treebank(data: Path) -> None:
    """With gold trees and 1,700 sentences to learn from, over 92 of 100 relations are right."""
    bank = read_treebank(data / "ud/English-EWT/dev.conllu.gz")
    half = int(bank.ptr[1700])
    parts = ((slice(half), slice(1701)), (slice(half, None), slice(1700, None)))
    train, test = (
        TokenColumns(
            COLUMNS,
            [values[part] for values in bank.tokens.values],
            bank.ptr[rows] - bank.ptr[rows][0],
        )
        for part, rows in parts
    )
    model = RelationLabeler(learner=Mira(5)).fit(train, bank.heads[:half], bank.labels[:half])
    found = model.predict(test, bank.heads[half:])
    assert np.mean(np.array(found) == np.array(bank.labels[half:])) > 0.92
