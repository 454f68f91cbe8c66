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


def test_writers_in_many_threads_leave_one_whole_file(tmp_path: Path) -> None:
    path, seen, failures = tmp_path / "out.txt", set(), []
    texts = [str(i) * 20_000 for i in range(8)]
    path.write_text(texts[0])

    def write(text: str) -> None:
        try:
            for _ in range(10):
                with atomic_writer(path) as stream:
                    stream.write(text)
                seen.add(path.read_text())
        except OSError as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and seen <= set(texts) and os.listdir(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_new_version_has_the_mode_of_the_old_one(tmp_path: Path, mode: int) -> None:
    path, fresh = tmp_path / "out.txt", tmp_path / "fresh.txt"
    path.write_text("old")
    path.chmod(mode)
    fresh.touch()
    for target in (path, tmp_path / "made.txt"):
        with atomic_writer(target) as stream:
            stream.write("new")
    assert path.stat().st_mode & 0o777 == mode
    assert (tmp_path / "made.txt").stat().st_mode == fresh.stat().st_mode


def test_drafts_of_dead_writers_are_removed_and_those_of_living_ones_are_not(
    tmp_path: Path,
) -> None:
    path, other = tmp_path / "[out].txt", tmp_path / ".another.txt.0.draft"
    dead = tmp_path / ".[out].txt.0123.draft"
    for draft in (dead, other):
        draft.write_text("half")
        os.utime(draft, (0, 0))
    with atomic_writer(path) as stream:
        stream.write("slow")
        (living,) = set(tmp_path.glob(".[[]out*")) - {dead}
        os.utime(living, (0, 0))
        with atomic_writer(path) as faster:
            faster.write("fast")
        assert living.exists() and not dead.exists() and path.read_text() == "fast"
    assert path.read_text() == "slow" and set(tmp_path.iterdir()) == {path, other}


def test_a_link_at_a_name_of_a_draft_is_not_followed(tmp_path: Path, monkeypatch) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("keep")
    monkeypatch.setattr("laconic.text.io.os.urandom", bytes)  # zeros
    (tmp_path / f".out.txt.{'0' * 16}.draft").symlink_to(precious)
    with pytest.raises(InputError, match="cannot be written"), atomic_writer(tmp_path / "out.txt"):
        pass
    assert precious.read_text() == "keep"


def test_names_of_open_files_are_written_into(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    with path.open("w") as log:
        log.write("before\n")
        log.flush()
        with atomic_writer(f"/dev/fd/{log.fileno()}") as stream:
            stream.write("within\n")
        inode = os.fstat(log.fileno()).st_ino
    assert path.stat().st_ino == inode and "within" in path.read_text()


def test_a_long_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("\u00fc" * 125)
    with atomic_writer(path) as stream:
        stream.write("text")
    assert path.read_text() == "text"


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
