"""Back-off models as contexts: scores equal those of the tables, and tables come back."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ngrams import NaiveBackoff, arpas, as_dictionaries

from laconic.errors import InputError
from laconic.lm.arpa import Arpa, NgramTable, read_arpa
from laconic.lm.backoff import LN10, arpa_of, context_model


def ids(vocabulary: list[str], words: list[str]) -> np.ndarray:
    index = {word: i for i, word in enumerate(vocabulary)}
    return np.array(
        [index.get(word, index["<unk>"]) if "<unk>" in index else index[word] for word in words],
        np.int32,
    )


@pytest.mark.slow
@settings(max_examples=300)
@given(arpas(), st.data())
def test_scores_are_those_of_the_tables(arpa: Arpa, data: st.DataObject) -> None:
    naive, automaton = NaiveBackoff(arpa), context_model(arpa)[0].checked().automaton()
    sentences = data.draw(
        st.lists(st.lists(st.integers(0, len(arpa.vocabulary) - 1), max_size=8), max_size=20)
    )
    tokens = np.array([word for sentence in sentences for word in sentence], np.int32)
    ptr = np.cumsum([0, *map(len, sentences)])
    log_probs, _ = automaton.score(tokens, ptr, 0)
    expected = [
        naive.log10_prob(tuple(words[:t]), words[t])
        for words in sentences
        for t in range(len(words))
    ]
    assert log_probs / LN10 == pytest.approx(expected, abs=1e-5)
    for sentence in sentences:
        state = automaton.advance(0, np.array(sentence, np.int32))
        of_naive = [naive.log10_prob(tuple(sentence), word) for word in range(len(arpa.vocabulary))]
        assert automaton.distribution(state) / LN10 == pytest.approx(of_naive, abs=1e-5)


@pytest.mark.slow
@settings(max_examples=200)
@given(arpas())
def test_tables_come_back(arpa: Arpa) -> None:
    again = arpa_of(*context_model(arpa))
    filled = [table for table in as_dictionaries(arpa) if table]
    assert [table for table in as_dictionaries(again) if table] == filled


def test_an_ngram_that_occurs_twice() -> None:
    pair = NgramTable(np.array([[0, 1], [0, 1]], np.int32), np.zeros(2), np.zeros(2))
    single = NgramTable(np.array([[0], [1]], np.int32), np.zeros(2), np.zeros(2))
    with pytest.raises(InputError, match="the n-gram 'a b' occurs twice"):
        context_model(Arpa(["a", "b"], [single, pair]))


def test_kenlm_scores_word_by_word(data: Path) -> None:
    arpa = read_arpa(data / "lm_reference/kenlm/test.arpa")
    model, words_of_model = context_model(arpa)
    automaton = model.automaton()
    rows = (data / "lm_reference/kenlm/expected_scores.tsv").read_text().splitlines()
    for row in rows:
        if row.startswith("#"):
            continue
        start, words, scores, lengths = row.split("\t")
        state = automaton.start() if start == "<s>" else 0
        tokens = ids(words_of_model, words.split())
        log_probs, used = automaton.score(tokens, np.array([0, len(tokens)]), state)
        assert log_probs / LN10 == pytest.approx(
            [float(x) for x in scores.split()], rel=1e-5, abs=1e-6
        )
        assert used.tolist() == [int(x) for x in lengths.split()]
    assert len(rows) > 10


@pytest.mark.parametrize("method", ["katz", "absolute", "kneser_ney", "witten_bell", "unsmoothed"])
def test_opengrm_totals(data: Path, method: str) -> None:
    folder = data / "lm_reference/opengrm"
    with gzip.open(folder / "earnest.txt.gz", "rt") as stream:
        sentences = [[*line.split(), "</s>"] for line in stream]
    expected = {
        row.split("\t")[0]: row.split("\t")[1:]
        for row in (folder / "expected_on_earnest.tsv").read_text().splitlines()
    }
    arpa = read_arpa(folder / f"earnest-{method}.arpa.gz")
    model, words_of_model = context_model(arpa)
    automaton = model.automaton()
    start = automaton.start()
    tokens = ids(words_of_model, [word for sentence in sentences for word in sentence])
    log_probs, _ = automaton.score(tokens, np.cumsum([0, *map(len, sentences)]), start)
    total, perplexity = map(float, expected[method])
    assert log_probs.sum() / LN10 == pytest.approx(total, rel=1e-6)
    assert np.exp(-log_probs.mean()) == pytest.approx(perplexity, rel=1e-5)
    for begin, words in ((0, []), (start, []), (start, ["I"]), (0, ["I", "AM"]), (start, ["NO"])):
        state = automaton.advance(begin, ids(words_of_model, words))
        assert np.exp(automaton.distribution(state)).sum() == pytest.approx(
            1, abs=1e-5
        )  # back-off weights of 10^-99 in single precision
