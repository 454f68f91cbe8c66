"""What pages about models share: the frame, escaped text, facts, and bars of one scale."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic.report.style import STYLE
from laconic.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLES = Path(__file__).with_name("tables.js")


def page(title: str, body: str) -> str:
    """Return one self-contained page, which needs nothing from the network.

    Its only script sorts and filters tables; its policy allows no other.
    """
    script = TABLES.read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'\">\n"
        f"<title>{text(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n"
        f"<footer>Written by laconic {text(__version__)}.</footer>\n</main>\n"
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
    )


def text(value: object) -> str:
    """Return a value as text of the page: escaped, without control characters."""
    return escape(
        "".join(
            c if c in "\n\t" or c.isprintable() or c == " " else "\N{REPLACEMENT CHARACTER}"
            for c in str(value)
        )
    )


def facts(rows: Iterable[tuple[str, str, str]]) -> str:
    """Return boxes of a name, a value and a small remark."""
    boxes = (
        f"<div><dt>{text(k)}</dt><dd>{text(v)} <small>{text(small)}</small></dd></div>"
        for k, v, small in rows
    )
    return f'<dl class="facts">{"".join(boxes)}</dl>'


def section(title: str, note: str, body: str) -> str:
    """Return a heading, a remark (HTML) and what follows."""
    return f'<h2>{text(title)}</h2>\n<p class="note">{note}</p>\n{body}'


def drawn(figure: Figure) -> str:
    """Return a picture inside a page."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg")
    drawing = stream.getvalue()
    return f'<div class="plot">{drawing[drawing.index("<svg") :]}</div>'


def bar(share: float) -> str:
    """Return a bar that takes this share of its cell."""
    return f'<span class="bar" style="width:{100 * share:.1f}%"></span>'


def bar_cards(top: Mapping[Any, Sequence[tuple[str, float]]], nothing: str) -> str:
    """Return one card per label with one bar per (name, weight > 0); all bars have one scale."""
    largest = max((weight for rows in top.values() for _, weight in rows), default=1.0)
    cards = []
    for label, rows in top.items():
        lines = "".join(
            f"<tr><td>{text(name)}</td><td>{bar(weight / largest)}</td>"
            f'<td class="number">{weight:.3f}</td></tr>'
            for name, weight in rows
        )
        table = (
            f'<table class="bars">{lines}</table>'
            if rows
            else f'<p class="empty">{text(nothing)}</p>'
        )
        cards.append(f'<section class="card"><h3>{text(label)}</h3>{table}</section>')
    return f'<div class="cards">{"".join(cards)}</div>'
