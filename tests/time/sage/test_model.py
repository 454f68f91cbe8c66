"""TemporalTextModel: oracles, recovered trajectories, pooling, modes, empty steps, bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression

from laconic import L1, AdaptivePrior, FusedLasso, Ridge, SmoothRidge, TemporalTextModel
from laconic.core.designs.effects import Effects
from laconic.core.solvers.owlqn import Owlqn
from laconic.time.problem import CountProblem


def drawn(
    n: int = 240, V: int = 25, T: int = 5, words: int = 150, seed: int = 0
) -> tuple[sp.csr_matrix, np.ndarray, np.ndarray]:
    """Return documents of two regions with a number.

    Word 3 rises in region 0, word 5 depends on the number at all times, nothing else moves.
    """
    rng = np.random.default_rng(seed)
    effects = np.column_stack([np.eye(2)[rng.integers(2, size=n)], rng.integers(3, size=n) - 1.0])
    years = 1990 + rng.integers(T, size=n)
    weights = np.zeros((3, T, V))
    weights[0, :, 3] = np.linspace(-1.5, 1.5, T)
    weights[2, :, 5] = 1.0
    scores = rng.normal(size=V) / 2 + np.einsum(
        "nj,njv->nv", effects, weights[:, years - 1990].transpose(1, 0, 2)
    )
    chance = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return (
        sp.csr_matrix(np.stack([rng.multinomial(words, p) for p in chance]).astype(float)),
        effects,
        years,
    )


def test_one_step_with_a_ridge_is_multinomial_logistic_regression() -> None:
    X, effects, _ = drawn(n=40, V=6, T=1, words=20)
    model = TemporalTextModel(Ridge(2.0), constant=False, tol=1e-10).fit(X, effects)
    rows, words = X.nonzero()
    # A background is an offset, which the oracle does not have: both learn from an even one.
    design = Effects(effects, np.zeros(40, np.int64), np.zeros((1, 6)))
    found = Owlqn(1e-12, 5000).run(CountProblem(design, X, Ridge(2.0).spread(6))).x
    oracle = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10, max_iter=10_000)
    oracle.fit(effects[rows], words, sample_weight=np.asarray(X[rows, words]).ravel())
    assert np.allclose(found.reshape(3, 6), oracle.coef_.T, atol=1e-3)
    assert model.certificate_ <= 1e-10 and model.trajectories_.shape == (3, 1, 6)


def test_trajectories_are_recovered_and_beat_those_that_stand_still() -> None:
    X, effects, years = drawn(n=600)
    model = TemporalTextModel(AdaptivePrior(floor=0.3), tol=1e-3).fit(X, effects, years)
    assert model.converged_ and model.steps_ == ["1990", "1991", "1992", "1993", "1994"]
    relative = model.trajectory(3, 0) - model.trajectory(3, 1)
    assert np.allclose(relative, np.linspace(-1.5, 1.5, 5), atol=0.35)
    assert np.allclose(model.trajectory(5, 2), 1.0, atol=0.15)
    assert np.abs(np.delete(model.trajectories_[2], 5, axis=1)).max() < 0.2
    assert model.alpha_.shape == (4, 25) and model.alpha_[2, 5] < -0.4
    later, its_effects, its_years = drawn(seed=0, n=600)
    last = its_years == 1994
    still = TemporalTextModel(Ridge(1.0), mode="pooled").fit(X, effects, years)
    assert (
        model.score(later[last], its_effects[last])
        > still.score(later[last], its_effects[last]) + 0.005
    )
    assert [word.word for word in model.top_words(0, 1)] == ["3"] and model.top_words(0, 1)[
        0
    ].factor > 1
    assert model.top_words(0, 25, step=1990) != model.top_words(0, 25)


def test_scores_are_mean_log_probabilities_and_steps_are_the_nearest() -> None:
    X, effects, years = drawn(n=60)
    model = TemporalTextModel(SmoothRidge(strength=1.0), tol=1e-6).fit(X, effects, years)
    log_p = model.predict_log_proba(effects, years)
    assert np.allclose(np.exp(log_p).sum(axis=1), 1.0)
    own = np.asarray(X.multiply(log_p).sum(axis=1)).ravel()
    assert np.allclose(model.log_likelihood(X, effects, years), own)
    assert model.score(X, effects, years) == pytest.approx(own.sum() / X.sum())
    assert model.perplexity(X, effects, years) == pytest.approx(np.exp(-own.sum() / X.sum()))
    assert np.array_equal(
        model.predict_log_proba(effects), model.predict_log_proba(effects, np.full(60, 2050))
    )
    assert np.array_equal(
        model.predict_log_proba(effects, np.full(60, 1990)),
        model.predict_log_proba(effects, np.full(60, 1900)),
    )
    nothing = model.predict_log_proba()
    assert nothing.shape == (1, 25) and np.allclose(
        nothing, model.predict_log_proba(np.zeros((1, 3)))
    )


def test_documents_alike_are_pooled_and_weights_count_documents() -> None:
    X, effects, years = drawn(n=60)
    model = TemporalTextModel(SmoothRidge(), tol=1e-9)
    problem = model.build_problem(X, effects, years)
    assert (
        problem.design.n_rows
        == len({(*row, year) for row, year in zip(effects.tolist(), years.tolist(), strict=True)})
        < 60
    )
    assert problem.counts.sum() == X.sum()
    weight = np.arange(60) % 3.0
    weighted = clone(model).fit(X, effects, years, sample_weight=weight)
    times = np.repeat(np.arange(60), weight.astype(int))
    repeated = clone(model).fit(X[times], effects[times], years[times])
    assert np.allclose(weighted.trajectories_, repeated.trajectories_, atol=1e-5)
    assert weighted.score(X, effects, years, weight) == pytest.approx(
        repeated.score(X[times], effects[times], years[times])
    )


def test_storage_of_input_and_threads_do_not_matter() -> None:
    X, effects, years = drawn(n=60)
    first = TemporalTextModel(SmoothRidge(), tol=1e-6).fit(X, effects, years)
    for counts, given in (
        (X.toarray(), sp.csr_matrix(effects)),
        (X.tocsc(), sp.csc_array(effects)),
        (sp.coo_array(X), effects),
    ):
        again = TemporalTextModel(SmoothRidge(), tol=1e-6, n_jobs=2).fit(counts, given, years)
        assert np.allclose(again.trajectories_, first.trajectories_, atol=1e-9)
    assert repr(clone(first)) == repr(first)


def test_modes_and_backgrounds() -> None:
    X, effects, years = drawn(n=120)
    for mode in ("pooled", "last"):
        model = TemporalTextModel(L1(1.0), mode=mode, tol=1e-3).fit(X, effects, years)
        assert model.trajectories_.shape == (4, 1, 25) and model.steps_ == ["1994"]
    rows = years == 1994
    alone = TemporalTextModel(
        L1(1.0), mode="last", background="steps", smoothing=1e-3, tol=1e-3
    ).fit(X, effects, years)
    frequencies = np.asarray(X[rows].sum(axis=0)).ravel() / X[rows].sum()
    assert np.allclose(np.exp(alone.background_[0]), frequencies, atol=1e-4)
    moving = TemporalTextModel(FusedLasso(strength=2.0), background="steps", tol=1e-3).fit(
        X, effects, years
    )
    assert moving.background_.shape == (5, 25) and not np.allclose(
        moving.background_[0], moving.background_[4]
    )
    assert np.allclose(np.exp(moving.background_).sum(axis=1), 1.0)


def test_steps_without_documents_and_one_step_only() -> None:
    X, effects, years = drawn(n=120)
    kept = years != 1992
    model = TemporalTextModel(SmoothRidge(smoothness=100.0), tol=1e-7).fit(
        X[kept], effects[kept], years[kept]
    )
    rise = model.trajectory(3, 0)
    assert len(rise) == 5 and rise[1] < rise[2] < rise[3]
    one = TemporalTextModel(AdaptivePrior(floor=0.1), tol=1e-3).fit(X, effects)
    assert one.trajectories_.shape == (4, 1, 25) and one.converged_
    dated = TemporalTextModel(SmoothRidge(), step="quarter").fit(
        X[:4], effects[:4], ["2001-01-03", "2001-12-30", "2001-02-01", "2002-01-01"]
    )
    assert dated.steps_ == ["2001Q1", "2001Q2", "2001Q3", "2001Q4", "2002Q1"]


def test_a_warm_start_begins_where_the_last_fit_ended() -> None:
    X, effects, years = drawn(n=120)
    model = TemporalTextModel(SmoothRidge(), tol=1e-9, warm_start=True).fit(X, effects, years)
    cold = model.n_iter_
    assert model.fit(X, effects, years).n_iter_ <= 1 < cold
    past = years < 1994
    rolling = TemporalTextModel(SmoothRidge(), tol=1e-9, warm_start=True).fit(
        X[past], effects[past], years[past]
    )
    rolling.fit(X, effects, years)
    assert np.allclose(rolling.trajectories_, model.trajectories_, atol=3e-2)


def test_a_callback_ends_a_fit_and_a_fit_that_ends_early_warns() -> None:
    X, effects, years = drawn(n=120)
    stopped = TemporalTextModel(SmoothRidge(), tol=1e-9).fit(
        X, effects, years, callback=lambda step: step.done == 2
    )
    assert stopped.n_iter_ == 2 and stopped.result_.interrupted and not stopped.converged_
    early = TemporalTextModel(AdaptivePrior(floor=0.3), tol=1e-9).fit(
        X, effects, years, callback=lambda step: True
    )
    assert early.n_iter_ == 1 and early.interrupted_
    with pytest.warns(ConvergenceWarning, match="stopped after 1 steps"):
        TemporalTextModel(SmoothRidge(), tol=1e-9, max_iter=1).fit(X, effects, years)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = TemporalTextModel(AdaptivePrior(floor=0.3, tau=0.1), fit_tau=True, tol=1e-2).fit(
            X, effects, years
        )
    assert fitted.penalty_.tau != 0.1


@pytest.mark.parametrize(
    ("parameters", "data", "words"),
    [
        ({"mode": "now"}, {}, "mode must be 'moving', 'pooled', 'last', got 'now'"),
        ({"background": "none"}, {}, "background must be 'all' or 'steps'"),
        ({"smoothing": 0.0}, {}, "smoothing must be a positive number"),
        ({"constant": False}, {"effects": None}, "there are no effects"),
        ({}, {"X": sp.csr_matrix(-np.ones((4, 3)))}, "none of them negative"),
        ({}, {"X": sp.csr_matrix((4, 1))}, "at least two words"),
        ({}, {"effects": np.ones((3, 2))}, "4 rows of counts, but 3 of effects"),
        ({}, {"effects": np.full((4, 2), np.nan)}, "effects contains NaN"),
        ({}, {"times": [1, 2]}, "4 rows of counts, but 2 times"),
        (
            {"step": "year"},
            {"times": ["1990", "x", "1991", "1992"]},
            "time number 2 is no date: 'x'",
        ),
    ],
)
def test_what_cannot_be_fitted(parameters: dict, data: dict, words: str) -> None:
    given = {
        "X": sp.csr_matrix(np.ones((4, 3))),
        "effects": np.ones((4, 2)),
        "times": [1, 1, 2, 2],
        **data,
    }
    with pytest.raises(ValueError, match=words):
        TemporalTextModel(**parameters).fit(**given)


def test_what_cannot_be_asked() -> None:
    X, effects, years = drawn(n=30)
    with pytest.raises(NotFittedError):
        TemporalTextModel().predict_log_proba(effects)
    model = TemporalTextModel(SmoothRidge(), tol=1e-2).fit(X, effects, years)
    with pytest.raises(ValueError, match="there is no word 99"):
        model.trajectory(99, 0)
    with pytest.raises(ValueError, match="there is no effect 'gdp'"):
        model.top_words("gdp")
    with pytest.raises(ValueError, match="the model has 3 effects, but rows have 2"):
        model.score(X, effects[:, :2])
    with pytest.raises(ValueError, match="none of the model's words"):
        model.score(sp.csr_matrix((2, 25)), effects[:2])
