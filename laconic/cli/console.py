"""What commands print: results on stdout, progress and one sentence per error on stderr."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import sys
import traceback
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from laconic.core.report import Event

BAD_INPUT = 2
# Packages that only an extra of laconic installs.
EXTRAS = {"matplotlib": "report"}
CLOSED = 141  # 128 + SIGPIPE
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
    """Turn mistakes of users into one sentence and exit code 2, around a block or a function.

    Ctrl-C becomes exit code 130, a closed pipe 141 without a word. Other exceptions are defects of
    laconic and keep their traceback.
    With LACONIC_DEBUG=1 the traceback is printed before the sentence.
    """
    try:
        yield
        sys.stdout.flush()  # a closed pipe is noticed here and not while the interpreter shuts down
    except KeyboardInterrupt as interrupt:
        _show_traceback_if_debugging()
        fail(f"{interrupt}." if str(interrupt) else "interrupted.")
        raise SystemExit(INTERRUPTED) from None
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        _show_traceback_if_debugging()
        fail(f"this needs {package}: pip install 'laconic[{EXTRAS[package]}]'.")
        raise SystemExit(BAD_INPUT) from None
    # InputError and UnicodeDecodeError are ValueErrors.
    except (ValueError, OSError, MemoryError) as error:
        _show_traceback_if_debugging()
        if isinstance(error, BrokenPipeError):  # who reads, as in `predict | head`, has enough
            _discard_stdout()
            raise SystemExit(CLOSED) from None
        fail(_sentence(error))
        raise SystemExit(BAD_INPUT) from None


def _show_traceback_if_debugging() -> None:
    if os.environ.get("LACONIC_DEBUG", "") not in ("", "0"):
        traceback.print_exc()


def _discard_stdout() -> None:
    """Drop what is still buffered, so that the interpreter does not complain again at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sentence(error: Exception) -> str:
    if isinstance(error, MemoryError):
        said = str(error).rstrip(".")
        return f"there is not enough memory ({said})." if said else "there is not enough memory."
    if isinstance(error, UnicodeDecodeError):
        byte = error.object[error.start]
        return f"the input is not {error.encoding} text: byte 0x{byte:02x} at offset {error.start}."
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
        """Count this much more of the total as done."""

    def describe(self, text: str) -> None:
        """Show another description from now on."""

    def show(self, event: Event) -> None:
        """Show an event of a fit, and how many of its steps are done where that is known."""


class _NoBar:
    def advance(self, amount: float = 1) -> None:
        """Draw nothing."""

    def describe(self, text: str) -> None:
        """Draw nothing."""

    def show(self, event: Event) -> None:
        """Draw nothing."""


@contextlib.contextmanager
def progress(description: str, total: float | None = None, *, quiet: bool = False) -> Iterator[Bar]:
    """Draw a progress bar on stderr while the block runs, if that is a terminal and not `quiet`."""
    if quiet or not sys.stderr.isatty():
        yield _NoBar()
        return
    # Imported late: `laconic predict` in a pipe never pays for rich.
    from laconic.cli.bar import RichBar

    with RichBar(description, total) as bar:
        yield bar


def print_result(result: dict[str, Any], as_json: bool) -> None:
    """Print a result on stdout: one JSON object on one line, or an aligned table for people."""
    if as_json:
        print(json.dumps(_jsonable(result), allow_nan=False))
    else:
        print(_table(result), end="")


def _jsonable(value: object) -> object:
    """Return NumPy values as Python values; non-finite numbers, which JSON lacks, as None."""
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in value.items()}
    listed = getattr(value, "tolist", None)
    if callable(listed):
        value = listed()
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)


def _table(result: dict[str, Any]) -> str:
    """Return lines of `name  value`, nested names joined by dots; then one table per list."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    lines: dict[str, Any] = {}
    listings: dict[str, list[dict[str, Any]]] = {}
    _flatten("", {name: _jsonable(value) for name, value in result.items()}, lines, listings)
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


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ([], {}):
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(_cell(item) for item in value)
    return str(value)
