"""The progress bar of a terminal, drawn by rich; `laconic.cli.console.progress` decides whether one is drawn."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)


class RichBar:
    """A bar on stderr that vanishes when the work is done; without a total, a spinner and the elapsed time."""

    def __init__(self, description: str, total: float | None = None) -> None:
        columns = [SpinnerColumn(), TextColumn("{task.description}")]
        if total is not None:
            columns += [BarColumn(), MofNCompleteColumn()]
        console = Console(file=sys.stderr)
        self._progress = Progress(*columns, TimeElapsedColumn(), console=console, transient=True)
        self._task = self._progress.add_task(escape(description), total=total)

    def advance(self, amount: float = 1) -> None:
        """So much more of the total is done."""
        self._progress.advance(self._task, amount)

    def describe(self, text: str) -> None:
        """Show another description from now on."""
        self._progress.update(self._task, description=escape(text))

    def __enter__(self) -> RichBar:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()
