"""Labels of chunks: spans, the schemes IOB1, IOB2 and BIOES, and which label may follow which.

    IOB1    I-X inside; B-X only where a chunk directly follows another of its type
    IOB2    B-X at the start of every chunk, I-X inside
    BIOES   as IOB2, E-X at the end of a chunk, S-X for a chunk of one token (BILOU's letters L and
            U are read as E and S)
    plain   labels without chunks, such as parts of speech

A chunk is what conlleval takes for one, in any of these schemes and in sequences that break their
rules. Labels come as ids with the string of each id, and sentence s is tokens ptr[s]:ptr[s+1].
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from laconic.core.arrays import Bools, Ints, Ints32
from laconic.text.vocab import Vocab

Scheme: TypeAlias = Literal["IOB1", "IOB2", "BIOES", "plain"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
OUTSIDE = "O"
_LETTERS = "OBIES"
_O, _B, _I, _E, _S = range(5)
_LETTER = {"O": _O, "B": _B, "I": _I, "E": _E, "S": _S, "L": _E, "U": _S}
NO_TYPE = -1


class Spans(NamedTuple):
    """Chunk k is tokens start[k]:end[k], of type types[kind[k]]; in order of the text."""

    start: Ints
    end: Ints
    kind: Ints
    types: tuple[str, ...]


class _Parts(NamedTuple):
    """Letter (an index of OBIES) and type of labels: of each label, or of each token."""

    letter: Ints
    kind: Ints


def is_chunk_label(label: str) -> bool:
    """Return whether a label is like O, B-NP, I or E-PER."""
    return label == OUTSIDE or (
        label[:1] in _LETTER and label[:1] != OUTSIDE and (len(label) == 1 or label[1] == "-")
    )


def chunk_types(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the types of chunks among `labels`, sorted; a bare B or I has the empty type."""
    return tuple(sorted({_checked(label)[2:] for label in labels if label != OUTSIDE}))


def spans(ids: npt.ArrayLike, ptr: npt.ArrayLike, labels: Sequence[str]) -> Spans:
    """Return the chunks of sentences whose token t has label labels[ids[t]]."""
    tokens, types = _token_parts(ids, labels)
    start, last = _edges(tokens, np.asarray(ptr))
    first = np.flatnonzero(start)
    return Spans(first, np.flatnonzero(last) + 1, tokens.kind[first], types)


def convert_labels(labels: Sequence[str], ptr: npt.ArrayLike, scheme: Scheme) -> list[str]:
    """Return the same chunks in another scheme; plain labels stay as they are.

    `labels` may be in any scheme, one per token.

    >>> convert_labels(["I-NP", "I-NP", "O"], [0, 3], "BIOES")
    ['B-NP', 'E-NP', 'O']
    """
    if scheme == "plain":
        return list(labels)
    if scheme not in SCHEMES:
        raise ValueError(f"the schemes of labels are {', '.join(SCHEMES)}, not {scheme!r}")
    vocab = Vocab()
    ids, pointer = vocab.grow(labels), np.asarray(ptr)
    tokens, types = _token_parts(ids, vocab.words)
    start, last = _edges(tokens, pointer)
    letter = np.where(tokens.letter == _O, _O, np.where(start, _B, _I))
    if scheme == "IOB1":
        follows = np.zeros(len(start), dtype=bool)
        follows[1:] = start[1:] & (tokens.kind[1:] == tokens.kind[:-1])
        follows[pointer[:-1][np.diff(pointer) > 0]] = False
        letter = np.where(letter == _O, _O, np.where(follows, _B, _I))
    elif scheme == "BIOES":
        letter = np.where(last, np.where(start, _S, _E), letter)
    names = [OUTSIDE, *(_label(a, kind) for kind in types for a in _LETTERS[1:])]
    # Label 1 + 4 * type + (letter - 1); for O the type is -1 and the letter 0.
    code = np.where(letter == _O, 0, 4 * tokens.kind + letter)
    return list(map(names.__getitem__, code.tolist()))


def detect_scheme(labels: Sequence[str], ptr: npt.ArrayLike) -> Scheme:
    """Return the scheme whose rules are broken least often, since real corpora do break them.

    IOB2 goes before IOB1 in a draw.
    """
    vocab = Vocab()
    ids = vocab.grow(labels)
    if not all(map(is_chunk_label, vocab.words)) or set(vocab.words) <= {OUTSIDE}:
        return "plain"
    if {_LETTER[label[0]] for label in vocab.words} & {_E, _S}:
        return "BIOES"
    schemes: tuple[Scheme, ...] = ("IOB2", "IOB1")
    return min(schemes, key=lambda scheme: _n_broken(ids, np.asarray(ptr), vocab.words, scheme))


def allowed_transitions(labels: Sequence[str], scheme: Scheme) -> Bools:
    """Return (L + 1, L): whether label b may follow label a, or in the last row open a sentence."""
    if scheme == "plain":
        return np.ones((len(labels) + 1, len(labels)), dtype=bool)
    parts, _ = _parts(labels)
    before = _Parts(np.append(parts.letter, _O), np.append(parts.kind, NO_TYPE))
    here, same = parts.letter[None, :], before.kind[:, None] == parts.kind[None, :]
    left = before.letter[:, None]
    if scheme == "BIOES":
        goes_on = (here == _I) | (here == _E)
        is_open = (left == _B) | (left == _I)
        allowed: Bools = np.where(is_open, goes_on & same, ~goes_on)
        return allowed
    if scheme not in SCHEMES:
        raise ValueError(f"the schemes of labels are {', '.join(SCHEMES)}, not {scheme!r}")
    needs_chunk_before = here == (_I if scheme == "IOB2" else _B)
    allowed = (~needs_chunk_before | ((left != _O) & same)) & (here != _E) & (here != _S)
    return allowed


def allowed_ends(labels: Sequence[str], scheme: Scheme) -> Bools:
    """Return (L,): whether each label may close a sentence."""
    if scheme != "BIOES":
        return np.ones(len(labels), dtype=bool)
    letter = _parts(labels)[0].letter
    closes: Bools = (letter != _B) & (letter != _I)
    return closes


def _n_broken(ids: Ints32, ptr: Ints, labels: Sequence[str], scheme: Scheme) -> int:
    """Return the number of tokens whose label may not follow the one before."""
    before = np.where(_opens(len(ids), ptr), len(labels), np.roll(ids, 1))
    return int((~allowed_transitions(labels, scheme)[before, ids]).sum())


def _checked(label: str) -> str:
    if not is_chunk_label(label):
        raise ValueError(f"expected labels of chunks such as B-NP, I-NP or O, found {label!r}")
    return label


def _label(letter: str, kind: str) -> str:
    return f"{letter}-{kind}" if kind else letter


def _parts(labels: Sequence[str]) -> tuple[_Parts, tuple[str, ...]]:
    types = chunk_types(labels)
    index = {kind: k for k, kind in enumerate(types)}
    letter = [_LETTER[_checked(label)[0]] for label in labels]
    kind = [NO_TYPE if label == OUTSIDE else index[label[2:]] for label in labels]
    return _Parts(np.array(letter, dtype=np.int64), np.array(kind, dtype=np.int64)), types


def _token_parts(ids: npt.ArrayLike, labels: Sequence[str]) -> tuple[_Parts, tuple[str, ...]]:
    parts, types = _parts(labels)
    tokens = np.asarray(ids, dtype=np.int64)
    return _Parts(parts.letter[tokens], parts.kind[tokens]), types


def _opens(n_tokens: int, ptr: Ints) -> Bools:
    """Return whether each token is the first of its sentence."""
    opens = np.zeros(n_tokens, dtype=bool)
    opens[ptr[:-1][np.diff(ptr) > 0]] = True
    return opens


def _edges(tokens: _Parts, ptr: Ints) -> tuple[Bools, Bools]:
    """Return whether each token is the first and the last of a chunk, as conlleval has it.

    Every token but O is in a chunk. It opens one if its letter says so (B, S), if the token before
    has closed one (O, E, S, sentence end), or if that has another type.
    """
    letter, kind = tokens
    before = np.where(_opens(len(letter), ptr), _O, np.roll(letter, 1))
    closed = np.isin(before, (_O, _E, _S)) | (np.roll(kind, 1) != kind)
    inside = letter != _O
    start = inside & (np.isin(letter, (_B, _S)) | closed)
    goes_on = inside & ~start
    return start, inside & ~np.roll(goes_on, -1)
