"""A model file is named arrays + JSON in one safetensors container, never code.

    8 bytes   length n of the header, little endian
    n bytes   header: JSON, {"__metadata__": {...}, array name: {"dtype", "shape", "data_offsets"}, ...}
    the rest  the bytes of the arrays, one after another, without holes

`__metadata__` holds strings only: format "laconic", format_version, kind (which estimator wrote it), meta (JSON) and
crc32, a checksum of all of these and of the arrays. `load` treats the file as written by a stranger: each claim of the
header is compared with the size of the file before anything of that size is allocated.
"""

from __future__ import annotations

import itertools
import json
import math
import mmap
import os
import re
import stat
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from safetensors import SafetensorError

from laconic.errors import InputError
from laconic.text.io import PathLike, atomic_writer, name_of

FORMAT = "laconic"
FORMAT_VERSION = 1
MAX_HEADER_BYTES = 100_000_000  # the limit of the safetensors package itself
MAX_JSON_DEPTH = 64
MAX_DIMENSIONS = 8
# Types that are plain numbers in every NumPy; BOOL is absent since a byte other than 0 or 1 is not a valid bool.
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


class ModelFile(NamedTuple):
    """What a model file holds: `kind` names the estimator that understands `arrays` and `meta`."""

    kind: str
    version: int
    arrays: dict[str, NDArray[Any]]
    meta: dict[str, Any]


class _Header(NamedTuple):
    """The metadata of a header whose every claim about arrays has been found true of the file."""

    kind: str
    version: int
    meta: str
    crc32: str


def save(path: PathLike, kind: str, arrays: dict[str, NDArray[Any]], meta: dict[str, Any]) -> None:
    """Write one model file, whole or not at all; `meta` is made of JSON values, tuples become lists."""
    head, body = content_of(kind, arrays, meta)
    with atomic_writer(path, binary=True) as stream:
        stream.write(head)
        stream.write(body)


def content_of(
    kind: str, arrays: dict[str, NDArray[Any]], meta: dict[str, Any]
) -> tuple[bytes, memoryview]:
    """The bytes of a model file: its header, and its arrays."""
    if not _KIND.fullmatch(kind):
        raise ValueError(
            f"the kind of a model is a short word of letters, digits, '_', '-' and '.', not {kind!r}"
        )
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
    # The package writes metadata in random order; in ours, the same model is the same bytes. Spaces align the arrays.
    header = dump_json({**json.loads(content[8 : 8 + n_header]), "__metadata__": metadata}).encode()
    header += b" " * (-len(header) % 8)
    if len(header) > MAX_HEADER_BYTES:
        raise ValueError(
            f"meta is too large for the header of a model file ({MAX_HEADER_BYTES} bytes): use arrays"
        )
    return len(header).to_bytes(8, "little") + header, memoryview(content)[8 + n_header :]


def load(path: PathLike, mapped: Callable[[str], bool] = lambda kind: False) -> ModelFile:
    """Read what `save` wrote; any other bytes are an InputError of one sentence.

    Arrays of kinds for which `mapped` is true are read-only views of the file itself, mapped into memory: it must not be changed in place
    while they are in use (`save` never does, it replaces files whole).
    """
    try:
        # Asked before opening: to open a named pipe waits for its writer, and a device has no end.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise InputError("a model file was expected, not a folder, pipe or device.")
        with Path(path).open("rb") as stream:
            return _read(stream, mapped)
    except InputError as error:
        raise InputError(f"{name_of(path)}: {error}") from None
    except OSError as error:
        raise InputError(
            f"{name_of(path)}: the model cannot be read ({error.strerror or error})."
        ) from None
    except MemoryError:
        raise InputError(f"{name_of(path)}: the model does not fit into memory.") from None


def encode_strings(strings: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Strings as arrays: `(data, ptr)`, string i is the UTF-8 text `data[ptr[i]:ptr[i + 1]]`; ptr has length n + 1."""
    encoded = [string.encode() for string in strings]
    ptr = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)), out=ptr[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), ptr


def decode_strings(data: NDArray[np.uint8], ptr: NDArray[np.int64]) -> list[str]:
    """The inverse of `encode_strings`; arrays that it cannot have written are an InputError."""
    if (
        data.ndim != 1
        or data.dtype != np.uint8
        or ptr.ndim != 1
        or ptr.dtype != np.int64
        or ptr.size == 0
    ):
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


def _read(stream: BinaryIO, mapped: Callable[[str], bool]) -> ModelFile:
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
    if mapped(header.kind):
        view = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        _check_unchanged(view, size, prefix)
        arrays = _views(view, prefix)
    else:
        stream.seek(0)
        content = stream.read(size)
        _check_unchanged(content, size, prefix)
        try:
            arrays = safetensors.numpy.load(content)
        except (SafetensorError, ValueError) as error:
            raise InputError(f"not a valid safetensors file: {error}.") from None
    if _checksum(header.kind, header.meta, arrays) != header.crc32:
        raise InputError("the file is damaged: its checksum does not match its content.")
    return ModelFile(header.kind, header.version, arrays, meta)


def _check_unchanged(content: bytes | mmap.mmap, size: int, prefix: bytes) -> None:
    if len(content) != size or content[: len(prefix)] != prefix:
        raise InputError("the file changed while it was read.")


def _views(content: mmap.mmap, prefix: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of a mapped file whose header has been checked."""
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
    """All that the header says, or an InputError; `n_data` bytes of arrays follow it in the file."""
    entries = parse_json(raw, "header")
    metadata = entries.pop("__metadata__", None)
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise InputError("not a laconic model: the header does not name that format.")
    version = metadata.get("format_version")
    if not isinstance(version, str) or not re.fullmatch("[1-9][0-9]{0,8}", version):
        raise InputError(f"the format version is not a number but {_brief(version)}.")
    if (
        int(version) > FORMAT_VERSION
    ):  # before all else: a newer format may differ in everything that follows
        raise InputError(
            f"written by a newer laconic (format {version}, this one reads up to {FORMAT_VERSION})."
        )
    kind, meta, crc32 = (metadata.get(key) for key in ("kind", "meta", "crc32"))
    if not isinstance(kind, str) or not isinstance(meta, str) or not isinstance(crc32, str):
        raise InputError("the header lacks the kind of the model, its meta or its checksum.")
    if not _KIND.fullmatch(kind):
        raise InputError(f"the kind of the model is not a word but {_brief(kind)}.")
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


def _check_entry(name: str, entry: Any) -> tuple[int, int]:
    """The byte range of one array, after shape x item size was found equal to its length."""
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise InputError(f"array {_brief(name)} is not described by dtype, shape and data_offsets.")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise InputError(
            f"array {_brief(name)} has the type {_brief(dtype)}, expected one of {', '.join(DTYPES)}."
        )
    if (
        not _are_sizes(shape)
        or len(shape) > MAX_DIMENSIONS
        or math.prod(filter(None, shape)) >= 2**60
    ):
        raise InputError(f"array {_brief(name)} has the impossible shape {_brief(shape)}.")
    if not _are_sizes(offsets) or len(offsets) != 2:
        raise InputError(f"array {_brief(name)} has the impossible byte range {_brief(offsets)}.")
    start, stop = offsets
    if stop - start != math.prod(shape) * DTYPES[dtype].itemsize:
        raise InputError(
            f"array {_brief(name)} has the shape {_brief(shape)} but {stop - start} bytes."
        )
    return start, stop


def _are_sizes(value: Any) -> bool:
    return isinstance(value, list) and all(type(item) is int and item >= 0 for item in value)


def parse_json(raw: bytes, what: str) -> dict[str, Any]:
    """One JSON object without duplicate keys, huge or non-finite numbers, broken Unicode or deep nesting."""
    try:
        value = json.loads(
            raw.decode(),
            object_pairs_hook=_object_without_duplicates,
            parse_int=_bounded_int,
            parse_constant=_refuse_constant,
        )
        _check_json(value)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the {what} is not valid JSON: {error}.") from None
    if not isinstance(value, dict):
        raise InputError(f"the {what} is not a JSON object.")
    return value


def dump_json(value: Any) -> str:
    """JSON as model files hold it; ValueError for what `parse_json` would not give back."""
    _check_json(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice")
    return value


def _bounded_int(digits: str) -> int:
    if len(digits) > 20:  # more than 64 bits; converting very long ones takes quadratic time
        raise ValueError("an integer is too long")
    return int(digits)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _check_json(root: Any) -> None:
    """ValueError unless `root` is made of what JSON gives back unchanged (tuples aside), nested at most 64 deep."""
    level = [root]
    for _ in range(MAX_JSON_DEPTH):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner.extend(value.values())
                for key in value:
                    if not isinstance(key, str):
                        raise ValueError(f"keys are strings, not {_brief(key)}")
                    key.encode()
            elif isinstance(value, list | tuple):
                inner.extend(value)
            elif isinstance(value, str):
                value.encode()  # a lone surrogate cannot be written or printed
            elif isinstance(value, float):
                if not math.isfinite(value):
                    raise ValueError("a number is not finite")
            elif isinstance(value, int):
                if not -(2**63) <= value < 2**64:
                    raise ValueError("an integer has more than 64 bits")
            elif value is not None:
                raise ValueError(f"{type(value).__name__} is not a JSON type")
        if not inner:
            return
        level = inner
    raise ValueError(f"nested more than {MAX_JSON_DEPTH} deep")


def _plain_array(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """The array as the container takes it: C order, little endian, one of the allowed types."""
    plain = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
    if (
        name in ("", "__metadata__")
        or plain.dtype not in DTYPES.values()
        or plain.ndim > MAX_DIMENSIONS
    ):
        raise ValueError(
            f"array {name!r} of type {array.dtype} and {array.ndim} dimensions cannot be stored: expected a name, "
            f"one of {', '.join(str(dtype) for dtype in DTYPES.values())} and at most {MAX_DIMENSIONS} dimensions"
        )
    return plain


def _checksum(kind: str, meta: str, arrays: dict[str, NDArray[Any]]) -> str:
    """CRC-32 of all that the file says, so that no flipped bit of weights, names, shapes or meta goes unseen."""
    crc = zlib.crc32(json.dumps([kind, meta]).encode())
    for name, array in sorted(arrays.items()):
        crc = zlib.crc32(json.dumps([name, array.dtype.str, array.shape]).encode(), crc)
        crc = zlib.crc32(array.reshape(-1).view(np.uint8).data, crc)
    return f"{crc:08x}"


def _brief(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else text[:77] + "..."
