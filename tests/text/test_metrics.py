"""Scores of labels agree with scikit-learn's, scores of chunks with seqeval's."""

from __future__ import annotations

import warnings
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, precision_recall_fscore_support

from laconic.text import metrics

LABELS = st.sampled_from(["a", "b", "c", "d"])


@pytest.mark.slow
@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40))
def test_scores_are_those_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    gold, predicted = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    scores = metrics.label_scores(gold, predicted)
    expected = precision_recall_fscore_support(gold, predicted, zero_division=0)
    for ours, theirs in zip(scores[1:], expected, strict=True):
        np.testing.assert_allclose(ours, theirs)
    assert metrics.accuracy(gold, predicted) == pytest.approx(accuracy_score(gold, predicted))
    assert metrics.macro_f1(gold, predicted) == pytest.approx(
        f1_score(gold, predicted, average="macro", zero_division=0)
    )


@pytest.mark.parametrize(("gold", "predicted"), [([], []), (["a"], ["a", "b"]), ([["a"]], [["a"]])])
def test_labels_that_cannot_be_compared(gold: list, predicted: list) -> None:
    with pytest.raises(ValueError, match="as many predicted as gold"):
        metrics.accuracy(gold, predicted)


CHUNK_LABELS = st.sampled_from(
    ["O", *(f"{letter}-{kind}" for kind in ("X", "Y") for letter in "BIES")]
)
TAGGED = st.lists(
    st.lists(st.tuples(CHUNK_LABELS, CHUNK_LABELS), min_size=1, max_size=6), min_size=1, max_size=5
)


@given(TAGGED)
def test_chunk_scores_are_those_of_seqeval(sentences: list[list[tuple[str, str]]]) -> None:
    seqeval = pytest.importorskip("seqeval.metrics")
    gold, predicted = (
        [[pair[side] for pair in sentence] for sentence in sentences] for side in (0, 1)
    )
    scores = metrics.chunk_scores(gold, predicted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of 0/0, which is 0 for both
        overall = [
            f(gold, predicted)
            for f in (seqeval.precision_score, seqeval.recall_score, seqeval.f1_score)
        ]
        report = seqeval.classification_report(gold, predicted, output_dict=True, zero_division=0)
    assert scores[:3] == pytest.approx(overall)
    assert scores.accuracy == pytest.approx(seqeval.accuracy_score(gold, predicted))
    assert scores.complete == pytest.approx(
        np.mean([a == b for a, b in zip(gold, predicted, strict=True)])
    )
    for kind, *values in zip(*scores.by_type, strict=True):
        theirs = report.get(kind, dict.fromkeys(("precision", "recall", "f1-score", "support"), 0))
        assert values == pytest.approx(
            [theirs[key] for key in ("precision", "recall", "f1-score", "support")]
        )


def test_chunks_counted_by_hand() -> None:
    gold = [["B-NP", "I-NP", "O", "B-VP"], [], ["B-NP", "B-NP"]]
    predicted = [["B-NP", "I-NP", "O", "B-NP"], [], ["B-NP", "I-NP"]]
    scores = metrics.chunk_scores(gold, predicted)
    assert (scores.n_gold, scores.n_predicted, scores.n_right) == (4, 3, 1)
    assert scores[:5] == pytest.approx((1 / 3, 1 / 4, 2 / 7, 4 / 6, 0))
    assert scores.by_type.labels.tolist() == ["NP", "VP"] and scores.by_type.support.tolist() == [
        3,
        1,
    ]
    np.testing.assert_allclose(scores.by_type.recall, [1 / 3, 0])
    flat = metrics.chunk_scores(list(chain(*gold)), list(chain(*predicted)), [0, 4, 4, 6])
    assert flat[:5] == scores[:5]


def test_the_scheme_of_labels_does_not_change_the_chunks() -> None:
    scores = metrics.chunk_scores([["I-X", "I-X", "B-X", "O"]], [["B-X", "E-X", "S-X", "O"]])
    assert scores.f1 == 1 and scores.accuracy == 0.25 and scores.complete == 0
    nothing = metrics.chunk_scores([["O"]], [["O"]])
    assert nothing[:5] == (0, 0, 0, 1, 1) and len(nothing.by_type.labels) == 0


@pytest.mark.parametrize(
    ("gold", "predicted", "ptr", "message"),
    [
        ([["O"]], [["O", "O"]], None, "as many labels"),
        ([["O"]], [["O"], ["O"]], None, "as many labels"),
        ([], [], None, "at least one"),
        (["O"], ["O"], [0, 2], "expected 2 gold and predicted labels"),
        ([["NN"]], [["O"]], None, "labels of chunks such as B-NP"),
    ],
)
def test_chunks_that_cannot_be_compared(
    gold: list, predicted: list, ptr: list | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        metrics.chunk_scores(gold, predicted, ptr)
