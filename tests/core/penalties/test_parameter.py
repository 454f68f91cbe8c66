"""The parameter `penalty` of estimators: objects, names, None, and what is inside of them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from laconic import L1, ElasticNet, SparseClassifier, SparseRegressor, StrengthCV
from laconic.linear.path import regularization_path

FORMS = [None, "l1", L1()]


@pytest.fixture(scope="module")
def regression() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    return X, X[:, :3] @ [2.0, -1.0, 0.5] + 0.1 * rng.normal(size=60)


@pytest.mark.parametrize("penalty", FORMS, ids=repr)
def test_names_and_none_are_the_penalty_they_stand_for(penalty, regression):
    X, y = regression
    expected = SparseRegressor(L1(2.0)).fit(X, y).coef_
    for model in (
        SparseRegressor(penalty, strength=2.0),
        clone(SparseRegressor(penalty)).set_params(penalty__strength=2.0),
        clone(SparseRegressor(penalty, strength=7.0)).set_params(penalty__strength=2.0),
    ):
        assert np.array_equal(model.fit(X, y).coef_, expected)
    assert SparseRegressor(penalty).get_params()["penalty__strength"] == 1.0
    assert clone(SparseRegressor(penalty)).get_params(deep=False).keys() == (
        SparseRegressor().get_params(deep=False).keys()
    )


@pytest.mark.parametrize("penalty", FORMS, ids=repr)
def test_searches_reach_the_strength_of_every_form(penalty, regression):
    X, y = regression
    search = GridSearchCV(
        SparseRegressor(penalty), {"penalty__strength": [0.1, 1.0, 1000.0]}, cv=3
    ).fit(X, y)
    assert search.best_params_ == {"penalty__strength": 0.1}
    assert StrengthCV(SparseRegressor(penalty, strength=5.0), cv=3).fit(X, y).best_strength_ < 1
    path = regularization_path(SparseRegressor(penalty), X, y, n_strengths=3)
    assert path.selected[0] == 0


@pytest.mark.parametrize("penalty", [None, "l1"])
def test_a_name_and_a_parameter_of_it_are_set_together(penalty):
    model = SparseRegressor("ridge").set_params(penalty=penalty, penalty__strength=2.0)
    assert repr(model.penalty) == "L1(strength=2.0)"


def test_other_parameters_of_a_named_penalty_are_reached():
    model = SparseClassifier("elastic").set_params(penalty__l1_ratio=0.9, tol=1e-3)
    assert isinstance(model.penalty, ElasticNet) and model.penalty.l1_ratio == 0.9
    assert model.tol == 1e-3


def test_setting_a_name_alone_stores_the_name():
    assert SparseClassifier().set_params(penalty="ridge").penalty == "ridge"


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"penalty": "lass", "penalty__strength": 1.0}, "no penalty called 'lass'"),
        ({"penalty__strenght": 1.0}, "Invalid parameter 'strenght'"),
    ],
)
def test_unknown_names_are_refused(params, sentence):
    with pytest.raises(ValueError, match=sentence):
        SparseClassifier().set_params(**params)


def test_fit_refuses_what_is_no_penalty(regression):
    X, y = regression
    with pytest.raises(ValueError, match="no penalty called 'lass'"):
        SparseRegressor("lass").fit(X, y)
