"""What the verbs share: options of the same name and meaning, labelled input, and paths checked before the work."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from laconic.errors import InputError
from laconic.text.io import STANDARD_STREAM, name_of
from laconic.text.jsonl import Document, read_documents

INPUT_HELP = "JSON lines, .tsv (label, tab, text) or bracketed trees (.txt, .mrg); gzip is fine, - is standard input."
COLUMNS_HELP = (
    "sentences in columns as in CoNLL-2000: a token a line, a blank line after each sentence."
)
TREEBANK_HELP = (
    "a treebank: CoNLL-X, CoNLL-2009, CoNLL-U, or four columns (number, word, tag, head)."
)
SENTENCES_HELP = "text with one sentence a line, its words parted by blanks."
TEXT_FIELD, LABEL_FIELD = "text", "label"
TAGGERS = "Taggers"
TAGGERS_AND_PARSERS = "Taggers and parsers"
LANGUAGE_MODELS = "Language models"
WORD_VECTORS = "Word vectors"
FORECASTERS = "Models over time"

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]
TextField = Annotated[
    str | None, typer.Option(help="Name of the JSON field that holds the text: text, if not given.")
]
LabelField = Annotated[
    str | None,
    typer.Option(help="Name of the JSON field that holds the label: label, if not given."),
]
DateField = Annotated[
    str | None, typer.Option(help="Name of the JSON field that holds the date: date, if not given.")
]
TargetField = Annotated[
    str | None,
    typer.Option(
        help="Name of the JSON field that holds what is to be forecast: target, if not given."
    ),
]
NumberField = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD",
        help="A JSON field with a number that is a feature too; may be given again.",
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        help="Step to compare the last one with: the first, if not given.",
        rich_help_panel=FORECASTERS,
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        help="Of more than two labels, this one: the first, if not given.",
        rich_help_panel=FORECASTERS,
    ),
]
EffectName = Annotated[
    str | None,
    typer.Option(
        "--effect",
        help="Of text over time, this effect: the constant, if not given.",
        rich_help_panel=FORECASTERS,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(help="Encoding of column files, treebanks and sentences: utf-8, if not given."),
]
ModelPath = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A file written by `laconic train`, an ARPA file, or a word2vec file."
    ),
]


def read_labelled(path: str, text_field: str, label_field: str) -> tuple[list[Document], list[str]]:
    """Documents and their labels."""
    documents, labels = read_documents(path, text_field, label_field)
    if labels is None:
        raise InputError(f"{name_of(path)}: the documents have no labels.")
    return documents, labels


def check_output(path: str) -> None:
    """InputError now rather than after hours of work: the folder of `path` must exist, and `path` must not be one."""
    if path == STANDARD_STREAM:
        return
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{path}: this is a folder; expected the name of a file to write.")
    if not target.parent.is_dir():
        raise InputError(
            f"{path}: there is no folder {str(target.parent)!r} to write the file into."
        )


def check_strength(name: str, value: float | None) -> None:
    """InputError unless `value` is absent, or a finite number that is not negative."""
    if value is not None and not (math.isfinite(value) and value >= 0):
        raise InputError(f"{name} must be a number of 0 or more, not {value}.")
