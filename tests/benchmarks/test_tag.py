"""The tagging page is made whole from a small part of the data."""

import pytest

from benchmarks import tag


def test_every_section_of_the_page(data):
    pytest.importorskip("pycrfsuite", reason="python-crfsuite is the peer of the speed section")
    page = tag.run(data, quick=True)
    assert "| MIRA, all templates |" in page
    assert "| B = 10, d = log2 |" in page
    assert "| averaged perceptron, 2 passes |" in page
    assert "tokens a second" in page


def test_held_out_sentences_are_not_trained_on(data):
    from benchmarks.tag_chunking import corpus, held_out

    split = corpus(data, quick=True)
    parts = held_out(split.train)
    assert len(parts.train) + len(parts.test) == len(split.train)
    assert parts.test.values[0][: int(parts.test.ptr[1])] == split.train.values[0][split.train.ptr[9] : split.train.ptr[10]]
