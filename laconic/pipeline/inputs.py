"""What `laconic predict` reads for a pipeline: raw text, sentences, tokens, or CoNLL-U.

Files may be larger than memory: sentences are annotated in batches, in the order of the input.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Literal

import numpy as np

from laconic.text.conllu import FIELDS, Conllu
from laconic.text.conllu_files import conllu_batches
from laconic.text.treebanks import BATCH_SENTENCES

if TYPE_CHECKING:
    from laconic.pipeline.predict import PipelinePredictor

InputForm = Literal["text", "sentences", "tokens", "conllu"]
# Raw text is taken up to a blank line after so many characters; a paragraph longer than the second
# number is cut at the end of a sentence.
BATCH_CHARACTERS, MOST_CHARACTERS = 2**18, 2**20
_NEWPAR = "# newpar"


def annotated(
    model: PipelinePredictor, lines: Iterable[str], name: str, form: InputForm | None = None
) -> Iterator[Conllu]:
    """Yield the sentences of an input with all that the pipeline says of them.

    Parameters
    ----------
    model : Pipeline
        A fitted pipeline.
    lines : iterable of str
        The lines of the input, with their ends.
    name : str
        What messages call the input.
    form : {"text", "sentences", "tokens", "conllu"}, default=None
        What the lines are: raw text with a blank line between paragraphs, one sentence per line,
        one token per line with a blank line after each sentence, or CoNLL-U. None is CoNLL-U if the
        first lines are, else raw text.
    """
    stream = iter(lines)
    if form is None:
        opening = list(_opening(stream))
        form = "conllu" if opening and is_conllu(opening[-1]) else "text"
        stream = chain(opening, stream)
    if form == "conllu":
        batches = conllu_batches(stream, name, False, BATCH_SENTENCES)
        yield from map(model.annotate, batches)
    elif form == "sentences":
        while batch := list(islice(stream, BATCH_SENTENCES)):
            yield model.annotate(model.sentences(batch))
    elif form == "tokens":
        blocks = _blocks(stream)
        while sentences := list(islice(blocks, BATCH_SENTENCES)):
            yield model.annotate(model.tokenized(sentences))
    else:
        yield from _of_text(model, stream)


def is_conllu(line: str) -> bool:
    """Return whether a line is a row of CoNLL-U."""
    fields = line.rstrip("\r\n").split("\t")
    return len(fields) == len(FIELDS) and re.fullmatch(r"\d+([-.]\d+)?", fields[0]) is not None


def _opening(stream: Iterator[str]) -> Iterator[str]:
    """Yield lines up to the first that is neither blank nor a comment."""
    for line in stream:
        yield line
        if line.strip() and not line.startswith("#"):
            return


def _blocks(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the lines between blank ones, without their ends."""
    block: list[str] = []
    for line in chain(lines, [""]):
        if line.strip():
            block.append(line.strip())
        elif block:
            yield block
            block = []


def _of_text(model: PipelinePredictor, lines: Iterable[str]) -> Iterator[Conllu]:
    held: list[str] = []
    size, continued = 0, False
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= BATCH_CHARACTERS and not line.strip():
            yield model.annotate(_sentences(model, held, continued))
            held, size, continued = [], 0, False
        elif size >= MOST_CHARACTERS:
            found = _sentences(model, held, continued)
            if len(found) > 1:  # the last sentence may go on
                yield model.annotate(found.some(np.arange(len(found) - 1)))
                held = [f"{found.texts()[-1]} "]
                size, continued = len(held[0]), True
    if held:
        yield model.annotate(_sentences(model, held, continued))


def _sentences(model: PipelinePredictor, held: list[str], continued: bool) -> Conllu:
    """Return the sentences of lines; the first may continue a paragraph."""
    found = model.segmented(["".join(held)])
    if not continued or not len(found):
        return found
    first = [line for line in found.before[0] if line != _NEWPAR]
    return replace(found, before=[first, *found.before[1:]])
