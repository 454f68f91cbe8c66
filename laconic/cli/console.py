"""What the command line says: results on stdout; errors and progress on stderr; one sentence for each mistake."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import sys
import traceback
from collections.abc import Iterator
from typing import Any, Protocol

BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, what shells expect


def fail(message: str) -> None:
    """Print `laconic: error: <message>` to stderr, on one line and without control characters."""
    line = "".join(
        character if character.isprintable() else "?" for character in " ".join(message.split())
    )
    with contextlib.suppress(OSError):  # nobody is left to tell when stderr is closed
        print(f"laconic: error: {line}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def guard() -> Iterator[None]:
    """Around (or, as `@guard()`, upon) every verb: mistakes of users become one sentence and exit code 2.

    Ctrl-C becomes exit code 130. Other exceptions are defects of ours and keep their traceback. With LACONIC_DEBUG=1
    the traceback is printed before the sentence.
    """
    try:
        yield
        sys.stdout.flush()  # so that a closed pipe is noticed here and not while the interpreter shuts down
    except KeyboardInterrupt:
        _show_traceback_if_debugging()
        fail("interrupted.")
        raise SystemExit(INTERRUPTED) from None
    except (
        ValueError,
        OSError,
        MemoryError,
    ) as error:  # InputError and UnicodeDecodeError are ValueErrors
        _show_traceback_if_debugging()
        if isinstance(error, BrokenPipeError):
            _discard_stdout()
        fail(_sentence(error))
        raise SystemExit(BAD_INPUT) from None


def _show_traceback_if_debugging() -> None:
    if os.environ.get("LACONIC_DEBUG", "") not in ("", "0"):
        traceback.print_exc()


def _discard_stdout() -> None:
    """Send what is still buffered to nowhere, lest the interpreter complains of the closed pipe once more at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sentence(error: Exception) -> str:
    if isinstance(error, MemoryError):
        said = str(error).rstrip(".")
        return f"there is not enough memory ({said})." if said else "there is not enough memory."
    if isinstance(error, BrokenPipeError):
        return "the output was closed before all of it was written."
    if isinstance(error, UnicodeDecodeError):
        return f"the input is not {error.encoding} text: byte 0x{error.object[error.start]:02x} at offset {error.start}."
    if isinstance(error, OSError) and error.filename is not None:
        name = (
            os.fsdecode(error.filename)
            if isinstance(error.filename, bytes)
            else str(error.filename)
        )
        return f"{name}: {_OS_SENTENCES.get(type(error), f'{error.strerror}.')}"
    return str(error) or type(error).__name__


_OS_SENTENCES: dict[type[OSError], str] = {
    FileNotFoundError: "there is no such file or folder.",
    IsADirectoryError: "a file was expected, this is a folder.",
    PermissionError: "permission denied.",
}


class Bar(Protocol):
    """A running progress bar."""

    def advance(self, amount: float = 1) -> None:
        """So much more of the total is done."""

    def describe(self, text: str) -> None:
        """Show another description from now on."""


class _NoBar:
    def advance(self, amount: float = 1) -> None:
        """Nothing to draw."""

    def describe(self, text: str) -> None:
        """Nothing to draw."""


@contextlib.contextmanager
def progress(description: str, total: float | None = None, *, quiet: bool = False) -> Iterator[Bar]:
    """A progress bar on stderr while the block runs; nothing when stderr is not a terminal, or when `quiet`."""
    if quiet or not sys.stderr.isatty():
        yield _NoBar()
        return
    from laconic.cli.bar import (
        RichBar,
    )  # imported late: `laconic predict` in a pipe never pays for rich

    with RichBar(description, total) as bar:
        yield bar


def print_result(result: dict[str, Any], as_json: bool) -> None:
    """Print a result on stdout: one JSON object on one line, or an aligned table for people."""
    if as_json:
        print(json.dumps(_jsonable(result), allow_nan=False))
    else:
        print(_table(result), end="")


def _jsonable(value: Any) -> Any:
    """NumPy scalars and arrays as Python values; non-finite numbers, which JSON lacks, as null."""
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)


def _table(result: dict[str, Any]) -> str:
    """`name  value` lines, nested names joined by dots; lists of dicts follow as tables of their own."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    lines: dict[str, Any] = {}
    listings: dict[str, list[dict[str, Any]]] = {}
    _flatten("", _jsonable(result), lines, listings)
    # As wide as it needs and not as the terminal is: a wrapped line cannot be searched or cut.
    console = Console(file=io.StringIO(), width=100_000, color_system=None, legacy_windows=False)
    grid = Table.grid(padding=(0, 2), pad_edge=False)
    for name, value in lines.items():
        grid.add_row(Text(name), Text(_cell(value)))
    if lines:
        console.print(grid)
    for name, rows in listings.items():
        table = Table(box=None, pad_edge=False, padding=(0, 1))
        columns = list(dict.fromkeys(column for row in rows for column in row))
        for column in columns:
            numeric = all(isinstance(row.get(column), int | float | None) for row in rows)
            table.add_column(Text(column), justify="right" if numeric else "left")
        for row in rows:
            table.add_row(*(Text(_cell(row.get(column))) for column in columns))
        console.print(Text(f"\n{name}" if lines or name != next(iter(listings)) else name))
        console.print(table)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def _flatten(
    prefix: str, result: dict[str, Any], lines: dict[str, Any], listings: dict[str, Any]
) -> None:
    for key, value in result.items():
        if isinstance(value, dict) and value:
            _flatten(f"{prefix}{key}.", value, lines, listings)
        elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            listings[prefix + key] = value
        else:
            lines[prefix + key] = value


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ([], {}):
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(_cell(item) for item in value)
    return str(value)
