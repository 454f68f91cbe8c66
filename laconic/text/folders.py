"""Folders of text files: one document per file, labelled by the folder that it is in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from laconic.errors import InputError
from laconic.text.compression import plain_name
from laconic.text.io import PathLike, open_text


class TextFile(NamedTuple):
    """A file of a folder, and the folder below the given one that it is in ("" for none)."""

    path: str
    label: str


def text_files(folder: PathLike, with_labels: bool) -> list[TextFile]:
    """Return the .txt files below a folder, or all files if none is .txt, in order of their names.

    With labels, those of the folders in it alone, of which there are at least one.
    """
    root = Path(folder)
    try:
        found = [TextFile(os.fspath(path), label) for path, label in _walk(root)]
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror}).") from error
    if with_labels:
        found = [file for file in found if file.label]
    texts = [file for file in found if plain_name(file.path).endswith(".txt")]
    if not (texts or found):
        expected = "a folder of .txt files per label" if with_labels else ".txt files"
        raise InputError(f"{os.fspath(folder)}: expected {expected} in this folder, found none.")
    return texts or found


def _walk(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield files and labels, hidden files left out."""
    for entry in sorted(root.iterdir()):
        if entry.name.startswith("."):
            continue
        if not entry.is_dir():
            yield entry, ""
            continue
        for path in sorted(entry.rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                yield path, entry.name


def whole_text(path: PathLike) -> str:
    """Return the text of a file."""
    with open_text(path) as stream:
        text = stream.read()
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(f"{os.fspath(path)}:{line}: expected text, found a zero byte.")
    return text
