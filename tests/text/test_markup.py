"""The embedded corpus of taggers: marks become labels and leave the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from laconic.text.labels import detect_scheme
from laconic.text.markup import markup_corpus
from laconic.text.token_columns import TokenColumns

SOURCE = '''
def shown(x):
    """Short `x` here.

    If ``x is None. Or so`` then :func:`axis` counts, see `the guide <http://a.b>`_ or :math:`x^2`
    of the sums. Nothing is marked in this sentence of several words. All ``others`` must be marked
    here.

    >>> shown(`1`) and more of it here than that
    """


def again(x):
    """All ``others`` must be marked here."""
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "marked_package"
    folder.mkdir()
    (folder / "__init__.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder.name


def test_marks_become_labels(package: str) -> None:
    X, y = markup_corpus([package])
    assert [" ".join(tokens) for tokens in X] == [
        "If x is None . Or so then axis counts , see or x ^ 2 of the sums .",
        "All others must be marked here .",
    ]
    code = [(token, label) for token, label in zip(X[0], y[0], strict=True) if label != "O"]
    assert code == [
        ("x", "B-CODE"),
        *((token, "I-CODE") for token in ("is", "None", ".", "Or", "so")),
        ("axis", "B-CODE"),
        *zip(("x", "^", "2"), ("B-MATH", "I-MATH", "I-MATH"), strict=True),
    ]
    assert y[1] == ["O", "B-CODE", *["O"] * 5]


@pytest.mark.slow
def test_every_installation_has_a_corpus() -> None:
    X, y = markup_corpus(["scipy"])
    assert len(X) > 1000 and len({tuple(tokens) for tokens in X}) == len(X)
    assert not any("`" in token for tokens in X for token in tokens)
    flat = TokenColumns.from_sentences(X, ("word",))
    labels = [label for sentence in y for label in sentence]
    assert len(labels) == len(flat.values[0]) and detect_scheme(labels, flat.ptr) == "IOB2"
    assert {label for label in labels if label != "O"} == {"B-CODE", "I-CODE", "B-MATH", "I-MATH"}
