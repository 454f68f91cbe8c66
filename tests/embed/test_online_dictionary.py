"""Online dictionary learning: descends, agrees with others, repeats itself."""

from __future__ import annotations

import numpy as np
import pytest
from associations import example
from sklearn.base import clone
from sklearn.decomposition import MiniBatchDictionaryLearning

from laconic.core.report import Event
from laconic.embed.codes import Coder, WordRows, objective, padded
from laconic.embed.forest import code_forest, forest_for
from laconic.embed.online_dictionary import OnlineDictionary, update_rows
from laconic.embed.start import right_singular


def test_the_objective_falls_and_is_the_one_stated() -> None:
    matrix = example()
    for penalty, forest in (("lasso", forest_for("lasso", 26)), ("forest", code_forest(26))):
        values = []
        for passes in (1, 2, 5):
            coded = OnlineDictionary(
                26, penalty, 0.5, batch_size=100, passes=passes, n_jobs=1
            ).learn(matrix)
            assert coded.report.certificate <= 1e-4
            assert objective(matrix, coded.codes, coded.dictionary, forest, 0.5) == pytest.approx(
                coded.report.objective, rel=1e-4
            )
            assert np.linalg.norm(coded.dictionary, axis=1).max() <= 1 + 1e-5
            assert len(coded.report.trace) == passes
            values.append(coded.report.objective)
        assert values[0] > values[1] > values[2]
        assert values[2] < 0.5 * 0.5 * matrix.multiply(matrix).sum()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("positive", [False, True])
def test_not_worse_than_scikit_learn(positive: bool) -> None:
    matrix, size, strength = example(), 20, 0.5
    coded = OnlineDictionary(
        size, "lasso", strength, positive, batch_size=50, passes=5, n_jobs=1
    ).learn(matrix)
    theirs = MiniBatchDictionaryLearning(
        size,
        alpha=strength,
        batch_size=50,
        max_iter=5,
        fit_algorithm="cd",
        positive_code=positive,
        random_state=0,
        tol=0,
        max_no_improvement=None,
    ).fit(matrix.toarray())
    dictionary = theirs.components_ / np.maximum(
        1, np.linalg.norm(theirs.components_, axis=1, keepdims=True)
    )
    coder = Coder(forest_for("lasso", size), strength, positive)
    _, value, _ = coder.encode_all(WordRows(matrix), padded(dictionary.T), 1)
    assert coded.report.objective <= 1.01 * value
    if positive:
        assert coded.codes.data.min() > 0


def test_not_worse_than_spams() -> None:
    spams = pytest.importorskip("spams")
    matrix, size, strength = example(), 20, 0.5
    coded = OnlineDictionary(size, "lasso", strength, batch_size=50, passes=5, n_jobs=1).learn(
        matrix
    )
    theirs = spams.trainDL(
        np.asfortranarray(matrix.toarray().T),
        K=size,
        lambda1=strength,
        batchsize=50,
        iter=40,
        numThreads=1,
    )
    coder = Coder(forest_for("lasso", size), strength, False)
    _, value, _ = coder.encode_all(WordRows(matrix), padded(theirs), 1)
    assert coded.report.objective <= 1.01 * value


def test_a_seed_gives_the_same_codes_twice_whatever_the_threads() -> None:
    matrix = example()
    learner = OnlineDictionary(26, "forest", 0.5, batch_size=64, passes=2, n_jobs=1, random_state=3)
    one, again, two = (
        learner.learn(matrix),
        clone(learner).learn(matrix),
        clone(learner).set_params(n_jobs=2).learn(matrix),
    )
    assert (one.codes != again.codes).nnz == 0 and np.array_equal(one.dictionary, again.dictionary)
    np.testing.assert_allclose(one.codes.toarray(), two.codes.toarray(), atol=1e-3)
    other = clone(learner).set_params(random_state=4).learn(matrix)
    assert (one.codes != other.codes).nnz > 0


@pytest.mark.parametrize("start", ["words", "svd", "random"])
def test_any_start_leads_down(start: str) -> None:
    matrix = example()
    coded = OnlineDictionary(
        26, "forest", 0.5, start=start, batch_size=100, passes=4, n_jobs=1
    ).learn(matrix)
    assert coded.report.objective < 0.3 * matrix.multiply(matrix).sum()


def test_forgetting_and_more_dimensions_than_words() -> None:
    matrix = example(60, 40)
    coded = OnlineDictionary(
        78, "forest", 0.3, start="svd", forgetting=0.8, batch_size=16, passes=3, n_jobs=1
    ).learn(matrix)
    assert coded.codes.shape == (60, 78) and np.isfinite(coded.report.objective)
    assert coded.report.objective < 0.3 * matrix.multiply(matrix).sum()


def test_callback_receives_every_pass() -> None:
    events: list[Event] = []
    OnlineDictionary(13, batch_size=100, passes=3, n_jobs=1).learn(example(), events.append)
    assert [one.done for one in events] == [1, 2, 3]


def test_rows_are_updated_as_in_turn() -> None:
    random = np.random.default_rng(0)
    d, codes, x = (
        random.standard_normal((5, 40)) * 0.2,
        random.standard_normal((30, 5)),
        random.standard_normal((30, 40)),
    )
    squares, asked = codes.T @ codes, codes.T @ x
    columns = np.hstack([d.T, (asked - squares @ d).T])
    together = (columns @ update_rows(columns.T @ columns, squares, squares.max())).T
    for m in range(5):
        u = d[m] + (asked[m] - squares[m] @ d) / squares[m, m]
        d[m] = u / max(1, np.linalg.norm(u))
    np.testing.assert_allclose(together, d, atol=1e-12)


@pytest.mark.slow
def test_singular_vectors() -> None:
    matrix = example()
    values, vectors = right_singular(WordRows(matrix), 8, np.random.RandomState(0), 1)
    _, exact, right = np.linalg.svd(matrix.toarray(), full_matrices=False)
    np.testing.assert_allclose(values, exact[:8], rtol=1e-3)
    np.testing.assert_allclose(np.abs(np.sum(vectors * right[:8], axis=1)), 1, atol=1e-2)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"size": 50}, "13 nodes"),
        ({"size": 0}, "size must be"),
        ({"penalty": "rigid"}, "no penalty called"),
        ({"strength": -1.0}, "strength"),
        ({"strength": np.nan}, "strength"),
        ({"batch_size": 0}, "batch_size"),
        ({"passes": 0}, "passes"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"start": "zero"}, "start must be one of"),
    ],
)
def test_bad_parameters_are_refused(changed: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OnlineDictionary(13).set_params(**changed).learn(example(20, 20))


def test_a_callback_ends_learning_and_the_codes_are_whole() -> None:
    matrix = example(100, 80)
    events: list[Event] = []
    coded = OnlineDictionary(13, passes=5, n_jobs=1).learn(
        matrix, lambda step: events.append(step) or len(events) == 2
    )
    assert (
        coded.report.interrupted
        and len(coded.report.trace) == 2
        and tuple(events) == coded.report.trace
    )
    assert (coded.codes != OnlineDictionary(13, passes=2, n_jobs=1).learn(matrix).codes).nnz == 0
    assert (
        not OnlineDictionary(13, passes=2, n_jobs=1)
        .learn(matrix, lambda step: step.done == 2)
        .report.interrupted
    )
