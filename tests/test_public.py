"""The public names, and what it costs to reach them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import laconic


def attempts(script: str) -> Iterator[list[float]]:
    """Yield what up to three runs print: other work may disturb one."""
    return (timed(script) for _ in range(3))


def timed(script: str) -> list[float]:
    """Return the numbers that a script prints in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return [float(number) for number in done.stdout.split()]


IMPORT = """
import sys, time
began = time.process_time()
import laconic
ours = time.process_time() - began
assert not {"numpy", "laconic.text", "laconic.tag"} & set(sys.modules), "imported too much"
began = time.process_time()
import numpy, scipy.sparse
print(ours, time.process_time() - began)
"""

FIRST_FIT = """
import time
began = time.process_time()
import numpy, scipy.sparse, sklearn.base
theirs = time.process_time() - began
began = time.process_time()
import laconic
class Started(Exception): pass
def stop(step):
    raise Started
try:
    texts, labels = ["one word here", "two other words"] * 5, [0, 1] * 5
    laconic.TextClassifier(strength=0.01).fit(texts, labels, callback=stop)
except Started:
    print(time.process_time() - began, theirs)
"""


@pytest.mark.slow
def test_import_is_instant() -> None:
    assert any(ours < 0.5 * numpy_and_scipy for ours, numpy_and_scipy in attempts(IMPORT))


@pytest.mark.slow
def test_the_first_fit_starts_at_once() -> None:
    """Measured against the import of the libraries beneath, so that a busy machine slows both."""
    assert any(ours < beneath for ours, beneath in attempts(FIRST_FIT))


def test_every_public_name_is_there() -> None:
    for name in laconic.__all__:
        assert getattr(laconic, name) is not None
    assert set(laconic.__all__) <= set(dir(laconic))
    with pytest.raises(AttributeError, match="no attribute 'Absent'"):
        laconic.Absent  # noqa: B018


@pytest.mark.slow
def test_all_names_can_be_imported_at_once() -> None:
    """The list of public names is made when it is asked for, which the star does."""
    script = "from laconic import *\nprint(len({'Tagger', 'L1', 'load'} & set(globals())))"
    assert timed(script) == [3.0]


def test_the_names_for_type_checkers_are_those_of_the_table() -> None:
    source = Path(laconic.__file__).read_text(encoding="utf-8")
    for name in laconic.__all__[:-1]:
        assert f"import {name} as {name}\n" in source or f"    {name} = " in source, name
