"""`WordVectors`: learning, neighbours, analogies, and its files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import refused
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import laconic
from laconic import InputError, Svd, WordVectors
from laconic.core.report import Event
from laconic.embed.online_dictionary import OnlineDictionary
from laconic.models import file as files

TOPICS = ["sun moon star sky light", "bank cash loan debt coin"]


def sentences(n: int = 400, seed: int = 0) -> list[list[str]]:
    """Return sentences with words of one topic each, and a few that occur everywhere."""
    rng = np.random.default_rng(seed)
    topics = [topic.split() for topic in TOPICS]
    return [
        [*rng.choice(topics[rng.integers(2)], 6), *rng.choice(["the", "of"], 3)] for _ in range(n)
    ]


@pytest.fixture(scope="module")
def model() -> WordVectors:
    return WordVectors(Svd(3), min_count=1).fit(sentences())


def test_words_of_a_topic_are_near(model: WordVectors) -> None:
    assert (
        len(model) == 12
        and set(model.words_[:2]) == {"the", "of"}
        and model.counts_[0] >= model.counts_[-1]
    )
    for topic in map(str.split, TOPICS):
        assert {word for word, _ in model.most_similar(topic[0], 4)} == set(topic[1:])
    nearest = model.most_similar("sun", 100)
    assert len(nearest) == 11 and [c for _, c in nearest] == sorted(
        (c for _, c in nearest), reverse=True
    )
    assert nearest[0][1] == pytest.approx(model.similarity("sun", nearest[0][0]))
    assert {word for word, _ in model.most_similar("sun", 5, among=2)} == {
        "the",
        "of",
    } and model.most_similar("sun", 0) == []
    assert model.analogy("moon", "sun", "cash", 2)[0][0] in TOPICS[1].split()
    assert not {"moon", "sun", "cash"} & {
        word for word, _ in model.analogy("moon", "sun", "cash", 20)
    }


def test_files_and_lists_give_the_same(tmp_path: Path, model: WordVectors) -> None:
    (tmp_path / "text").write_text("\n".join(" ".join(words) for words in sentences()))
    same = clone(model).fit(tmp_path / "text")
    assert same.words_ == model.words_ and (same.codes_ != model.codes_).nnz == 0
    assert (
        clone(model).set_params(memory=0).fit(iter(sentences())).codes_ != model.codes_
    ).nnz == 0


def test_scaled_dimensions_count_alike(model: WordVectors) -> None:
    scaled = clone(model).set_params(scale=1.0).fit(sentences())
    assert (scaled.codes_ != model.codes_).nnz == 0
    np.testing.assert_allclose(np.mean(scaled.vectors() ** 2, axis=0), 1, rtol=1e-5)
    np.testing.assert_allclose(
        scaled.vector("sun") * scaled.divisors_, model.vector("sun"), rtol=1e-5
    )


def test_queries_of_a_model(model: WordVectors) -> None:
    assert (
        "sun" in model
        and "x" not in model
        and model.ids(["x", model.words_[3]]).tolist() == [-1, 3]
    )
    for ask in (
        model.vector,
        model.most_similar,
        lambda word: model.analogy("sun", word, "cash"),
        lambda word: model.similarity("sun", word),
    ):
        with pytest.raises(InputError, match=r"no vector for 'x': it knows 12 words"):
            ask("x")
    with pytest.raises(ValueError, match="must be at least 0"):
        model.most_similar("sun", -1)
    with pytest.raises(NotFittedError):
        WordVectors().vector("sun")


def test_several_learners_of_the_same_associations(model: WordVectors) -> None:
    words, counts, matrix, _ = model.associations(sentences())
    other = WordVectors(Svd(2, power=0.0)).fit_associations(words, counts, matrix)
    assert other.codes_.shape == (12, 2) and other.words_ == model.words_
    assert "power=0.0" in other.report_.learner
    assert WordVectors(Svd(2), size=4).fit_associations(words, counts, matrix).codes_.shape == (
        12,
        4,
    )


def test_fit_reports() -> None:
    events: list[Event] = []
    learner = OnlineDictionary(13, strength=0.3, passes=4, n_jobs=1)
    model = WordVectors(learner, min_count=1).fit(sentences(), callback=events.append)
    report = model.report_
    assert report.trace == tuple(events) and report.n_iter == 4 and report.converged
    assert [(event.stage, event.done, event.total) for event in events][-1] == ("pass", 4, 4)
    assert report.features_total == 12 * 13 and report.features_kept == model.codes_.nnz
    assert report.groups_total == 13 and 0 < report.groups_kept <= 13
    assert report.certificate <= 1e-4 and report.seconds >= events[-1].seconds > 0


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ([], {}, "holds no words"),
        ([["a"]], {"min_count": 1}, "no two of the 1 words"),
        ([["a"], ["b"]] * 9, {"min_count": 1}, "no two of the 2 words"),
        ([["a", "b"]], {}, "no word occurs 10 times"),
        ([["a", "b"]], {"min_count": 1, "scale": 2}, "scale must be from"),
        ([["a", "b"]], {"min_count": 1, "window": 0}, "window must be"),
        ([["a", "b"]], {"min_count": 1, "association": "x"}, "association must be one of"),
    ],
)
def test_bad_input(text: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        WordVectors(Svd(1), **options).fit(text)


def with_zeros(size: int, density: float, seed: int = 0) -> WordVectors:
    rng = np.random.default_rng(seed)
    codes = rng.normal(size=(20, size)) * (rng.random((20, size)) < density)
    model = WordVectors(size=size, window=3, scale=0.5)._adopt(
        [f"w{i}" for i in range(20)], rng.integers(1, 2**40, 20), codes
    )
    model.parents_ = np.maximum(np.arange(size) - 2, -1).astype(np.int32)
    return model


@pytest.mark.parametrize(
    ("size", "density", "form"), [(5, 0.9, "mask"), (300, 0.01, "dimensions"), (3, 0.0, "mask")]
)
def test_what_is_saved_is_loaded(tmp_path: Path, size: int, density: float, form: str) -> None:
    model = with_zeros(size, density)
    model.save(tmp_path / "model")
    loaded = laconic.load(tmp_path / "model")
    assert form in files.load(tmp_path / "model").arrays
    assert loaded.words_ == model.words_ and loaded.counts_.tolist() == model.counts_.tolist()
    assert (
        (loaded.codes_ != model.codes_).nnz == 0
        and loaded.codes_.shape == (20, size)
        and loaded.report_.learner == ""
    )
    assert loaded.parents_.tolist() == model.parents_.tolist() and (
        loaded.window,
        loaded.scale,
    ) == (3, 0.5)
    assert loaded.vectors().tolist() == model.vectors().tolist()


def test_a_fitted_model_is_saved_with_its_report(tmp_path: Path, model: WordVectors) -> None:
    model.save(tmp_path / "model")
    loaded = laconic.load(tmp_path / "model")
    for name in ("learner", "objective", "certificate", "interrupted", "features_kept"):
        np.testing.assert_equal(getattr(loaded.report_, name), getattr(model.report_, name))
    assert loaded.parents_ is None and loaded.dictionary_ is None
    assert loaded.most_similar("sun") == model.most_similar("sun")
    again = pickle.loads(pickle.dumps(model))
    assert again.most_similar("sun") == model.most_similar("sun")
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_every_parameter_is_saved(tmp_path: Path) -> None:
    other = {
        "size": 3,
        "window": 3,
        "dynamic": True,
        "n_contexts": 9,
        "subsample": 0.5,
        "min_count": 2,
        "max_size": 10,
        "rare": "drop",
        "association": "pmi",
        "smoothing": 0.5,
        "shift": 1.1,
        "exponent": 0.5,
        "weighting": 0.5,
        "scale": 1.0,
    }
    of_the_run = {"learner", "memory", "n_jobs", "random_state"}
    default = WordVectors().get_params(deep=False)
    assert default.keys() == other.keys() | of_the_run and all(
        default[name] != value for name, value in other.items()
    )
    model = WordVectors(Svd(), **other).fit(sentences())
    model.save(tmp_path / "model")
    loaded = laconic.load(tmp_path / "model")
    assert {
        name: value for name, value in loaded.get_params(deep=False).items() if name in other
    } == other
    assert loaded.most_similar("the") == model.most_similar("the")


def test_a_seed_gives_the_same_vectors_twice() -> None:
    learner = OnlineDictionary(13, strength=0.3, passes=2, n_jobs=1)
    model = WordVectors(learner, min_count=1, subsample=0.01, n_jobs=1, random_state=3)
    one, again, other = (
        clone(model).set_params(random_state=seed).fit(sentences()) for seed in (3, 3, 4)
    )
    assert (one.codes_ != again.codes_).nnz == 0 and (one.codes_ != other.codes_).nnz > 0


WRONG: dict[str, Any] = {
    "words twice": {
        "word_data": np.frombuffer(b"w0" * 20, np.uint8),
        "word_ptr": np.arange(0, 41, 2),
    },
    "no words": {"word_data": np.zeros(0, np.uint8), "word_ptr": np.zeros(1, np.int64)},
    "fewer counts": {"counts": np.ones(3, np.uint8)},
    "counts below 0": {"counts": -np.ones(20, np.int64)},
    "counts too large": {"counts": np.full(20, 2**63, np.uint64)},
    "values not finite": {
        "values": lambda values: np.where(np.arange(len(values)) == 2, np.nan, values).astype(
            np.float32
        )
    },
    "values of two dimensions": {"values": lambda values: values[None]},
    "fewer values": {"values": lambda values: values[1:]},
    "parents beyond": {"parents": lambda parents: parents * 0 + len(parents) + 1},
    "parents in a circle": {
        "parents": lambda parents: np.arange(len(parents), dtype=np.uint16) + 1
    },
    "fewer parents": {"parents": lambda parents: parents[1:]},
    "another array": {"more": np.ones(1)},
}
WRONG_MASK: dict[str, Any] = {
    "short": {"mask": lambda mask: mask[1:]},
    "bits beyond": {
        "mask": lambda mask: np.append(mask[:-1], mask[-1] | np.uint8(1)).astype(np.uint8)
    },
    "another type": {"mask": lambda mask: mask.astype(np.uint16)},
}
WRONG_LISTS: dict[str, Any] = {
    "fewer lengths": {"lengths": lambda lengths: lengths[1:]},
    "lengths of more": {"lengths": lambda lengths: lengths + np.uint8(1)},
    "a dimension that is not": {"dimensions": lambda dimensions: dimensions + np.uint16(300)},
    "dimensions that fall": {"dimensions": lambda dimensions: dimensions * np.uint16(0)},
    "fewer dimensions": {"dimensions": lambda dimensions: dimensions[1:]},
    "dimensions as floats": {"dimensions": lambda dimensions: dimensions.astype(np.float32)},
}


@pytest.mark.parametrize(
    ("size", "density", "changes"),
    [
        *[
            pytest.param(5, 0.9, changes, id=name)
            for name, changes in {**WRONG, **WRONG_MASK}.items()
        ],
        *[
            pytest.param(300, 0.01, changes, id=f"lists: {name}")
            for name, changes in {**WRONG, **WRONG_LISTS}.items()
        ],
    ],
)
def test_arrays_that_do_not_agree_are_refused(
    tmp_path: Path, size: int, density: float, changes: dict[str, Any]
) -> None:
    with_zeros(size if size > 5 else 5, density).save(tmp_path / "model")
    file = files.load(tmp_path / "model")
    arrays = {
        name: value(file.arrays[name]) if callable(value) else value
        for name, value in changes.items()
    }
    if "bits beyond" in str(changes):
        assert file.arrays["mask"][-1] & 1 == 0
    refused(tmp_path, file._replace(arrays={**file.arrays, **arrays}))


@pytest.mark.parametrize(
    "meta",
    [
        {"parameters": None},
        {"parameters": {}},
        {"parameters": {"size": 6}},
        {"parameters": {"size": 2**30}},
        {"parameters": {"scale": 7}},
        {"parameters": {"rare": "x"}},
        {"parameters": {"window": True}},
        {"parameters": {"memory": 1}},
        {"learned": 5},
        {"learned": {"learner": "x"}},
        {"learned": {"learner": "x", "objective": "y", "certificate": None, "interrupted": False}},
    ],
    ids=str,
)
def test_impossible_parameters_are_refused(tmp_path: Path, meta: dict[str, Any]) -> None:
    with_zeros(5, 0.9).save(tmp_path / "model")
    file = files.load(tmp_path / "model")
    if isinstance(meta.get("parameters"), dict) and meta["parameters"]:
        meta = {"parameters": {**file.meta["parameters"], **meta["parameters"]}}
    refused(tmp_path, file._replace(meta={**file.meta, **meta}))


@pytest.mark.parametrize("binary", [False, True])
def test_vectors_go_through_files_of_word2vec(
    tmp_path: Path, model: WordVectors, binary: bool
) -> None:
    model.to_word2vec(tmp_path / "vectors", binary)
    read = WordVectors.from_word2vec(tmp_path / "vectors")
    assert read.words_ == model.words_ and read.vectors().tolist() == model.vectors().tolist()
    assert [word for word, _ in read.most_similar("sun")] == [
        word for word, _ in model.most_similar("sun")
    ]
    read.save(tmp_path / "model")
    assert laconic.load(tmp_path / "model").words_ == model.words_


def test_codes_stay_sparse(tmp_path: Path) -> None:
    codes = sparse.random(2000, 520, 0.02, "csr", dtype=np.float32, random_state=0)
    WordVectors()._adopt([f"w{i}" for i in range(2000)], np.ones(2000), codes).save(
        tmp_path / "model"
    )
    assert (tmp_path / "model").stat().st_size < 8 * codes.nnz + 40_000


def test_codes_of_a_forest(tmp_path: Path) -> None:
    model = WordVectors(OnlineDictionary(13, strength=0.3, passes=2, n_jobs=1), min_count=1).fit(
        sentences()
    )
    assert model.parents_ is not None and model.parents_.tolist() == [
        -1,
        0,
        0,
        0,
        1,
        1,
        1,
        2,
        2,
        2,
        3,
        3,
        3,
    ]
    used = model.codes_.toarray() != 0
    assert np.all(used[:, 0:1] >= used[:, 1:]) and np.all(
        used[:, 1:2] >= used[:, 4:7]
    )  # a dimension only where its parent is
    assert 0 < model.codes_.nnz < used.size and np.isfinite(model.certificate_)
    model.save(tmp_path / "model")
    assert laconic.load(tmp_path / "model").parents_.tolist() == model.parents_.tolist()
    lasso = WordVectors(
        OnlineDictionary(4, penalty="lasso", strength=0.3, passes=1, n_jobs=1), min_count=1
    ).fit(sentences())
    assert lasso.parents_ is None
    with pytest.raises(ValueError, match="trees of 13 nodes"):
        WordVectors(size=5, min_count=1).fit(sentences())
