"""JavaScript modules of this folder as one: what they import comes first, comments are left out.

Names at the top of modules are different in all of them, so that one scope holds them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
_IMPORT = re.compile(r'^import (?:\{[^}]*\} from )?"([^"]+)";\n', re.MULTILINE)
_COMMENT = re.compile(
    r"^[ \t]*(?:/\*.*?\*/|//[^\n]*)\n|(?<=[;,{)]) // [^\n]*$", re.DOTALL | re.MULTILINE
)
_EXPORT = re.compile(r"^export (?=async |class |const |function|let )", re.MULTILINE)


def bundled(entry: str) -> str:
    """Return a module of this folder and all that it imports as the text of one script.

    Examples
    --------
    >>> "import" in bundled("lib/bits.js"), "hashOf" in bundled("lib/maps.js")
    (False, True)
    """
    return "".join(map(_stripped, _in_order(entry, set())))


def _in_order(entry: str, seen: set[str]) -> Iterator[str]:
    """Yield the texts of a module's imports, and then its own, each once."""
    if entry in seen:
        return
    seen.add(entry)
    source = (FOLDER / entry).read_text("utf-8")
    for target in _IMPORT.findall(source):
        yield from _in_order(posixpath.normpath(posixpath.join(entry, "..", target)), seen)
    yield source


def _stripped(source: str) -> str:
    """Return a module without imports, exports, comments and indents."""
    plain = _EXPORT.sub("", _COMMENT.sub("", _IMPORT.sub("", source)))
    return "".join(line.strip() + "\n" for line in plain.splitlines() if line.strip())
