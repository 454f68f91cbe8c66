"""The classify page on a made-up corpus: what is chosen, what is fitted, and the tables."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from benchmarks import (
    classify_curves,
    classify_few,
    classify_phrases,
    classify_structured,
    classify_structures,
    classify_tables,
)
from benchmarks.classify_accuracy import FEATURES, SUM, Key, Measured, layout
from benchmarks.classify_compare import PLAIN, SEED_ROWS
from benchmarks.classify_defaults import Corpus
from benchmarks.classify_grid import StrengthTrial
from benchmarks.classify_models import Bench, Candidate, Grid, agreed, choose
from benchmarks.classify_structured import Compared
from benchmarks.corpora import Part, Task
from laconic.classify.model import TextClassifier

pytestmark = pytest.mark.slow

GRID = Grid((0.01,), (0.01,))


def made_up(n: int, seed: int) -> Part:
    """Documents of three sentences, each from words that mostly go with the label."""
    generator = np.random.default_rng(seed)
    labels = np.array(["cold", "warm"] * (n // 2))
    words = {"cold": ["snow", "ice", "frost", "today"], "warm": ["sun", "heat", "sand", "today"]}
    texts = [
        ". ".join(" ".join(generator.choice(words[label], 4)) for _ in range(3)) for label in labels
    ]
    return Part(texts, labels)


@pytest.fixture(scope="module")
def bench() -> Bench:
    task = Task("made up", made_up(40, 0), made_up(20, 1), made_up(20, 2))
    return Bench(task, ["sentence", "topics", "brown"], FEATURES, n_topics=3, n_clusters=3)


def trial(accuracy: float, size: int, log_loss: float = 0.5) -> Candidate:
    found = StrengthTrial(
        strength=1.0, lasso=1.0, accuracy=accuracy, features=size, certificate=0.0, value=log_loss
    )
    return Candidate(TextClassifier(), found, 0.0)


def test_the_choice_is_accuracy_then_size_within_the_limit() -> None:
    candidates = [trial(0.9, 50), trial(0.9, 40), trial(0.8, 10), trial(0.7, 5)]
    assert choose(candidates) is candidates[1]
    assert choose(candidates, most=39) is candidates[2]
    assert choose(candidates, most=1) is candidates[1]


def test_splits_agree_on_the_lowest_mean_log_loss_within_every_limit() -> None:
    splits = [
        [trial(0.9, 50, 0.3), trial(0.8, 20, 0.4), trial(0.8, 10, 0.4)],
        [trial(0.9, 50, 0.7), trial(0.8, 20, 0.4), trial(0.8, 30, 0.5)],
    ]
    assert agreed(splits) == 1
    assert agreed(splits, [15, 30]) == 2
    assert agreed(splits, [5, 5]) == 1


def test_one_preparation_gives_the_fit_of_a_model_alone(bench: Bench) -> None:
    outcome = bench.tuned("sentence", "tfidf", GRID)
    alone = TextClassifier("sentence", 0.01, 0.01, weighting="tfidf", tol=1e-3, max_iter=500)
    alone.fit(bench.train, bench.task.train.labels)
    np.testing.assert_array_equal(alone.predict(bench.test), outcome.predictions)
    assert outcome.nonzeros == alone.n_features_selected_
    assert outcome.chosen == ("sentence", 0.01, 0.01, 0.0, None)


def test_added_features_are_those_that_the_model_names(bench: Bench) -> None:
    n_words = bench.prepared.X.shape[1]
    for features in ((), ("topics",), ("brown",), FEATURES):
        model = clone(bench.model).set_params(penalty="ridge", features=features)
        assert len(bench.adapted(model).added) == len(features)
    assert bench.adapted(model).X.shape[1] == n_words
    assert bench.adapted(model).families == ()


def test_algorithm_2_has_a_cell_for_every_structure(bench: Bench) -> None:
    for place in range(len(classify_tables.FAMILIES)):
        scored = classify_tables.algorithm(bench, place, quick=True)
        assert min(scored.dev, scored.test) > 0.5
        assert 0 < scored.words <= bench.prepared.X.shape[1]


def test_folds_of_train_are_dev_in_turn_and_leave_test_alone(bench: Bench) -> None:
    folds = classify_phrases.folds_of(bench.task, 5)
    assert sorted(text for fold in folds for text in fold.dev.texts) == sorted(
        bench.task.train.texts
    )
    for fold in folds:
        assert (
            len(fold.train) + len(fold.dev) == len(bench.task.train)
            and fold.test is bench.task.test
        )


def test_the_page_of_phrases_names_settings_and_shares(bench: Bench) -> None:
    bench = Bench(bench.task, ["elastic"], weighting="logtfidf", prefixes=(2,))
    outcome = bench.tuned("elastic", "logtfidf", GRID)
    svm = classify_phrases.svm_row("SVM, words", [bench, bench])
    assert svm.outcome.chosen in classify_phrases.COSTS and svm.folds == svm.outcome.dev_accuracy
    page = classify_phrases.layout(
        bench.task.test.labels, [svm, classify_phrases.Row("ours", 0.5, outcome)]
    )
    share = outcome.nonzeros / svm.outcome.nonzeros
    assert f"| ours | lasso {outcome.chosen[2]:g} | 50.0 |" in page and f"| {share:.3f} |" in page


def test_the_pages_have_every_table(bench: Bench) -> None:
    models = {
        Key(name, weighting): bench.tuned(name, weighting, GRID)
        for name in (*PLAIN, "sentence", "topics", "brown", SUM)
        for weighting in ("count", "tfidf")
    }
    models |= {
        Key(name): models[Key("lasso")] for name in ("liblinear lasso", "scikit-learn ridge")
    }
    page = layout([Measured("made up", models, 1.0)])
    assert page.count("\n### ") == 4
    assert page.count("| made up |") == 3
    assert "100.0" in page
    seeds = {row: [models[Key("sentence", "tfidf")]] * 2 for row in SEED_ROWS}
    page = classify_structured.layout(
        [Compared("made up", bench.task.test.labels, seeds, {"groups": 0.5})]
    )
    assert page.count("\n### ") == 3
    assert page.count("| made up |") == 5
    assert "| 50.0 |" in page


def test_curves_and_few_documents_have_their_tables() -> None:
    train, test = made_up(60, 3), made_up(20, 4)
    corpus = Corpus("made up", train.texts, train.labels, test.texts, test.labels)
    curves = classify_curves.curves_of(
        corpus.train, corpus.train_labels, corpus.test, quick=True, sizes=(2, 6, 1000)
    )
    score = classify_structures.Score()
    rows = classify_curves.curve_rows(corpus, curves, score, (2, 6, 1000))
    assert score.sentence("Groups").startswith("Groups: ahead of the control in 0")
    assert [row[1] for row in rows] == ["lasso", "elastic, no groups"]
    assert all(len(row) == 5 for row in rows) and rows[1][3] == "100.0"
    assert rows[1][4] == "–"  # there are not so many words
    assert classify_curves.drawn([corpus], [curves]).axes[0].get_title() == "made up"
    labels = np.array(["a"] * 50 + ["b"] * 10)
    few = classify_few.few_of(labels, 10, 0)
    assert sorted(labels[few].tolist()) == ["a"] * 5 + ["b"] * 5
