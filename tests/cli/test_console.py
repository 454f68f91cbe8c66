"""What the command line says and how it ends."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from laconic.cli.console import fail, guard, print_result, progress
from laconic.errors import InputError


def open_absent() -> None:
    Path("absent.txt").read_text()


def open_folder() -> None:
    Path().read_text()


def decode_bad_bytes() -> None:
    b"ab\xff".decode()


def raising(error: Exception) -> Callable[[], None]:
    def verb() -> None:
        raise error

    return verb


@pytest.mark.parametrize(
    ("verb", "sentence"),
    [
        (raising(InputError("a.txt:3: expected a label.")), "a.txt:3: expected a label."),
        (raising(ValueError("strength is\n  negative")), "strength is negative"),
        (raising(ValueError()), "ValueError"),
        (open_absent, "absent.txt: there is no such file or folder."),
        (open_folder, ".: a file was expected, this is a folder."),
        (raising(PermissionError(13, "Permission denied", "a.txt")), "a.txt: permission denied."),
        (
            raising(OSError(28, "No space left on device", b"a.txt")),
            "a.txt: No space left on device.",
        ),
        (raising(OSError(28, "No space left on device")), "[Errno 28] No space left on device"),
        (decode_bad_bytes, "the input is not utf-8 text: byte 0xff at offset 2."),
        (raising(MemoryError()), "there is not enough memory."),
        (raising(MemoryError("8 GB asked")), "there is not enough memory (8 GB asked)."),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    verb: Callable[[], None],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LACONIC_DEBUG", raising=False)
    with pytest.raises(SystemExit) as caught, guard():
        verb()
    assert caught.value.code == 2
    assert capsys.readouterr() == ("", f"laconic: error: {sentence}\n")


def test_ctrl_c_is_exit_code_130(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught, guard():
        raise KeyboardInterrupt
    assert caught.value.code == 130
    assert capsys.readouterr().err == "laconic: error: interrupted.\n"


def test_debugging_shows_the_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LACONIC_DEBUG", "1")
    with pytest.raises(SystemExit), guard():
        raise InputError("bad")
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback") and shown.endswith("laconic: error: bad\n")


@pytest.mark.parametrize("error", [TypeError("defect"), KeyError("defect"), AssertionError()])
def test_defects_keep_their_traceback(error: Exception) -> None:
    with pytest.raises(type(error)), guard():
        raise error


def test_a_name_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    fail("a\x1b[2J\x07b: [bold]not found[/bold]")
    assert capsys.readouterr().err == "laconic: error: a?[2J?b: [bold]not found[/bold]\n"


def test_a_package_of_an_extra_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught, guard():
        raise ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib.figure")
    assert caught.value.code == 2
    assert "pip install 'laconic[report]'" in capsys.readouterr().err
    with pytest.raises(ModuleNotFoundError), guard():
        raise ModuleNotFoundError("No module named 'laconic.x'", name="laconic.x")


def test_guard_decorates_verbs_of_typer() -> None:
    app = typer.Typer()

    @app.command()
    @guard()
    def verb(count: Annotated[int, typer.Option("--count")] = 1) -> None:
        if count < 0:
            raise ValueError("count is negative")
        typer.echo(count * 2)

    assert CliRunner().invoke(app, ["--count", "4"]).output == "8\n"
    for _ in range(2):
        result = CliRunner().invoke(app, ["--count", "-4"])
        assert result.exit_code == 2 and "laconic: error: count is negative\n" in result.output
    assert CliRunner().invoke(app, ["--count", "many"]).exit_code == 2


@pytest.mark.parametrize(
    "n_lines", [1, 100_000]
)  # met when the buffer is flushed at the end, and in the middle
def test_a_closed_pipe_ends_quietly(n_lines: int) -> None:
    verb = (
        "from laconic.cli.console import guard\nwith guard():\n"
        f"    for i in range({n_lines}): print(i)\n"
    )
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", verb], stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert done.returncode == 141  # as of programs that the signal SIGPIPE ends
    assert done.stderr == ""


def run_on_terminal(code: str) -> bytes:
    """What a program writes to stderr when that is a terminal."""
    controller, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    subprocess.run(
        [sys.executable, "-c", code], stderr=terminal, check=True, env=environment, timeout=60
    )
    os.close(terminal)
    shown = b""
    try:
        while block := os.read(controller, 65536):
            shown += block
    except OSError:  # the end of a terminal without a writer
        pass
    os.close(controller)
    return shown


WORK = """
from laconic.cli.console import progress
with progress("fitting [a]", total={total}, quiet={quiet}) as bar:
    bar.advance(3)
    bar.describe("testing [b]")
    bar.advance()
"""


@pytest.mark.parametrize("total", [10, None])
def test_a_terminal_sees_a_bar_unless_quiet(total: int | None) -> None:
    shown = run_on_terminal(WORK.format(total=total, quiet=False))
    assert b"testing [b]" in shown and (b"4/10" in shown) == (total == 10)
    assert run_on_terminal(WORK.format(total=total, quiet=True)) == b""


def test_a_pipe_sees_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("fitting", total=10) as bar:
        bar.advance()
        bar.describe("testing")
    assert capsys.readouterr() == ("", "")


def test_rich_is_not_imported_without_a_terminal() -> None:
    code = WORK.format(total=3, quiet=False) + "\nimport sys; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE).returncode == 0


RESULT = {
    "kind": "classify",
    "seconds": np.float64(1.23456789),
    "features": {"total": np.int64(1000), "nonzero": 12},
    "converged": np.bool_(True),
    "certificate": float("nan"),
    "labels": ["no", "[yes]"],
    "selected": [{"word": "[red]pixel", "weight": 0.5}, {"word": "a" * 200, "weight": -12.25}],
    "strengths": np.array([1.0, np.inf]),
}


def test_json_is_one_object_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(RESULT, as_json=True)
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    loaded = json.loads(printed, parse_constant=pytest.fail)
    assert loaded["features"] == {"total": 1000, "nonzero": 12} and loaded["converged"] is True
    assert loaded["certificate"] is None and loaded["strengths"] == [1.0, None]
    assert loaded["selected"] == RESULT["selected"]


def test_people_get_aligned_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(RESULT, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:7] == [
        "kind              classify",
        "seconds           1.23457",
        "features.total    1000",
        "features.nonzero  12",
        "converged         yes",
        "certificate       -",
        "labels            no, [yes]",
    ]
    listing = lines[lines.index("selected") + 1 :]
    assert [line.split() for line in listing] == [
        ["word", "weight"],
        ["[red]pixel", "0.5"],
        ["a" * 200, "-12.25"],
    ]
    assert len({len(line) for line in listing}) == 1


def test_an_empty_result_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    print_result({}, as_json=False)
    assert stream.getvalue() == ""
