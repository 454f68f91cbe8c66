"""Templates from text: one per line in short form, or a pattern file of CRF++ or Wapiti as it is.

Short form: `word[-1] pos[0]`, `pairs: word[0]`, `bias`, `ngrams(pos, 1..5, -5..5)` (n-grams inside
a window), `ngrams(pos, 1..5, touching -5..5)` (with a token in it); `#` opens a comment.

CRF++: `U05:%x[-1,0]/%x[0,1]`, `B`. Wapiti: `*`, `u` and `b` lines, `%x`, `%t` and `%m` with a
regular expression, capital letters for lower-case values. In both the text around the commands only
distinguishes lines and is not kept; a bare `B` is a pair of labels, for which every model has a
weight anyhow.
"""

from __future__ import annotations

import os
import re
import string
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from laconic.errors import InputError
from laconic.text.io import STANDARD_STREAM, PathLike, name_of, open_text
from laconic.text.templates import BIAS, PAIRS, Atom, Template, Templates, ngrams
from laconic.text.views import VIEW_NAME, WordClusters, make_view

_ATOM = re.compile(rf"({VIEW_NAME})\[([+-]?\d+)\][\s|]*")
_NGRAMS = re.compile(
    rf"ngrams\(\s*({VIEW_NAME})\s*,\s*(\d+)\.\.(\d+)\s*,"
    r"\s*(touching\s+)?([+-]?\d+)\.\.([+-]?\d+)\s*\)"
)
_COMMAND = re.compile(
    r'%([xtmXTM])\[\s*(@?)([+-]?\d+)\s*,\s*(\d+)\s*(?:,\s*"((?:[^"\\]|\\.)*)"\s*)?\]'
)
_COMMENT = re.compile(r'(?:^|(?<=\s))#[^"]*$|^\s*#.*')
_PATTERN_LINE = re.compile(r"\s*(?:[ub*][^%]*%[a-z]\[|[ub*]\w*\s*$)", re.IGNORECASE)


def templates_from(given: str | PathLike | Templates, columns: Sequence[str]) -> Templates:
    """Return a ready set by its name, or read the templates of a file.

    Sets of templates are returned as they are.
    """
    if isinstance(given, Templates):
        return given
    from laconic.text.template_sets import SETS, ready_templates  # not needed to predict

    if isinstance(given, str) and given in SETS:
        return ready_templates(given)
    if os.fspath(given) != STANDARD_STREAM and not os.path.exists(given):
        raise InputError(
            f"{name_of(given)}: is no file of templates, "
            f"nor one of the ready sets {', '.join(SETS)}."
        )
    return read_templates(given, columns)


def read_templates(path: PathLike, columns: Sequence[str]) -> Templates:
    """Read the templates of a file in any of the forms, for tokens with these input columns."""
    with open_text(path) as stream:
        return parse_templates(stream.read(), columns, name_of(path))


def parse_templates(text: str, columns: Sequence[str], source: str = "templates") -> Templates:
    """Return the templates of `text`.

    InputError names `source` and the line of what cannot be understood.
    """
    stripped = [(number, without_comment(line)) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in stripped if line]
    is_pattern_file = any("%" in line and _PATTERN_LINE.match(line) for _, line in lines)
    parse: Callable[[str, Sequence[str]], Iterator[Template]] = (
        _pattern_line if is_pattern_file else _short_line
    )
    found: list[Template] = []
    for number, line in lines:
        try:
            found += parse(line, columns)
        except ValueError as error:
            raise InputError(f"{source}:{number}: {error}.") from error
    if not found:
        raise InputError(f"{source}: holds no templates.")
    return Templates(found)


def without_comment(line: str) -> str:
    """Return `line` without a comment at its end and blanks around it."""
    return _COMMENT.sub("", line).strip()


def _short_line(line: str, columns: Sequence[str]) -> Iterator[Template]:
    if whole := _NGRAMS.fullmatch(line):
        view, smallest, largest, touching, left, right = whole.groups()
        checked_view(view, columns)
        yield from ngrams(
            view, (int(smallest), int(largest)), (int(left), int(right)), bool(touching)
        )
    else:
        yield parse_template(line, columns)


def parse_template(line: str, columns: Sequence[str]) -> Template:
    """Return the one template that `line` is in short form; ValueError says what is wrong."""
    pairs = line.startswith(PAIRS)
    rest = line.removeprefix(PAIRS).strip()
    atoms = []
    while rest and rest != BIAS:
        atom = _ATOM.match(rest)
        if atom is None:
            raise ValueError(
                f"expected views at offsets such as word[-1] pos[0], found {rest[:40]!r}"
            )
        atoms.append(Atom(checked_view(atom[1], columns), int(atom[2])))
        rest = rest[atom.end() :]
    if not atoms and rest != BIAS:
        raise ValueError("expected views after 'pairs:'")
    return Template(tuple(atoms), pairs)


def checked_view(name: str, columns: Sequence[str]) -> str:
    """Return `name` if it names a view of these columns, given clusters; else raise ValueError."""
    return _checked_view(name, tuple(columns))


@lru_cache(256)
def _checked_view(name: str, columns: tuple[str, ...]) -> str:
    make_view(name, columns, WordClusters({}))
    return name


def _pattern_line(line: str, columns: Sequence[str]) -> Iterator[Template]:
    kind = line[0].lower()
    if kind not in "ub*":
        raise ValueError(f"expected a pattern that begins with U, B or *, found {line[:40]!r}")
    left_over = _COMMAND.sub("", line)
    if broken := re.search(r"%[a-zA-Z]?\[?.{0,20}", left_over):
        raise ValueError(
            'expected %x[row,column], %t[row,column,"regex"] or %m[row,column,"regex"], '
            f"found {broken[0]!r}"
        )
    atoms = tuple(_command(match, columns) for match in _COMMAND.finditer(line))
    if kind in "u*":
        yield Template(atoms)
    if kind in "b*" and atoms:
        yield Template(atoms, pairs=True)


def _command(match: re.Match[str], columns: Sequence[str]) -> Atom:
    letter, absolute, row, column, regex = match.groups()
    if absolute:
        raise ValueError(
            f"{match[0]!r} counts from an end of the sentence; "
            "only offsets from the token are understood"
        )
    if int(column) >= len(columns):
        raise ValueError(
            f"{match[0]!r} asks for column {column}, "
            f"but the input columns are 0..{len(columns) - 1} ({', '.join(columns)})"
        )
    name = columns[int(column)]
    if (letter in "xX") != (regex is None):
        raise ValueError(f"{match[0]!r}: %x takes no regular expression, %t and %m take one")
    if regex is None:
        return Atom(f"lower({name})" if letter == "X" else name, int(row))
    function = {"t": "test", "T": "test", "m": "match", "M": "match_lower"}[letter]
    return Atom(checked_view(f'{function}({name},"{_python_regex(regex)}")', columns), int(row))


_PUNCTUATION = re.escape(string.punctuation).replace('"', r"\x22")
_CLASSES = {
    "a": "a-zA-Z",
    "d": "0-9",
    "l": "a-z",
    "p": _PUNCTUATION,
    "s": r" \t\n\v\f\r",
    "u": "A-Z",
    "w": "a-zA-Z0-9",
}


def _python_regex(pattern: str) -> str:
    r"""Translate an expression of Wapiti into Python's language.

    It has . \a \d \l \p \s \u \w, capitals for their complements, and ^ $ * ?. Its star is lazy,
    its question mark greedy, and any other sign stands for itself.
    """
    out: list[str] = []
    for index, unit in enumerate(units := re.findall(r"\\.|.", pattern, re.DOTALL)):
        if unit in ("*", "?") and index and out[-1] not in ("*?", "?", "^"):
            out.append("*?" if unit == "*" else "?")
        elif unit in ("*", "?"):
            raise ValueError(f"the regular expression {pattern!r} repeats nothing at {unit!r}")
        elif unit == "." or (unit == "^" and index == 0):
            out.append(unit)
        elif unit == "$" and index == len(units) - 1:
            out.append(r"\Z")
        elif unit[0] == "\\" and unit[1:].lower() in _CLASSES:
            out.append(f"[{'^' if unit[1].isupper() else ''}{_CLASSES[unit[1].lower()]}]")
        else:
            out.append(re.escape(unit[-1]).replace('"', r"\x22"))
    return "".join(out)
