"""What pages about taggers and parsers share: templates kept and dropped, weights held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from laconic.report.html import bar, section, text
from laconic.report.plots import held_lines

if TYPE_CHECKING:
    from laconic.core.report import Pass

KeptTemplate: TypeAlias = tuple[str, int, int, float]  # name, features, weights, norm
MOST_DROPPED = 200  # names of dropped templates that are shown
WIDTH, HEIGHT = 960, 320  # pixels of the plot
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 14, 44  # its margins


def learner_text(learner: object) -> str:
    """Return a learner with its parameters on one line."""
    return "Mira()" if learner is None else " ".join(str(learner).split())


def templates_section(kept: Sequence[KeptTemplate], dropped: Sequence[str]) -> str:
    """Return the kept templates with a bar for the norm of their weights, and the dropped ones."""
    longest = max((norm for *_, norm in kept), default=1.0)
    head = (
        '<tr><th>template</th><th class="number">features</th><th class="number">weights</th>'
        '<th></th><th class="number">norm</th></tr>'
    )
    body = "".join(_template_line(row, longest) for row in kept)
    table = f'<table class="templates"><thead>{head}</thead><tbody>{body}</tbody></table>'
    more = [f"… {len(dropped) - MOST_DROPPED} more"] if len(dropped) > MOST_DROPPED else []
    names = "".join(f"<span>{text(name)}</span>" for name in [*dropped[:MOST_DROPPED], *more])
    lost = f'<p class="zero names">{names}</p>' if dropped else '<p class="empty">None.</p>'
    note = (
        f"Of {len(kept) + len(dropped):,} templates, {len(kept):,} have weights and "
        f"{len(dropped):,} have none. The norm is the length of a template's vector of weights."
    )
    return section(
        "Templates kept and dropped",
        note,
        f'<section class="card">{table}</section>'
        f'<section class="card document"><h3>Dropped</h3>{lost}</section>',
    )


def _template_line(row: KeptTemplate, longest: float) -> str:
    name, features, weights, norm = row
    return (
        f'<tr><td>{text(name)}</td><td class="number">{features:,}</td>'
        f'<td class="number">{weights:,}</td><td class="wide">{bar(norm / longest)}</td>'
        f'<td class="number">{norm:.3f}</td></tr>'
    )


def held_section(trace: Sequence[Pass]) -> str:
    """Return a plot of the weights held while learning; nothing if none were counted."""
    if not any(epoch.held for epoch in trace):
        return ""
    lines = held_lines(trace)
    end = max(int(rounds.max()) for rounds, _ in lines) or 1
    most = max(int(held.max()) for _, held in lines) or 1
    note = f"Non-zero weights in memory, by number of sentences seen; at most {most:,}."
    if len(lines) > 1:
        note += (
            ' The <span class="key for">first</span> learner chose the templates, '
            'the <span class="key against">second</span> refitted.'
        )
    ticks = [_tick(value, most, vertical=True) for value in _round_numbers(most)]
    ticks += [_tick(value, end, vertical=False) for value in _round_numbers(end)]
    drawn = []
    for step, (rounds, held) in enumerate(lines):
        x = LEFT + rounds / end * (WIDTH - LEFT - RIGHT)
        y = HEIGHT - BOTTOM - held / most * (HEIGHT - TOP - BOTTOM)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
        drawn.append(f'<polyline{" class=second" if step else ""} points="{points}"/>')
    axis = f'<path class="axis" d="M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>'
    label = (
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">'
        "sentences seen</text>"
    )
    svg = (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Weights held by round">'
        f"{''.join(ticks)}{axis}{label}{''.join(drawn)}</svg>"
    )
    return section(
        "Weights held while learning", note, f'<section class="card plot">{svg}</section>'
    )


def _round_numbers(limit: int) -> list[int]:
    """Return up to about six multiples of 1, 2 or 5 times a power of ten, from 0 to the limit."""
    step = 10 ** int(np.log10(limit))
    step = next(
        (s for s in (step // 10 * 2, step // 2, step, 2 * step) if s >= 1 and limit / s <= 6),
        2 * step,
    )
    return list(range(0, limit + 1, step))


def _tick(value: int, limit: int, vertical: bool) -> str:
    shown = f"{value:,}"
    if vertical:
        y = HEIGHT - BOTTOM - value / limit * (HEIGHT - TOP - BOTTOM)
        line = f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>' if value else ""
        return f'{line}<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{shown}</text>'
    x = LEFT + value / limit * (WIDTH - LEFT - RIGHT)
    return f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{shown}</text>'
