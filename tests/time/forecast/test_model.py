"""Forecaster: weights that move, rolling forecasts from the past alone, files, bad input."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import refused
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import laconic
from laconic import (
    AdaptivePrior,
    Forecaster,
    RollingOrigin,
    SmoothGroupLasso,
    SmoothRidge,
    TemporalClassifier,
    TemporalRegressor,
)
from laconic.models import file as files

WORDS = [
    "market",
    "growth",
    "sales",
    "weak",
    "strong",
    "demand",
    "steady",
    "prices",
    "rising",
    "falling",
    "drought",
    "harvest",
]


def reports(
    n_years: int = 10, per_year: int = 30
) -> tuple[list[str], np.ndarray, list[str], dict[str, Any]]:
    """`strong` and `weak` keep their meaning, `drought` changes it, and a number counts half."""
    rng = np.random.default_rng(0)
    texts, targets, dates, past = [], [], [], []
    for year in range(2000, 2000 + n_years):
        for _ in range(per_year):
            words = rng.choice(WORDS, 8)
            number = rng.normal()
            rise = 2 * (year - 2000) / (n_years - 1) - 1
            target = (
                ("strong" in words)
                - 1.0 * ("weak" in words)
                + rise * ("drought" in words)
                + 0.5 * number
            )
            texts.append(" ".join(words))
            targets.append(target + 0.2 * rng.normal())
            dates.append(f"{year}-{rng.integers(1, 13):02d}-15")
            past.append(number)
    return texts, np.array(targets), dates, {"past": np.array(past)}


MODEL = Forecaster(TemporalRegressor(AdaptivePrior(strength=0.1), step="year"))


@pytest.fixture(scope="module")
def fitted() -> Forecaster:
    texts, targets, dates, numbers = reports()
    return clone(MODEL).fit(texts, targets, dates, numbers)


def test_words_and_numbers_that_move(fitted: Forecaster) -> None:
    texts, targets, _, numbers = reports()
    assert sorted(fitted.names_) == sorted([*WORDS, "(past)"]) and fitted.names_[-1] == "(past)"
    place = {name: fitted.model_.trajectories_[n] for n, name in enumerate(fitted.names_)}
    assert place["drought"][0] < -0.5 < 0.5 < place["drought"][-1] and np.all(
        np.abs(place["strong"] - 1) < 0.3
    )
    late = slice(-30, None)
    found = fitted.predict(texts[late], {"past": numbers["past"][late]})
    assert np.mean((found - targets[late]) ** 2) < 0.1
    assert (
        fitted.predict(["strong drought"], {"past": [0.0]})[0]
        > fitted.predict(["weak"], {"past": [0.0]})[0] + 1
    )


def test_the_report_is_that_of_the_model_of_rows(fitted: Forecaster) -> None:
    report, inner = fitted.report_, fitted.model_.report_
    assert (report.objective, report.trace) == (inner.objective, inner.trace)
    assert report.features_total == fitted.n_features_total_ == len(fitted.names_)
    assert report.features_kept == fitted.model_.n_selected_
    assert report.seconds >= inner.seconds > 0 and fitted.converged_


def test_ranks_scales_and_weightings() -> None:
    texts, targets, dates, numbers = reports(3)
    texts = ["the the the " + text for text in texts]
    ranked = Forecaster(clone(MODEL.model), first_rank=2, max_words=5).fit(
        texts, targets, dates, numbers
    )
    assert len(ranked.names_) == 6 and "the" not in ranked.names_
    large = Forecaster(clone(MODEL.model), number_scale=10.0).fit(texts, targets, dates, numbers)
    column = large.vectorize(texts, numbers)[:, [-1]].toarray()
    assert abs(column.mean()) < 1e-9 and column.std() == pytest.approx(10.0)
    weighed = Forecaster(clone(MODEL.model), weighting="tfidf", ngrams=2).fit(texts, targets, dates)
    assert (
        np.allclose(weighed.vectorize(texts[:5]).power(2).sum(axis=1), 1)
        and "the the" in weighed.names_
    )


def test_rolling_forecasts_know_the_past_alone() -> None:
    texts, targets, dates, numbers = reports()
    found = clone(MODEL).roll(
        texts, targets, dates, RollingOrigin("year", first=2007, gap=1), numbers
    )
    assert found.labels.tolist() == ["2007"] * 30 + ["2008"] * 30 + ["2009"] * 30
    train = [n for n, date in enumerate(dates) if date < "2006"]
    alone = clone(MODEL).fit(
        [texts[n] for n in train],
        targets[train],
        [dates[n] for n in train],
        {"past": numbers["past"][train]},
    )
    test = found.rows[:30]
    expected = alone.predict([texts[n] for n in test.tolist()], {"past": numbers["past"][test]})
    assert np.allclose(found.predicted[:30], expected, atol=1e-6)
    changed = [
        text if date < "2009" else "unheard words" for text, date in zip(texts, dates, strict=True)
    ]
    other = clone(MODEL).roll(
        changed, targets, dates, RollingOrigin("year", first=2007, gap=1), numbers
    )
    assert np.array_equal(other.predicted[:60], found.predicted[:60])


def test_a_fit_that_is_stopped_ends_rolling() -> None:
    texts, targets, dates, _ = reports()
    origin = RollingOrigin("year", first=2005)
    for most in (0, 1, 3):
        begun: list[int] = []

        def stop(step: Any, begun: list[int] = begun, most: int = most) -> bool:
            begun.extend([1] if step.done == 1 else [])
            return len(begun) > 2 * most  # a fit of the start and one of the model for every fold

        found = clone(MODEL).roll(texts, targets, dates, origin, None, stop)
        assert len(set(found.labels.tolist())) == most and len(found.rows) == 30 * most
    stopped = clone(MODEL).fit(texts, targets, dates, callback=lambda step: True)
    assert stopped.model_.interrupted_ and np.all(np.isfinite(stopped.predict(texts)))


def test_labels() -> None:
    texts, targets, dates, numbers = reports()
    labels = np.where(targets > 0, "up", "down")
    model = Forecaster(TemporalClassifier(AdaptivePrior(strength=0.5), step="year")).fit(
        texts, labels, dates, numbers
    )
    assert (
        np.mean(model.predict(texts[-30:], {"past": numbers["past"][-30:]}) == labels[-30:]) > 0.8
    )
    assert np.allclose(model.predict_proba(texts, numbers).sum(axis=1), 1)


@pytest.mark.parametrize("weighting", ["binary", "count", "tfidf"])
@pytest.mark.parametrize(
    "penalty", [AdaptivePrior(strength=0.1), SmoothGroupLasso(strength=3.0)], ids=repr
)
def test_a_loaded_model_is_the_saved_one(tmp_path: Path, weighting: str, penalty: Any) -> None:
    texts, targets, dates, numbers = reports()
    model = Forecaster(TemporalRegressor(penalty, step="quarter"), weighting, first_rank=2).fit(
        texts, targets, dates, numbers
    )
    model.fields_ = {"target": "rate"}
    model.save(tmp_path / "m")
    again = laconic.load(tmp_path / "m")
    assert np.allclose(again.predict(texts, numbers), model.predict(texts, numbers), atol=1e-12)
    assert again.model_.steps_ == model.model_.steps_ and again.fields_ == {"target": "rate"}
    assert again.n_features_total_ == model.n_features_total_ == 12 and again.numbers_ == ["past"]
    if isinstance(penalty, SmoothGroupLasso) and weighting != "tfidf":
        assert len(again.names_) == model.model_.n_selected_ < 12
    pickle.loads(pickle.dumps(again))


@pytest.mark.parametrize(
    ("arrays", "meta", "says"),
    [
        ({"center": np.zeros(2)}, {}, "the array center"),
        ({"deviation": np.zeros(1)}, {}, "not positive"),
        ({"deviation": np.full(1, np.inf)}, {}, "not finite"),
        ({"word_ptr": np.array([0, 3], dtype=np.int64)}, {}, "not a usable model"),
        ({"idf": np.zeros(12)}, {}, "expected the arrays"),
        ({"kept": np.zeros(1, np.uint8)}, {}, "one bit per feature"),
        ({}, {"numbers": ["a", "b"]}, "do not agree"),
        ({}, {"numbers": [3]}, "different texts"),
        ({}, {"fields": {"text": 3}}, "names of fields"),
        ({}, {"parameters": {"weighting": "binary"}}, "expected the parameters"),
        ({}, {"model": {}}, "'type'"),
        ({}, {"features_total": "12"}, "'features_total'"),
    ],
)
def test_forged_files_are_refused(
    tmp_path: Path, fitted: Forecaster, arrays: Any, meta: Any, says: str
) -> None:
    fitted.save(tmp_path / "good")
    file = files.load(tmp_path / "good")
    assert says in refused(
        tmp_path, file._replace(arrays={**file.arrays, **arrays}, meta={**file.meta, **meta})
    )


def test_bad_input_is_refused_in_one_sentence(fitted: Forecaster) -> None:
    texts, targets, dates, numbers = reports(3)
    cases: list[tuple[dict[str, Any], Any, str]] = [
        ({"weighting": "best"}, None, "weighting is one of"),
        ({"number_scale": 0.0}, None, "number_scale must be a positive number"),
        ({"first_rank": 0}, None, "first_rank and max_words must be at least 1"),
        (
            {"first_rank": 500},
            None,
            "12 words are seen at least 2 times: none is left from rank 500 on",
        ),
        ({"model": SmoothRidge()}, None, "model is a TemporalRegressor or TemporalClassifier"),
        ({}, {"past": [1.0]}, "the numbers 'past' must be 90 finite ones"),
        ({}, {"past": [np.nan] * 90}, "the numbers 'past' must be 90 finite ones"),
    ]
    for changed, given, says in cases:
        with pytest.raises(ValueError, match=says):
            clone(MODEL).set_params(**changed).fit(
                texts, targets, dates, numbers if given is None else given
            )
    with pytest.raises(ValueError, match="expected the numbers past, got \\(none\\)"):
        fitted.predict(texts)
    with pytest.raises(ValueError, match="90 documents but 89 labels"):
        clone(MODEL).fit(texts, targets[:-1], dates)
    with pytest.raises(ValueError, match="time number 90 is no date: 'soon'"):
        clone(MODEL).fit(texts, targets, [*dates[:-1], "soon"])
    with pytest.raises(ValueError, match="probabilities are for labels"):
        fitted.predict_proba(["strong"], {"past": [0.0]})
    with pytest.raises(ValueError, match="no step with rows that has rows before it"):
        clone(MODEL).roll(texts, targets, dates, RollingOrigin("year", first=2000, last=2000))
    with pytest.raises(NotFittedError):
        Forecaster().predict(texts)


def test_one_step_and_steps_without_documents() -> None:
    texts, targets, dates, numbers = reports()
    one = clone(MODEL).fit(texts, targets, ["2007"] * len(texts), numbers)
    assert one.model_.steps_ == ["2007"] and np.all(np.isfinite(one.predict(texts, numbers)))
    far = [date if date < "2005" else str(int(date[:4]) + 10) for date in dates]
    holes = clone(MODEL).fit(texts, targets, far, numbers)
    assert len(holes.model_.steps_) == 20 and np.all(np.isfinite(holes.model_.trajectories_))
