"""`laconic demo`: lasso against sentences as groups, on text that every installation has."""

from __future__ import annotations

from laconic.cli.console import guard


@guard()
def demo() -> None:
    """Train on docstrings."""
