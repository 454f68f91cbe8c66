"""Trees drawn: with lines of text for terminals, as SVG for pages and notebooks."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
# What a cell looks like that lines enter from these sides.
LINES = dict(enumerate(" ╵╷│╴┘┐┤╶└┌├─┴┬┼"))
FORM_SIZE, TAG_SIZE, LABEL_SIZE = 15, 11, 11
LEVEL, MARGIN, GAP, ROUND = 24, 12, 18, 8  # pixels: between levels, around, between words
WIDE = 0.62  # width of a letter in sizes of its font, on the safe side


class Arcs(NamedTuple):
    """A sentence to be drawn.

    heads are counted from 1; 0 is a root, None a word whose head is not known.
    """

    forms: Sequence[str]
    tags: Sequence[str]
    heads: Sequence[int | None]
    labels: Sequence[str]


def tree_in_text(arcs: Arcs) -> str:
    """Return one line per word: the lines of the tree, then word, tag and relation in columns.

    A word's dependents hang on one vertical line. Where lines of a tree that is not projective
    cross, the vertical one is drawn.
    """
    children, order = _reached(arcs.heads)
    lanes = _lanes(children, order)
    width = 2 * (1 + max(lanes.values(), default=0)) + 1
    grid = [[0] * width for _ in arcs.forms]
    for word, lane in lanes.items():
        rows = sorted([word, *children[word]])
        for row in range(rows[0], rows[-1] + 1):
            grid[row][2 * lane + 1] = UP * (row > rows[0]) | DOWN * (row < rows[-1])
    for word in order:
        parent = lanes.get(int(arcs.heads[word] or 0) - 1)
        begin = 0 if parent is None else 2 * parent + 1
        own = 2 * lanes[word] + 1 if word in lanes else -1
        for column in range(begin, width):
            if column in (begin, own) or not grid[word][column]:
                grid[word][column] |= RIGHT | LEFT * (column > begin or parent is None)
    table = [_padded(column) for column in (arcs.forms, arcs.tags, arcs.labels)]
    drawn = ("".join(map(LINES.__getitem__, cells)) for cells in grid)
    rows_of_text = zip(drawn, *table, strict=True)
    return "\n".join(
        "  ".join([f"{art} {form}", *more]).rstrip() for art, form, *more in rows_of_text
    )


def _reached(heads: Sequence[int | None]) -> tuple[list[list[int]], list[int]]:
    """Return the dependents of each word and the words below roots, heads first."""
    children: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head:
            children[head - 1].append(word)
    order = [word for word, head in enumerate(heads) if head == 0]
    for word in order:
        order.extend(children[word])
    return children, order


def _lanes(children: list[list[int]], order: list[int]) -> dict[int, int]:
    """Return the column of each word's vertical line: right of its head's, and over no other."""
    lanes: dict[int, int] = {}
    taken: list[list[tuple[int, int]]] = []
    head_of = {child: word for word in order for child in children[word]}
    for word in order:
        if not children[word]:
            continue
        first, last = min(word, children[word][0]), max(word, children[word][-1])
        lane = lanes.get(head_of.get(word, -1), -1) + 1
        while lane < len(taken) and any(a <= last and first <= b for a, b in taken[lane]):
            lane += 1
        taken.extend([] for _ in range(lane + 1 - len(taken)))
        taken[lane].append((first, last))
        lanes[word] = lane
    return lanes


def _cells(string: str) -> int:
    """Return the number of columns that a terminal gives a string."""
    from rich.cells import cell_len  # not needed to predict

    return cell_len(string)


def _padded(column: Sequence[str]) -> list[str]:
    """Return the strings with blanks up to the width of the widest, as terminals count it."""
    shown = [_printable(string) for string in column]
    widest = max(map(_cells, shown), default=0)
    return [string + " " * (widest - _cells(string)) for string in shown]


def _printable(string: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in string)


def svg_of_tree(arcs: Arcs) -> str:
    """Return a picture: the words in a row, arcs from heads to dependents above them.

    It takes the colour of the text around it. A sentence in a script that runs from right to left
    does so in the picture.
    """
    spans = [
        (min(word, head - 1), max(word, head - 1), word)
        for word, head in enumerate(arcs.heads)
        if head
    ]
    levels = _levels(spans)
    x, width = _places(arcs, spans)
    if _right_to_left(arcs.forms):
        x = [width - place for place in x]
    top = LEVEL * (max(levels.values(), default=0) + 1) + MARGIN
    height = top + FORM_SIZE + TAG_SIZE + 2 * MARGIN
    parts = []
    for word, (form, tag) in enumerate(zip(arcs.forms, arcs.tags, strict=True)):
        parts.append(_text(x[word], top + FORM_SIZE + 4, FORM_SIZE, form))
        parts.append(_text(x[word], top + FORM_SIZE + TAG_SIZE + 10, TAG_SIZE, tag, 0.65))
    for word, head in enumerate(arcs.heads):
        if head == 0:
            parts.append(_arrow(f"M{x[word]:.1f} {MARGIN + 4}V{top - 4}", x[word], top))
            parts.append(_text(x[word], MARGIN, LABEL_SIZE, arcs.labels[word]))
    for _, _, word in spans:
        head = int(arcs.heads[word] or 0) - 1
        side = 1 if x[word] > x[head] else -1
        begin, end, y = x[head] + 5 * side, x[word] - 2 * side, top - LEVEL * levels[word]
        path = (
            f"M{begin:.1f} {top - 2}V{y + ROUND}Q{begin:.1f} {y} {begin + ROUND * side:.1f} {y}"
            f"H{end - ROUND * side:.1f}Q{end:.1f} {y} {end:.1f} {y + ROUND}V{top - 4}"
        )
        parts.append(_arrow(path, end, top))
        parts.append(_text((begin + end) / 2, y - 3, LABEL_SIZE, arcs.labels[word]))
    said = escape(" ".join(map(_printable, arcs.forms)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" role="img" aria-label="{said}" '
        f'font-family="system-ui, sans-serif" fill="currentColor">{"".join(parts)}</svg>'
    )


def _levels(spans: Sequence[tuple[int, int, int]]) -> dict[int, int]:
    """Return the height of each word's arc, from 1: above all arcs that lie below it.

    Shorter arcs come first; of two that cross the longer one is above.
    """
    reach = [0] * (max((last for _, last, _ in spans), default=0) + 1)  # over each gap
    levels = {}
    for first, last, word in sorted(spans, key=lambda span: (span[1] - span[0], span)):
        levels[word] = 1 + max(reach[first:last])
        reach[first:last] = [levels[word]] * (last - first)
    return levels


def _places(arcs: Arcs, spans: Sequence[tuple[int, int, int]]) -> tuple[list[float], float]:
    """Return the middle of each word and the width of the picture.

    Neighbours stand far enough apart for the relation between them.
    """
    room = [
        # Signs that terminals put over others, as in Tamil, take room of their own in many fonts.
        WIDE * max(FORM_SIZE * max(_cells(form), len(form)), TAG_SIZE * _cells(tag)) + GAP
        for form, tag in zip(arcs.forms, arcs.tags, strict=True)
    ]
    label = [WIDE * LABEL_SIZE * _cells(label) + GAP for label in arcs.labels]
    edge = [max(room[w], label[w] if arcs.heads[w] == 0 else 0) / 2 for w in range(len(room))]
    x = [MARGIN + edge[0]] if edge else []
    apart = {first: label[word] for first, last, word in spans if last == first + 1}
    for word in range(1, len(room)):
        x.append(x[-1] + max(edge[word - 1] + edge[word], apart.get(word - 1, 0)))
    return x, (x[-1] + edge[-1] + MARGIN if x else 2 * MARGIN)


def _right_to_left(forms: Sequence[str]) -> bool:
    kinds = [unicodedata.bidirectional(letter) for form in forms for letter in form]
    return sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L")


def _text(x: float, y: float, size: int, content: str, opacity: float = 1) -> str:
    shade = f' opacity="{opacity}"' if opacity < 1 else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle"{shade}>'
        f"{escape(_printable(content))}</text>"
    )


def _arrow(path: str, x: float, y: float) -> str:
    """Return a line and the head of an arrow that points down at (x, y)."""
    return (
        f'<path d="{path}" fill="none" stroke="currentColor" stroke-opacity="0.6"/>'
        f'<path d="M{x - 3:.1f} {y - 7}h6l-3 7z"/>'
    )
