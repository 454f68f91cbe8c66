"""Compressed files, known by their first bytes and not by name: gzip, bzip2, xz, zstandard."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, Protocol, TypeVar, cast

from laconic.errors import InputError

SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd")
CHUNK = 1 << 16
SizeT = TypeVar("SizeT", int, "int | None")


def plain_name(name: str) -> str:
    """Return a file name in lower case, without the suffix of a compression.

    >>> plain_name("Reviews.CSV.zst")
    'reviews.csv'
    """
    name = name.lower()
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


class _Frame(Protocol):
    """What unpacks one frame, of either module."""

    eof: bool
    unused_data: bytes

    def decompress(self, data: bytes, /) -> bytes:
        """Return what the next bytes of the frame hold."""


class _ZstandardFrames(io.RawIOBase):
    """The content of zstandard frames; EOFError where the last one is cut off."""

    def __init__(self, source: BinaryIO, decompressor: Callable[[], _Frame]) -> None:
        self._source, self._new = source, decompressor
        self._frame: _Frame | None = None
        self._packed, self._ready = b"", b""

    def readable(self) -> bool:
        """See io.RawIOBase."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """See io.RawIOBase."""
        while not self._ready:
            self._packed = self._packed or self._source.read(CHUNK)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError
                return 0
            frame = self._new() if self._frame is None else self._frame
            self._ready = frame.decompress(self._packed)
            self._frame, self._packed = (None, frame.unused_data) if frame.eof else (frame, b"")
        n = min(len(buffer), len(self._ready))
        buffer[:n], self._ready = self._ready[:n], self._ready[n:]
        return n


def _zstandard(source: BinaryIO) -> tuple[io.BufferedIOBase, type[Exception]]:
    """Return the content of zstandard frames by Python 3.14's own module, or by `zstandard`."""
    try:
        from compression.zstd import ZstdDecompressor, ZstdError
    except ImportError:
        from zstandard import ZstdDecompressor, ZstdError

    def frame() -> _Frame:
        made: Any = ZstdDecompressor()
        found: _Frame = made if hasattr(made, "eof") else made.decompressobj()
        return found

    stream = io.BufferedReader(_ZstandardFrames(source, frame))
    return stream, ZstdError


class _Content(io.BufferedIOBase):
    """What a compressed stream holds; InputError names a file that is damaged or cut off."""

    def __init__(
        self, stream: io.BufferedIOBase, errors: tuple[type[Exception], ...], damage: str
    ) -> None:
        self._stream, self._damage = stream, damage
        self._errors: tuple[type[Exception], ...] = (EOFError, OSError, *errors)

    def readable(self) -> bool:
        """See io.BufferedIOBase."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """See io.BufferedIOBase."""
        return self._checked(self._stream.read, size)

    def read1(self, size: int = -1, /) -> bytes:
        """See io.BufferedIOBase."""
        return self._checked(self._stream.read1, size)

    def _checked(self, read: Callable[[SizeT], bytes], size: SizeT) -> bytes:
        try:
            return read(size)
        except self._errors as error:
            raise InputError(self._damage) from error


GZIP, BZIP2, XZ, ZSTANDARD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_NAMES = {GZIP: "gzip", BZIP2: "bzip2", XZ: "xz", ZSTANDARD: "zstandard"}


def opening_of(stream: io.BufferedIOBase) -> tuple[bytes, bytes | None]:
    """Return the first bytes of a stream, and the magic ones of a compression among them.

    No more is read than needed, since a pipe may wait for an answer to its first line.
    """
    head = stream.read(2)
    for magic in _NAMES:
        if magic.startswith(head) and len(head) == 2:
            head += stream.read(len(magic) - 2)
            return head, magic if head == magic else None
    return head, None


def decompressed(packed: io.BufferedIOBase, magic: bytes, name: str) -> io.BufferedIOBase:
    """Return the content of a compressed stream that opens with these magic bytes."""
    source = cast(BinaryIO, packed)
    stream: io.BufferedIOBase
    errors: tuple[type[Exception], ...] = ()
    if magic == GZIP:
        stream, errors = gzip.GzipFile(fileobj=source), (zlib.error,)
    elif magic == BZIP2:
        stream = bz2.BZ2File(source)
    elif magic == XZ:
        stream, errors = lzma.LZMAFile(source), (lzma.LZMAError,)  # noqa: SIM115
    else:
        try:
            stream, error = _zstandard(source)
        except ImportError as missing:
            raise InputError(
                f"{name}: reading zstandard files needs Python 3.14 or the package zstandard "
                "(pip install zstandard)."
            ) from missing
        errors = (error,)
    return _Content(stream, errors, f"{name}: the {_NAMES[magic]} file is damaged or cut off.")
