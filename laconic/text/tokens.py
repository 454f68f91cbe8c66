"""Words of a text, and the character spans of its sentences.

Sentences are found in three steps, each one pass of a compiled expression:

1. the header block of a message, if it opens with one: each header is a unit;
2. a mask of the rest, of the same length, in which the marks of quoted lines and the lines without
   any word (rules of dashes, `-- `) are blanked, so that quoted text reads as text; where the depth
   of quotation changes there is a boundary, and a line laid out in columns (a row of a table, a
   signature) is a unit;
3. candidates in the mask: blank lines, list items, headers and the stops of other scripts (see
   `laconic.text.scripts`) end a sentence always; `.`, `!` and `?` do when neither what precedes (an
   abbreviation, an initial, a number) nor what follows (a lower-case letter) is evidence against
   it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from laconic.text import scripts

Span = tuple[int, int]
Boundary = Literal["auto", "line", "double-space"]

_WORD = re.compile(r"\w\w+")
_ANY_WORD_CHARACTER = re.compile(r"\w")

_HEADER = r"[A-Za-z][A-Za-z0-9.-]*:(?:[ \t][^\n]*)?\n(?:[ \t]+\S[^\n]*\n)*"
_HEADER_BLOCK = re.compile(rf"\n*((?:{_HEADER}){{2,}})(?=[ \t]*\n|\Z)")
_ONE_HEADER = re.compile(_HEADER)

# "> ", "|> ", ">>> ", ": ", "JD> ", "R >>>JD> ", "<>"; a colon without a blank after it opens a
# smiley, "<" may open an address.
_QUOTE_MARK = r"[ \t]*(?:[A-Za-z]{0,3}[ \t]?>|[|}]|:(?=[ \t>])|<(?![^\s<>]+>))"
_QUOTED_LINE = re.compile(rf"\n((?:{_QUOTE_MARK})+)([^\n]*)")
_LINE_MARKS = re.compile(rf"\n(?:{_QUOTE_MARK})+")
_MASKED_LINES = re.compile(
    rf"\n(?:(?P<quote>{_QUOTE_MARK}[^\n]*(?:\n{_QUOTE_MARK}[^\n]*)*)|[^\w\n]+(?=\n|\Z))"
)
_DEPTH = re.compile(r"[<>|:}]")
_COLUMN_GAP = re.compile(r"[ \t](?<=\S[ \t])(?:(?<=\t)| {3}| {0,2}\t)[ \t]*(?=\S)")

_LIST_ITEM = (
    r"[ \t]*(?:(?:[-*•·+]|o[ \t]|[0-9]{1,3}[ \t]+-)[ \t]+\S"
    r"|\(?(?:[0-9]{1,3}[.)]|[A-Za-z]\))[ \t\n])"
)
_HEADER_INSIDE = (
    r"(?:From|To|Cc|Date|Subject|Newsgroups|Organi[sz]ation|Lines|Keywords|Summary|Reply-To|Sender|"
    r"Received|Status|Distribution|Mime-Version|Message-I[dD]|Archive-name|Last-modified|"
    r"X-[A-Z][\w-]*|Content-[\w-]+):[ \t]"
)
_CLOSING = "\"'\u2019\u201d\u00bb)\\]}*_>"
_OPENING = "\"'\u2018\u201c\u00ab(\\[{*_<`-"
# Each alternative follows one character class, so that the search skips other characters quickly.
_CANDIDATE = re.compile(
    rf"""[\n.!?…](?:
         (?P<line>(?<=\n))(?=[ \t]*\n|{_LIST_ITEM}|{_HEADER_INSIDE})
       | (?<!\n)(?<![.!?…]{{2}})(?P<more>[.!?…]*)(?P<close>[{_CLOSING}]*)
         (?=(?P<gap>[ \t\n]+)[{_OPENING}]*(?P<next>[\w.]\w*))
       )""",
    re.VERBOSE,
)
_LAST_TOKEN_LENGTH = 24
_LAST_TOKEN = re.compile(r"[^\s(\[{\"'/-]*\Z")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
_ITEM_NUMBER = re.compile(r"\n[ \t]*\(?[0-9]{1,3}\Z")
_LOWERCASE_WORD = re.compile(r"[a-z]*[aeiouy][a-z]*")


def _entries(lines: str) -> frozenset[str]:
    return frozenset(lines.split())


# After these a capital or a digit goes on with the sentence: "Dr. Jones", "e.g. Unix".
_BEFORE_NAME = _entries("""
    mr mrs ms messrs dr drs prof rev fr st gen col lt cpl sgt capt cmdr adm maj sen rep gov pres hon
    supt det vs v cf viz mt ft dept univ assn bros ed eds trans e.g i.e eg ie
""")
# After these a digit goes on: "No. 5", "Jan. 3", "Rom. 8".
_BEFORE_NUMBER = _entries("""
    no nos nr vol vols ver vers v p pp pg pgs ch chap sec sect art eq eqs fig figs tab ex cols para
    par approx ca c
    jan feb mar apr jun jul aug sep sept oct nov dec ext tel ph max min est rm apt rom ps phil cor
    thess tim matt avg esp orig incl misc temp
""")
# These may end a sentence: they do so when the next word looks like the opening of one.
_MAY_END = _entries("etc inc ltd co corp jr sr al a.m p.m ave blvd rd")
_OPENERS = _entries("""
    The This That These Those There Then They It Its If In I Is He She His Her We You Your My Our A
    An And As At But By For From Has Have How However Also After Although Because Before Both Do
    Does Did Can Could Would Should Not No Now On One Or Only Please Since So Some Such Thanks To
    Was What When Where Which While Who Why With Yes
""")


def words(text: str, lowercase: bool = True) -> list[str]:
    """Return the runs of two or more word characters, as scikit-learn's CountVectorizer does.

    Combining marks are parts of words, and scripts without blanks give pairs of characters (see
    `laconic.text.scripts`).
    """
    text = text.lower() if lowercase else text
    return scripts.words_of(text) if scripts.has_own_rules(text) else _WORD.findall(text)


def word_spans(text: str) -> list[Span]:
    """Return the spans of the words that `words` returns."""
    if scripts.has_own_rules(text):
        return scripts.spans_of(text)
    return [match.span() for match in _WORD.finditer(text)]


def without_quote_marks(text: str) -> str:
    """Blank the quotation marks that open the second and later lines of `text`."""
    return _LINE_MARKS.sub(lambda match: "\n" + " " * (match.end() - match.start() - 1), text)


def sentences(text: str, boundary: Boundary = "auto") -> list[Span]:
    """Return the spans (start, end) of the sentences of `text`: disjoint, and in order.

    They hold every word but the initials of those who are quoted.

    Parameters
    ----------
    text : str
        Any text.
    boundary : {"auto", "line", "double-space"}, default="auto"
        Where sentences end: by rule, at the end of each line, or at two blanks or a line end.

    Examples
    --------
    >>> text = "Dr. Jones left. He was tired."
    >>> [text[start:end] for start, end in sentences(text)]
    ['Dr. Jones left.', 'He was tired.']
    """
    text = text.replace("\r", " ")  # of the same length: "\r\n" ends a line as "\n" does
    if boundary == "auto":
        header_spans, body_start = _header_spans(text)
        return header_spans + list(_rule_spans(text, body_start))
    if boundary == "line":
        return list(_spans_between(text, 0, [m.start() for m in re.finditer(r"\n", text)]))
    if boundary == "double-space":
        return list(_spans_between(text, 0, [m.start() for m in re.finditer(r"\s{2,}|\n", text)]))
    raise ValueError(f"boundary is 'auto', 'line' or 'double-space', not {boundary!r}")


def _spans_between(mask: str, start: int, cuts: list[int], shift: int = 0) -> Iterator[Span]:
    """Yield the trimmed pieces of `mask` between the cuts that have a word character."""
    for end in [*cuts, len(mask)]:
        piece = mask[start:end]
        if _ANY_WORD_CHARACTER.search(piece):
            first = start + len(piece) - len(piece.lstrip())
            yield first - shift, start + len(piece.rstrip()) - shift
        start = end


def _header_spans(text: str) -> tuple[list[Span], int]:
    """Return one span per header of the block that opens a message, and where the block ends."""
    block = _HEADER_BLOCK.match(text)
    if block is None:
        return [], 0
    cuts = [m.end() for m in _ONE_HEADER.finditer(text, block.start(1), block.end())]
    return list(_spans_between(text[: block.end()], 0, cuts)), block.end()


def _mask(text: str) -> tuple[str, list[int]]:
    """Blank quotation marks and wordless lines; return where the depth of quotation changes too."""
    depth_changes: list[int] = []

    def blank(match: re.Match[str]) -> str:
        if match["quote"] is None:
            return "\n" + " " * (match.end() - match.start() - 1)
        depth_changes.append(match.start())
        depth_changes.append(match.end())
        position, last_depth, lines = match.start(), -1, []
        for marks, rest in _QUOTED_LINE.findall(match[0]):
            depth = len(_DEPTH.findall(marks))
            if last_depth not in (depth, -1):
                depth_changes.append(position)
            last_depth = depth
            has_word = _ANY_WORD_CHARACTER.search(rest) is not None
            lines.append("\n" + " " * len(marks) + (rest if has_word else " " * len(rest)))
            position += 1 + len(marks) + len(rest)
        return "".join(lines)

    return _MASKED_LINES.sub(blank, text), depth_changes


def _column_cuts(mask: str) -> Iterator[int]:
    """Yield both ends of every line laid out in columns."""
    line_end = 0
    for gap in _COLUMN_GAP.finditer(mask):
        if gap.start() >= line_end:
            yield mask.rfind("\n", 0, gap.start())
            line_end = mask.find("\n", gap.end())
            if line_end < 0:
                return
            yield line_end


def _rule_spans(text: str, start: int) -> Iterator[Span]:
    """Yield the spans of the sentences of text[start:]."""
    # The line break in front makes the first line like all others.
    mask, cuts = _mask("\n" + text[start:])
    cuts.extend(_column_cuts(mask))
    for candidate in _CANDIDATE.finditer(mask):
        if candidate["line"] is not None or _ends_sentence(mask, candidate):
            cuts.append(candidate.end())
    if scripts.has_own_rules(mask):
        cuts.extend(found.end() for found in scripts.SENTENCE_END.finditer(mask))
    cuts.sort()
    yield from _spans_between(mask, 0, cuts, shift=1 - start)


def _ends_sentence(mask: str, candidate: re.Match[str]) -> bool:
    """Return whether a stop closes a sentence, judged by the token before and the word after."""
    more, close, gap, following = candidate.group("more", "close", "gap", "next")
    stop = mask[candidate.start()] + more
    goes_on_small = following[0].islower()
    if stop != ".":
        if "!" in stop or "?" in stop:
            return not (goes_on_small and close)
        return not goes_on_small and following[0] != "."
    if following[0] == ".":
        return False
    place = candidate.start()
    token = _LAST_TOKEN.search(mask, max(0, place - _LAST_TOKEN_LENGTH), place)
    before = token[0] if token else ""
    if not before:  # tokenised text, where the stop stands alone, or a spaced ellipsis
        return not (goes_on_small and mask[max(0, place - 3) : place].rstrip().endswith("."))
    if close and not goes_on_small:
        return True
    if before.isdigit() and _ITEM_NUMBER.search(mask, max(0, place - _LAST_TOKEN_LENGTH), place):
        return False  # the number of a list item
    key = before.lower()
    if goes_on_small:
        known = key in _BEFORE_NAME or key in _BEFORE_NUMBER or key in _MAY_END
        full_word = len(before) >= 3 and _LOWERCASE_WORD.fullmatch(before) is not None
        return (
            not known
            and not close
            and (full_word or (len(gap) > 1 and "\n" not in gap and len(before) > 1))
        )
    if key in _BEFORE_NAME:
        return False
    if key in _BEFORE_NUMBER and following[0].isdigit():
        return False
    if key in _MAY_END or _INITIALS.fullmatch(before):
        return following in _OPENERS or (
            len(gap) > 1 and "\n" not in gap and following[0].isupper()
        )
    return not (len(before) == 1 and before.isalpha() and before.isupper() and before != "I")
