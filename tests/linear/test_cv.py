"""StrengthCV: scikit-learn's contract, what is chosen, and what is said of it."""

from __future__ import annotations

import io

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import load_diabetes, make_classification
from sklearn.linear_model import LassoCV
from sklearn.metrics import log_loss, make_scorer
from sklearn.model_selection import GroupKFold, KFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import (
    L1,
    ElasticNet,
    GroupLasso,
    Groups,
    Poisson,
    Ridge,
    SparseClassifier,
    SparseRegressor,
    SquaredHinge,
    StrengthCV,
)
from laconic.linear.cv import standard_error
from laconic.linear.plots import plot_cv


@parametrize_with_checks(
    [
        StrengthCV(SparseClassifier(tol=1e-11), n_strengths=3, ratio=0.1, cv=2),
        StrengthCV(SparseRegressor(tol=1e-11), n_strengths=3, ratio=0.1, cv=2, rule="1se"),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X, y


@pytest.fixture(scope="module")
def classes():
    X, y = make_classification(150, 12, n_informative=4, random_state=1)
    return np.round(X, 2), np.where(y == 1, "yes", "no")


class ScoresAlone(SquaredHinge):
    """A loss whose scores are no probabilities."""

    knows_probabilities = False


def test_it_is_what_its_estimator_is(classes):
    assert is_classifier(StrengthCV(SparseClassifier()))
    assert is_regressor(StrengthCV(SparseRegressor()))
    search = StrengthCV(SparseClassifier(), n_strengths=4, cv=3).fit(*classes)
    X = classes[0]
    for method in ("predict", "decision_function", "predict_proba", "predict_log_proba"):
        np.testing.assert_array_equal(
            getattr(search, method)(X), getattr(search.best_estimator_, method)(X)
        )
    assert search.coef_.shape == (1, 12) and search.intercept_.shape == (1,)
    hinge = StrengthCV(SparseClassifier(loss=SquaredHinge()), n_strengths=4, cv=3).fit(*classes)
    np.testing.assert_allclose(hinge.predict_proba(X).sum(axis=1), 1.0)
    scores = StrengthCV(SparseClassifier(loss=ScoresAlone()), n_strengths=4, cv=3).fit(*classes)
    assert not hasattr(scores, "predict_proba") and hasattr(scores, "decision_function")


def test_the_strength_of_scikit_learns_lasso(diabetes):
    X, y = diabetes
    folds = list(KFold(5, shuffle=True, random_state=3).split(X))
    alphas = np.geomspace(2.0, 0.01, 12)
    peer = LassoCV(alphas=alphas, cv=folds, tol=1e-8, max_iter=100_000).fit(X, y)
    # Theirs is the mean of squares over the rows of a fold, ours is summed: alpha n of 4/5 of them.
    ours = StrengthCV(SparseRegressor(tol=1e-9), strengths=alphas * 0.8 * len(y), cv=folds)
    ours.fit(X, y)
    np.testing.assert_allclose(-2 * ours.scores_, peer.mse_path_, rtol=2e-3)
    assert ours.best_strength_ == pytest.approx(peer.alpha_ * 0.8 * len(y))


def test_the_score_is_the_held_out_loss(classes):
    X, y = classes
    search = StrengthCV(SparseClassifier(), strengths=[1.0], cv=3).fit(X, y)
    folds = search_folds(search, X, y)
    expected = [
        -log_loss(y[test], SparseClassifier(L1(1.0)).fit(X[train], y[train]).predict_proba(X[test]))
        for train, test in folds
    ]
    np.testing.assert_allclose(search.scores_[0], expected, rtol=1e-6)


def search_folds(search: StrengthCV, X, y):
    from laconic.linear.folds import make_splits
    from laconic.linear.rows import RowData

    return make_splits(search.cv, RowData(X, y), None, search.estimator, search.random_state)


def test_one_standard_error_takes_the_strongest_within_it(diabetes):
    best = StrengthCV(SparseRegressor()).fit(*diabetes)
    simple = StrengthCV(SparseRegressor(), rule="1se").fit(*diabetes)
    mean = best.scores_.mean(axis=1)
    k = int(np.argmax(mean))
    within = np.flatnonzero(mean >= mean[k] - standard_error(best.scores_[k]))
    assert simple.best_strength_ == best.strengths_[within[0]] > best.best_strength_
    assert simple.n_selected_ < best.n_selected_


def test_a_second_parameter_is_searched(diabetes):
    search = StrengthCV(
        SparseRegressor("elastic"), n_strengths=6, parameters={"l1_ratio": [0.1, 1.0]}
    ).fit(*diabetes)
    table = search.cv_results_
    assert set(table["param_l1_ratio"]) == {0.1, 1.0} and len(table["params"]) >= 12
    top = int(np.argmax(table["mean_test_score"]))
    assert table["rank_test_score"][top] == 1
    assert search.best_params_ == table["params"][top]
    assert search.best_estimator_.penalty.l1_ratio == search.best_params_["l1_ratio"]
    with pytest.raises(ValueError, match=r"no.* parameter 'l1_share'.*penalty__l1_ratio|l1_ratio"):
        StrengthCV(SparseRegressor("elastic"), parameters={"l1_share": [0.1]}).fit(*diabetes)
    with pytest.raises(ValueError, match="give strengths="):
        StrengthCV(SparseRegressor(), parameters={"strength": [0.1]}).fit(*diabetes)


def test_several_scores_of_which_the_first_decides(classes):
    both = StrengthCV(
        SparseClassifier(), n_strengths=6, cv=3, scoring=["roc_auc", "neg_log_loss", "neg_loss"]
    ).fit(*classes)
    table = both.cv_results_
    assert both.best_score_ == pytest.approx(table["mean_test_roc_auc"].max())
    np.testing.assert_allclose(table["mean_test_neg_log_loss"], table["mean_test_neg_loss"])
    own = StrengthCV(
        SparseClassifier(),
        n_strengths=6,
        cv=3,
        scoring=lambda model, X, y: -float(model.n_selected_),
    ).fit(*classes)
    assert own.n_selected_ == 0
    with pytest.raises(ValueError, match="scoring names no score"):
        StrengthCV(SparseClassifier(), scoring=[]).fit(*classes)


def test_weights_reach_fits_and_scores(classes):
    X, y = classes
    weight = np.where(np.arange(len(y)) < 75, 1.0, 0.0)
    folds = list(KFold(3).split(X[:75]))
    wide = [(np.concatenate([a, np.arange(75, 150)]), b) for a, b in folds]
    kept = StrengthCV(SparseClassifier(tol=1e-9), strengths=[30.0, 3.0, 0.01], cv=folds)
    weighted = StrengthCV(SparseClassifier(tol=1e-9), strengths=[30.0, 3.0, 0.01], cv=wide)
    kept.fit(X[:75], y[:75])
    weighted.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(weighted.scores_, kept.scores_, rtol=1e-6)
    np.testing.assert_allclose(weighted.coef_, kept.coef_, atol=1e-6)
    scorer = make_scorer(lambda truth, found: float(np.mean(truth == found)))
    StrengthCV(SparseClassifier(), n_strengths=3, cv=3, scoring=scorer).fit(X, y, weight + 1)


def test_groups_of_rows_stay_together(diabetes):
    X, y = diabetes[0][:120], diabetes[1][:120]
    groups = np.repeat(np.arange(12), 10)
    search = StrengthCV(SparseRegressor(), n_strengths=4, cv=4).fit(X, y, groups=groups)
    same = StrengthCV(SparseRegressor(), n_strengths=4, cv=GroupKFold(4))
    np.testing.assert_array_equal(search.scores_, same.fit(X, y, groups=groups).scores_)
    labels = np.where(y > 140, "high", "low")
    StrengthCV(SparseClassifier(), n_strengths=3, cv=4).fit(X, labels, groups=groups)


def test_given_strengths_warn_at_their_end_and_automatic_ones_go_on(diabetes):
    with pytest.warns(UserWarning, match="weakest that was tried: extend strengths= to weaker"):
        StrengthCV(SparseRegressor(), strengths=[400.0, 200.0]).fit(*diabetes)
    with pytest.warns(UserWarning, match="strongest that was tried: extend strengths= to strong"):
        StrengthCV(SparseRegressor(Ridge()), strengths=[5.0, 1e-3], cv=3).fit(*noise())
    search = StrengthCV(SparseRegressor(), n_strengths=6, ratio=0.3).fit(*diabetes)
    assert len(search.strengths_) > 6 and len(search.scores_) == len(search.strengths_)
    steps = search.strengths_[1:] / search.strengths_[:-1]
    np.testing.assert_allclose(steps, steps[0])
    assert search.best_strength_ < 0.3 * search.strengths_[0]


def noise():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 40)), rng.normal(size=60)


@pytest.mark.filterwarnings("ignore:the best strength")
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_a_ridge_is_chosen_on_the_scale_of_the_data(diabetes, scale):
    X, y = diabetes
    search = StrengthCV(SparseRegressor(Ridge(), tol=1e-8)).fit(X * scale, y)
    inside = int(np.flatnonzero(search.strengths_ == search.best_strength_)[0])
    assert 0 < inside < len(search.strengths_) - 1
    assert -2 * search.best_score_ < 3100  # the best there is, whatever the unit of the features


def test_feature_names_and_sparse_data(diabetes):
    pd = pytest.importorskip("pandas")
    X, y = diabetes
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    named = StrengthCV(SparseRegressor(), n_strengths=4, cv=3).fit(frame, y)
    assert named.feature_names_in_.tolist() == list(frame.columns)
    stored = StrengthCV(SparseRegressor(), n_strengths=4, cv=3).fit(sp.coo_matrix(X), y)
    np.testing.assert_allclose(stored.coef_, named.coef_, atol=1e-3 * abs(named.coef_).max())
    assert not hasattr(stored, "feature_names_in_")


def test_threads_change_no_digit(diabetes):
    one = StrengthCV(SparseRegressor(), n_strengths=5, cv=3).fit(*diabetes)
    two = StrengthCV(SparseRegressor(), n_strengths=5, cv=3, n_jobs=2).fit(*diabetes)
    np.testing.assert_array_equal(one.scores_, two.scores_)


def test_a_callback_sees_folds_and_can_stop(diabetes):
    events = []
    StrengthCV(SparseRegressor(), n_strengths=3, cv=4).fit(*diabetes, callback=events.append)
    assert [(event.stage, event.done, event.total) for event in events] == [
        ("fold", k, 4) for k in range(1, 5)
    ]
    stopped = StrengthCV(SparseRegressor(), n_strengths=3, cv=4).fit(
        *diabetes, callback=lambda event: event.done == 2
    )
    assert stopped.interrupted_ and stopped.scores_.shape[1] == 2 and stopped.n_selected_ > 0


@pytest.mark.parametrize(
    "estimator",
    [
        SparseClassifier(ElasticNet(l1_ratio=0.3)),
        SparseClassifier(GroupLasso(Groups.from_lists([[0, 1, 2], [3, 4]], 12))),
        SparseClassifier(loss=SquaredHinge()),
        SparseRegressor(loss=Poisson()),
    ],
)
def test_losses_and_penalties(classes, estimator):
    X, y = classes
    target = y if is_classifier(estimator) else np.round(np.exp(X[:, 0] / 2) * 2)
    search = StrengthCV(estimator, n_strengths=8, cv=3).fit(X, target)
    assert np.isfinite(search.scores_).all() and search.n_selected_ > 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "worst"}, "rule must be"),
        ({"strengths": [-1.0]}, "strengths must be"),
        ({"n_strengths": 0}, "at least one strength"),
        ({"ratio": 2.0}, "ratio above 0"),
        ({"scoring": "goodness"}, "goodness"),
    ],
)
def test_bad_parameters_get_one_sentence(diabetes, parameters, message):
    with pytest.raises(ValueError, match=message):
        StrengthCV(SparseRegressor(), **parameters).fit(*diabetes)


def test_a_plot_shows_every_setting_and_the_choice(diabetes):
    search = StrengthCV(
        SparseRegressor("elastic"),
        n_strengths=5,
        cv=3,
        parameters={"l1_ratio": [0.5, 1.0]},
        rule="1se",
    ).fit(*diabetes)
    figure = plot_cv(search, "two mixtures")
    axes = figure.axes[0]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["l1_ratio 0.5", "l1_ratio 1.0"]
    assert search.best_strength_ in [line.get_xdata()[0] for line in axes.lines[2:]]
    stream = io.BytesIO()
    figure.savefig(stream, format="svg")
    assert b"<svg" in stream.getvalue()
