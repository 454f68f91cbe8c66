"""Scores of labels agree with scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, precision_recall_fscore_support

from laconic import metrics

LABELS = st.sampled_from(["a", "b", "c", "d"])


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40))
def test_scores_are_those_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    gold, predicted = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    scores = metrics.label_scores(gold, predicted)
    expected = precision_recall_fscore_support(gold, predicted, zero_division=0)
    for ours, theirs in zip(scores[1:], expected, strict=True):
        np.testing.assert_allclose(ours, theirs)
    assert metrics.accuracy(gold, predicted) == pytest.approx(accuracy_score(gold, predicted))
    assert metrics.macro_f1(gold, predicted) == pytest.approx(f1_score(gold, predicted, average="macro", zero_division=0))


@pytest.mark.parametrize(("gold", "predicted"), [([], []), (["a"], ["a", "b"]), ([["a"]], [["a"]])])
def test_labels_that_cannot_be_compared(gold: list, predicted: list) -> None:
    with pytest.raises(ValueError, match="as many predicted as gold"):
        metrics.accuracy(gold, predicted)
