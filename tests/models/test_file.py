"""Model files: what is saved comes back, and what could not come back is not saved."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from laconic.errors import InputError
from laconic.models import file as files
from laconic.models.file import ModelFile, decode_strings, encode_strings, load, save

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
stored_arrays = st.sampled_from(list(files.DTYPES.values())).flatmap(
    lambda dtype: hnp.arrays(
        dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
    )
)
array_names = st.text(min_size=1).filter(lambda name: name != "__metadata__")
in_one_folder = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60
)


def same(left: ModelFile, right: ModelFile) -> bool:
    return (
        left._replace(arrays={}) == right._replace(arrays={})
        and left.arrays.keys() == right.arrays.keys()
        and all(left.arrays[name].dtype == right.arrays[name].dtype for name in left.arrays)
        and all(left.arrays[name].shape == right.arrays[name].shape for name in left.arrays)
        and all(left.arrays[name].tobytes() == right.arrays[name].tobytes() for name in left.arrays)
    )


@in_one_folder
@given(
    st.dictionaries(array_names, stored_arrays, max_size=3),
    st.dictionaries(st.text(), json_values, max_size=3),
)
def test_what_is_saved_comes_back(
    tmp_path: Path, arrays: dict[str, np.ndarray], meta: dict[str, Any]
) -> None:
    save(tmp_path / "m", "tag", arrays, meta)
    assert same(load(tmp_path / "m"), ModelFile("tag", files.FORMAT_VERSION, arrays, meta))


def test_layout_of_memory_does_not_matter_and_loaded_arrays_are_writable(tmp_path: Path) -> None:
    square = np.arange(12.0).reshape(3, 4)
    views = {"transposed": square.T, "strided": square[:, ::2], "big": square.astype(">f8")}
    save(tmp_path / "m", "k", views, {})
    loaded = load(tmp_path / "m").arrays
    for name, view in views.items():
        np.testing.assert_array_equal(loaded[name], view)
        assert (
            loaded[name].flags.writeable
            and loaded[name].flags.c_contiguous
            and loaded[name].dtype == np.float64
        )


def test_other_safetensors_readers_understand_the_file(tmp_path: Path) -> None:
    save(tmp_path / "m", "k", SMALL, META)
    loaded = safetensors.numpy.load_file(tmp_path / "m")
    assert loaded.keys() == SMALL.keys()
    for name, array in SMALL.items():
        np.testing.assert_array_equal(loaded[name], array)


def test_the_same_model_is_the_same_bytes(tmp_path: Path) -> None:
    for name in "abcdefgh":
        save(tmp_path / name, "k", SMALL, META)
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, MemoryError])
def test_a_save_that_fails_leaves_the_old_model_and_nothing_else(
    tmp_path: Path, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m"
    save(path, "k", SMALL, META)
    before = path.read_bytes()

    def failing(descriptor: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(error):
        save(path, "k", {"w": np.zeros(1000)}, {})
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["m"]


@pytest.mark.parametrize(
    ("kind", "arrays", "meta"),
    [
        ("", {}, {}),
        ("two words", {}, {}),
        ("k", {"x": np.array([object()])}, {}),
        ("k", {"x": np.array(["text"])}, {}),
        ("k", {"x": np.array([True])}, {}),
        ("k", {"x": np.zeros((1,) * 9)}, {}),
        ("k", {"__metadata__": np.zeros(1)}, {}),
        ("k", {"": np.zeros(1)}, {}),
        ("k", {"\ud800": np.zeros(1)}, {}),
        ("k", {}, {"x": float("nan")}),
        ("k", {}, {"x": {1: "a"}}),
        ("k", {}, {"x": np.int64(1)}),
        ("k", {}, {"x": 2**64}),
        ("k", {}, {"x": "\ud800"}),
        ("k", {}, {"x": {"a", "b"}}),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(
    tmp_path: Path, kind: str, arrays: dict, meta: dict
) -> None:
    with pytest.raises(ValueError):
        save(tmp_path / "m", kind, arrays, meta)
    assert os.listdir(tmp_path) == []


def test_a_header_too_large_to_load_is_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_HEADER_BYTES", 1000)
    with pytest.raises(ValueError, match="too large"):
        save(tmp_path / "m", "k", {}, {"x": "a" * 1000})


@given(st.lists(st.text()))
def test_strings_come_back(strings: list[str]) -> None:
    data, ptr = encode_strings(strings)
    assert data.dtype == np.uint8 and ptr.dtype == np.int64 and len(ptr) == len(strings) + 1
    assert decode_strings(data, ptr) == strings


@pytest.mark.parametrize(
    ("data", "ptr"),
    [
        (b"ab", []),
        (b"ab", [0, 1]),
        (b"ab", [1, 2]),
        (b"ab", [0, 3]),
        (b"ab", [0, 2, 1, 2]),
        (b"ab", [0, -1, 2]),
        (b"\xff", [0, 1]),
        ("é".encode(), [0, 1, 2]),
    ],
)
def test_strings_with_wrong_boundaries_or_bytes_are_refused(data: bytes, ptr: list[int]) -> None:
    with pytest.raises(InputError):
        decode_strings(np.frombuffer(data, dtype=np.uint8), np.array(ptr, dtype=np.int64))


def test_strings_of_wrong_type_are_refused() -> None:
    data, ptr = encode_strings(["a"])
    for wrong in [
        (data.astype(np.int32), ptr),
        (data, ptr.astype(float)),
        (data[None], ptr),
        (data, ptr[None]),
    ]:
        with pytest.raises(InputError, match="expected"):
            decode_strings(*wrong)
