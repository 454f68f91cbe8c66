r"""Regular expressions that take no exponential time, since they come from files too.

Where a repeat is inside of another one, `(\w+\s)+`, what follows an item must tell by its first
character whether the item goes on: then there is one way to match, and none to try in vain. Else,
as in `(a+)+`, the number of ways doubles with every character. Repeats one after another that
overlap, as in `\w*\w*`, multiply the time by the length of the text: there may be three.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

_PARSER: Any = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
Chars: TypeAlias = frozenset[int]
# Characters that stand for all: Latin, and some of other scripts, digits, blanks and marks.
_SAMPLE = frozenset([*range(0x250), 0x301, 0x394, 0x416, 0x660, 0x2019, 0x3000, 0x4E2D, 0x1F600])
_CLASSES = {
    name: frozenset(c for c in _SAMPLE if re.match(pattern, chr(c)))
    for name, pattern in (("WORD", r"\w"), ("DIGIT", r"\d"), ("SPACE", r"\s"))
}
MANY = 10  # repetitions from which a repeat counts as one without end
MOST_OVERLAPS = 3


class _Opening(NamedTuple):
    """The characters that something can begin with, and whether it may be empty."""

    chars: Chars
    empty: bool


class _Refused(ValueError):
    pass


@lru_cache(256)
def checked_expression(text: str) -> re.Pattern[str]:
    r"""Return a compiled regular expression; ValueError if it may take exponential time.

    >>> checked_expression(r"\w+(?:[-']\w+)*").pattern == r"\w+(?:[-']\w+)*"
    True
    """
    found = re.compile(text)
    try:
        check = _Check(_SAMPLE | set(map(ord, text)), bool(found.flags & re.IGNORECASE))
        check.sequence(list(_PARSER.parse(text, found.flags & ~re.UNICODE)), None)
    except _Refused as error:
        raise ValueError(
            f"the regular expression {text!r} may take exponential time: {error}"
        ) from None
    return found


class _Check:
    """Walks through a parsed expression; `after` is what can follow in a loop, None outside."""

    def __init__(self, sample: Chars, fold: bool) -> None:
        self.sample, self.fold, self.overlaps = sample, fold, 0

    def sequence(self, items: list[Any], after: Chars | None) -> None:
        for at, (op, value) in enumerate(items):
            rest = self.opening(items[at + 1 :])
            follow = rest.chars | (after or frozenset() if rest.empty else frozenset())
            self.item(str(op), value, follow, looped=after is not None)

    def item(self, op: str, value: Any, follow: Chars, looped: bool) -> None:
        after = follow if looped else None
        if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, body = value
            opening = self.opening(list(body))
            if looped and least != most and opening.chars & follow:
                raise _Refused("an item of a repeat may end and go on with the same character.")
            if most > MANY:
                if opening.empty:
                    raise _Refused("what is repeated may be empty.")
                self.overlaps += bool(opening.chars & follow)
                if self.overlaps > MOST_OVERLAPS:
                    raise _Refused(f"more than {MOST_OVERLAPS} repeats overlap what follows them.")
            self.sequence(list(body), opening.chars | follow if most > MANY else after)
        elif op == "BRANCH":
            openings = [self.opening(list(one)) for one in value[1]]
            chars = frozenset[int]().union(*(one.chars for one in openings))
            n_empty = sum(one.empty for one in openings)
            alike = sum(len(one.chars) for one in openings) > len(chars) or n_empty > 1
            if looped and (alike or (n_empty and chars & follow)):
                raise _Refused("alternatives in a repeat begin with the same character.")
            for one in value[1]:
                self.sequence(list(one), after)
        elif op == "SUBPATTERN":
            self.sequence(list(value[3]), after)
        elif op == "ATOMIC_GROUP":
            self.sequence(list(value), after)
        elif op in ("ASSERT", "ASSERT_NOT"):
            self.sequence(list(value[1]), after)
        elif op.startswith("GROUPREF") and looped:
            raise _Refused("a repeat refers to a group.")

    def opening(self, items: list[Any]) -> _Opening:
        """Return how a sequence may begin."""
        chars: Chars = frozenset()
        for op, value in items:
            one = self.opening_of(str(op), value)
            chars |= one.chars
            if not one.empty:
                return _Opening(chars, False)
        return _Opening(chars, True)

    def opening_of(self, op: str, value: Any) -> _Opening:
        """Return how one item may begin."""
        if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            one = self.opening(list(value[2]))
            return _Opening(one.chars, one.empty or value[0] == 0)
        if op == "BRANCH":
            openings = [self.opening(list(one)) for one in value[1]]
            chars: Chars = frozenset[int]().union(*(one.chars for one in openings))
            return _Opening(chars, any(one.empty for one in openings))
        if op == "SUBPATTERN":
            return self.opening(list(value[3]))
        if op == "ATOMIC_GROUP":
            return self.opening(list(value))
        if op in ("AT", "ASSERT", "ASSERT_NOT"):
            return _Opening(frozenset(), True)
        if op.startswith("GROUPREF"):
            return _Opening(self.sample, True)
        return _Opening(self.folded(self.members(op, value)), False)

    def members(self, op: str, value: Any) -> Chars:
        """Return the characters of the sample that an item of one character matches."""
        if op == "LITERAL":
            return frozenset([value])
        if op == "NOT_LITERAL":
            return self.sample - {value}
        if op == "RANGE":
            return frozenset(c for c in self.sample if value[0] <= c <= value[1])
        if op == "CATEGORY":
            _, _, name = str(value).rpartition("_")
            own = _CLASSES.get(name, self.sample)
            return self.sample - own if "NOT" in str(value) else own
        if op == "IN":
            negated = str(value[0][0]) == "NEGATE"
            parts = (self.members(str(one), inner) for one, inner in value[negated:])
            found: Chars = frozenset[int]().union(*parts)
            return self.sample - found if negated else found
        return self.sample  # ANY

    def folded(self, chars: Chars) -> Chars:
        """Return characters with those that differ in case alone, where case is ignored."""
        if not self.fold:
            return chars
        return chars | {ord(s) for c in chars if len(s := chr(c).swapcase()) == 1}
