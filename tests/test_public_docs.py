"""Every public name says what it is, what it takes, and shows an example."""

from __future__ import annotations

import inspect
import re

import pytest

import laconic

NAMES = [name for name in laconic.__all__ if name != "__version__"]
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)


def sections(docstring: str) -> dict[str, str]:
    """Return the text of each section of a numpydoc docstring by its title, "" for the opening."""
    parts = SECTION.split(inspect.cleandoc(docstring))
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def documented(section: str) -> set[str]:
    """Return the names that a section `Parameters` describes: `name : type`, `a, b : type`."""
    heads = re.findall(r"^(\*{0,2}\w[\w, *]*?) :", section, re.MULTILINE)
    return {name.strip(" *") for head in heads for name in head.split(",")}


def parameters(value: object) -> set[str]:
    """Return the names of what a class or function is called with."""
    if isinstance(value, type) and issubclass(value, Exception):
        return set()
    return set(inspect.signature(value).parameters) - {"self"}  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_documented(name: str) -> None:
    has_a_summary(name)
    describes_every_parameter(name)
    says_a_sentence_of_every_parameter(name)
    found = sections(getattr(laconic, name).__doc__ or "").get("Examples", "")
    assert ">>>" in found, f"{name} has no example"


def has_a_summary(name: str) -> None:
    docstring = inspect.getdoc(getattr(laconic, name))
    assert docstring, f"{name} has no docstring"
    first, *rest = docstring.splitlines()
    assert first.strip() and first.rstrip().endswith((".", ":", "?")), first
    assert not rest or not rest[0].strip(), f"{name}: a blank line after the summary"


def describes_every_parameter(name: str) -> None:
    value = getattr(laconic, name)
    found = documented(sections(value.__doc__ or "").get("Parameters", ""))
    expected = parameters(value)
    assert expected - found == set(), f"{name}: parameters without a description"
    assert found - expected == set(), f"{name}: descriptions of parameters that it has not"


def says_a_sentence_of_every_parameter(name: str) -> None:
    """Its first sentence is the help of the option of the command line."""
    section = sections(getattr(laconic, name).__doc__ or "").get("Parameters", "")
    for head, text in re.findall(r"^(\w[^\n]*) :[^\n]*\n((?:[ ]+[^\n]*\n?|\n)*)", section, re.M):
        assert text.strip(), f"{name}: {head} has a type, but no description"


def test_the_reader_of_sections_reads_sections() -> None:
    text = """y = x.

    Parameters
    ----------
    a : int
        One.
    b, c : float, default=1.0
        Two.

    Examples
    --------
    >>> 1
    1
    """
    found = sections(text)
    assert list(found) == ["", "Parameters", "Examples"]
    assert documented(found["Parameters"]) == {"a", "b", "c"}
