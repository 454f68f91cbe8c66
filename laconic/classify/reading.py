"""How the documents of a classifier are read: its encoder, without words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from laconic.text.documents import DocumentEncoder, Tokenizer
from laconic.text.tokens import Boundary


class ReadingParameters(Protocol):
    """The parameters of TextClassifier that decide what the words of a document are."""

    ngrams: int
    prefixes: tuple[int, ...]
    stop_words: str | Sequence[str] | None
    tokenizer: Tokenizer | None
    lowercase: bool
    boundary: Boundary


def encoder_for(parameters: ReadingParameters) -> DocumentEncoder:
    """Return an encoder that reads documents as the parameters say, without words."""
    left_out: Collection[str] = ()
    if parameters.stop_words is not None:
        from laconic.text.stop_words import stop_words_of  # most models have none

        left_out = stop_words_of(parameters.stop_words)
    return DocumentEncoder(
        parameters.lowercase,
        parameters.ngrams,
        parameters.boundary,
        parameters.prefixes,
        parameters.tokenizer,
        left_out,
    )
