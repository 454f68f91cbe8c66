"""A corpus for taggers that every installation has: which words of docstrings are marked as code?

It has the sentences of docstrings in which something stands between backticks. The backticks are
taken out of the text and become the labels: B-CODE and I-CODE for code and names (``x is None``,
`axis`), B-MATH and I-MATH for formulas (:math:`x^2`), else O.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from laconic.text.docstrings import docstrings_in
from laconic.text.tokens import sentences

Tagged = tuple[list[str], list[str]]

_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
# Examples, directives, rules, tables.
_NOT_PROSE = re.compile(r"^[ \t]*(?:>>>|\.\.[ \t]|[-=~^]{3,}|\|)", re.MULTILINE)
_ROLE = re.compile(r":(?!math:)[a-z][a-z:]*:(?=`)")
_LINK = re.compile(r"`[^`]*<[^>`]*>`_*|`[^`]*`_+")
_MARKED = re.compile(
    r":math:`(?P<math>[^`]{1,80})`|``(?P<code>[^`]{1,80})``|`(?P<name>[^`]{1,80})`"
)
_TOKEN = re.compile(r"\w+|[^\w\s]")
# Full stops between backticks end no sentence: letters of private use replace them meanwhile.
_HIDDEN = {".": "\ue000", "?": "\ue001", "!": "\ue002"}
_HIDE, _SHOW = (
    str.maketrans(_HIDDEN),
    str.maketrans({letter: mark for mark, letter in _HIDDEN.items()}),
)


def markup_corpus(
    packages: Sequence[str] = ("numpy", "scipy", "sklearn"), min_tokens: int = 6
) -> tuple[list[list[str]], list[list[str]]]:
    """Return the tokens and labels of the sentences of installed packages' docstrings.

    Each sentence comes once, in the order of files and lines. Sentences shorter than `min_tokens`,
    and those in which nothing or everything is marked, are left out.
    """
    labels_of: dict[tuple[str, ...], list[str]] = {}
    for package in packages:
        for _, docstring in docstrings_in(package):
            for tokens, labels in _tagged_sentences(docstring):
                if len(tokens) >= min_tokens and len({label == "O" for label in labels}) == 2:
                    labels_of.setdefault(tuple(tokens), labels)
    return [list(tokens) for tokens in labels_of], list(labels_of.values())


def _tagged_sentences(docstring: str) -> Iterator[Tagged]:
    for paragraph in _PARAGRAPH_END.split(docstring):
        if "`" not in paragraph or _NOT_PROSE.search(paragraph):
            continue
        prose = _ROLE.sub("", _LINK.sub("", " ".join(paragraph.split())))
        hidden = _MARKED.sub(lambda found: found.group().translate(_HIDE), prose)
        for begin, end in sentences(hidden):
            yield _tagged(hidden[begin:end].translate(_SHOW))


def _tagged(sentence: str) -> Tagged:
    """Return the tokens and labels of a sentence with its backticks."""
    tokens: list[str] = []
    labels: list[str] = []

    def add(text: str, kind: str | None) -> None:
        found = _TOKEN.findall(text.replace("`", " "))
        tokens.extend(found)
        labels.extend(
            [f"{'I' if place else 'B'}-{kind}" if kind else "O" for place in range(len(found))]
        )

    done = 0
    for marked in _MARKED.finditer(sentence):
        add(sentence[done : marked.start()], None)
        add(marked[marked.lastgroup or 0], "MATH" if marked["math"] else "CODE")
        done = marked.end()
    add(sentence[done:], None)
    return tokens, labels
