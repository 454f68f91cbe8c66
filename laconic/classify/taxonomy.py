"""Files with a tree over labels."""

from __future__ import annotations

import json

from laconic.errors import InputError
from laconic.text.io import open_text


def read_taxonomy(given: str) -> str | dict[str, str]:
    """Return "dots", "confusion", or the pairs of a file: child TAB parent, or a JSON object."""
    if given in ("dots", "confusion"):
        return given
    with open_text(given) as stream:
        text = stream.read()
    if text.lstrip().startswith("{"):
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
            raise InputError(f"{given}: expected a JSON object with the parent of each label.")
        return found
    pairs: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        child, _, parent = (part.strip() for part in line.partition("\t"))
        if not (child and parent):
            raise InputError(f"{given}:{number}: expected a label, a tab and its parent.")
        pairs[child] = parent
    return pairs
