"""Kinds of words from their vectors."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.tag.word_kinds import WordKinds
from laconic.text.template_sets import for_kind_columns
from laconic.text.vocab import Vocab

N = 40


def vectors(seed: int = 0) -> tuple[Vocab, np.ndarray]:
    """Names near (3, 0), other words near (-3, 0); the first half of each is for training."""
    rng = np.random.default_rng(seed)
    words = [f"name{k}" for k in range(N)] + [f"word{k}" for k in range(N)]
    return Vocab(words).freeze(), np.repeat([[3.0, 0.0], [-3.0, 0.0]], N, axis=0) + rng.normal(
        size=(2 * N, 2)
    )


def text() -> tuple[list[str], list[str]]:
    names, others = [f"Name{k}" for k in range(N // 2)], [f"word{k}" for k in range(N // 2)]
    return [*names, *others, "unheard-of"], ["B-PER"] * len(names) + ["O"] * len(others) + ["O"]


def test_words_never_seen_get_the_kind_of_their_neighbours() -> None:
    kinds = WordKinds(*vectors(), ridge=1.0).fit(*text())
    assert kinds.classes_.tolist() == ["O", "PER"]
    found = kinds.probabilities([f"name{k}" for k in range(N // 2, N)] + ["word39", "xyz"])
    assert (found[: N // 2, 1] > 0.5).all() and found[-2, 0] > 0.5 and np.isnan(found[-1]).all()
    np.testing.assert_allclose(found[:-1].sum(axis=1), 1)


def test_words_of_the_training_text_are_judged_by_others() -> None:
    vocab, values = vectors()
    words, labels = text()
    labels[0] = "O"  # against what its vector says
    kinds = WordKinds(vocab, values, ridge=0.01).fit(
        [words[0]] * 50 + words, [labels[0]] * 50 + labels
    )
    assert kinds.probabilities([words[0]])[0, 1] > 0.9


def test_columns_are_steps_of_log_odds_and_the_likeliest_kind() -> None:
    kinds = WordKinds(*vectors(), ridge=1.0).fit(*text())
    words = ["Name30", "word30", "xyz", "Name30"]
    columns = kinds.columns(words, "k")
    assert list(columns) == ["k.O", "k.PER", "k"]
    share = kinds.probabilities(words[:1])[0, 1]
    assert (
        columns["k.PER"][0]
        == columns["k.PER"][3]
        == str(min(4, int(np.floor(np.log(share / (1 - share))))))
    )
    assert (
        columns["k"][0] == f"PER{int(5 * share)}"
        and columns["k"][1][0] == "O"
        and columns["k"][2] == columns["k.O"][2] == "?"
    )
    names = for_kind_columns(list(columns)).names
    assert {"k.O[-2]", "k.PER[0]|k.PER[1]", "k[0]|word[-1]", "k.O[1]|class[0]"} <= set(names)


@pytest.mark.parametrize(
    ("words", "labels", "folds", "message"),
    [
        (["name1"], [], 5, "1 words, but 0 labels"),
        (["name1", "name2"], ["O", "O"], 5, "at least two kinds"),
        (["name1", "word1"], ["B-PER", "O"], 2, "too few words with vectors, 2, for 2 folds"),
        (["name1", "word1"], ["B-PER", "O"], 1, "n_folds must be at least 2, got 1"),
    ],
)
def test_what_cannot_be_learned_from(
    words: list[str], labels: list[str], folds: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        WordKinds(*vectors(), n_folds=folds).fit(words, labels)
