"""Names in Spanish, Dutch and English text: templates chosen by budget beside all of them and the
lasso, and our best.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks import tag_ner_best, tag_ner_table

TITLE = "Names in three languages"
SECTIONS: dict[str, Callable[[Path, bool], str]] = {
    language.lower(): partial(tag_ner_table.section, language)
    for language in tag_ner_table.PUBLISHED
}
SECTIONS["beyond"] = tag_ner_best.section


def run(data: Path, quick: bool = False) -> str:
    """The page as Markdown."""
    return "\n".join([f"# {TITLE}", *(make(data, quick) for make in SECTIONS.values())])
