"""Opening what people give (plain or gzip, UTF-8, standard input) and writing files whole or not at all."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, TextIO, cast

from laconic.errors import InputError

GZIP_MAGIC = b"\x1f\x8b"
STANDARD_STREAM = "-"
PathLike = str | os.PathLike[str]


def name_of(path: PathLike) -> str:
    """What messages call the file `path`."""
    return "standard input" if os.fspath(path) == STANDARD_STREAM else os.fspath(path)


def _open_bytes(path: PathLike) -> BinaryIO:
    """The seekable bytes of a file, or of standard input (read whole, once)."""
    if os.fspath(path) == STANDARD_STREAM:
        return io.BytesIO(sys.stdin.buffer.read())
    stream = open(path, "rb")  # noqa: SIM115  (the caller closes it)
    if stream.seekable():
        return stream
    with stream:  # a pipe or a process substitution
        return io.BytesIO(stream.read())


def _unzipped(stream: BinaryIO) -> BinaryIO:
    """`stream` from its beginning, decompressed if it opens with gzip's magic bytes."""
    stream.seek(0)
    magic = stream.read(len(GZIP_MAGIC))
    stream.seek(0)
    return cast(BinaryIO, gzip.GzipFile(fileobj=stream)) if magic == GZIP_MAGIC else stream


def _line_of_bad_byte(stream: BinaryIO, encoding: str) -> int:
    """Number of the first line (from 1) that is not in the encoding."""
    content = _unzipped(stream).read()
    try:
        content.decode(encoding)
    except UnicodeDecodeError as error:
        return 1 + content[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
    raise AssertionError("called only when decoding has failed")


def check_encoding(encoding: str) -> str:
    """The standard name of `encoding`; ValueError if there is none such."""
    try:
        return codecs.lookup(encoding).name
    except LookupError as error:
        raise ValueError(f"there is no encoding {encoding!r}; try utf-8 or latin-1") from error


@contextmanager
def open_text(path: PathLike, encoding: str | None = None) -> Iterator[TextIO]:
    """The text of `path` ("-": standard input), plain or gzip, a stream; InputError names a bad byte's line.

    `encoding`: None where the caller's files are always UTF-8; where a choice is given, the message says so.
    """
    name, chosen = name_of(path), check_encoding(encoding or "utf-8")
    try:
        stream = _open_bytes(path)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}).") from error
    with stream:
        try:
            # A byte order mark at the start is no text; line ends are \n, \r\n or \r.
            yield io.TextIOWrapper(_unzipped(stream), encoding="utf-8-sig" if chosen == "utf-8" else chosen)
        except UnicodeDecodeError as error:
            advice = "" if encoding is None else "; older files are often in the encoding 'latin-1'"
            line = _line_of_bad_byte(stream, chosen)
            raise InputError(f"{name}:{line}: expected {chosen.upper()} text, found other bytes{advice}.") from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError(f"{name}: the gzip file is damaged or cut off.") from error


@contextmanager
def atomic_writer(path: PathLike, binary: bool = False) -> Iterator[IO]:
    r"""A stream whose content replaces the file `path` when the block ends well, and leaves it untouched otherwise.

    "-" is standard output; a device or pipe is written directly. A lone surrogate is written as JSON's escape of it.
    """
    text = {} if binary else {"encoding": "utf-8", "errors": "backslashreplace", "newline": "\n"}
    if os.fspath(path) == STANDARD_STREAM:
        yield sys.stdout.buffer if binary else sys.stdout
        return
    target = Path(os.path.realpath(path))  # a symbolic link stays one: its target is replaced
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        with open(target, "wb" if binary else "w", **text) as stream:  # type: ignore[call-overload]
            yield stream
        return
    if not target.parent.is_dir():
        raise InputError(f"{name_of(path)}: there is no folder {str(target.parent)!r} to write the file into.")
    draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
    try:
        with open(draft, "wb" if binary else "w", **text) as stream:  # type: ignore[call-overload]
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
