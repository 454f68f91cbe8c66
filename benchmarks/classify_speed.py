"""The speed section of the classify page."""

from __future__ import annotations

from pathlib import Path


def section(data: Path, quick: bool = False) -> str:
    """Speed beside other solvers."""
    return "## Speed\n"
