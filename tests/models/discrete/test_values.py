"""Models with few weight values: of classifiers, regressors and taggers alike."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import laconic
from laconic import (
    Crf,
    Discrete,
    DiscreteAdmm,
    Mira,
    SparseClassifier,
    SparseRegressor,
    Tagger,
    TextClassifier,
    learned_values,
    value_set,
)
from laconic.core.penalties import L1, GroupLasso
from laconic.core.penalties.value_sets import check_values
from laconic.core.solvers.discrete import POWER
from laconic.models.discrete.forms import posed, rounding_power, weights_of
from laconic.models.discrete.tuning import eta_grid, tune_values
from laconic.models.discrete.values import discretize, quantize

GOOD, BAD = (
    ["fine good well", "good nice plot", "nice fine cast"],
    ["bad poor plot", "poor dull cast", "dull bad end"],
)
DOCUMENTS, LABELS = (GOOD + BAD) * 5, (["yes"] * 3 + ["no"] * 3) * 5


def sentences(n: int, seed: int) -> tuple[list[list[tuple[str, str]]], list[list[str]]]:
    """Names of two words of a kind after a title, among other words."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        tokens, labels = [], []
        for _ in range(int(rng.integers(2, 5))):
            kind = int(rng.integers(4))
            if kind < 2:
                tokens += [
                    (("mr", "in")[kind], "T"),
                    (f"{'ab'[kind]}{rng.integers(6)}", "N"),
                    (f"{'ab'[kind]}{rng.integers(6)}", "N"),
                ]
                labels += ["O", f"B-{'PL'[kind]}", f"I-{'PL'[kind]}"]
            else:
                tokens.append((f"w{rng.integers(20)}", "V"))
                labels.append("O")
        X.append(tokens)
        y.append(labels)
    return X, y


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger("chunking72", Crf("lasso", 0.1)).fit(*sentences(80, 0))


@pytest.fixture(scope="module")
def rows() -> tuple[sp.csr_matrix, np.ndarray]:
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(0.3, size=(300, 60)).astype(float))
    scores = X @ (rng.normal(size=(60, 3)) * (np.arange(60) % 3 == 0)[:, None])
    return X, scores.argmax(axis=1)


def distinct(model: Any) -> set[float]:
    return set(np.unique(weights_of(model)).tolist())


@pytest.mark.parametrize("zeta", [1, 2, 4])
def test_tagger_of_few_values(tagger: Tagger, zeta: int) -> None:
    values = value_set({1: 0.5, 2: 0.1, 4: 0.1}[zeta], zeta)
    X, y = sentences(80, 0)
    found, plain = discretize(tagger, X, y, values), quantize(tagger, values)
    for model in (found, plain):
        allowed = set(np.float32(values).tolist())
        every = [*model.weights_.weights, model.weights_.edge, model.weights_.start]
        assert all(set(np.unique(part).tolist()) <= allowed for part in every)
        assert 1 <= model.weights_.n_distinct <= 2 * zeta
    held_out = sentences(40, 1)
    assert found.score(*held_out) >= plain.score(*held_out)
    assert found.score(*held_out) > 0.95
    assert found.weights_.n_nonzero == found.n_features_selected_
    assert 0 <= found.certificate_ < 0.1


def test_transitions_of_a_scale_of_their_own(tagger: Tagger) -> None:
    X, y = sentences(80, 0)
    values = (-0.1, 0.1)
    for tail, sizes in ((None, None), (7.0, {np.float32(0.7)}), ("auto", None)):
        found = discretize(tagger, X, y, values, solver=DiscreteAdmm(tail=tail))
        assert {
            abs(value) for part in found.weights_.weights for value in np.unique(part).tolist()
        } <= {0.0, np.float32(0.1)}
        edges = np.abs(np.append(found.weights_.edge.ravel(), found.weights_.start))
        assert (len(np.unique(edges[edges > 0])) > 1) == (tail is None)
        assert sizes is None or set(edges[edges > 0].tolist()) <= sizes
    with pytest.raises(ValueError, match="tail must be a number above 0, 'auto' or None"):
        discretize(tagger, X, y, values, solver=DiscreteAdmm(tail="some"))


def test_models_are_left_as_they_were(tagger: Tagger) -> None:
    X, y = sentences(80, 0)
    before = tagger.predict_marginals(X)
    discretize(tagger, X, y, (-1.0, 1.0))
    quantize(tagger, (-1.0, 1.0))
    assert all(
        np.array_equal(a, b) for a, b in zip(before, tagger.predict_marginals(X), strict=True)
    )


def test_posed_tagger_stands_at_its_weights(tagger: Tagger) -> None:
    X, y = sentences(80, 0)
    at = posed(tagger, X, y)
    assert at.problem.value(at.x) == pytest.approx(tagger.objective_, rel=1e-5)


def test_all_features_of_the_data_may_take_part(tagger: Tagger) -> None:
    X, y = sentences(80, 0)
    at, wider = posed(tagger, X, y), posed(tagger, X, y, features="data")
    assert wider.problem.n_weights > at.problem.n_weights
    assert wider.problem.value(wider.x) == pytest.approx(at.problem.value(at.x), rel=1e-5)
    found = discretize(tagger, X, y, value_set(0.5, 1), features="data")
    assert found.weights_.n_distinct <= 2
    assert found.score(*sentences(40, 1)) > 0.95
    again = posed(found, X, y, features="data")
    assert again.problem.value(again.x) == pytest.approx(found.objective_, rel=1e-5)
    with pytest.raises(ValueError, match="features must be 'model' or 'data', got 'some'"):
        posed(tagger, X, y, features="some")


def test_learner_with_values_from_the_start() -> None:
    values = value_set(0.2, 2)
    X, y = sentences(80, 0)
    model = Tagger("chunking72", Crf("lasso", 0.1, values=values)).fit(X, y)
    assert model.weights_.n_distinct <= 4
    assert model.score(*sentences(40, 1)) > 0.95
    again = Tagger(
        "chunking72",
        Crf("lasso", 0.1),
        Crf("lasso", 0.1, values=values),
        "features",
    ).fit(X, y)
    assert again.weights_.n_distinct <= 4
    assert again.score(*sentences(40, 1)) > 0.95


def test_loaded_tagger_of_few_values_predicts_the_same(tagger: Tagger, tmp_path: Path) -> None:
    found = discretize(tagger, *sentences(80, 0), value_set(0.1, 2))
    found.save(tmp_path / "model")
    X, _ = sentences(40, 1)
    loaded = laconic.load(tmp_path / "model")
    assert loaded.predict(X) == found.predict(X)
    assert loaded.weights_.n_distinct == found.weights_.n_distinct
    # Learners are text in a loaded model: a refit takes the lasso of discretize.
    assert discretize(loaded, *sentences(80, 0), value_set(0.1, 1)).weights_.n_distinct <= 2


def test_classifier_of_few_values(rows: Any) -> None:
    X, y = rows
    full = SparseClassifier(L1(2.0)).fit(X[:200], y[:200])
    values = value_set(0.3, 2)
    found, plain = discretize(full, X[:200], y[:200], values), quantize(full, values)
    assert distinct(found) <= set(values) and distinct(plain) <= set(values)
    assert found.coef_.shape == full.coef_.shape
    assert not found.coef_[:, ~np.any(full.coef_ != 0, axis=0)].any()
    assert found.score(X[200:], y[200:]) >= plain.score(X[200:], y[200:]) - 0.02
    direct = SparseClassifier(Discrete(values, 2.0)).fit(X[:200], y[:200])
    assert distinct(direct) <= set(values)
    assert direct.converged_
    assert direct.objective_ < 1.1 * found.objective_


def test_regressor_of_few_values(rows: Any) -> None:
    X, _ = rows
    y = np.asarray(X @ np.where(np.arange(60) % 5 == 0, 1.3, 0.0)).ravel()
    full = SparseRegressor(L1(1.0)).fit(X, y)
    found = discretize(full, X, y, (1.3, -1.3))
    assert distinct(found) == {1.3}
    assert found.predict(X) == pytest.approx(y, abs=0.1)


def test_documents_of_few_values(tmp_path: Path) -> None:
    values = (-0.5, 0.5)
    model = TextClassifier(strength=0.1, values=values).fit(DOCUMENTS, LABELS)
    assert distinct(model) <= set(values)
    assert model.score(DOCUMENTS, LABELS) == 1
    full = TextClassifier(strength=0.1, weighting="tfidf").fit(DOCUMENTS, LABELS)
    full.save(tmp_path / "model")
    for given in (full, laconic.load(tmp_path / "model")):
        found = discretize(given, DOCUMENTS, LABELS, (-3.0, 3.0))
        assert distinct(found) <= {-3.0, 3.0}
        assert found.score(DOCUMENTS, LABELS) == 1
        assert found.n_features_selected_ == np.count_nonzero(np.any(found.coef_ != 0, axis=0))
    model.save(tmp_path / "model")
    assert check_values(laconic.load(tmp_path / "model").values) == check_values(values)


def test_eta_is_chosen_on_development_data(tagger: Tagger) -> None:
    dev = sentences(40, 1)
    best, trials = tune_values(tagger, sentences(80, 0), dev, 1, etas=[1e-4, 0.3])
    assert [trial.eta for trial in trials] == [1e-4, 0.3]
    assert best.score(*dev) == max(trial.score for trial in trials)
    rounded, trials = tune_values(tagger, None, dev, 2)
    assert rounded.weights_.n_distinct <= 4
    assert rounded.score(*dev) == max(trial.score for trial in trials)
    assert [trial.power for trial in trials if trial.eta is None] == [0.0, 0.5, 1.0]
    grid = eta_grid(tagger, 2)
    assert len(grid) == 5 and np.all(np.diff(grid) > 0)


def test_the_grid_of_eta_goes_on_where_its_edge_is_best(tagger: Tagger) -> None:
    grid = eta_grid(tagger, 1)

    def score(model: Tagger) -> float:
        return float(np.abs(weights_of(model)).max(initial=0.0))  # the larger the better

    best, trials = tune_values(tagger, None, None, 1, score=score)
    etas = [trial.eta for trial in trials if trial.eta is not None]
    assert etas == [*grid, *(grid[-1] * 2.0**k for k in range(1, len(etas) - 4))]
    assert len(etas) > 5 and score(best) == max(trial.score for trial in trials)


def test_learned_again_is_never_worse_than_rounded(tagger: Tagger) -> None:
    train, dev = sentences(80, 0), sentences(40, 1)
    for model in (tagger, Tagger("chunking72", Mira(2)).fit(*train)):
        best, trials = tune_values(model, train, dev, 2)
        assert [trial.method for trial in trials].count("learned again") == 1
        assert best.score(*dev) == max(trial.score for trial in trials)
        assert best.score(*dev) >= tune_values(model, None, dev, 2)[0].score(*dev)


def test_weights_of_online_learners_are_rounded_by_their_size(
    tagger: Tagger, tmp_path: Path
) -> None:
    online = Tagger("chunking72", Mira(2)).fit(*sentences(80, 0))
    for model, power in ((tagger, 0.0), (online, 1.0)):
        model.save(tmp_path / "model")
        for known in (model, laconic.load(tmp_path / "model")):
            assert rounding_power(known) == power
            assert distinct(quantize(known, 2)) <= set(
                np.float32(learned_values(weights_of(model), 2, power)).tolist()
            )


def test_taggers_of_online_learners_learn_again_by_passes() -> None:
    train, dev = sentences(80, 0), sentences(40, 1)
    model = Tagger("chunking72", Mira(3)).fit(*train)
    found = discretize(model, *train, 4)
    assert found.weights_.n_distinct <= 4 and np.isnan(found.objective_)
    assert found.n_features_selected_ <= model.n_features_selected_
    assert found.score(*dev) > 0.95
    wider = discretize(model, *train, 4, features="data")
    assert wider.weights_.n_distinct <= 4 and wider.score(*dev) > 0.95
    with pytest.raises(ValueError, match="learns by passes, which take no solver"):
        discretize(model, *train, 4, DiscreteAdmm())


def test_the_lasso_of_a_loaded_tagger_is_known(tagger: Tagger, tmp_path: Path) -> None:
    tagger.save(tmp_path / "model")
    again = posed(laconic.load(tmp_path / "model"), *sentences(80, 0))
    assert again.problem.value(again.x) == pytest.approx(tagger.objective_, rel=1e-5)


def test_a_number_of_values_instead_of_values(tagger: Tagger, rows: Any) -> None:
    train = sentences(80, 0)
    assert quantize(tagger, 4).weights_.n_distinct <= 4
    found = discretize(tagger, *train, 4)
    assert found.weights_.n_distinct <= 4
    assert found.score(*sentences(40, 1)) > 0.95
    X, y = rows
    full = SparseClassifier(L1(2.0)).fit(X, y)
    start = learned_values(weights_of(full), 4, POWER)
    learned, given = discretize(full, X, y, 4), discretize(full, X, y, start)
    assert len(distinct(learned)) <= 4
    assert learned.objective_ < given.objective_
    direct = SparseClassifier(Discrete(4, 2.0)).fit(X, y)
    assert len(distinct(direct)) <= 4 and np.isfinite(direct.objective_)


def test_what_has_no_discrete_form(rows: Any, tagger: Tagger) -> None:
    X, y = rows
    with pytest.raises(ValueError, match="type str has no discrete form"):
        quantize("model", (1.0,))
    with pytest.raises(ValueError, match="values must be finite"):
        quantize(tagger, (0.0,))
    full = SparseClassifier(L1(2.0)).fit(X, y)
    with pytest.raises(ValueError, match="but the data has"):
        discretize(full, X[y < 2], y[y < 2], (1.0,))
    with pytest.raises(ValueError, match="not with GroupLasso"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        at = posed(full, X, y)
        at.problem.penalty = GroupLasso(
            laconic.Groups(np.arange(3), np.array([0, 3]), np.ones(1), 3)
        )
        from laconic.models.discrete.values import solve_posed

        solve_posed(at, (0.0, 1.0))
    with pytest.raises(ValueError, match="the label 'B-X' is not one of the model's"):
        discretize(tagger, [[("a", "N")]], [["B-X"]], (1.0,))
    with pytest.raises(ValueError, match="values go with the penalties"):
        TextClassifier("sentence", values=(1.0,)).fit(DOCUMENTS, LABELS)
    with pytest.raises(ValueError, match="values go with lasso and ridge"):
        Crf("group", values=(1.0,)).check()
