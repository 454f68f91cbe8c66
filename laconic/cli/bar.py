"""The progress bar of a terminal; `laconic.cli.console.progress` decides whether one is drawn."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress_bar import ProgressBar
from rich.text import Text

from laconic.core.report import Event

SOLVER_STEP = "step"


class _Share(ProgressColumn):
    """How many steps of how many are done; nothing while their number is not known."""

    def render(self, task: Task) -> Text:
        known = "" if task.total is None else f"{task.completed:.0f}/{task.total:.0f}"
        return Text(known, style="progress.download")


class _Line(BarColumn):
    """A line that fills; nothing while the number of steps is not known."""

    def render(self, task: Task) -> ProgressBar:
        return super().render(task) if task.total is not None else ProgressBar(width=0)


class RichBar:
    """A bar on stderr that vanishes when the work is done.

    While no total is known it is a spinner with the elapsed time.
    """

    def __init__(self, description: str, total: float | None = None) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), _Line(), _Share())
        console = Console(file=sys.stderr)
        self._progress = Progress(*columns, TimeElapsedColumn(), console=console, transient=True)
        self._task = self._progress.add_task(escape(description), total=total)

    def advance(self, amount: float = 1) -> None:
        """Count this much more of the total as done."""
        self._progress.advance(self._task, amount)

    def describe(self, text: str) -> None:
        """Show another description from now on."""
        self._progress.update(self._task, description=escape(text))

    def show(self, event: Event) -> None:
        """Show an event of a fit, and how many of its steps are done where that is known."""
        self.describe(str(event))
        # A solver ends when it has converged: how many steps it may take says nothing.
        if event.total is not None and event.stage != SOLVER_STEP:
            self._progress.update(self._task, completed=event.done, total=event.total)

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
