"""Outputs that would destroy an input are refused; --version and completion say what there is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from laconic.cli.options import check_output
from laconic.errors import InputError
from laconic.version import __version__


def laconic(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "laconic", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_output_that_is_an_input_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("words")
    Path("link").symlink_to("text")
    for output in ("text", "./text", "link", str(tmp_path / "text")):
        with pytest.raises(InputError, match="this is an input, too: write to another file"):
            check_output(output, "none such", 3, None, ["other", "text"])
    check_output("new", "text")
    check_output("-", "-", "text")


@pytest.mark.parametrize("verb", ["predict", "compress", "report", "export"])
def test_verbs_leave_their_model_alone(verb: str, tmp_path: Path) -> None:
    model = tmp_path / "model.laconic"
    model.write_bytes(b"whatever")
    done = laconic(verb, str(model), "-o", str(model))
    assert (done.returncode, done.stdout) == (2, "")
    assert "this is an input, too" in done.stderr
    assert model.read_bytes() == b"whatever"


def test_training_data_are_left_alone(tmp_path: Path) -> None:
    data = tmp_path / "train.jsonl"
    data.write_text('{"text": "a", "label": "b"}')
    done = laconic("train", "classify", str(data), "-o", str(data))
    assert (done.returncode, done.stdout) == (2, "")
    assert "this is an input, too" in done.stderr


def test_the_version_names_python_and_kernels() -> None:
    said = laconic("--version").stdout
    assert said.startswith(f"laconic {__version__} (Python {sys.version_info[0]}.")
    assert "kernels" in said


def test_shells_complete_verbs() -> None:
    done = laconic(_LACONIC_COMPLETE="complete_bash", COMP_WORDS="laconic pre", COMP_CWORD="1")
    assert "predict" in done.stdout
