"""Tokens as dicts of features: what they become, what is refused, and taggers of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import laconic
from laconic.tag.model import Tagger
from laconic.text.token_dicts import dict_columns


def features(words: list[str], i: int) -> dict[str, Any]:
    found: dict[str, Any] = {"word.lower()": words[i].lower(), "title": words[i].istitle()}
    found["length"] = len(words[i]) / 3
    if i:
        found["-1:word"] = words[i - 1]
    else:
        found["BOS"] = True
    return found


WORDS = [["The", "dog", "sees", "Ann"], ["Ann", "sees", "the", "dog"]] * 6
X = [[features(words, i) for i in range(len(words))] for words in WORDS]
Y = [["D", "N", "V", "E"], ["E", "V", "D", "N"]] * 6


def test_a_tagger_of_dicts(tmp_path: Path) -> None:
    model = Tagger().fit(X, Y)
    assert model.columns_ == ("word.lower__", "title", "length", "BOS", "_-1_word")
    assert model.templates_given_.names == [f"{name}[0]" for name in model.columns_]
    assert model.predict(X) == Y
    model.save(tmp_path / "m.laconic")
    loaded = laconic.load(tmp_path / "m.laconic")
    assert loaded.predict(X) == Y
    fewer = [[{"word.lower()": token["word.lower()"], "new": "x"} for token in s] for s in X[:2]]
    assert [len(labels) for labels in loaded.predict(fewer)] == [4, 4]
    with pytest.raises(ValueError, match="no token has any of the features"):
        loaded.predict([[{"other": "x"}]])
    loaded.partial_fit(X, Y)
    assert loaded.predict(X) == Y


def test_own_templates_of_dicts() -> None:
    tokens = [[{"word": word} for word in words] for words in WORDS]
    assert Tagger("tagging").fit(tokens, Y).predict(tokens) == Y


def test_values() -> None:
    values = ["x", "", True, False, None, 3, 0.13721, -1234.5, np.float32(0.5), 0]
    found = dict_columns([{"f": value} for value in values], None)
    assert found == {"f": ["x", "", "true", "", "", "3", "0.14", "-1.2e+03", "0.5", "0"]}


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([{"a": "x"}, "b"], "but one is 'b'"),
        ([{"a": ["x"]}], "give each part of a list or of a vector a name of its own"),
        ([{"a b": "x", "a(b": "y"}], "'a b' and 'a\\(b' would both be the column a_b"),
        ([{1: "x"}], "names of features must be strings, got 1"),
        ([{"": "x"}], "names of features must be strings, got ''"),
        ([{}], "without any features"),
    ],
)
def test_what_is_refused(tokens: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dict_columns(tokens, None)


NAMES = st.text("ab-+:.()[]1 ", min_size=1, max_size=4)


@given(st.lists(st.dictionaries(NAMES, st.text(max_size=3), max_size=3), max_size=4))
def test_columns_hold_what_the_dicts_do(tokens: list[dict[str, str]]) -> None:
    try:
        found = dict_columns(tokens, None)
    except ValueError:
        return
    keys = list(dict.fromkeys(key for token in tokens for key in token))
    assert len(found) == len(keys)
    for key, column in zip(keys, found.values(), strict=True):
        assert column == [token.get(key, "") for token in tokens]
