"""A corpus that every installation has: docstrings of numerical packages, labelled by package.

Sources are read with `ast`, nothing is imported. What gives the label away (names of packages,
imports, examples, cross-references, version notes) is taken out, so that the label must be
predicted from what a docstring is about.
"""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from laconic.text.tokens import sentences, words

# Tests, build helpers (numpy.distutils exists under some versions of Python only), and copies of
# other packages.
_SKIPPED = frozenset(
    [
        "tests",
        "test",
        "testing",
        "conftest.py",
        "setup.py",
        "distutils",
        "_build_utils",
        "externals",
        "_vendor",
        "_external",
        "_lib",
    ]
)
_ALIASES = {"numpy": ("np",), "scipy": ("sp",), "sklearn": ("scikit-learn", "scikit", "sk")}

# Up to the next blank line: the output of an example too.
_EXAMPLE = re.compile(r"^[ \t]*>>>[^\n]*(?:\n[ \t]*\S[^\n]*)*", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*(?:from\s+[\w.]+\s+)?import\s+\w[^\n]*", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*\.\.[ \t][^\n]*|\*?version(?:added|changed):[^\n)]*", re.MULTILINE)
_GUIDE = re.compile(r"\bRead more in the\b[^.]*\.|\bUser Guide\b")
_CROSS_REFERENCE = re.compile(r":[a-z][a-z:]*:`[^`]*`")
_LINK = re.compile(r"https?://\S+|`[^`<]*<[^>`]*>`_*")
_TOKEN = re.compile(r"\w+(?:['-]\w+)*|[^\w\s]")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")


def docstring_corpus(
    packages: Sequence[str] = ("numpy", "scipy", "sklearn"), level: int = 1, min_words: int = 20
) -> tuple[list[str], list[str]]:
    """Return docstrings of public functions, classes and methods, and the label of each.

    The order is that of packages, files and lines. A text that occurs several times is kept once,
    or not at all if its labels differ.

    Parameters
    ----------
    packages : sequence of str
        Names of installed packages.
    level : int, default=1
        Number of folders that make a label: 1 gives "scipy", 2 gives "scipy.stats".
    min_words : int, default=20
        Docstrings with fewer words, once cleaned, are left out.
    """
    if level < 1:
        raise ValueError(f"level counts folders from 1, not {level}")
    giveaway = _giveaway(packages)
    label_of: dict[str, str | None] = {}
    for package in packages:
        for folders, docstring in docstrings_in(package):
            label = ".".join((package, *folders)[:level])
            text = _clean(docstring, giveaway)
            if label_of.setdefault(text, label) != label:
                label_of[text] = None
    kept = [
        (text, label)
        for text, label in label_of.items()
        if label is not None and len(words(text)) >= min_words
    ]
    return [text for text, _ in kept], [label for _, label in kept]


def docstrings_in(package: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the folders and the text of every docstring of an installed package's public names."""
    root = _folder_of(package)
    for path in sorted(root.rglob("*.py")):
        folders = path.relative_to(root).parts
        if not _SKIPPED.intersection(folders):
            yield from ((folders[:-1], docstring) for docstring in _docstrings_of(path))


def _folder_of(package: str) -> Path:
    """Return the folder of an installed top-level package, found without importing it."""
    spec = find_spec(package) if package.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(f"no installed package is called {package!r}")
    return Path(next(iter(spec.submodule_search_locations)))


def _docstrings_of(path: Path) -> Iterator[str]:
    """Yield the docstrings of what a source file makes public, in the order of its lines."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in other people's strings
        try:
            body = ast.parse(path.read_bytes()).body
        except SyntaxError:  # a template, or written for another version of Python
            return
    waiting: list[ast.stmt] = body[::-1]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name.startswith("_"):
                continue
            docstring = ast.get_docstring(node)
            if docstring:
                yield docstring
            if isinstance(node, ast.ClassDef):
                waiting.extend(reversed(node.body))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield from _added_docstring(node.value)


def _added_docstring(call: ast.Call) -> Iterator[str]:
    """Yield the docstring that a call gives to a compiled function.

    The call is add_newdoc([place,] name, text) or add_newdoc(place, name, (member, text)).
    """
    function = (
        call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    )
    if function != "add_newdoc" or len(call.args) < 2:
        return
    *place, text = call.args
    if isinstance(text, ast.Tuple) and len(text.elts) == 2:
        place, text = [text.elts[0]], text.elts[1]
    name = getattr(place[-1], "value", "_")
    if (
        isinstance(text, ast.Constant)
        and isinstance(text.value, str)
        and not str(name).startswith("_")
    ):
        yield inspect.cleandoc(text.value)


def _giveaway(packages: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern of the names of packages, with the dotted path that may follow."""
    names = [name for package in packages for name in (package, *_ALIASES.get(package, ()))]
    return re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?:\.\w+)*(?!\w)", re.IGNORECASE
    )


def _clean(docstring: str, giveaway: re.Pattern[str]) -> str:
    """Return `docstring` without what names its package."""
    text = docstring
    for pattern in (_EXAMPLE, _IMPORT, _DIRECTIVE, _GUIDE, _CROSS_REFERENCE, _LINK, giveaway):
        text = pattern.sub("", text)
    return _BLANK_LINES.sub("\n\n", text).strip()


def docstring_sentences(least: int = 3, most: int = 60) -> list[list[str]]:
    """Return the sentences of `docstring_corpus` as words and marks in lower case."""
    texts, _ = docstring_corpus()
    spans = ((text, *span) for text in texts for span in sentences(text))
    split = [_TOKEN.findall(text[start:end].lower()) for text, start, end in spans]
    return [words for words in split if least <= len(words) <= most]
