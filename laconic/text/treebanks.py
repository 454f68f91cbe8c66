"""Dependency treebanks: CoNLL-X, CoNLL-2009, CoNLL-U, and four columns (number, word, tag, head).

The number of columns tells the format; files may be compressed by gzip. Lines of CoNLL-U that are
no words (multiword tokens such as 3-4, empty nodes such as 5.1, comments) are passed over, and are
in their places again when a treebank is written. A sentence may have several roots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Ints, Ints32
from laconic.core.ragged import cut, pointers, ranges
from laconic.errors import InputError
from laconic.text.io import PathLike, atomic_writer, name_of, open_text
from laconic.text.token_columns import TokenColumns

COLUMNS = ("word", "lemma", "coarse", "fine", "morph")
TAGS = ("coarse", "fine")  # the columns that a tagger of words predicts
NOTHING = "_"
BATCH_SENTENCES = 1000
# ((heads, labels), score) of the best trees of a sentence.
ScoredTrees: TypeAlias = Sequence[tuple[tuple[Sequence[int], Sequence[str] | None], float]]


class Format(NamedTuple):
    """Which field of a line holds what; -1 for what the format does not have."""

    name: str
    fields: tuple[int, ...]  # of COLUMNS
    head: int
    label: int


FOUR_COLUMNS = Format("four columns", (1, -1, 2, 2, -1), 3, -1)
CONLL_X = Format("CoNLL-X or CoNLL-U", (1, 2, 3, 4, 5), 6, 7)
CONLL_2009 = Format("CoNLL-2009", (1, 2, 4, 4, 6), 8, 10)


class Treebank(NamedTuple):
    """Sentences with trees.

    tokens  the columns of all sentences
    heads   (n_tokens) place of each token's head in its sentence, counted from 1; 0 at a root
    labels  (n_tokens) relation of each token to its head; empty if the file has none
    lines   where kept, those of the file: (line, token or -1 for what is no word)
    """

    tokens: TokenColumns
    heads: Ints32
    labels: list[str]
    lines: list[tuple[str, int]] | None = None

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def ptr(self) -> Ints:
        """Boundaries of the sentences."""
        return self.tokens.ptr

    def some(self, chosen: NDArray[np.integer[Any]]) -> Treebank:
        """Return the sentences of these numbers, in this order, without lines."""
        taken = ranges(self.ptr[:-1][chosen], self.ptr[1:][chosen])
        labels = [self.labels[t] for t in taken.tolist()] if self.labels else []
        return Treebank(self.tokens.some(chosen), self.heads[taken], labels)


def read_treebank(
    path: PathLike, encoding: str = "utf-8", keep_lines: bool = False, trees: bool = True
) -> Treebank:
    """Read all sentences of a file; InputError names the line of what cannot be read.

    Without `trees`, heads may be missing ("_") and are then -1.
    """
    reader = _Reader(name_of(path), trees)
    with open_text(path, encoding) as stream:
        for number, line in enumerate(stream, 1):
            token = reader.take(line.rstrip("\r\n"), number)
            if keep_lines:
                reader.lines.append((line.rstrip("\r\n"), token))
    if not reader.heads:
        raise InputError(f"{reader.place}: holds no tokens.")
    return reader.treebank(keep_lines)


def iterate_treebank(
    path: PathLike, encoding: str = "utf-8", batch_sentences: int = BATCH_SENTENCES
) -> Iterator[Treebank]:
    """Yield the sentences of a file, which may be endless, in batches with their lines.

    Trees, where there are any, are not checked.
    """
    reader = _Reader(name_of(path), trees=False)
    with open_text(path, encoding) as stream:
        for number, line in enumerate(stream, 1):
            text = line.rstrip("\r\n")
            reader.lines.append((text, reader.take(text, number)))
            if len(reader.lengths) == batch_sentences:
                yield reader.treebank(keep_lines=True)
                reader = _Reader(reader.place, reader.trees, reader.format)
    if reader.format is None:
        raise InputError(f"{reader.place}: holds no tokens.")
    if reader.lines:  # perhaps blank lines and comments alone
        yield reader.treebank(keep_lines=True)


def write_treebank(
    path: PathLike, bank: Treebank, heads: Ints32, labels: Sequence[str] | None = None
) -> None:
    """Write the lines of a treebank with other heads and labels, whole or not at all."""
    with treebank_writer(path) as writer:
        writer.write(bank, heads, labels)


@contextmanager
def treebank_writer(path: PathLike) -> Iterator[TreebankWriter]:
    """Open a file ("-": standard output) to write treebanks into, whole or not at all."""
    with atomic_writer(path) as stream:
        yield TreebankWriter(stream)


class TreebankWriter:
    """Writes the lines of treebanks with other heads and labels.

    With `tagged`, the tokens with tags that were predicted, these are written too.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(
        self,
        bank: Treebank,
        heads: Ints32,
        labels: Sequence[str] | None = None,
        tagged: TokenColumns | None = None,
    ) -> None:
        """Write all lines, those of tokens with these heads and, unless None, labels."""
        for line, token in _lines_of(bank):
            if token >= 0:
                label = None if labels is None else labels[token]
                line = _filled(line, int(heads[token]), label, _tags_of(tagged, token))
            self._stream.write(line + "\n")

    def write_ranked(
        self, bank: Treebank, ranked: Sequence[ScoredTrees], tagged: TokenColumns | None = None
    ) -> None:
        """Write each sentence once per tree, with its comments and a line `# score = ..`."""
        first = 0  # token of the sentence
        for block, trees in zip(_sentences_of(_lines_of(bank)), ranked, strict=True):
            for (heads, labels), score in trees:
                scored = False
                for line, token in block:
                    if not scored and not line.startswith("#"):
                        self._stream.write(f"# score = {score:.4f}\n")
                        scored = True
                    if token >= 0:
                        line = _filled(
                            line,
                            heads[token - first],
                            None if labels is None else labels[token - first],
                            _tags_of(tagged, token),
                        )
                    self._stream.write(line + "\n")
                self._stream.write("\n")
            first += sum(token >= 0 for _, token in block)


def _lines_of(bank: Treebank) -> list[tuple[str, int]]:
    if bank.lines is None:
        raise ValueError("the lines of the treebank were not kept: read it with keep_lines=True")
    return bank.lines


def _sentences_of(lines: Sequence[tuple[str, int]]) -> Iterator[list[tuple[str, int]]]:
    """Yield the lines of each sentence that has tokens, without blank ones."""
    block: list[tuple[str, int]] = []
    for line, token in [*lines, ("", -1)]:
        if line.strip():
            block.append((line, token))
        elif any(token >= 0 for _, token in block):
            yield block
            block = []


def _tags_of(tagged: TokenColumns | None, token: int) -> dict[str, str]:
    """Return the predicted tags of a token by the names of their columns."""
    return {} if tagged is None else {name: tagged.column(name)[token] for name in TAGS}


def _filled(line: str, head: int, label: str | None, tags: Mapping[str, str]) -> str:
    """Return the line of a token with another head and, unless None, label, and other tags."""
    fields = line.split("\t")
    layout = _format_of(len(fields))
    assert layout is not None
    fields[layout.head] = str(head)
    if label is not None and layout.label >= 0:
        fields[layout.label] = label
    for name, tag in tags.items():
        fields[layout.fields[COLUMNS.index(name)]] = tag
    return "\t".join(fields)


def _format_of(n_fields: int) -> Format | None:
    if n_fields == 4:
        return FOUR_COLUMNS
    if n_fields == 10:
        return CONLL_X
    return CONLL_2009 if n_fields >= 13 else None


class _Reader:
    """Reads line after line into columns; a sentence is checked when it ends."""

    def __init__(self, place: str, trees: bool, known_format: Format | None = None) -> None:
        self.place = place
        self.trees = trees
        self.format = known_format
        self.columns: list[list[str]] = [[] for _ in COLUMNS]
        self.heads: list[int] = []
        self.labels: list[str] = []
        self.lengths: list[int] = []
        self.lines: list[tuple[str, int]] = []
        self.begin = 0  # of the sentence being read, in tokens
        self.numbers: list[int] = []  # the lines of its tokens
        self.known: dict[str, str] = {}

    def take(self, line: str, number: int) -> int:
        """Read one line; return the number of its token, or -1."""
        if not line.strip():
            self._end_sentence()
            return -1
        if line.startswith("#") and "\t" not in line:
            return -1
        fields = line.split("\t")
        if self.format is None:
            self.format = _format_of(len(fields))
        if self.format is None or _format_of(len(fields)) is not self.format:
            expected = (
                self.format.name
                if self.format
                else "4 columns, CoNLL-X or -U (10) or CoNLL-2009 (13 or more)"
            )
            raise InputError(
                f"{self.place}:{number}: expected {expected}, separated by tabs, "
                f"found {len(fields)} columns."
            )
        if "-" in fields[0] or "." in fields[0]:
            return self._pass_over(fields[0], number)
        if fields[0] != str(len(self.heads) - self.begin + 1):
            wanted = len(self.heads) - self.begin + 1
            raise InputError(
                f"{self.place}:{number}: expected token number {wanted}, found {fields[0][:20]!r}."
            )
        for column, field in zip(self.columns, self.format.fields, strict=True):
            value = fields[field] if field >= 0 else NOTHING
            column.append(self.known.setdefault(value, value))
        place = f"{self.place}:{number}"
        self.heads.append(head_of(fields[self.format.head], place, self.trees))
        if self.format.label >= 0:
            label = fields[self.format.label]
            self.labels.append(self.known.setdefault(label, label))
        self.numbers.append(number)
        return len(self.heads) - 1

    def treebank(self, keep_lines: bool) -> Treebank:
        """Return all that was read."""
        self._end_sentence()
        tokens = TokenColumns(COLUMNS, list(self.columns), pointers(self.lengths))
        return Treebank(
            tokens,
            np.array(self.heads, dtype=np.int32),
            self.labels,
            self.lines if keep_lines else None,
        )

    def _pass_over(self, name: str, number: int) -> int:
        """Check the number of a multiword token or empty node; the rest of it is ignored."""
        parts = name.replace(".", "-").split("-")
        if len(parts) != 2 or not all(part.isdigit() for part in parts):
            raise InputError(
                f"{self.place}:{number}: expected a token number such as 3, 3-4 or 3.1, "
                f"found {name[:20]!r}."
            )
        return -1

    def _end_sentence(self) -> None:
        n = len(self.heads) - self.begin
        if n == 0:
            return
        check_heads(self.heads[self.begin :], self.place, self.numbers, self.trees)
        self.lengths.append(n)
        self.begin = len(self.heads)
        self.numbers = []


def head_of(text: str, place: str, trees: bool = True) -> int:
    """Return the number of a head, -1 for "_" unless there must be trees.

    InputError, at `place`, for anything else.
    """
    if not trees and text == NOTHING:
        return -1
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise InputError(f"{place}: the head must be a number from 0 on, found {text[:20]!r}.")
    return int(text)


def check_heads(heads: Sequence[int], place: str, lines: Sequence[int], trees: bool = True) -> None:
    """Raise InputError unless the heads of a sentence are its tokens and, if asked, form a tree.

    `lines` are the numbers of the tokens' lines in the file `place`.
    """
    for head, number in zip(heads, lines, strict=True):
        if head > len(heads):
            raise InputError(
                f"{place}:{number}: the head is {head}, but the sentence has {len(heads)} tokens."
            )
    if trees and (stuck := first_on_cycle(heads)) is not None:
        raise InputError(
            f"{place}:{lines[stuck]}: the heads form a cycle: "
            f"token {stuck + 1} never leads to a root."
        )


def check_trees(bank: Treebank) -> None:
    """Raise ValueError unless the heads of every sentence form a tree.

    Treebanks that were read with their trees have been checked.
    """
    for number, heads in enumerate(cut(bank.heads.tolist(), bank.ptr)):
        for token, head in enumerate(heads, 1):
            if not 0 <= head <= len(heads):
                raise ValueError(
                    f"sentence {number}: the head of token {token} is {head}, "
                    f"but there are {len(heads)} tokens"
                )
        if (stuck := first_on_cycle(heads)) is not None:
            raise ValueError(
                f"sentence {number}: the heads form a cycle: "
                f"token {stuck + 1} never leads to a root"
            )


def first_on_cycle(heads: Sequence[int]) -> int | None:
    """Return the first token (from 0) that never leads to a root; None if there is none.

    Heads are counted from 1, and 0 is the root.
    """
    # Of tokens from 1: 0 not seen, 1 on the present path, 2 leads to the root.
    state = [2, *[0] * len(heads)]
    for start in range(1, len(heads) + 1):
        path = []
        at = start
        while state[at] == 0:
            state[at] = 1
            path.append(at)
            at = heads[at - 1]
        if state[at] == 1:
            return start - 1
        for token in path:
            state[token] = 2
    return None
