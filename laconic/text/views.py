"""Views of a token: named functions of one input column, such as the word, its shape or its suffix.

`word`, `pos`, ..        the input column of that name
`lower`                  in lower case
`shape`                  types of characters: Confidence -> Aa, 2,664,098 -> 0,0+,0+
`prefix3`, `suffix2`     first, last letters (a shorter string is taken whole)
`case`                   lower|upper|title|mixed|none
`punct`, `digit`         none|some|all
`class`                  case, punct and digit in one
`cluster4`, `cluster`    first bits, all bits of the word's cluster; none for a word in no cluster
`test(column,"regex")`   whether the expression occurs: true|false
`match(column,"regex")`  the part that matches, maybe empty

Every view but the first is of the first column unless another is named: `prefix1(pos)`. A view is
computed once per distinct string, not once per token.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, Protocol, TypeAlias

from laconic.text.expressions import checked_expression
from laconic.text.io import PathLike

# None: the string has no value of this view.
Function: TypeAlias = Callable[[str], str | None]
UPPER, LOWER, DIGIT = "A", "a", "0"


class View(NamedTuple):
    """The value of view `name` at a token is `function(string of the token in column)`."""

    name: str
    column: str
    function: Function


class HasBits(Protocol):
    """Clusters of words, however they are stored."""

    def bits(self, word: str, n_bits: int | None = None) -> str | None:
        """Return the first `n_bits` bits of the word's cluster (None: all); None for no cluster."""


class WordClusters:
    """The cluster of a word as a string of bits; a word not listed is looked up in lower case.

    Parameters
    ----------
    paths : mapping from str to str
        The bits of each word.
    """

    def __init__(self, paths: Mapping[str, str]) -> None:
        self.paths = dict(paths)

    @classmethod
    def read(cls, path: PathLike, min_count: int = 0) -> WordClusters:
        """Read the words of a `paths` file that were counted at least `min_count` times."""
        from laconic.text.clusters import read_paths  # not needed to predict

        vocab, clusters = read_paths(path)
        listed = zip(vocab.words, clusters.paths(), clusters.count.tolist(), strict=True)
        return cls(
            {word: bits for word, bits, count in listed if bits is not None and count >= min_count}
        )

    def bits(self, word: str, n_bits: int | None = None) -> str | None:
        """Return the first `n_bits` bits of the word's cluster (None: all); None for no cluster."""
        found = self.paths.get(word)
        if found is None:
            found = self.paths.get(word.lower())
        return None if found is None else found[:n_bits]

    def to_state(self) -> dict[str, list[str]]:
        """Return the words of each bit string: plain data for a model file."""
        words: dict[str, list[str]] = {}
        for word, bits in self.paths.items():
            words.setdefault(bits, []).append(word)
        return words

    @classmethod
    def from_state(cls, state: Mapping[str, Sequence[str]]) -> WordClusters:
        """Return the clusters that gave `state`."""
        return cls({word: bits for bits, words in state.items() for word in words})

    def __len__(self) -> int:
        return len(self.paths)


class _CharacterTypes(dict[int, str]):
    """A table for str.translate, filled as characters occur.

    Letters and digits become their type, combining marks vanish.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category[0] == "L":
            kind = UPPER if category in ("Lu", "Lt") else LOWER
        else:
            kind = {"N": DIGIT, "M": ""}.get(category[0], character)
        self[code] = kind
        return kind


_TYPES = _CharacterTypes()
_REPEATED = re.compile(r"([^0])\1+", re.DOTALL)
_NUMBER = re.compile(r"00+")


def shape(string: str) -> str:
    """Return the types of the characters, one per run of equal types.

    A is upper case, a any other letter, 0 a digit, and any other character is itself. A run of two
    or more digits is 0+, other runs are not marked.

    >>> shape("Confidence"), shape("2,664,098"), shape("...")
    ('Aa', '0,0+,0+', '.')
    """
    return _NUMBER.sub("0+", _REPEATED.sub(r"\1", string.translate(_TYPES)))


def case(string: str) -> str:
    """Return which letters are capitals: none (no letters), lower, upper, title or mixed.

    In title case the first letter alone is a capital.
    """
    types = string.translate(_TYPES)
    n_upper, n_lower = types.count(UPPER), types.count(LOWER)
    if not n_upper:
        return "lower" if n_lower else "none"
    if not n_lower:
        return "upper"
    return "title" if n_upper == 1 and types.index(UPPER) < types.index(LOWER) else "mixed"


def punct(string: str) -> str:
    """Return how much of the string is neither letter nor digit: none, some or all."""
    types = string.translate(_TYPES)
    return _amount(
        len(types) - types.count(UPPER) - types.count(LOWER) - types.count(DIGIT), len(types)
    )


def digit(string: str) -> str:
    """Return how much of the string is digits: none, some or all."""
    types = string.translate(_TYPES)
    return _amount(types.count(DIGIT), len(types))


def token_class(string: str) -> str:
    """Return case, punctuation and digits in one value."""
    return f"{case(string)}/{punct(string)}/{digit(string)}"


def _amount(part: int, whole: int) -> str:
    return "none" if part == 0 else "all" if part == whole else "some"


def _prefix(length: int, string: str) -> str:
    return string[:length]


def _suffix(length: int, string: str) -> str:
    return string[-length:]


def _test(pattern: re.Pattern[str], string: str) -> str:
    return "true" if pattern.search(string) else "false"


def _match(pattern: re.Pattern[str], string: str) -> str:
    found = pattern.search(string)
    return found.group() if found else ""


def _match_lower(pattern: re.Pattern[str], string: str) -> str:
    return _match(pattern, string).lower()


SIMPLE: dict[str, Function] = {
    "lower": str.lower,
    "shape": shape,
    "case": case,
    "punct": punct,
    "digit": digit,
    "class": token_class,
}
AFFIXES: dict[str, Callable[[int, str], str]] = {"prefix": _prefix, "suffix": _suffix}
PATTERNS: dict[str, Callable[[re.Pattern[str], str], str]] = {
    "test": _test,
    "match": _match,
    "match_lower": _match_lower,
}
# A view's name in a template: a word, perhaps a column, perhaps a regular expression without `"`.
VIEW_NAME = r'[^\W\d][\w.-]*?\d*(?:\([\w.-]+(?:,"[^"]*")?\))?'
_PARTS = re.compile(
    r'(?P<kind>[^\W\d][\w.-]*?)(?P<size>\d*)(?:\((?P<column>[\w.-]+)(?:,"(?P<regex>[^"]*)")?\))?',
    re.DOTALL,
)


def make_view(name: str, columns: Sequence[str], clusters: HasBits | None = None) -> View:
    """Return the view that `name` means for tokens with these input columns.

    ValueError says what is wrong with it.
    """
    if name in columns:
        return View(name, name, str)
    parts = _PARTS.fullmatch(name)
    function = _function(parts.groupdict(), clusters, name) if parts else None
    if parts is None or function is None:
        raise ValueError(
            f"there is no view {name!r}: the input columns are {', '.join(columns)}, "
            f"the others {_known()}"
        )
    column = parts["column"] or columns[0]
    if column not in columns:
        raise ValueError(
            f"the view {name!r} needs a column {column!r}, "
            f"but the input columns are {', '.join(columns)}"
        )
    return View(name, column, function)


def _function(
    parts: Mapping[str, str | None], clusters: HasBits | None, name: str
) -> Function | None:
    kind, size, regex = parts["kind"] or "", parts["size"], parts["regex"]
    if regex is not None:
        if kind not in PATTERNS or size:
            return None
        try:
            return partial(PATTERNS[kind], checked_expression(regex))
        except re.error as error:
            raise ValueError(f"the view {name!r} holds no regular expression: {error}") from error
    if kind in AFFIXES and size and int(size):
        return partial(AFFIXES[kind], int(size))
    if kind == "cluster" and size != "0":
        if clusters is None:
            raise ValueError(f"the view {name!r} needs a file of word clusters")
        return partial(clusters.bits, n_bits=int(size) if size else None)
    return None if size else SIMPLE.get(kind)


def _known() -> str:
    patterns = f'{", ".join(PATTERNS)} of (column,"regex")'
    return f"{', '.join(SIMPLE)}, prefixN, suffixN, clusterN, cluster, and {patterns}"
