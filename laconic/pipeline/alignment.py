"""Words of two analyses of one text, matched by the characters they stand for.

Both texts without their blanks are one string of characters; a token is a span [start, end) of it.
A word that is a token matches the word with the same span. Words of multiword tokens have no
characters of their own: within the smallest spans that hold whole multiword tokens of both sides,
words match by a longest common subsequence of their forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Bools, Ints
from laconic.core.ragged import pointers
from laconic.errors import InputError
from laconic.text.conllu import FORM, Conllu

SHOWN = 20  # characters of the texts where they differ


class TextSpans(NamedTuple):
    """Where the tokens, sentences and words of an analysis stand in the text.

    tokens, sentences  (n, 2) start and end
    words              (n_words, 2) start and end of the token that holds the word
    inner              (n_words) whether that is a multiword token
    forms              (n_words) in lower case
    """

    text: str
    tokens: Ints
    sentences: Ints
    words: Ints
    inner: Bools
    forms: list[str]


def spans_of(analysis: Conllu) -> TextSpans:
    """Return the spans of an analysis; InputError for a form that is white space alone."""
    rows, ptr, word_ptr = analysis.surface
    written = [analysis.fields[FORM][row] for row in rows.tolist()]
    pieces = ["".join(form.split()) for form in written]
    if "" in pieces:
        sentence = int(np.searchsorted(ptr, pieces.index(""), side="right"))
        raise InputError(f"sentence {sentence}: a token is white space alone.")
    bounds = pointers(map(len, pieces))
    tokens = np.stack([bounds[:-1], bounds[1:]], axis=1)
    lengths = np.diff(word_ptr)
    inner = np.repeat(lengths > 1, lengths)
    # As the task has it: blanks count in the words of a multiword token, and nowhere else.
    forms = [
        form.lower() if within else "".join(form.split()).lower()
        for form, within in zip(analysis.words(FORM), inner.tolist(), strict=True)
    ]
    sentences = np.stack([bounds[ptr[:-1]], bounds[ptr[1:]]], axis=1)
    return TextSpans(
        "".join(pieces),
        tokens,
        sentences,
        np.repeat(tokens, lengths, axis=0),
        inner,
        forms,
    )


def check_same_text(gold: TextSpans, found: TextSpans) -> None:
    """Raise InputError, which shows the place, unless both analyses are of one text."""
    if gold.text == found.text:
        return
    shorter = min(len(gold.text), len(found.text))
    at = next((i for i in range(shorter) if gold.text[i] != found.text[i]), shorter)
    sentence = min(
        int(np.searchsorted(gold.sentences[:, 0], at, side="right")), len(gold.sentences)
    )
    theirs, ours = (text[at : at + SHOWN] or "its end" for text in (gold.text, found.text))
    raise InputError(
        "the two analyses are not of the same text: in sentence "
        f"{sentence} of the gold one {theirs!r} stands where the other has {ours!r} (blanks aside)."
    )


def same_spans(gold: Ints, found: Ints) -> int:
    """Return how many spans are in both lists, each of which has distinct ones."""
    return len(np.intersect1d(_keys(gold), _keys(found), assume_unique=True))


def aligned_words(gold: TextSpans, found: TextSpans) -> tuple[Ints, Ints]:
    """Return the numbers of the words that match, two arrays (n_aligned), both ascending."""
    wide = _merged(np.concatenate([gold.words[gold.inner], found.words[found.inner]]))
    of_gold, of_found = (_holder(side.words, wide) for side in (gold, found))
    alone, others = np.flatnonzero(of_gold < 0), np.flatnonzero(of_found < 0)
    _, first, second = np.intersect1d(
        _keys(gold.words[alone]),
        _keys(found.words[others]),
        assume_unique=True,
        return_indices=True,
    )
    pairs = [np.stack([alone[first], others[second]], axis=1)]
    for (a, b), (c, d) in zip(
        _slices(of_gold, len(wide)), _slices(of_found, len(wide)), strict=True
    ):
        matched = np.array(_common(gold.forms[a:b], found.forms[c:d]), np.int64).reshape(-1, 2)
        pairs.append(matched + np.array([a, c]))
    both = np.concatenate(pairs)
    both = both[np.argsort(both[:, 0], kind="stable")]
    return both[:, 0], both[:, 1]


def _keys(spans: Ints) -> Ints:
    """Return one number per span, distinct for distinct ones; texts have up to 2^31 characters."""
    keys: Ints = (spans[:, 0] << 32) | spans[:, 1]
    return keys


def _merged(spans: Ints) -> Ints:
    """Return the unions of spans that overlap, in order."""
    if not len(spans):
        return spans
    spans = spans[np.lexsort((spans[:, 1], spans[:, 0]))]
    reach = np.maximum.accumulate(spans[:, 1])
    begins = np.append(True, spans[1:, 0] >= reach[:-1])
    first = np.flatnonzero(begins)
    return np.stack([spans[first, 0], reach[np.append(first[1:], len(spans)) - 1]], axis=1)


def _holder(words: Ints, wide: Ints) -> Ints:
    """Return which of the wide spans holds each word, -1 for none."""
    if not len(wide):
        return np.full(len(words), -1)
    at = np.searchsorted(wide[:, 0], words[:, 0], side="right") - 1
    held = (at >= 0) & (words[:, 1] <= wide[at, 1])
    return np.where(held, at, -1)


def _slices(holder: Ints, n_wide: int) -> Iterator[tuple[int, int]]:
    """Yield the words of each wide span, which stand side by side."""
    held = np.flatnonzero(holder >= 0)
    bounds = np.searchsorted(holder[held], np.arange(n_wide + 1)).tolist()
    for begin, end in pairwise(bounds):
        yield (int(held[begin]), int(held[end - 1]) + 1) if end > begin else (0, 0)


def _common(gold: Sequence[str], found: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of a longest common subsequence; the earliest words of `found` first."""
    if gold == found:
        return [(i, i) for i in range(len(gold))]
    # longest[g][f]: of gold[g:] and found[f:]
    longest = [[0] * (len(found) + 1) for _ in range(len(gold) + 1)]
    for g in range(len(gold) - 1, -1, -1):
        for f in range(len(found) - 1, -1, -1):
            longest[g][f] = max(
                longest[g + 1][f],
                longest[g][f + 1],
                longest[g + 1][f + 1] + (gold[g] == found[f]),
            )
    pairs, g, f = [], 0, 0
    while g < len(gold) and f < len(found):
        if gold[g] == found[f]:
            pairs.append((g, f))
            g, f = g + 1, f + 1
        elif longest[g][f] == longest[g + 1][f]:
            g += 1
        else:
            f += 1
    return pairs
