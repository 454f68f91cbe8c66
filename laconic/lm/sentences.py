"""Plain text for language models: one sentence per line, words separated by blanks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from laconic.errors import InputError
from laconic.lm.running import END, START
from laconic.text.io import PathLike, name_of, open_text

BATCH = 20_000  # sentences that are scored together


def read_sentences(path: PathLike, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a file, plain or compressed, that hold words.

    A file without words, or with something else than text, is an InputError.
    """
    return list(chain.from_iterable(filled(path, encoding)))


def filled(path: PathLike, encoding: str = "utf-8") -> Iterator[list[str]]:
    """Yield the same lines in batches; a file without words is an InputError."""
    batches = iterate_sentences(path, encoding)
    first = next(batches, None)
    if first is None:
        raise InputError(f"{name_of(path)}: holds no words; expected one sentence per line.")
    yield first
    yield from batches


def iterate_sentences(
    path: PathLike, encoding: str = "utf-8", size: int = BATCH
) -> Iterator[list[str]]:
    """Yield the same lines, at most `size` at a time."""
    batch: list[str] = []
    with open_text(path, encoding) as stream:
        for number, line in enumerate(stream, 1):
            if not (sentence := line.strip()):
                continue
            _check(sentence, path, number)
            batch.append(sentence)
            if len(batch) == size:
                yield batch
                batch = []
    if batch:
        yield batch


def _check(sentence: str, path: PathLike, number: int) -> None:
    """Raise an InputError if the line is not text, or holds a mark of its own start or end."""
    if "\0" in sentence:
        raise InputError(
            f"{name_of(path)}:{number}: expected text, one sentence per line, found a zero byte."
        )
    for mark in (START, END):
        if mark in sentence and mark in sentence.split():
            raise InputError(
                f"{name_of(path)}:{number}: {mark} is not allowed in a sentence: starts and ends "
                "of sentences are added automatically."
            )
