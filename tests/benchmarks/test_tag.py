"""The tagging page is made whole from a small part of the data."""

import pytest

from benchmarks import tag


def test_every_section_of_the_page(data):
    pytest.importorskip("pycrfsuite", reason="python-crfsuite is the peer of the speed section")
    page = tag.run(data, quick=True)
    assert "| MIRA, all templates |" in page
    assert "| B = 10, d = log2 |" in page
    assert "| peak memory, MB |" in page and "| coarse to fine, B = 10 |" in page
    assert "| lasso | F1 |" in page
    assert "| averaged perceptron, 2 passes |" in page
    assert "tokens a second" in page
    assert "| at most 300,000 weights | chunking" in page


def test_held_out_sentences_are_not_trained_on(data):
    from benchmarks.tag_chunking import corpus, held_out

    split = corpus(data, quick=True)
    parts = held_out(split.train)
    assert len(parts.train) + len(parts.test) == len(split.train)
    assert parts.test.values[0][: int(parts.test.ptr[1])] == split.train.values[0][split.train.ptr[9] : split.train.ptr[10]]


def test_the_best_row_within_a_limit_is_chosen():
    from benchmarks.tag_chunking import Fit
    from benchmarks.tag_chunking_small import Setting, choose

    large, small, broad = Setting("chunking", 20, "one"), Setting("chunking", 10, "one"), Setting("chunking", 30, "one")
    rows = {
        (large, "perceptron"): Fit(94.5, 290_000, 20, 0, 1.0, None),
        (small, "perceptron"): Fit(94.2, 50_000, 10, 0, 1.0, None),
        (small, "CRF"): Fit(94.1, 9_000, 10, 0, 1.0, None),
        (broad, "CRF"): Fit(99.0, 1_000, 30, 0, 1.0, None),
    }
    assert choose(rows, 1_000_000) == (large, "perceptron")
    assert choose(rows, 300_000) == (small, "perceptron"), "sizes grow with the data: 290,000 would be above the limit"
    assert choose(rows, 1_000) is None


def test_the_lasso_of_a_wanted_size_is_found():
    from benchmarks.tag_chunking import Fit
    from benchmarks.tag_chunking_groups import search_size

    def fit(strength):
        return Fit(90.0, int(1000 / (1e-3 + strength) ** 0.7), 96, 0, 0.0, None)

    for target in (300, 5_000, 60_000):
        tried = {strength: fit(strength) for strength in (0.01, 0.1)}
        strength = search_size(target, tried, fit)
        assert abs(tried[strength].weights / target - 1) < 0.03 and len(tried) <= 7
    tried = {0.01: fit(0.01)}
    strength = search_size(10**7, tried, fit)
    assert strength == min(tried) and len(tried) <= 6, "no strength gives so many: the weakest stands"
