"""Chunk labels: spans as conlleval sees them, schemes and what may follow what."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.core.ragged import pointers
from laconic.text.labels import (
    SCHEMES,
    allowed_ends,
    allowed_transitions,
    chunk_types,
    convert_labels,
    detect_scheme,
    is_chunk_label,
    spans,
)
from laconic.text.vocab import Vocab

CHUNK_SCHEMES = [scheme for scheme in SCHEMES if scheme != "plain"]
LABELS = ["O", *(f"{letter}-{kind}" for kind in ("X", "Y-Z") for letter in "BIES")]
SENTENCES = st.lists(st.lists(st.sampled_from(LABELS), max_size=7), max_size=5)


def flat(sentences: list[list[str]]) -> tuple[list[str], np.ndarray]:
    return list(itertools.chain.from_iterable(sentences)), pointers(map(len, sentences))


def spans_of(sentences: list[list[str]]) -> list[tuple[int, int, str]]:
    labels, ptr = flat(sentences)
    vocab = Vocab()
    found = spans(vocab.grow(labels), ptr, vocab.words)
    return [
        (s, e, found.types[k])
        for s, e, k in zip(
            found.start.tolist(), found.end.tolist(), found.kind.tolist(), strict=True
        )
    ]


def obeys(sentence: list[str], labels: list[str], scheme: str) -> bool:
    """The rules, read off the matrices."""
    if not sentence:
        return True
    allowed, ids = allowed_transitions(labels, scheme), [labels.index(label) for label in sentence]
    return bool(
        allowed[[len(labels), *ids[:-1]], ids].all() and allowed_ends(labels, scheme)[ids[-1]]
    )


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("B-X I-X O B-Y", [(0, 2, "X"), (3, 4, "Y")]),
        ("I-X I-X B-X I-Y", [(0, 2, "X"), (2, 3, "X"), (3, 4, "Y")]),
        ("S-X B-X E-X E-X I-X", [(0, 1, "X"), (1, 3, "X"), (3, 4, "X"), (4, 5, "X")]),
        ("U-X B-X L-X O", [(0, 1, "X"), (1, 3, "X")]),
        ("O B I O I", [(1, 3, ""), (4, 5, "")]),
        ("B-Y-Z I-Y-Z", [(0, 2, "Y-Z")]),
        ("O O", []),
        ("", []),
    ],
)
def test_spans(sentence: str, expected: list) -> None:
    assert spans_of([sentence.split()]) == expected


def test_chunks_end_with_their_sentence() -> None:
    assert spans_of([["B-X"], [], ["I-X", "I-X"]]) == [(0, 1, "X"), (1, 3, "X")]


@given(SENTENCES)
def test_conversion_keeps_spans_and_makes_rules_hold(sentences: list[list[str]]) -> None:
    labels, ptr = flat(sentences)
    expected = spans_of(sentences)
    written = {}
    for scheme in CHUNK_SCHEMES:
        new = written[scheme] = convert_labels(labels, ptr, scheme)
        again = [new[a:b] for a, b in itertools.pairwise(ptr)]
        assert spans_of(again) == expected
        assert all(obeys(sentence, LABELS, scheme) for sentence in again)
    for before, after in itertools.product(CHUNK_SCHEMES, repeat=2):
        assert convert_labels(written[before], ptr, after) == written[after], "conversions go round"
    if expected:
        assert detect_scheme(written["BIOES"], ptr) == "BIOES" or not {"E", "S"} & {
            label[0] for label in written["BIOES"]
        }
        assert detect_scheme(written["IOB2"], ptr) == "IOB2"
        assert detect_scheme(written["IOB1"], ptr) in ("IOB1", "IOB2")


@pytest.mark.parametrize("scheme", CHUNK_SCHEMES)
def test_allowed_sequences_are_those_that_conversion_writes(scheme: str) -> None:
    """Of all label sequences of length up to 4, the rules admit the fixed points of conversion."""
    labels = [
        "O",
        *(
            f"{letter}-{kind}"
            for kind in "XY"
            for letter in ("BIES" if scheme == "BIOES" else "BI")
        ),
    ]
    for length in range(4):
        for sentence in map(list, itertools.product(labels, repeat=length)):
            assert obeys(sentence, labels, scheme) == (
                convert_labels(sentence, [0, length], scheme) == sentence
            )


def test_schemes_of_other_labels() -> None:
    assert detect_scheme(["NN", "O"], [0, 2]) == "plain" and detect_scheme(["O"], [0, 1]) == "plain"
    assert detect_scheme(["I-X", "B-X"], [0, 2]) == "IOB1"
    assert detect_scheme(["I-X", "O", "B-X", "O", "B-X"], [0, 5]) == "IOB2", (
        "one rule of IOB2 is broken, two of IOB1"
    )
    assert detect_scheme(["I-X", "O", "I-X", "O", "B-X"], [0, 5]) == "IOB1"
    assert allowed_transitions(["NN", "VB"], "plain").all() and allowed_transitions(
        ["NN", "VB"], "plain"
    ).shape == (3, 2)
    assert convert_labels(["NN"], [0, 1], "plain") == ["NN"]
    assert chunk_types(["O", "I-B", "B-A", "S-A"]) == ("A", "B")
    assert [is_chunk_label(x) for x in ("O", "B", "B-X", "Ox", "O-X", "", "NN", "BX")] == [
        True
    ] * 3 + [False] * 5
    for call in (lambda: spans([0], [0, 1], ["NN"]), lambda: allowed_transitions(["NN"], "IOB2")):
        with pytest.raises(
            ValueError, match="expected labels of chunks such as B-NP, I-NP or O, found 'NN'"
        ):
            call()
    for call in (
        lambda: convert_labels(["O"], [0, 1], "IOE"),
        lambda: allowed_transitions(["O"], "IOE"),
    ):
        with pytest.raises(ValueError, match="the schemes of labels are IOB1"):
            call()
