"""How lines of column files are cut into fields, and which of them hold what.

A line with a tab is cut at tabs alone, so that a word may contain blanks; any other line at blanks.
CoNLL-U is known by its first token: ten fields between tabs, the first of them its number. Comments
(`# text = ..`), multiword tokens (3-4) and empty nodes (3.1) are lines without tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from laconic.errors import InputError
from laconic.text.token_columns import column_names

LABEL = "label"
CONLLU = ("id", "word", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
# Other names of the same columns: that of CoNLL-U itself, and that of the tag in column files.
ALIASES = {"form": "word", "pos": "upos"}
CONLLU_LABEL = "upos"
BLANKS = " \t\r\n"
# Only these separate columns; str.split() would also split at, say, a no-break space inside a word.
_FIELD = re.compile(r"[^ \t\r\n]+")
_NO_WORD = re.compile(r"\d+[-.]\d+")


class Wanted(NamedTuple):
    """The columns that are asked for.

    Parameters
    ----------
    names : sequence of str or None
        Their names, the last one that of the labels; None for those that the file seems to have.
    optional : int, default=0
        Number of columns, the last ones, that the file need not have.
    label : str or None, default=None
        Name of the column of labels where names are None.
    """

    names: Sequence[str] | None
    optional: int = 0
    label: str | None = None


class LineLayout(NamedTuple):
    """Which fields of a line are the columns `names`.

    Parameters
    ----------
    names : tuple of str
        The columns.
    n_fields : int
        Number of fields of a line.
    fields : tuple of int or None, default=None
        Of CoNLL-U, the fields that hold them; of other files the fields are the columns.
    label : int, default=-1
        Of CoNLL-U, the field of the labels; -1 if none is asked for.
    """

    names: tuple[str, ...]
    n_fields: int
    fields: tuple[int, ...] | None = None
    label: int = -1

    def expects(self) -> str:
        """Return what each line should hold, for messages."""
        if self.fields is not None:
            return "the 10 columns of CoNLL-U, separated by tabs,"
        return f"{self.n_fields} columns ({', '.join(self.names)})"


def cut_line(line: str) -> list[str]:
    """Return the fields of a line."""
    if "\t" in line:
        return [field.strip(BLANKS) for field in line.strip(BLANKS).split("\t")]
    return line.split() if line.isascii() else _FIELD.findall(line)


def is_comment(line: str, fields: Sequence[str], layout: LineLayout) -> bool:
    """Return whether a line before a sentence is a comment, and no token `#`.

    A comment has no tab in CoNLL-U; elsewhere it has another number of fields than tokens have, or
    is of the form `# name = value`.
    """
    if not line.startswith("#"):
        return False
    if layout.fields is not None:
        return "\t" not in line
    return len(fields) != layout.n_fields or (len(fields) > 3 and fields[2] == "=")


def is_no_word(fields: Sequence[str]) -> bool:
    """Return whether fields of CoNLL-U are a multiword token (3-4) or an empty node (3.1)."""
    return _NO_WORD.fullmatch(fields[0]) is not None


def layout_of(fields: Sequence[str], has_tabs: bool, wanted: Wanted, place: str) -> LineLayout:
    """Return the layout of a file by the fields of its first token; InputError if none fits."""
    n = len(fields)
    names = wanted.names
    needed = 0 if names is None else len(names) - wanted.optional
    fits = names is not None and needed <= n <= len(names)
    numbered = fields[0] == "1" or is_no_word(fields)
    if has_tabs and n == len(CONLLU) and numbered and not fits:
        return _conllu(wanted, place)
    if names is None:
        if n < 2:
            raise InputError(
                f"{place}: expected a word and its label, or more columns, "
                f"found {n}: {' '.join(fields)[:60]!r}."
            )
        return LineLayout((*column_names(n - 1), wanted.label or LABEL), n)
    if not fits:
        required = ", ".join(names[:needed])
        extra = f" and perhaps {', '.join(names[needed:])}" if wanted.optional else ""
        raise InputError(
            f"{place}: expected the columns {required}{extra}, "
            f"found {n}: {' '.join(fields)[:60]!r}."
        )
    return LineLayout(tuple(names[:n]), n)


def _conllu(wanted: Wanted, place: str) -> LineLayout:
    names = wanted.names
    if names is None:
        names = ("word", wanted.label or CONLLU_LABEL)
    needed = names[: len(names) - wanted.optional]
    known = [ALIASES.get(name, name) for name in names]
    missing = [n for n, k in zip(needed, known, strict=False) if k not in CONLLU]
    if missing:
        raise InputError(
            f"{place}: CoNLL-U has no column {missing[0]!r}, only {', '.join(CONLLU)}: "
            "name one of them."
        )
    places = tuple(CONLLU.index(name) for name in known[: len(needed)])
    label = CONLLU.index(known[-1]) if known[-1] in CONLLU else -1
    return LineLayout(tuple(needed), len(CONLLU), places, label)
