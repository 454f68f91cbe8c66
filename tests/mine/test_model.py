"""KernelMiner as people use it: scikit-learn's checks, combinations by name, and parity."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import KernelMiner
from laconic.mine.polynomial import Polynomial


@parametrize_with_checks([KernelMiner(rounds=3)])
def test_scikit_learn(estimator: KernelMiner, check) -> None:
    check(estimator)


def parity(n: int, seed: int, n_columns: int = 8) -> tuple[sp.csr_array, np.ndarray]:
    """Rows of bits, and whether the first three have an odd sum."""
    rows = np.random.default_rng(seed).integers(2, size=(n, n_columns))
    return sp.csr_array(rows), np.where(rows[:, :3].sum(axis=1) % 2, "odd", "even")


def test_products_tell_what_single_features_cannot() -> None:
    X, y = parity(400, 0)
    Z, z = parity(200, 1)
    alone = LogisticRegression().fit(X, y).score(Z, z)
    mined = (
        make_pipeline(KernelMiner(Polynomial(3), threshold=10), LogisticRegression())
        .fit(X, y)
        .score(Z, z)
    )
    assert alone < 0.7 and mined > 0.9


def test_columns_are_products() -> None:
    X, y = parity(300, 0)
    miner = KernelMiner(Polynomial(3), threshold=5, rounds=5).fit(X, y)
    found = miner.transform(X)
    assert found.shape == (300, len(miner.combinations_)) and {1, 2, 3} == {
        len(members) for members in miner.combinations_
    }
    dense = X.toarray()
    for column, members in enumerate(miner.combinations_):
        np.testing.assert_array_equal(
            found[:, [column]].toarray().ravel(), dense[:, members].all(axis=1)
        )
    names = miner.get_feature_names_out(list("abcdefgh"))
    assert names[0] == "a" and "a & b & c" in names and len(names) == len(miner.combinations_)
    assert miner.weights_.shape == (len(names), 2)


def test_pretraining_leaves_fewer_wrong_and_less_to_search() -> None:
    X, y = parity(400, 0)
    y = np.where(X.toarray()[:, 0] == 1, y, "even")  # the first column tells something by itself
    plain = KernelMiner(rounds=1).fit(X, y)
    begun = KernelMiner(rounds=1, pretrain=LogisticRegression(C=100)).fit(X, y)
    assert begun.rounds_[0].wrong < plain.rounds_[0].wrong
    counted = [sum(order.counted for order in each.rounds_[0].orders) for each in (begun, plain)]
    assert counted[0] < counted[1]


def test_pretraining_takes_the_intercept_and_the_values_of_entries() -> None:
    X, y = parity(400, 0)
    values = sp.csr_array(X * np.linspace(0.1, 3, 8))
    for rare in (y, np.where(np.arange(400) % 10, "even", y)):
        classifier = LogisticRegression(C=100).fit(values, rare)
        margin = classifier.decision_function(values) * np.where(rare == "odd", 1, -1)
        miner = KernelMiner(rounds=1, pretrain=LogisticRegression(C=100)).fit(values, rare)
        assert miner.rounds_[0].wrong == (margin < 1).sum()


def test_several_classes_begin_with_their_own_scores() -> None:
    X, y = parity(300, 0)
    y = np.where(X.toarray()[:, 3] == 1, y, "none")
    scores = LogisticRegression().fit(X, y).decision_function(X)
    gold = np.unique(y, return_inverse=True)[1][:, None]
    right = np.take_along_axis(scores, gold, axis=1)[:, 0]
    np.put_along_axis(scores, gold, -np.inf, axis=1)
    assert (
        KernelMiner(rounds=1, pretrain=LogisticRegression()).fit(X, y).rounds_[0].wrong
        == (right < scores.max(axis=1) + 1).sum()
    )


def test_proximal_steps_keep_what_differs_between_the_classes() -> None:
    X, y = parity(400, 0)
    every, some = (
        KernelMiner(Polynomial(3), threshold=20, rounds=1),
        KernelMiner(Polynomial(3), threshold=20, rounds=1, proximal=True),
    )
    every.fit(X, y), some.fit(X, y)
    odd = (y == "odd").astype(int)
    found = every.transform(X)
    differs = np.abs(found.T @ odd - found.T @ (1 - odd)) > 20
    assert some.combinations_ == [
        members for members, d in zip(every.combinations_, differs, strict=True) if d
    ]
    assert (
        0 < len(some.combinations_) < len(every.combinations_) and some.weights_.any(axis=1).all()
    )
    assert some.rounds_[0].features == len(some.combinations_)


def test_entries_that_are_not_zero_count_as_one_and_stored_zeros_do_not() -> None:
    X, y = parity(100, 0)
    other = sp.csr_array(X * 2.5)
    stored = sp.csr_array(
        (
            np.append(other.data, 0.0),
            (np.append(other.tocoo().row, 0), np.append(other.tocoo().col, 7)),
        ),
        shape=X.shape,
    )
    first, second = KernelMiner().fit(X, y), KernelMiner().fit(stored, y)
    assert first.combinations_ == second.combinations_
    assert (first.transform(X) != second.transform(stored)).nnz == 0


def test_copies_and_pickles() -> None:
    X, y = parity(100, 0)
    miner = KernelMiner(Polynomial(2), threshold=2).fit(X, y)
    assert clone(miner).get_params()["kernel__degree"] == 2 and "threshold=2" in repr(miner)
    again = pickle.loads(pickle.dumps(miner))
    assert (again.transform(X) != miner.transform(X)).nnz == 0


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="one class"):
        KernelMiner().fit(np.eye(3), ["a", "a", "a"])


def test_a_round_may_be_the_last() -> None:
    X, y = parity(200, 0)
    assert len(KernelMiner(rounds=9).fit(X, y, callback=lambda step: step.done == 2).rounds_) == 2
