"""A model file is named arrays + JSON in one safetensors container, never code.

    8 bytes   length n of the header, little endian
    n bytes   header, JSON: {"__metadata__": {...}, array name: {"dtype", "shape", "data_offsets"}}
    the rest  the bytes of the arrays, one after another, without holes

`__metadata__` holds strings only: format "laconic", format_version, kind (which estimator wrote
it), meta (JSON) and crc32, a checksum of all of these and of the arrays. `load` treats the file as
written by a stranger: each claim of the header is compared with the size of the file before
anything of that size is allocated.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import stat
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Ints
from laconic.errors import InputError
from laconic.models.strict_json import brief, dump_json, parse_json
from laconic.text.io import PathLike, atomic_writer, name_of

if TYPE_CHECKING:
    import mmap

FORMAT = "laconic"
FORMAT_VERSION = 1
MAX_HEADER_BYTES = 100_000_000  # the limit of the safetensors package itself
MAX_DIMENSIONS = 8
# Types that are plain numbers in every NumPy; BOOL is absent since a byte other than 0 or 1 is not
# a valid bool.
DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype(np.float64),
    "F32": np.dtype(np.float32),
    "I64": np.dtype(np.int64),
    "I32": np.dtype(np.int32),
    "I16": np.dtype(np.int16),
    "I8": np.dtype(np.int8),
    "U64": np.dtype(np.uint64),
    "U32": np.dtype(np.uint32),
    "U16": np.dtype(np.uint16),
    "U8": np.dtype(np.uint8),
}
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")

Arrays = dict[str, NDArray[Any]]
Meta = dict[str, Any]


class ModelFile(NamedTuple):
    """The contents of a model file; `kind` names the estimator that has written them."""

    kind: str
    version: int
    arrays: Arrays
    meta: Meta


class _Header(NamedTuple):
    """The metadata of a header whose claims about arrays all hold for the file."""

    kind: str
    version: int
    meta: str
    crc32: str


def save(path: PathLike, kind: str, arrays: Arrays, meta: Meta) -> None:
    """Write one model file, whole or not at all; tuples in `meta` become lists."""
    head, body = content_of(kind, arrays, meta)
    with atomic_writer(path, binary=True) as stream:
        stream.write(head)
        stream.write(body)


def content_of(kind: str, arrays: Arrays, meta: Meta) -> tuple[bytes, memoryview]:
    """Return the bytes of a model file: its header, and its arrays."""
    if not _KIND.fullmatch(kind):
        raise ValueError(
            "the kind of a model is a short word of letters, digits, '_', '-' and '.', "
            f"not {kind!r}"
        )
    import safetensors.numpy  # not needed to read a model

    plain = {name: _plain_array(name, array) for name, array in arrays.items()}
    text = dump_json(meta)
    metadata = {
        "format": FORMAT,
        "format_version": str(FORMAT_VERSION),
        "kind": kind,
        "meta": text,
        "crc32": _checksum(kind, text, plain),
    }
    content = safetensors.numpy.save(plain, metadata)
    n_header = int.from_bytes(content[:8], "little")
    # The package writes metadata in random order; in ours, the same model is the same bytes.
    # Spaces align the arrays.
    header = dump_json({**json.loads(content[8 : 8 + n_header]), "__metadata__": metadata}).encode()
    header += b" " * (-len(header) % 8)
    if len(header) > MAX_HEADER_BYTES:
        raise ValueError(
            f"meta is too large for the header of a model file ({MAX_HEADER_BYTES} bytes): "
            "use arrays"
        )
    return len(header).to_bytes(8, "little") + header, memoryview(content)[8 + n_header :]


def load(path: PathLike, mmap: bool = False) -> ModelFile:
    """Read what `save` wrote; any other bytes are an InputError of one sentence.

    With `mmap`, arrays are read-only views of the file itself, mapped into memory: it must not be
    changed in place while they are in use (`save` never does, it replaces files whole), or the
    process dies.
    """
    try:
        # Asked before opening: to open a named pipe waits for its writer, and a device has no end.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise InputError("a model file was expected, not a folder, pipe or device.")
        with Path(path).open("rb") as stream:
            return _read(stream, mmap)
    except InputError as error:
        raise InputError(f"{name_of(path)}: {error}") from None
    except OSError as error:
        raise InputError(
            f"{name_of(path)}: the model cannot be read ({error.strerror or error})."
        ) from None
    except MemoryError:
        raise InputError(f"{name_of(path)}: the model does not fit into memory.") from None


def encode_strings(strings: Sequence[str]) -> tuple[NDArray[np.uint8], Ints]:
    """Return strings as arrays `(data, ptr)`: string i is the UTF-8 text data[ptr[i]:ptr[i+1]]."""
    encoded = [string.encode() for string in strings]
    ptr = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)), out=ptr[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), ptr


def decode_strings(data: NDArray[np.uint8], ptr: Ints) -> list[str]:
    """Return the strings of `encode_strings`; other arrays are an InputError."""
    rows = data.ndim == ptr.ndim == 1 and ptr.size > 0
    if not rows or data.dtype != np.uint8 or ptr.dtype != np.int64:
        raise InputError("a list of strings was expected as a row of uint8 and a row of int64.")
    if ptr[0] != 0 or ptr[-1] != data.size or np.any(ptr[1:] < ptr[:-1]):
        raise InputError(
            "the boundaries of a list of strings do not ascend from 0 to the length of its text."
        )
    text = data.tobytes()
    bounds = ptr.tolist()
    try:
        return [text[start:end].decode() for start, end in itertools.pairwise(bounds)]
    except UnicodeDecodeError:
        raise InputError("a list of strings is not valid UTF-8.") from None


def _read(stream: BinaryIO, mapped: bool) -> ModelFile:
    size = os.fstat(stream.fileno()).st_size
    prefix = stream.read(8)
    if len(prefix) < 8:
        raise InputError("not a laconic model: the file is empty or too short.")
    n_header = int.from_bytes(prefix, "little")
    if n_header > min(MAX_HEADER_BYTES, size - 8):
        raise InputError(
            "not a laconic model, or a truncated one: its header does not fit into the file."
        )
    prefix += stream.read(n_header)
    header = _check_header(prefix[8:], size - 8 - n_header)
    meta = parse_json(header.meta.encode(), "meta")
    content: bytearray | mmap.mmap
    if mapped:
        import mmap

        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    else:
        stream.seek(0)
        content = bytearray(size)
        del content[stream.readinto(content) :]  # type: ignore[attr-defined]
    if len(content) != size or content[: len(prefix)] != prefix:
        raise InputError("the file changed while it was read.")
    arrays = _views(content, prefix)
    if _checksum(header.kind, header.meta, arrays) != header.crc32:
        raise InputError("the file is damaged: its checksum does not match its content.")
    return ModelFile(header.kind, header.version, arrays, meta)


def _views(content: bytearray | mmap.mmap, prefix: bytes) -> Arrays:
    """Return the arrays of a file whose header has been checked, where they lie in its content."""
    arrays = {}
    for name, entry in json.loads(prefix[8:]).items():
        if name != "__metadata__":
            start, dtype = len(prefix) + entry["data_offsets"][0], DTYPES[entry["dtype"]]
            flat = np.frombuffer(content, dtype, math.prod(entry["shape"]), start)
            if start % dtype.itemsize:  # a header of another length than `save` gives it
                flat = flat.copy()
            arrays[name] = flat.reshape(entry["shape"])
    return arrays


def _check_header(raw: bytes, n_data: int) -> _Header:
    """Return the metadata of a header that `n_data` bytes of arrays follow, or raise InputError."""
    entries = parse_json(raw, "header")
    metadata = entries.pop("__metadata__", None)
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise InputError("not a laconic model: the header does not name that format.")
    version = metadata.get("format_version")
    if not isinstance(version, str) or not re.fullmatch("[1-9][0-9]{0,8}", version):
        raise InputError(f"the format version is not a number but {brief(version)}.")
    # Before all else: a newer format may differ in everything that follows.
    if int(version) > FORMAT_VERSION:
        raise InputError(
            f"written by a newer laconic (format {version}, this one reads up to {FORMAT_VERSION})."
        )
    kind, meta, crc32 = (metadata.get(key) for key in ("kind", "meta", "crc32"))
    if not isinstance(kind, str) or not isinstance(meta, str) or not isinstance(crc32, str):
        raise InputError("the header lacks the kind of the model, its meta or its checksum.")
    if not _KIND.fullmatch(kind):
        raise InputError(f"the kind of the model is not a word but {brief(kind)}.")
    spans = sorted(_check_entry(name, entry) for name, entry in entries.items())
    end = 0
    for start, stop in spans:
        if start != end:
            raise InputError("the arrays overlap or leave holes.")
        end = stop
    if end != n_data:
        raise InputError(
            f"the file is truncated or has a tail: its arrays take {end} bytes, {n_data} are there."
        )
    return _Header(kind, int(version), meta, crc32)


def _check_entry(name: str, entry: object) -> tuple[int, int]:
    """Return the byte range of one array, whose length is that of its shape and type."""
    shown = f"array {brief(name)}"
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise InputError(f"{shown} is not described by dtype, shape and data_offsets.")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise InputError(
            f"{shown} has the type {brief(dtype)}, expected one of {', '.join(DTYPES)}."
        )
    possible = _are_sizes(shape) and len(shape) <= MAX_DIMENSIONS
    if not possible or math.prod(filter(None, shape)) >= 2**60:
        raise InputError(f"{shown} has the impossible shape {brief(shape)}.")
    if not _are_sizes(offsets) or len(offsets) != 2:
        raise InputError(f"{shown} has the impossible byte range {brief(offsets)}.")
    start, stop = offsets
    if stop - start != math.prod(shape) * DTYPES[dtype].itemsize:
        raise InputError(f"{shown} has the shape {brief(shape)} but {stop - start} bytes.")
    return start, stop


def _are_sizes(value: object) -> bool:
    return isinstance(value, list) and all(type(item) is int and item >= 0 for item in value)


def _plain_array(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as the container takes it: C order, little endian, of an allowed type."""
    plain = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
    allowed = plain.dtype in DTYPES.values() and plain.ndim <= MAX_DIMENSIONS
    if name in ("", "__metadata__") or not allowed:
        raise ValueError(
            f"array {name!r} of type {array.dtype} and {array.ndim} dimensions cannot be stored: "
            f"expected a name, one of {', '.join(str(dtype) for dtype in DTYPES.values())} "
            f"and at most {MAX_DIMENSIONS} dimensions"
        )
    return plain


def _checksum(kind: str, meta: str, arrays: Arrays) -> str:
    """Return the CRC-32 of kind, meta, and the names, shapes and values of arrays."""
    crc = zlib.crc32(json.dumps([kind, meta]).encode())
    for name, array in sorted(arrays.items()):
        crc = zlib.crc32(json.dumps([name, array.dtype.str, array.shape]).encode(), crc)
        crc = zlib.crc32(array.reshape(-1).view(np.uint8).data, crc)
    return f"{crc:08x}"
