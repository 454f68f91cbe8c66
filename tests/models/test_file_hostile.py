"""Model files written by chance or by malice: refused in one sentence, and at no cost."""

from __future__ import annotations

import json
import os
import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from laconic import Mira, Tagger
from laconic.errors import InputError
from laconic.models import file as files
from laconic.models.file import ModelFile, load, save
from laconic.models.save import load as load_model
from laconic.text.patterns import parse_templates

SMALL = {"w": np.array([[0.5, -1.0]]), "ids": np.array([3, 1], dtype=np.int32)}
META = {"strength": 0.1, "labels": ["no", "yes"], "naïve": None}

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
in_one_folder = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60
)


def refusal(path: Path, content: bytes, load: Callable[[Path], Any] = load) -> str:
    """The sentence by which `content` is refused; the test fails if it is not."""
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ") and "\n" not in message
    return message.removeprefix(f"{path}: ")


def container(header: Any, data: bytes = b"") -> bytes:
    """A file with this header, JSON unless bytes are given, true or not."""
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(raw).to_bytes(8, "little") + raw + data


def header(**changes: Any) -> dict[str, Any]:
    """A header of no arrays, as `save` writes it but for `changes`; None drops a key."""
    metadata = {"format": "laconic", "format_version": "1", "kind": "k", "meta": "{}", **changes}
    metadata.setdefault(
        "crc32", files._checksum(metadata["kind"] or "", metadata["meta"] or "", {})
    )
    return {"__metadata__": {key: value for key, value in metadata.items() if value is not None}}


def entry(dtype: Any = "U8", shape: Any = (2,), offsets: Any = (0, 2)) -> dict[str, Any]:
    return {**header(), "x": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}


@pytest.fixture
def small(tmp_path: Path) -> bytes:
    save(tmp_path / "small.laconic", "classify", SMALL, META)
    return (tmp_path / "small.laconic").read_bytes()


@pytest.fixture
def tagger(tmp_path: Path) -> bytes:
    sentence = [("a", "DT"), ("dog", "NN"), ("barks", "VBZ")]
    templates = parse_templates("word[0]\npos[-1] shape[0]\nbias", ("word", "pos"))
    Tagger(templates, Mira(1)).fit([sentence], [["B-NP", "I-NP", "O"]]).save(
        tmp_path / "tagger.laconic"
    )
    return (tmp_path / "tagger.laconic").read_bytes()


def test_truncation_at_every_byte_is_refused(tmp_path: Path, small: bytes) -> None:
    for length in range(len(small)):
        refusal(tmp_path / "m", small[:length])
    refusal(tmp_path / "m", small + b"\0")


@pytest.mark.slow
def test_every_flipped_bit_is_refused(tmp_path: Path, small: bytes) -> None:
    for bit in range(8 * len(small)):
        flipped = bytearray(small)
        flipped[bit // 8] ^= 1 << bit % 8
        refusal(tmp_path / "m", bytes(flipped))


@pytest.mark.slow
def test_a_damaged_tagger_is_refused_wherever_the_damage_is(tmp_path: Path, tagger: bytes) -> None:
    for length in range(0, len(tagger), 7):
        refusal(tmp_path / "m", tagger[:length], load_model)
    for bit in range(0, 8 * len(tagger), 29):
        flipped = bytearray(tagger)
        flipped[bit // 8] ^= 1 << bit % 8
        refusal(tmp_path / "m", bytes(flipped), load_model)


@pytest.mark.slow
@in_one_folder
@given(position=st.integers(0, 10**6), byte=st.integers(0, 255))
def test_a_tagger_forged_with_a_true_checksum_is_a_model_or_refused(
    tmp_path: Path, position: int, byte: int
) -> None:
    sentence = [("a", "DT"), ("dog", "NN"), ("barks", "VBZ")]
    path = tmp_path / "forged"
    Tagger("chunking72", Mira(1)).fit([sentence], [["B-NP", "I-NP", "O"]]).save(path)
    kind, _, arrays, meta = load(path)
    names = sorted(name for name, array in arrays.items() if array.size)
    name = names[position % len(names)]
    raw = bytearray(arrays[name].tobytes())
    raw[position // len(names) % len(raw)] = byte
    forged = np.frombuffer(bytes(raw), arrays[name].dtype).reshape(arrays[name].shape)
    save(path, kind, {**arrays, name: forged}, meta)
    try:
        model = load_model(path)
    except InputError as error:
        assert str(error).startswith(f"{path}: not a usable model: ")
    else:
        assert len(model.predict([sentence])[0]) == 3


def test_a_flipped_bit_of_a_weight_is_called_damage(tmp_path: Path, small: bytes) -> None:
    assert "the file is damaged" in refusal(tmp_path / "m", small[:-1] + bytes([small[-1] ^ 1]))


@in_one_folder
@given(st.binary(max_size=200))
def test_random_bytes_are_refused(tmp_path: Path, content: bytes) -> None:
    refusal(tmp_path / "m", content)


@in_one_folder
@given(json_values, st.binary(max_size=20))
def test_random_headers_are_refused(tmp_path: Path, value: Any, data: bytes) -> None:
    refusal(tmp_path / "m", container(value, data))


@in_one_folder
@given(json_values, json_values, json_values)
def test_random_claims_about_an_array_are_refused(
    tmp_path: Path, dtype: Any, shape: Any, offsets: Any
) -> None:
    refusal(tmp_path / "m", container(entry(dtype, shape, offsets), b"ab"))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "empty or too short"),
        (b"\0" * 7, "empty or too short"),
        (pickle.dumps({"w": [1.0] * 50}), "header does not fit"),
        (b"PK\x03\x04" + b"\0" * 100, "header does not fit"),
        ((2**63).to_bytes(8, "little") + b"{}", "header does not fit"),
        ((2**64 - 1).to_bytes(8, "little") + b"{}", "header does not fit"),
        (container(b"[" * 100_000 + b"]" * 100_000), "not valid JSON"),
        (container(b'{"a":' * 100_000), "not valid JSON"),
        (container(b'{"a":' + b"[" * 70 + b"]" * 70 + b"}"), "nested more than 64 deep"),
        (container(b'{"a":1,"a":2}'), "a key occurs twice"),
        (container(b'{"a":NaN}'), "NaN is not a JSON number"),
        (container(b'{"a":-Infinity}'), "-Infinity is not a JSON number"),
        (container(b'{"a":1e999}'), "a number is not finite"),
        (container(b'{"a":' + b"9" * 5000 + b"}"), "an integer is too long"),
        (container(b'{"a":"\xff"}'), "not valid JSON"),
        (container([]), "not a JSON object"),
        (container({}), "does not name that format"),
        (safetensors.numpy.save(SMALL), "does not name that format"),
        (container(header(format="other")), "does not name that format"),
        (container(header(format_version="2")), "written by a newer laconic"),
        (container({**header(format_version="7"), "x": "y"}), "written by a newer laconic"),
        (container(header(format_version="0")), "version is not a number"),
        (container(header(format_version=None)), "version is not a number"),
        (container(header(format_version="9" * 5000)), "version is not a number"),
        (container(header(kind=None)), "lacks the kind"),
        (container(header(meta=None)), "lacks the kind of the model, its meta"),
        (container(header(crc32=7)), "or its checksum"),
        (container(header(crc32="00000000")), "the file is damaged"),
        (container(header(kind="../\x1b[2J")), "kind of the model is not a word"),
        (container(header(meta="[" * 100_000)), "the meta is not valid JSON"),
        (container(header(meta='{"a":NaN}')), "NaN is not a JSON number"),
        (container(header(meta='{"a":"\\ud800"}')), "the meta is not valid JSON"),
        (container(header(meta="3")), "the meta is not a JSON object"),
        (container({**header(), "x": 1}), "not described by"),
        (container(entry(dtype="BF16"), b"ab"), "has the type 'BF16'"),
        (container(entry(dtype="BOOL"), b"ab"), "has the type 'BOOL'"),
        (container(entry(dtype=["U8"]), b"ab"), "has the type"),
        (container(entry(shape=[-2]), b"ab"), "impossible shape"),
        (container(entry(shape=[True, 2]), b"ab"), "impossible shape"),
        (container(entry(shape=[2.0]), b"ab"), "impossible shape"),
        (container(entry(shape=[1] * 9 + [2]), b"ab"), "impossible shape"),
        (container(entry(shape=[2**32, 2**32]), b"ab"), "impossible shape"),
        (container(entry(shape=[0, 2**32, 2**32], offsets=[0, 0])), "impossible shape"),
        (container(entry(shape=[2**40], offsets=[0, 2**40]), b"ab"), "truncated or has a tail"),
        (container(entry(shape=[3]), b"ab"), "but 2 bytes"),
        (container(entry(offsets=[2, 0]), b"ab"), "but -2 bytes"),
        (container(entry(offsets=[-2, 0]), b"ab"), "impossible byte range"),
        (container(entry(offsets=[0, 1, 2]), b"ab"), "impossible byte range"),
        (container(entry(offsets=[1, 3]), b"abc"), "overlap or leave holes"),
        (container({**entry(), "y": entry()["x"]}, b"ab"), "overlap or leave holes"),
        (container(entry(), b"abc"), "truncated or has a tail"),
    ],
)
def test_each_lie_is_named(tmp_path: Path, content: bytes, complaint: str) -> None:
    assert complaint in refusal(tmp_path / "m", content)


def test_the_helpers_of_this_test_make_a_file_that_loads(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(container(header()))
    assert load(tmp_path / "m") == ModelFile("k", 1, {}, {})


def test_claims_of_terabytes_allocate_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m"
    with path.open("wb") as stream:  # a sparse file, as large as it claims, but no model
        stream.write((2**62).to_bytes(8, "little"))
        stream.truncate(2**36)
    claims = container(entry(shape=[2**40], offsets=[0, 2**40]))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="header does not fit"):
            load(path)
        refusal(path, claims)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a folder"):
        load(tmp_path)
    with pytest.raises(InputError, match="absent: the model cannot be read"):
        load(tmp_path / "absent")
    os.mkfifo(tmp_path / "pipe")
    for endless in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(InputError, match="pipe or device"):
            load(endless)


def test_memory_that_runs_out_is_an_input_error(
    tmp_path: Path, small: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(content: bytes, prefix: bytes) -> None:
        raise MemoryError

    monkeypatch.setattr(files, "_views", exhausted)
    assert "does not fit into memory" in refusal(tmp_path / "m", small)
