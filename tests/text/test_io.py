"""Opening and atomic writing: what was there stays there until the new file is whole."""

from __future__ import annotations

import gzip
import io
import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from laconic.errors import InputError
from laconic.text.io import atomic_writer, open_text


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_reads_plain_and_gzip_by_content_not_by_name(tmp_path: Path, pack) -> None:
    path = tmp_path / "any.name"
    path.write_bytes(pack("\ufeffä\r\nb\n".encode()))
    with open_text(path) as stream:
        assert list(stream) == ["ä\n", "b\n"]


def test_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(b"a\nb"))))
    with open_text("-") as stream:
        assert stream.read() == "a\nb"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_bad_bytes_are_reported_with_their_line(tmp_path: Path, pack) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes(pack(b"fine\r\n" * 20_000 + b"caf\xe9\n"))
    with (
        pytest.raises(InputError, match=r"latin\.txt:20001: expected UTF-8"),
        open_text(path) as stream,
    ):
        list(stream)


def test_missing_file_folder_and_cut_gzip(tmp_path: Path) -> None:
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(os.urandom(5000).hex().encode())[:-200])
    for path, message in (
        (tmp_path / "none", "No such file"),
        (tmp_path, "directory"),
        (cut, "cut off"),
    ):
        with pytest.raises(InputError, match=message), open_text(path) as stream:
            stream.read()


def test_writer_replaces_only_when_all_went_well(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), atomic_writer(path) as stream:
        stream.write("half")
        raise KeyboardInterrupt
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["out.txt"]
    with atomic_writer(path) as stream:
        stream.write("new \ud800")
    assert path.read_text() == "new \\ud800" and os.listdir(tmp_path) == ["out.txt"]


def test_writer_keeps_links_and_writes_bytes(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    with atomic_writer(link, binary=True) as stream:
        stream.write(b"\x00\xff")
    assert link.is_symlink() and target.read_bytes() == b"\x00\xff"


def test_writer_does_not_replace_devices() -> None:
    with atomic_writer(os.devnull) as stream:
        stream.write("gone")
    assert not Path(os.devnull).is_file()


def test_a_missing_folder_is_named_and_not_the_draft(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=r"there is no folder .*absent") as caught,
        atomic_writer(tmp_path / "absent" / "out.txt"),
    ):
        pass
    assert ".draft" not in str(caught.value)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_pipe_is_read_as_it_comes(tmp_path: Path, pack, end: str) -> None:
    fine, bad = (f"word{end}" * 5000).encode(), f"caf\xe9{end}".encode("latin-1")
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    for content, n_read in ((fine + b"last", 5001), (fine + bad + fine, None)):
        writer = threading.Thread(target=fifo.write_bytes, args=(pack(content),))
        writer.start()
        if n_read:
            with open_text(fifo) as stream:
                assert sum(1 for _ in stream) == n_read
        else:
            with (
                pytest.raises(InputError, match="pipe:5001: expected UTF-8"),
                open_text(fifo) as stream,
            ):
                list(stream)
        writer.join()


def test_lines_of_a_pipe_do_not_wait_for_its_end() -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as source, os.fdopen(writer, "wb", 0) as sink:
        sink.write(b"one\ntwo\n")
        with open_text(f"/dev/fd/{source.fileno()}") as stream:
            assert next(stream) == "one\n"
            sink.write(b"three\n")
            assert [next(stream), next(stream)] == ["two\n", "three\n"]
