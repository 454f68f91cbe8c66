"""Edits that turn one string into another, as labels that many strings share.

    target = head + cased(source)[cut : len - cut'] + tail

`l 0 3 1 ` + head + tail: the case of the source (l lower, u upper, t title, k kept), the characters
cut at its beginning and end, and the length of the head. `= target` stands for a target that has
nothing in common with its source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from laconic.errors import InputError

CASES: dict[str, Callable[[str], str]] = {
    "l": str.lower,
    "k": str,
    "t": str.capitalize,
    "u": str.upper,
}
WHOLE = "="
_EDIT = re.compile(r"[lktu] \d{1,6} \d{1,6} \d{1,6} ", re.ASCII)


def edit_of(source: str, target: str, keep_case: bool = False) -> str:
    """Return the edit that makes `target` of `source`."""
    if keep_case:
        case = "k"
    elif target == target.lower():
        # In lower case words at the beginning of a sentence share the edits of others.
        case = "l"
    else:
        case = max(CASES, key=lambda name: _in_common(CASES[name](source), target))
    cased = CASES[case](source)
    found = SequenceMatcher(None, cased, target, autojunk=False).find_longest_match()
    if not found.size:
        return f"{WHOLE} {target}"
    cut = len(cased) - found.a - found.size
    head, tail = target[: found.b], target[found.b + found.size :]
    return f"{case} {found.a} {cut} {len(head)} {head}{tail}"


def edited(source: str, edit: str) -> str | None:
    """Return what an edit makes of a string; None where it does not fit."""
    if edit.startswith(WHOLE):
        return edit[2:]
    case, begin, end, n_head, text = edit.split(" ", 4)
    cased, cut = CASES[case](source), int(begin)
    stop = len(cased) - int(end)
    if stop <= cut:
        return None
    return text[: int(n_head)] + cased[cut:stop] + text[int(n_head) :]


def check_edit(edit: str) -> None:
    """Raise an InputError unless `edit_of` may have made this."""
    if not edit.startswith(f"{WHOLE} ") and not _EDIT.match(edit):
        raise InputError("expected an edit of a form")


def check_split(split: str) -> None:
    """Raise an InputError unless `splits_of` may have made this."""
    _, found, rest = f"\t{split}".partition("\t\t")
    if not found:
        raise InputError("expected the words of a multiword token")
    check_edit(rest.split("\t")[0])


def _in_common(source: str, target: str) -> int:
    matcher = SequenceMatcher(None, source, target, autojunk=False)
    return matcher.find_longest_match().size


def splits_of(token: str, words: Sequence[str]) -> list[str]:
    """Return how a token may fall into words: an edit of one of them, the others as they are.

    The words are separated by tabs, the edited one begins with another tab. Of the splits, those
    come first whose edited word has more in common with the token.
    """
    shared = [_in_common(token, word) for word in words]
    found = []
    for stem in sorted(range(len(words)), key=lambda at: -shared[at]):
        edit = edit_of(token, words[stem], keep_case=True)
        found.append("\t".join([*words[:stem], f"\t{edit}", *words[stem + 1 :]]))
    return found


def split_by(token: str, split: str) -> list[str] | None:
    """Return the words of a token; None where the split does not fit it."""
    before, _, rest = f"\t{split}".partition("\t\t")
    edit, *after = rest.split("\t")
    stem = edited(token, edit)
    return None if not stem else [*before.split("\t")[1:], stem, *after]
