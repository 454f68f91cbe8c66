"""Word lattices of a recogniser, searched for the best path under a language model.

    best path = argmax  sum over its links of acoustic score  +  weight * log p(words)

The files are HTK's standard lattice format: `J=` lines are links from node `S=` to node `E=` with a
word `W=` (or the node `I=` that they lead to has it) and an acoustic score `a=`. Scores are
logarithms to the `base=` of the header, e without it. What else a line says is not used.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from laconic.errors import InputError
from laconic.lm.model import LanguageModel
from laconic.lm.running import END, START
from laconic.text.io import PathLike, name_of, open_text

SILENT = {"", "!NULL", "!ENTER", "!EXIT", START, END}  # words that are not said
NODE, LINK, BEGIN = "I", "J", "VERSION"


class Link(NamedTuple):
    """A link to a node, the word on it ("" for none), and its score in natural logarithms."""

    end: str
    word: str
    score: float


class Lattice(NamedTuple):
    """Nodes in the order of time, the links from each, and what the lattice is of."""

    name: str
    nodes: list[str]
    links: dict[str, list[Link]]


class LatticePath(NamedTuple):
    """Words of a path through a lattice and its score."""

    words: tuple[str, ...]
    score: float


def read_lattices(path: PathLike, encoding: str = "utf-8") -> Iterator[Lattice]:
    """Yield the lattices of a file one after the other; an InputError names the line."""
    rows: list[tuple[int, dict[str, str]]] = []
    with open_text(path, encoding) as stream:
        for number, line in enumerate(stream, 1):
            fields = _fields(line, path, number)
            if BEGIN in fields and rows:
                yield _lattice(rows, path)
                rows = []
            if fields:
                rows.append((number, fields))
    if not rows:
        raise InputError(f"{name_of(path)}: holds no lattice in HTK's format.")
    yield _lattice(rows, path)


def _fields(line: str, path: PathLike, number: int) -> dict[str, str]:
    if line.startswith("#"):
        return {}
    pairs = [field.partition("=") for field in line.split()]
    if not all(name and sign for name, sign, _ in pairs):
        raise InputError(
            f"{name_of(path)}:{number}: expected fields such as J=0 S=0 E=1 W=word a=-12.5, found "
            f"{line.strip()[:60]!r}."
        )
    return {name: value for name, _, value in pairs}


def _lattice(rows: list[tuple[int, dict[str, str]]], path: PathLike) -> Lattice:
    """Return the lattice of its lines."""
    head: dict[str, str] = {}
    words: dict[str, str] = {}
    found: list[tuple[str, Link]] = []
    for number, fields in rows:
        place = f"{name_of(path)}:{number}"
        if NODE in fields:
            words[fields[NODE]] = fields.get("W", "")
        elif LINK in fields:
            start, end = (fields.get(name, "") for name in "SE")
            if start not in words or end not in words:
                raise InputError(f"{place}: a link needs S= and E=, nodes that are listed before.")
            score = _number(fields.get("a", "0"), place, "a")
            found.append((start, Link(end, fields.get("W", words[end]), score)))
        else:
            head |= fields
    place = f"{name_of(path)}:{rows[0][0]}"
    if not found:
        raise InputError(f"{place}: the lattice has no links (lines with J=, S= and E=).")
    base = _number(head.get("base", str(math.e)), place, "base")
    if not base > 1:
        raise InputError(f"{place}: base= must be above 1, found {head['base']!r}.")
    links: dict[str, list[Link]] = {node: [] for node in words}
    for start, link in found:
        links[start].append(link._replace(score=link.score * math.log(base)))
    name = head.get("UTTERANCE", head.get("U", "0"))
    return Lattice(name, _sorted(links, place), links)


def _number(text: str, place: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{place}: {name}= must be a number, found {text!r}.")
    return value


def _sorted(links: dict[str, list[Link]], place: str) -> list[str]:
    """Return the nodes so that all links lead forward; an InputError if they go in a circle."""
    waiting = dict.fromkeys(links, 0)
    for each in links.values():
        for link in each:
            waiting[link.end] += 1
    nodes = [node for node, n in waiting.items() if not n]
    for node in nodes:  # which grows on the way
        for link in links[node]:
            waiting[link.end] -= 1
            if not waiting[link.end]:
                nodes.append(link.end)
    if len(nodes) < len(links):
        raise InputError(f"{place}: the links of the lattice go in a circle.")
    return nodes


def best_path(model: LanguageModel, lattice: Lattice, weight: float = 1.0) -> LatticePath:
    """Return the best path from a node without links to it to one without links from it.

    Of the paths to a node that leave the model in the same state only the best goes on, which is
    exact: what follows depends on the state alone.
    """
    entered = {link.end for links in lattice.links.values() for link in links}
    alive: dict[str, dict[int, LatticePath]] = {
        node: {} if node in entered else {model.start(): LatticePath((), 0.0)}
        for node in lattice.nodes
    }
    best = LatticePath((), -math.inf)
    for node in lattice.nodes:
        for state, path in alive.pop(node).items():
            if not lattice.links[node]:
                total = path.score + weight * model.score(state, END)[1]
                best = max(best, LatticePath(path.words, total), key=lambda each: each.score)
            for link in lattice.links[node]:
                after, words, score = state, path.words, path.score + link.score
                if link.word not in SILENT:
                    after, log_prob = model.score(state, link.word)
                    words, score = (*words, link.word), score + weight * log_prob
                known = alive[link.end].get(after)
                if known is None or score > known.score:
                    alive[link.end][after] = LatticePath(words, score)
    return best
