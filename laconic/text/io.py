"""Open what people give (plain or compressed, UTF-8, standard input); write files whole or not."""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from glob import escape
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, cast

from laconic.errors import InputError

try:
    import fcntl
except ImportError:  # Windows, where drafts of writers that were killed stay
    fcntl = None  # type: ignore[assignment]

STANDARD_STREAM = "-"
DRAFT = ".draft"
GRACE = 60.0  # seconds within which a writer has locked the draft that it made
PathLike = str | os.PathLike[str]


def name_of(path: PathLike) -> str:
    """Return what messages call the file `path`."""
    return "standard input" if os.fspath(path) == STANDARD_STREAM else os.fspath(path)


class _Bytes(io.BufferedIOBase):
    """Bytes that may come from a pipe: read once, as they arrive, with their lines counted."""

    def __init__(self, head: bytes, rest: io.BufferedIOBase) -> None:
        self._head, self._rest = head, rest
        self._lines = self._more = 0  # line ends before the bytes given last, and in these
        self._after_return = False

    def readable(self) -> bool:
        """See io.BufferedIOBase."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """See io.BufferedIOBase."""
        wanted = -1 if size is None else size
        taken = self._taken(wanted)
        return self._given(taken + self._rest.read(wanted if wanted < 0 else wanted - len(taken)))

    def read1(self, size: int = -1, /) -> bytes:
        """See io.BufferedIOBase."""
        return self._given(self._taken(size) or self._rest.read1(size))

    def line_of(self, error: UnicodeDecodeError) -> int:
        """Return the number (from 1) of the line in which decoding failed."""
        return 1 + self._lines + _line_ends(error.object[: error.start])

    def _taken(self, size: int) -> bytes:
        taken, self._head = (
            (self._head, b"") if size < 0 else (self._head[:size], self._head[size:])
        )
        return taken

    def _given(self, chunk: bytes) -> bytes:
        self._lines += self._more
        self._more = _line_ends(chunk) - (self._after_return and chunk[:1] == b"\n")
        self._after_return = chunk[-1:] == b"\r"
        return chunk


def _line_ends(chunk: bytes) -> int:
    return chunk.count(b"\n") + chunk.count(b"\r") - chunk.count(b"\r\n")


def _unpacked(stream: io.BufferedIOBase, name: str) -> _Bytes:
    """Return the bytes of a stream, decompressed if it opens with magic ones of a compression."""
    from laconic.text.compression import decompressed, opening_of  # not needed to open a model

    head, magic = opening_of(stream)
    plain = _Bytes(head, stream)
    return plain if magic is None else _Bytes(b"", decompressed(plain, magic, name))


def check_encoding(encoding: str) -> str:
    """Return the standard name of `encoding`; ValueError if there is none."""
    try:
        return codecs.lookup(encoding).name
    except LookupError as error:
        raise ValueError(f"there is no encoding {encoding!r}; try utf-8 or latin-1") from error


@contextmanager
def open_bytes(path: PathLike) -> Iterator[_Bytes]:
    """Open the bytes of `path` ("-": standard input), plain or compressed, as a stream."""
    name, is_standard = name_of(path), os.fspath(path) == STANDARD_STREAM
    try:
        opened = nullcontext(sys.stdin.buffer) if is_standard else open(path, "rb")  # noqa: SIM115
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}).") from error
    with opened as stream:
        yield _unpacked(cast(io.BufferedIOBase, stream), name)


@contextmanager
def open_text(path: PathLike, encoding: str | None = None) -> Iterator[TextIO]:
    """Open the text of `path` ("-": standard input), plain or compressed, as a stream of lines.

    InputError names the line of a byte that is no text.

    `encoding` is None where the caller's files are always UTF-8; where users can choose, the
    message says so.
    """
    chosen = check_encoding(encoding or "utf-8")
    with open_bytes(path) as content:
        try:
            # A byte order mark at the start is no text; line ends are \n, \r\n or \r.
            yield io.TextIOWrapper(
                cast(BinaryIO, content), encoding="utf-8-sig" if chosen == "utf-8" else chosen
            )
        except UnicodeDecodeError as error:
            advice = "" if encoding is None else "; older files are often in the encoding 'latin-1'"
            if error.object[error.start :][:2] in (b"\xff\xfe", b"\xfe\xff") and encoding is None:
                advice = "; the file is UTF-16: save it as UTF-8"
            line = content.line_of(error)
            raise InputError(
                f"{name_of(path)}:{line}: expected {chosen.upper()} text, "
                f"found other bytes{advice}."
            ) from error


@contextmanager
def atomic_writer(path: PathLike, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a stream whose content replaces the file `path` when the block ends without an error.

    Otherwise the file stays as it was. The new file has the mode and, where that is allowed, the
    owner of the old one. Several processes or threads may write the same file: one of them is the
    last, and readers see one whole file. "-" is standard output; a device, a pipe or an open file
    such as /dev/stdout is written directly. A lone surrogate is written as JSON's escape of it.
    """
    text = {} if binary else {"encoding": "utf-8", "errors": "backslashreplace", "newline": "\n"}
    mode = "wb" if binary else "w"
    if os.fspath(path) == STANDARD_STREAM:
        yield sys.stdout.buffer if binary else sys.stdout
        return
    if _is_stream(path):
        with open(path, mode, **text) as stream:  # type: ignore[call-overload]
            yield stream
        return
    target = Path(os.path.realpath(path))  # a symbolic link stays one: its target is replaced
    if not target.parent.is_dir():
        raise InputError(
            f"{name_of(path)}: there is no folder {str(target.parent)!r} to write the file into."
        )
    _remove_stale_drafts(target)
    # Nobody can foresee the name, and it is made exclusively: no other writer has it, and no link
    # is followed.
    draft = target.with_name(f"{_draft_prefix(target)}{os.urandom(8).hex()}{DRAFT}")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(draft, flags, 0o666)
    except OSError as error:
        raise InputError(f"{name_of(path)}: cannot be written ({error.strerror}).") from error
    try:
        with open(number, mode, **text) as stream:  # type: ignore[call-overload]
            _lock(number)
            _adopt_rights(number, target)
            yield stream
            stream.flush()
            os.fsync(number)
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _synchronize(target.parent)


def _is_stream(path: PathLike) -> bool:
    """Return whether `path` is no file of its own: a device, a pipe, or a name of an open file."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return True
    except OSError:
        return False
    # /dev/stdout and /proc/self/fd/1 are names of a file that somebody else has open and would go
    # on writing: it cannot be replaced.
    name = os.path.abspath(path)
    return os.path.dirname(name) in ("/dev", "/dev/fd") or name.startswith("/proc/")


def _adopt_rights(number: int, target: Path) -> None:
    """Give a draft the mode and owner of the file that it replaces, if there is one."""
    if not hasattr(os, "fchown"):
        return
    with suppress(FileNotFoundError):
        old = target.stat()
        with suppress(OSError):  # only an administrator gives files away
            os.fchown(number, old.st_uid, old.st_gid)
        os.fchmod(number, stat.S_IMODE(old.st_mode))


def _lock(number: int) -> None:
    """Mark a draft as that of a living writer; the system removes the mark when it ends."""
    if fcntl is not None:
        with suppress(OSError):  # some file systems have no locks
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_stale_drafts(target: Path) -> None:
    """Remove drafts of this file whose writers were killed: nobody holds their locks."""
    if fcntl is None:
        return
    for draft in target.parent.glob(f"{escape(_draft_prefix(target))}*{DRAFT}"):
        with suppress(OSError), open(draft, "rb") as stream:
            if os.fstat(stream.fileno()).st_mtime < time.time() - GRACE:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                draft.unlink()


def _draft_prefix(target: Path) -> str:
    """Return what names of drafts begin with, short enough for a file with a long name."""
    return f".{target.name[:40]}."


def _synchronize(folder: Path) -> None:
    """Make the new name of a file survive a loss of power."""
    if os.name != "posix":
        return
    with suppress(OSError):  # not all file systems do this for folders
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
