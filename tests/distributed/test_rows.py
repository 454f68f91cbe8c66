"""Rows on a cluster: the objective, the weights and the certificate of one machine."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from laconic import (
    L1,
    MCP,
    ElasticNet,
    InputError,
    OverlapGroupLasso,
    Ridge,
    SparseClassifier,
    SparseRegressor,
    StrengthCV,
    TextClassifier,
    TreeGroupLasso,
    WorkingSet,
    distributed,
    regularization_path,
)
from laconic.core.groups import Groups
from laconic.core.losses import Gold, Logistic, Multinomial
from laconic.distributed.blocks import RowBlock, Sent

N, P = 300, 40
RNG = np.random.default_rng(3)
X = sp.random(N, P, 0.2, format="csr", random_state=4)
EFFECT = np.concatenate([RNG.normal(size=8) * 3, np.zeros(P - 8)])
SCORE = X @ EFFECT + 0.3 * RNG.normal(size=N)
BINARY = (SCORE > 0.1).astype(int)
NAMES = np.array(["high", "low", "middle"])[np.digitize(SCORE, [-0.4, 0.6])]
OVERLAPS = [list(range(i, min(P, i + 6))) for i in range(0, P, 4)]
FOREST = Groups.forest([-1, 0, 0, -1], [[0], [1, 2], [3, 4, 5], list(range(6, P))], P)
MODELS = {
    "lasso": (SparseClassifier(L1(0.5)), BINARY),
    "ridge": (SparseClassifier(Ridge(0.5)), BINARY),
    "overlaps": (SparseClassifier(OverlapGroupLasso(OVERLAPS, 0.3)), BINARY),
    "tree": (SparseClassifier(TreeGroupLasso(FOREST, 0.2)), BINARY),
    "multinomial": (SparseClassifier(L1(0.5)), NAMES),
    "squared hinge": (SparseClassifier(ElasticNet(0.5), loss="squared_hinge"), BINARY),
    "squared": (SparseRegressor(ElasticNet(0.5)), SCORE),
    "huber": (SparseRegressor(L1(0.5), loss="huber"), SCORE),
    "two targets": (SparseRegressor(L1(0.5)), np.column_stack([SCORE, BINARY])),
    "relaxed": (SparseRegressor(L1(5.0), relax=1.0), SCORE),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_answer_is_that_of_one_machine(client, name):
    model, y = MODELS[name]
    model = clone(model).set_params(tol=1e-6)
    here = clone(model).fit(X, y)
    with distributed.on(client, n_blocks=2):
        there = clone(model).fit(X, y)
    assert there.converged_ and there.certificate_ <= 1e-6
    assert there.report_.certificate_kind == "duality gap"
    assert there.objective_ == pytest.approx(here.objective_, rel=2e-6)
    np.testing.assert_allclose(there.coef_, here.coef_, atol=2e-2)
    np.testing.assert_allclose(there.intercept_, here.intercept_, atol=2e-2)
    assert there.predict(X).shape == here.predict(X).shape


def test_a_concave_penalty_reaches_a_fixed_point(client):
    with distributed.on(client):
        model = SparseRegressor(MCP(2.0)).fit(X, SCORE)
    assert model.converged_ and model.report_.certificate_kind == "prox residual"
    here = SparseRegressor(MCP(2.0)).fit(X, SCORE)
    assert model.objective_ == pytest.approx(here.objective_, rel=1e-3)


def test_weights_offsets_and_classes_that_are_weighted(client):
    weight, offset = RNG.uniform(0.5, 2.0, N), RNG.normal(size=N)
    model = SparseClassifier(L1(0.5), class_weight="balanced", tol=1e-8)
    here = clone(model).fit(X, BINARY, weight, offset=offset)
    with distributed.on(client, n_blocks=4):
        there = clone(model).fit(X, BINARY, weight, offset=offset)
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-4)


def test_forms_of_input_are_alike(client):
    import dask.array as da
    import dask.dataframe as dd
    import pandas as pd

    model = SparseRegressor(L1(0.5), tol=1e-8)
    dense = X.toarray()
    frame = pd.DataFrame(dense, columns=[f"word {i}" for i in range(P)])
    with distributed.on(client):
        expected = clone(model).fit(X, SCORE).coef_
        arrays = da.from_array(dense, chunks=(90, 15)), da.from_array(SCORE, chunks=70)
        found = [
            clone(model).fit(*arrays),
            clone(model).fit([X[:100], X[100:]], [SCORE[:100], SCORE[100:]]),
            clone(model).fit([X[:100], X[100:100], X[100:]], [SCORE[:100], [], SCORE[100:]]),
            clone(model).fit(dd.from_pandas(frame, npartitions=3), SCORE),
        ]
    for one in found:
        np.testing.assert_allclose(one.coef_, expected, atol=1e-6)
    assert found[-1].feature_names_in_[3] == "word 3"


def test_paths_and_searches(client):
    here = regularization_path(SparseClassifier(L1()), X, BINARY, n_strengths=3)
    search = StrengthCV(SparseClassifier(L1()), n_strengths=2, cv=2)
    best = clone(search).fit(X, BINARY).best_strength_
    with distributed.on(client):
        there = regularization_path(SparseClassifier(L1()), X, BINARY, n_strengths=3)
        found = clone(search).fit(X, BINARY).best_strength_
    np.testing.assert_allclose(there.strengths, here.strengths, rtol=1e-9)
    np.testing.assert_array_equal(there.selected, here.selected)
    assert found == pytest.approx(best)


def test_documents_of_a_text_classifier_are_rows(client):
    words = np.array(["good", "fine", "bad", "poor", "plot", "film", "scene", "line"])
    texts = [" ".join(words[RNG.permutation(8)[:4]]) for _ in range(80)]
    labels = ["yes" if "good" in text or "fine" in text else "no" for text in texts]
    model = TextClassifier("l1", strength=0.5, tol=1e-6)
    here = clone(model).fit(texts, labels)
    with distributed.on(client):
        there = clone(model).fit(texts, labels)
    np.testing.assert_array_equal(there.predict(texts), here.predict(texts))
    assert there.report_.objective == pytest.approx(here.report_.objective, rel=1e-5)


def test_blocks_are_made_again_from_what_pickle_keeps():
    for loss, target, K in (
        (Logistic(), BINARY.astype(float), 1),
        (Multinomial(), BINARY * 2.0, 3),
    ):
        block = RowBlock(X, Gold(target, np.ones(N), K), loss, True)
        x = RNG.normal(size=P * K + K)
        again = pickle.loads(pickle.dumps(block))
        point = Sent.of("x", x)
        assert block.smooth(point)[0] == again.smooth(point)[0]
        columns = np.array([0, K, 2 * K + K - 1])
        # The model is the Hessian: differences of gradients along its columns.
        second, mixed, tail = block.model(point, columns, True)
        for q, column in enumerate(columns):
            ends = []
            for sign in (1.0, -1.0):
                moved = x.copy()
                moved[column] += sign * 1e-5
                ends.append(again.smooth(Sent.of(f"{column} {sign}", moved))[1])
            slope = (ends[0] - ends[1]) / 2e-5
            np.testing.assert_allclose(second[:, q], slope[columns], atol=1e-5)
            np.testing.assert_allclose(mixed[q], slope[P * K :], atol=1e-5)
        np.testing.assert_allclose(tail, block.tail(point)[2])


def test_what_cannot_be_done_is_one_sentence(client):
    def refused(match, model=None, X=X, y=BINARY, kind=ValueError):
        with distributed.on(client), pytest.raises(kind, match=match):
            (model or SparseClassifier(L1())).fit(X, y)

    refused("scale the features first", SparseClassifier(L1(), standardize=True))
    refused("Cox couples rows", SparseRegressor(loss="cox"), y=np.column_stack([SCORE**2, BINARY]))
    refused("Quantile has kinks", SparseRegressor(loss="quantile"))
    refused("needs .* BlockProblem|got a BlockProblem", SparseClassifier(solver=WorkingSet()))
    refused("one class", y=np.zeros(N, int))
    refused("block 1 has 20 columns, but block 0 has 40", X=[X, X[:, :20]], y=[BINARY, BINARY])
    refused("block 1 has 300 rows and 7 targets", X=[X, X], y=[BINARY, BINARY[:7]], kind=InputError)
    refused("all blocks are empty", X=[X[:0]], y=[BINARY[:0]], kind=InputError)
    refused("expected y as such a list", X=[X, X], kind=InputError)
    broken = X.copy()
    broken.data[3] = np.nan
    refused("block 1 of the rows: Input contains NaN", X=[X, broken], y=[BINARY, BINARY])


def test_a_scheduler_that_is_gone_is_one_sentence():
    dask = pytest.importorskip("distributed")
    client = dask.Client(n_workers=1, processes=False, dashboard_address=None)
    client.close()
    with distributed.on(client), pytest.raises(distributed.ClusterError, match="start the cluster"):
        SparseClassifier(L1()).fit(X, BINARY)


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_time_alone():
    dask = pytest.importorskip("distributed")
    model = SparseClassifier(L1(0.05), tol=1e-10)
    with (
        dask.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        dask.Client(cluster) as client,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)
        with distributed.on(client):
            whole = clone(model).fit(X, BINARY)
        victim = next(iter(client.run(os.getpid).values()))

        def kill() -> None:
            time.sleep(0.1)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        fitted = []

        def fit_again() -> None:
            with distributed.on(client):
                fitted.append(clone(model).fit(X, BINARY))

        # A thread, so that a cluster that never answers is a failure and not a standstill.
        fitting = threading.Thread(target=fit_again, daemon=True)
        fitting.start()
        fitting.join(timeout=120)
        killer.join()
    assert fitted, "no answer within two minutes"
    (again,) = fitted
    np.testing.assert_allclose(again.coef_, whole.coef_, rtol=1e-9)
