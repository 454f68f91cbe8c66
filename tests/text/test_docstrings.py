"""The embedded corpus: enough documents, the same each time, and no label in the text."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from laconic.text.docstrings import docstring_corpus
from laconic.text.tokens import words

SOURCE = '''
import numpy as np

def shown(x):
    """Shown: numpy.linalg.norm and np.abs of x, see :func:`scipy.stats.norm`, NumPy or pip.

    .. versionadded:: 1.2

    import numpy as np

    >>> np.abs(-1)
    1

    The closing words.
    """
    def inner():
        """Never shown."""

def _hidden():
    """Never shown."""

class Public:
    """A public class."""

    def method(self):
        """A public method."""

    def _private(self):
        """Never shown."""

add_newdoc("pkg._core", "compiled", """
    A compiled function.
    """)
add_newdoc("pkg._core", "compiled", ("member", """A compiled member."""))
add_newdoc("pkg._core", "compiled", ("__array__", """Never shown."""))
add_newdoc("_private", """Never shown.""")
'''


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("first_pkg/sub/tests", "second_pkg/other"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "first_pkg/__init__.py").write_text(
        '"""Module."""\nraise RuntimeError("never imported")\n'
    )
    (tmp_path / "second_pkg/__init__.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


@pytest.mark.slow
def test_public_docstrings_are_cleaned_and_labelled(packages: Path) -> None:
    (packages / "first_pkg/sub/_code.py").write_text(SOURCE)
    (packages / "first_pkg/sub/template.py").write_text("def {{ name }}():\n")
    (packages / "first_pkg/sub/tests/test_code.py").write_text(
        'def test():\n    """Never shown."""\n'
    )
    texts, labels = docstring_corpus(("first_pkg", "numpy"), min_words=2)
    own = [text for text, label in zip(texts, labels, strict=True) if label == "first_pkg"]
    assert [" ".join(text.split()) for text in own] == [
        "Shown: and of x, see , or pip. The closing words.",
        "A public class.",
        "A public method.",
        "A compiled function.",
        "A compiled member.",
    ]


def test_repeated_texts_are_kept_once_and_ambiguous_ones_dropped(packages: Path) -> None:
    (packages / "first_pkg/a.py").write_text(
        'def f():\n    """Only here."""\ndef g():\n    """In both."""\n'
    )
    (packages / "first_pkg/sub/b.py").write_text('def f():\n    """Only here."""\n')
    (packages / "second_pkg/other/c.py").write_text(
        'def f():\n    """In both."""\ndef h():\n    """Second one."""\n'
    )
    pair = ("first_pkg", "second_pkg")
    assert docstring_corpus(pair, min_words=1) == (
        ["Only here.", "Second one."],
        ["first_pkg", "second_pkg"],
    )
    assert docstring_corpus(pair, level=2, min_words=1) == (["Second one."], ["second_pkg.other"])


def test_bad_parameters() -> None:
    with pytest.raises(ValueError, match="'no_such_package'"):
        docstring_corpus(("no_such_package",))
    with pytest.raises(ValueError, match=r"'numpy\.linalg'"):
        docstring_corpus(("numpy.linalg",))
    with pytest.raises(ValueError, match="level"):
        docstring_corpus(level=0)


@pytest.mark.slow
def test_installed_packages_give_thousands_of_documents_that_do_not_name_them() -> None:
    start = time.process_time()
    texts, labels = docstring_corpus(("numpy", "sklearn"))  # scipy: test_markup.py
    assert time.process_time() - start < 15
    assert len(set(texts)) == len(texts) == len(labels)
    assert set(labels) == {"numpy", "sklearn"} and min(Counter(labels).values()) > 700
    assert all(len(words(text)) >= 20 for text in texts)
    named = re.compile(r"\b(?:numpy|np|sklearn|scikit)\b|>>>|versionadded", re.IGNORECASE)
    assert not [text for text in texts if named.search(text)]
    assert any("Flat iterator object" in text for text in texts), (
        "compiled functions are documented in Python sources"
    )
