"""Text whose words have a share of a colour: shown in colours on a terminal, plain elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

FOR, AGAINST = (0, 114, 178), (213, 94, 0)  # those of report pages
FAINTEST = 0.04  # share below which a piece is not coloured
LIGHT_INK = 0.75  # share from which the ink is white


class Marked(NamedTuple):
    """A piece of a line; share: from -1 (wholly against) to 1 (wholly for)."""

    text: str
    share: float = 0.0


def print_marked(lines: Iterable[Sequence[Marked]]) -> None:
    """Print lines of marked pieces on stdout, in colours if that is a terminal."""
    if not sys.stdout.isatty():
        for line in lines:
            print("".join(printable(piece.text) for piece in line).rstrip())
        return
    # Imported late: nothing that is piped pays for rich.
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in lines:
        shown = Text()
        for piece in line:
            shown.append(printable(piece.text), _style(piece.share))
        console.print(shown, soft_wrap=True)


def printable(text: str) -> str:
    """Return text that cannot steer a terminal: control characters become blanks."""
    return "".join(character if character.isprintable() else " " for character in text)


def _style(share: float) -> str:
    size = min(1.0, abs(share))
    if size < FAINTEST:
        return ""
    ground = FOR if share > 0 else AGAINST
    mixed = ",".join(str(round(255 + size * (tone - 255))) for tone in ground)
    return f"{'white' if size >= LIGHT_INK else 'black'} on rgb({mixed})"
