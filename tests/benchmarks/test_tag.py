"""The tagging page is made whole from a small part of the data."""

import gzip
from itertools import islice, pairwise

import pytest

from benchmarks import tag, tag_chunking_small, tag_chunking_tables, tag_speed
from benchmarks.tag_chunking import corpus

pytestmark = pytest.mark.slow


SHOWN = {
    "chunking": [
        "| MIRA, all templates |",
        "| B = 10, d = log2 |",
        "| peak memory, MB |",
        "| coarse to fine, B = 10 |",
        "| lasso | F1 |",
    ],
    "small": ["| at most 300,000 weights | chunking", "| chunking_compact | BIOES |"],
    "defaults": ["| treebank | tokens | Tagger() | CRFsuite |", "| Tamil-TTB |"],
    "speed": ["| averaged perceptron, 2 passes |", "tokens a second"],
}


@pytest.fixture(scope="module")
def split(data):
    """The small part of the corpus: reading the whole takes longer than most fits."""
    return corpus(data, quick=True)


@pytest.fixture
def few_clusters(data, tmp_path):
    """A folder with the clusters of every fiftieth word alone."""
    (tmp_path / "brown_clusters").mkdir()
    file = "brown_clusters/bllip-clusters.txt.gz"
    with gzip.open(data / file) as given, gzip.open(tmp_path / file, "w") as kept:
        kept.writelines(islice(given, 0, None, 50))
    return tmp_path


@pytest.mark.parametrize("section", tag.SECTIONS)
def test_every_section_of_the_page(data, section, split, one_process, few_clusters, monkeypatch):
    pytest.importorskip("pycrfsuite", reason="python-crfsuite is the peer of the speed section")
    if section == "small":
        data = few_clusters
    for module in (tag_chunking_small, tag_chunking_tables, tag_speed):
        monkeypatch.setattr(module, "corpus", lambda *_: split)
    page = tag.run(data, quick=True, section=section)
    assert all(text in page for text in SHOWN[section])


def test_held_out_sentences_are_not_trained_on(split):
    from benchmarks.tag_chunking import held_out

    given = split.train
    sentences = [tuple(given.values[0][a:b]) for a, b in pairwise(given.ptr)]
    for tenths in ((9,), (9, 4, 1)):
        parts = held_out(given, tenths)
        found = [[tuple(part.values[0][a:b]) for a, b in pairwise(part.ptr)] for part in parts]
        assert found[1] == [sentence for k, sentence in enumerate(sentences) if k % 10 in tenths]
        assert found[0] == [
            sentence for k, sentence in enumerate(sentences) if k % 10 not in tenths
        ]


def test_the_best_row_within_a_limit_is_chosen():
    from benchmarks.tag_chunking import Fit
    from benchmarks.tag_chunking_small import Judged, Setting, choose

    large, small, sparse, broad = (
        Setting("chunking", 20, "IOB2", 0.2, lasso) for lasso in (0.05, 0.2, 0.5, 0.1)
    )
    rows = {
        large: Judged([94.0, 95.0], 290_000, 1.0, range(20)),
        small: Judged([95.0, 93.4], 50_000, 1.0, range(10)),
        sparse: Judged([94.1, 94.1], 9_000, 1.0, range(10)),
        broad: Judged([99.0, 99.0], 1_000, 1.0, range(30)),
    }

    def fits(setting: Setting) -> Fit:
        return Fit(90.0, int(1.2 * rows[setting].weights), 20, 0, 0.0, None)

    assert choose(rows, 1_000_000, fits) == large
    assert choose(rows, 300_000, fits) == small, (
        "sizes grow with the data: fitted to all of it, the best row is above the limit"
    )
    assert choose(rows, 1_000, fits) is None


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
    assert strength == min(tried) and len(tried) <= 6, (
        "no strength gives that many weights: the weakest is taken"
    )
