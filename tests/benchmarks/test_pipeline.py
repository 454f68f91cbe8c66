"""The page from raw text to trees is made whole from a small part of the data."""

from pathlib import Path

import pytest

from benchmarks import pipeline, pipeline_peers

pytestmark = pytest.mark.slow


def test_a_treebank_and_its_costs(data: Path, one_process: None) -> None:
    page = pipeline.small(data, quick=True)
    assert "| Tamil-TTB, compact |" in page and "| treebank | train words |" in page
    assert "quoted |" not in page


def test_a_treebank_of_your_own(data: Path, one_process: None) -> None:
    page = pipeline.small(data, quick=True, corpus=data / "ud_raw" / "Uyghur-UDT")
    assert page.startswith("## Uyghur-UDT\n") and "| Uyghur-UDT |" in page and "Tamil" not in page


def test_beside_udpipe_which_is_trained_once(
    data: Path, tmp_path: Path, one_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ufal.udpipe", reason="UDPipe is the peer: pip install ufal.udpipe")
    monkeypatch.setattr(pipeline_peers, "CACHE", tmp_path)
    page = pipeline.tamil(data, quick=True)
    assert "| Tamil-TTB, UDPipe 1." in page and "UDPipe was trained: Tamil-TTB on" in page
    (report,) = tmp_path.glob("Tamil-TTB-*.json")
    before = report.stat().st_mtime_ns
    pipeline.tamil(data, quick=True)
    assert report.stat().st_mtime_ns == before


def test_quoted_figures_stand_in_their_columns() -> None:
    row = pipeline._spread((1.0, None), ("upos", "las"), ("tokens", "las", "upos"))
    assert row == ["–", "–", "1.0"]
    for name in (*pipeline.SMALL, *pipeline.MIDDLE, *pipeline.LARGE):
        assert len(pipeline_peers.PUBLISHED_RAW[name]) == len(pipeline.QUOTED_RAW)
        assert len(pipeline_peers.PUBLISHED_GOLD[name]) == len(pipeline.QUOTED_GOLD)
