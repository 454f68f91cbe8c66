"""Kneser-Ney against its definition, against files of mitlm, and on the Penn Treebank."""

from __future__ import annotations

import gzip
import warnings
from collections import Counter
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ngrams import as_dictionaries

from laconic.core.arrays import Array, Ints
from laconic.lm.arpa import read_arpa
from laconic.lm.backoff import arpa_of
from laconic.lm.contexts import Text
from laconic.lm.kneser_ney import KneserNey
from laconic.lm.running import SentenceEncoder

Ngram = tuple[int, ...]


def encoded(sentences: list[list[int]], n_words: int) -> Text:
    tokens = np.array(list(chain.from_iterable(sentences)), np.int32)
    return Text(tokens, np.cumsum([0, *map(len, sentences)]).astype(np.int64), n_words)


class ByDefinition:
    """p(v | c) straight from the formulas, with dictionaries."""

    def __init__(
        self, text: Text, order: int, modified: bool, fallback: tuple[float, float, float]
    ) -> None:
        self.order, self.n_words = order, text.n_words
        raw: Counter[Ngram] = Counter()
        for begin, end in zip(text.ptr[:-1].tolist(), text.ptr[1:].tolist(), strict=True):
            words = (text.n_words, *text.tokens[begin:end].tolist())
            raw.update(
                words[t - k + 1 : t + 1]
                for t in range(1, len(words))
                for k in range(1, min(order, t + 1) + 1)
            )
        before: Counter[Ngram] = Counter(ngram[1:] for ngram in raw if len(ngram) > 1)
        self.count = {
            ngram: n if len(ngram) == order or ngram[0] == text.n_words else before[ngram]
            for ngram, n in raw.items()
        }
        self.discounts = {}
        for k in range(1, order + 1):
            n = [0] + [
                sum(c == j for ngram, c in self.count.items() if len(ngram) == k)
                for j in (1, 2, 3, 4)
            ]
            self.discounts[k] = self.discounts_of(n, modified) or fallback

    @staticmethod
    def discounts_of(n: list[int], modified: bool) -> tuple[float, ...] | None:
        if not (n[1] and n[2] and (n[3] or not modified)):
            return None
        y = n[1] / (n[1] + 2 * n[2])
        found = (
            tuple(j - (j + 1) * y * n[j + 1] / n[j] for j in (1, 2, 3)) if modified else (y, y, y)
        )
        return found if all(0 <= d <= j for j, d in enumerate(found, 1)) else None

    def prob(self, history: Ngram, word: int) -> float:
        history = history[max(0, len(history) - self.order + 1) :]
        lower = 1 / self.n_words if not history else self.prob(history[1:], word)
        after = {ngram[-1]: n for ngram, n in self.count.items() if ngram[:-1] == history}
        if not after:
            return self.prob(history[1:], word)
        discount = {v: self.discounts[len(history) + 1][min(n, 3) - 1] for v, n in after.items()}
        kept = max(0, after.get(word, 0) - discount.get(word, 0.0))
        return (kept + sum(discount.values()) * lower) / sum(after.values())


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.integers(1, 4), max_size=7), min_size=1, max_size=8),
    st.integers(1, 4),
    st.booleans(),
)
def test_probabilities_are_those_of_the_definition(
    sentences: list[list[int]], order: int, modified: bool
) -> None:
    text = encoded([[*words, 0] for words in sentences], 6)  # word 5 never occurs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KneserNey(modified).learn(text, order).model
    expected, automaton = (
        ByDefinition(text, order, modified, (0.5, 1.0, 1.5)),
        model.checked().automaton(),
    )
    for words in [*sentences[:2], [1, 2, 3], [5, 1]]:
        for t in range(len(words) + 1):
            found = np.exp(
                automaton.distribution(
                    automaton.advance(automaton.start(), np.array(words[:t], np.int32))
                )
            )
            assert found.sum() == pytest.approx(1, abs=1e-5)
            assert found == pytest.approx(
                [expected.prob((6, *words[:t]), v) for v in range(6)], rel=1e-5, abs=1e-30
            )


def small_of_mitlm(data: Path, vocabulary: list[str]) -> Text:
    index = {word: i for i, word in enumerate(vocabulary)}
    lines = (data / "lm_reference/mitlm/small.txt").read_text().splitlines()
    return encoded(
        [[index[word] for word in [*line.split(), "</s>"]] for line in lines], len(vocabulary)
    )


class WithoutDiscounts(KneserNey):
    """Relative frequencies of adjusted counts."""

    def discounts(self, counts: Ints) -> Array:
        return np.zeros((len(counts), 3))


def test_adjusted_counts_are_those_of_mitlm(data: Path) -> None:
    vocabulary = ["</s>", *"abcde"]
    model = WithoutDiscounts().learn(small_of_mitlm(data, vocabulary), 3).model
    prob = np.exp(model.gain + model.base[model.context_of_pairs()])
    found: dict[str, dict[str, float]] = {}
    for context in range(model.n_contexts):
        words, at = [], context
        while at > 0:
            words.append([*vocabulary, "<s>"][model.word[at]])
            at = int(model.parent[at])
        pairs = slice(model.ptr[context], model.ptr[context + 1])
        named = [vocabulary[word] for word in model.target[pairs]]
        found[" ".join(words)] = dict(zip(named, prob[pairs].tolist(), strict=True))
    expected: dict[str, dict[str, float]] = {}
    for row in (data / "lm_reference/mitlm/wec.a.hyp").read_text().splitlines():
        ngram, count = row.split("\t")
        *before, last = ngram.split(" ")
        if ngram == "<s>":
            last = "</s>"  # one symbol for both in its file
        expected.setdefault(" ".join(before), {})[last] = int(count)
    assert found.keys() == expected.keys()
    for context_words, counts in expected.items():
        total = sum(counts.values())
        assert found[context_words] == pytest.approx({w: n / total for w, n in counts.items()})


class WithoutFallback(KneserNey):
    """mitlm's discounts: the same formulas even where no n-gram has a count; no unknown word."""

    def discounts(self, counts: Ints) -> Array:
        rows = []
        for n in counts[:, 1:5]:
            y = n[0] / (n[0] + 2 * n[1])
            rows.append([j - (j + 1) * y * n[j] / n[j - 1] if n[j - 1] else j for j in (1, 2, 3)])
        return np.array(rows)


def test_the_model_of_mitlm(data: Path) -> None:
    vocabulary = ["</s>", *"abcde"]
    ours = arpa_of(WithoutFallback().learn(small_of_mitlm(data, vocabulary), 3).model, vocabulary)
    theirs = read_arpa(data / "lm_reference/mitlm/wl.a.hyp")
    for mine, other in zip(as_dictionaries(ours), as_dictionaries(theirs), strict=True):
        named = {tuple(ours.vocabulary[i] for i in ngram): values for ngram, values in mine.items()}
        expected = {
            tuple(theirs.vocabulary[i] for i in ngram): values for ngram, values in other.items()
        }
        assert named.keys() == expected.keys()
        for ngram, values in named.items():
            assert values == pytest.approx(expected[ngram], abs=2e-6), ngram


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_train", "expected"),
    [(100_000, [279.8, 260.3, 256.7, 255.1, 254.8]), (30_000, [234.2, 228.0, 226.8, 226.6, 226.6])],
)
def test_perplexities_of_the_penn_treebank(data: Path, n_train: int, expected: list[float]) -> None:
    """Orders 2 to 6, tested on the next 20,000 words.

    Words seen once are unknown, and do not count as targets.
    """
    with gzip.open(data / "ptb/ptb.train.txt.gz", "rt") as stream:
        sentences = [line.split() for line in stream]
    seen = np.cumsum([0, *map(len, sentences)])
    train = [sentence for sentence, n in zip(sentences, seen, strict=False) if n < n_train]
    test = [
        sentence
        for sentence, n in zip(sentences, seen, strict=False)
        if n_train <= n < n_train + 20_000
    ]
    counts = Counter(chain.from_iterable(train))
    words = dict.fromkeys(["<unk>", "</s>", *(word for word, n in counts.items() if n > 1)])
    index = {word: i for i, word in enumerate(words)}
    train_text, test_text = (
        encoded(
            [[index.get(word, 0) for word in [*sentence, "</s>"]] for sentence in part], len(index)
        )
        for part in (train, test)
    )
    found = []
    for order in range(2, 7):
        automaton = KneserNey().learn(train_text, order).model.automaton()
        log_probs, _ = automaton.score(test_text.tokens, test_text.ptr, automaton.start())
        found.append(round(float(np.exp(-log_probs[test_text.tokens != 0].mean())), 1))
    assert found == expected


@pytest.mark.parametrize(
    ("order", "discounts", "perplexity"),
    [
        (1, [0.570552, 1.32349, 1.62518], 331.6131),
        (3, [0.866266, 1.37507, 1.59144], 10.42930),
        (5, [0.967405, 1.62792, 1.45215], 7.507162),
    ],
)
def test_discounts_and_perplexities_of_lmplz(
    data: Path, order: int, discounts: list[float], perplexity: float
) -> None:
    """Discounts of the highest order as lmplz prints them; perplexities of its training data."""
    with gzip.open(data / "lm_reference/opengrm/earnest.txt.gz", "rt") as stream:
        _, text = SentenceEncoder.learn(stream)
    assert KneserNey().estimate(text, order)[1][-3:] == pytest.approx(discounts, rel=1e-5)
    automaton = KneserNey().learn(text, order).model.automaton()
    log_probs, _ = automaton.score(text.tokens, text.ptr, automaton.start())
    assert np.exp(-log_probs.mean()) == pytest.approx(perplexity, rel=1e-6)


def test_too_few_counts_are_reported() -> None:
    text = encoded([[1, 2, 0], [1, 2, 0]], 3)
    with pytest.warns(
        UserWarning,
        match=r"too few n-grams of order 1, 2 .* discount_fallback \(0.5, 1.0, 1.5\) is used",
    ):
        KneserNey().learn(text, 2)
    with pytest.raises(ValueError, match="too few n-grams of order 1, 2"):
        KneserNey(discount_fallback=None).learn(text, 2)


@pytest.mark.parametrize(
    "fallback", [(0.5, 1.0), (2.0, 1.0, 1.0), (-0.1, 1.0, 1.0), (float("nan"), 1.0, 1.0)]
)
def test_bad_fallbacks(fallback: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="discount_fallback must be three discounts"):
        KneserNey(discount_fallback=fallback).learn(encoded([[1, 0]], 2), 2)


def test_orders_of_1_and_of_50() -> None:
    text = encoded([[1, 2, 1, 2, 0], [0], [2, 0]], 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for order in (1, 50):
            automaton = KneserNey().learn(text, order).model.checked().automaton()
            assert np.exp(automaton.distribution(automaton.start())).sum() == pytest.approx(
                1, abs=1e-6
            )
