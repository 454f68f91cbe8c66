"""LDA topics: planted ones are found, short ones are not padded, seeds fix the result."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from laconic.classify import topics as room
from laconic.classify.topics import Topics, learn_topics

ENGINES = ["tomotopy", "sklearn"]
N_PLANTED, WORDS_EACH = 4, 6


@pytest.fixture(params=ENGINES)
def engine(request):
    if request.param == "tomotopy":
        pytest.importorskip("tomotopy")
    return request.param


@pytest.fixture(scope="module")
def counts() -> sparse.csr_array:
    """Return documents of one planted topic each, the last empty; topic k is words 6k .. 6k+5."""
    rng = np.random.default_rng(0)
    rows = np.zeros((121, N_PLANTED * WORDS_EACH), dtype=np.int64)
    chance = np.array([0.4, 0.2, 0.1, 0.1, 0.1, 0.1])
    for document in range(120):
        first = WORDS_EACH * (document % N_PLANTED)
        rows[document, first : first + WORDS_EACH] = rng.multinomial(30, chance)
    return sparse.csr_array(rows)


def test_planted_topics_are_found(counts, engine):
    topics = learn_topics(counts, n_topics=N_PLANTED, n_top=3, engine=engine, seed=3)
    assert sorted(topics[k][0][0] for k in range(N_PLANTED)) == [0, 6, 12, 18]
    for words, probability in (topics[k] for k in range(N_PLANTED)):
        assert (words // WORDS_EACH == words[0] // WORDS_EACH).all()
        assert (np.diff(probability) <= 0).all()
        assert probability[0] == pytest.approx(0.4, abs=0.06)


@pytest.mark.slow
def test_words_without_tokens_are_no_padding(counts, engine):
    """With 24 words and 60 topics, no topic is padded with words that only the prior suggests."""
    topics = learn_topics(counts, n_topics=60, n_top=10, engine=engine, n_iter=20)
    assert len(topics) == 60
    lengths = np.diff(topics.ptr)
    assert topics.ptr[0] == 0
    assert topics.ptr[-1] == len(topics.words) == len(topics.probability)
    assert lengths.min() < 10
    assert topics.probability.min() > room.WORD_PRIOR / (30 * 120)
    assert all(len(set(topics[k][0].tolist())) == lengths[k] for k in range(60))


def test_the_seed_decides(counts, engine):
    def learn(seed: int) -> Topics:
        return learn_topics(counts, n_topics=8, n_top=6, engine=engine, seed=seed, n_iter=3)

    first, again, other = learn(5), learn(5), learn(6)
    np.testing.assert_array_equal(first.words, again.words)
    np.testing.assert_array_equal(first.probability, again.probability)
    assert not np.array_equal(first.probability, other.probability)


def test_a_word_that_never_occurs_is_in_no_topic(engine):
    counts = np.array([[3, 0, 2, 0], [1, 0, 4, 0], [2, 0, 2, 0]])
    topics = learn_topics(counts, n_topics=2, n_top=4, engine=engine)
    assert set(topics.words.tolist()) == {0, 2}


def test_equal_words_come_in_order_of_id():
    topics = room._top_words(iter([np.array([2.0, 5.0, 2.0, 5.0, 0.0]), np.zeros(5)]), n_top=3)
    assert topics.words.tolist() == [1, 3, 0]
    assert topics.ptr.tolist() == [0, 3, 3]


def test_auto_falls_back_to_scikit_learn(counts, monkeypatch):
    monkeypatch.setattr(room, "find_spec", lambda name: None)
    auto = learn_topics(counts, n_topics=4, n_iter=2)
    named = learn_topics(counts, n_topics=4, n_iter=2, engine="sklearn")
    np.testing.assert_array_equal(auto.probability, named.probability)
    with pytest.raises(ValueError, match="not installed"):
        learn_topics(counts, engine="tomotopy")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_topics": 0}, "n_topics must be at least 1"),
        ({"n_top": 0}, "n_top must be at least 1"),
        ({"n_iter": 0}, "n_iter must be at least 1"),
        ({"seed": -1}, "seed must lie in"),
        ({"engine": "other"}, "engine must be"),
        ({"counts": [[0.5, 1.0]]}, "whole numbers"),
        ({"counts": [[-1, 1]]}, "whole numbers"),
        ({"counts": [[np.nan, 1]]}, "whole numbers"),
        ({"counts": [[np.inf, 1]]}, "whole numbers"),
        ({"counts": [[0, 0]]}, "no words"),
    ],
)
def test_bad_parameters_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        learn_topics(**({"counts": [[1, 2]]} | change))


def test_topics_are_indexed_from_zero(counts):
    topics = learn_topics(counts, n_topics=2, n_iter=1, engine="sklearn")
    with pytest.raises(IndexError):
        topics[2]
