"""Options that several commands share, each with one name, one meaning and one help."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Annotated, Any

from laconic.errors import InputError
from laconic.models.option import Option
from laconic.text.columns import Columns
from laconic.text.corpus import Corpus, Document
from laconic.text.frames import DocumentRows
from laconic.text.io import STANDARD_STREAM, name_of
from laconic.text.jsonl import read_corpus

DOCUMENTS_HELP = (
    "JSON, CSV, TSV, Parquet, a folder of .txt files per label, or bracketed trees (.txt, .mrg)."
)
COLUMNS_HELP = (
    "Sentences in columns as in CoNLL-2000: one token per line, a blank line after each sentence."
)
TREEBANK_HELP = (
    "A treebank: CoNLL-X, CoNLL-2009, CoNLL-U, or four columns (number, word, tag, head)."
)
SENTENCES_HELP = "Text with one sentence per line, words separated by spaces."
ANY_FILE = "It may be compressed; - is standard input."
TEXT_FIELD, LABEL_FIELD = "text", "label"
UTF8 = "utf-8"
UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}

AsJson = Annotated[bool, Option("Print the result as one JSON object.", flag="--json")]
Quiet = Annotated[bool, Option("Show no progress bar.", flag="--quiet,-q")]
ModelPath = Annotated[
    str,
    Option("A file written by `laconic train`, an ARPA file, or a word2vec file.", metavar="MODEL"),
]
ModelOutput = Annotated[
    str | None, Option("The model file to write.", flag="--output,-o", metavar="MODEL")
]
TEXT_HELP = "Column or JSON field that holds the text."
TextField = Annotated[str, Option(TEXT_HELP, flag="--text,--text-field", metavar="COLUMN")]
LabelField = Annotated[
    str,
    Option(
        "Column or JSON field that holds the label.", flag="--label,--label-field", metavar="COLUMN"
    ),
]
DateField = Annotated[str, Option("Name of the JSON field that holds the date.", metavar="NAME")]
TargetField = Annotated[
    str, Option("Name of the JSON field that holds the value to forecast.", metavar="NAME")
]
# What a model over time was trained with is known from its file.
TrainedTextField = Annotated[
    str | None, Option(TEXT_HELP, flag="--text,--text-field", metavar="COLUMN")
]
Encoding = Annotated[str, Option("Encoding of the input.", metavar="NAME")]
Seed = Annotated[
    int, Option("Seed of everything that is random.", flag="--seed", metavar="N", minimum=0)
]
Jobs = Annotated[
    int | None, Option("Number of threads; -1 for all cores.", flag="--jobs", metavar="N")
]


def read_labelled(
    path: str, fields: Columns | str = TEXT_FIELD, label: str = LABEL_FIELD
) -> tuple[list[Document], list[Any]]:
    """Return documents and their labels, or lists of labels; with columns if there are any.

    `fields` says which columns, or is that of the text beside that of the label.
    """
    if isinstance(fields, str):
        fields = Columns(fields, label)
    found = read_columns(path, fields)
    assert found.labels is not None
    return with_columns(found), found.labels


def with_columns(found: Corpus) -> list[Document]:
    """Return documents with the columns beside them, if there are any."""
    return DocumentRows(found.documents, found.columns) if found.columns else found.documents


def read_columns(path: str, fields: Columns, whole: bool = False) -> Corpus:
    """Return documents with labels and columns, and say which columns were taken if none was named.

    Labels are there unless `fields.label` is None.
    """
    found = read_corpus(path, fields, whole=whole)
    if found.labels is None and fields.label is not None:
        raise InputError(f"{name_of(path)}: the documents have no labels.")
    if found.taken:
        print(f"laconic: {found.taken}", file=sys.stderr)
    return found


def check_output(path: str, *inputs: object) -> None:
    """Raise InputError now rather than after hours of work if `path` cannot be written.

    Nor may it be one of the inputs: strings or lists of them, of which some may be no files.
    """
    if path == STANDARD_STREAM:
        return
    for given in inputs:
        for one in given if isinstance(given, list | tuple) else [given]:
            if isinstance(one, str) and _same_file(one, path):
                raise InputError(f"{path}: this is an input, too: write to another file.")
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{path}: this is a folder; expected the name of a file to write.")
    if not target.parent.is_dir():
        raise InputError(
            f"{path}: there is no folder {str(target.parent)!r} to write the file into."
        )


def _same_file(one: str, other: str) -> bool:
    try:
        return os.path.isfile(one) and os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def check_file_output(path: str | None, what: str, flag: str, *inputs: object) -> None:
    """Raise InputError unless a file that cannot go to standard output can be written there."""
    if path == STANDARD_STREAM:
        raise InputError(f"{what} is written to a file: give its name with {flag}.")
    if path is not None:
        check_output(path, *inputs)


def n_bytes(text: str) -> int:
    """Return the number of bytes of a size such as 500M or 4G."""
    match = re.fullmatch(r"(\d{1,15})([kmg]?)b?", text.strip().lower(), re.ASCII)
    if match is None:
        raise InputError(f"takes a number of bytes, such as 500M or 4G, not {text!r}.")
    return int(match[1]) * UNITS[match[2]]
