"""The page from raw text to trees is made whole from a small part of the data."""

from pathlib import Path

import pytest

from benchmarks import pipeline, pipeline_peers

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Speed is measured over one pass."""
    monkeypatch.setattr(pipeline, "LEAST_SECONDS", 1e-9)


def test_a_treebank_of_your_own(data: Path, one_process: None) -> None:
    page = pipeline.SECTIONS["ttb"](data, quick=True, corpus=data / "ud_raw" / "Uyghur-UDT")
    assert page.startswith("## Uyghur-UDT, ") and "| gold words, 8 values |" in page
    assert "quoted |" not in page and "| training, CPU s |" in page and "Tamil" not in page


def test_beside_udpipe_which_is_trained_once(
    data: Path, tmp_path: Path, one_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ufal.udpipe", reason="UDPipe is the peer: pip install ufal.udpipe")
    monkeypatch.setattr(pipeline_peers, "CACHE", tmp_path)
    page = pipeline.tamil(data, quick=True)
    assert "| Tamil-TTB, UDPipe 1." in page and "UDPipe was trained: Tamil-TTB on" in page
    (report,) = tmp_path.glob("Tamil-TTB-*.json")
    before = report.stat().st_mtime_ns
    parts = pipeline._parts(data / "ud_raw" / "Tamil-TTB", quick=True)
    pipeline_peers.trained_udpipe(parts.name, parts.train, parts.dev, pipeline_peers.QUICK)
    assert report.stat().st_mtime_ns == before


def test_quoted_figures_stand_in_their_columns() -> None:
    row = pipeline._quoted({"upos": 1.0, "las": None, "blex": 2.0})
    titles = list(pipeline.TITLES)
    assert row[titles.index("upos")] == "1.0" and row[-1] == "2.0" and row.count("–") == 11
    for name in pipeline.TREEBANKS.values():
        assert len(pipeline_peers.PUBLISHED_RAW[name]) == len(pipeline.QUOTED_RAW)
        assert len(pipeline_peers.PUBLISHED_GOLD[name]) == len(pipeline.QUOTED_GOLD)
