"""Views of strings: what each says, and what is said of a name that means none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.text.views import WordClusters, case, digit, make_view, punct, shape, token_class


@pytest.mark.parametrize(
    ("string", "expected"),
    [
        ("Confidence", "Aa"),
        ("2,664,098", "0,0+,0+"),
        ("7", "0"),
        ("McDonald's", "AaAa'a"),
        ("...", "."),
        ("U.S.", "A.A."),
        ("Île", "Aa"),
        ("e\u0301t\u00e9", "a"),
        ("東京", "a"),
        ("٣٤", "0+"),
        ("C++", "A+"),
        ("", ""),
    ],
)
def test_shapes(string: str, expected: str) -> None:
    assert shape(string) == expected


@given(st.text(alphabet="aB1,é", max_size=12), st.text(alphabet="aB1,é", max_size=12))
def test_shape_keeps_types_and_order(first: str, second: str) -> None:
    """Longer runs do not change a shape, and the shape of letters is a shape's fixed point."""
    doubled = "".join(character * 2 for character in first)
    assert shape(doubled) == shape(doubled + doubled[-1:])
    assert shape(first + "|" + second) == shape(first) + "|" + shape(second)


@pytest.mark.parametrize(
    ("string", "expected"),
    [
        ("dog", "lower/none/none"),
        ("USA", "upper/none/none"),
        ("A", "upper/none/none"),
        ("Dog", "title/none/none"),
        ("d'Or", "mixed/some/none"),
        ("1990s", "lower/none/some"),
        ("--", "none/all/none"),
        ("42", "none/none/all"),
        ("", "none/none/none"),
    ],
)
def test_classes(string: str, expected: str) -> None:
    assert token_class(string) == expected == f"{case(string)}/{punct(string)}/{digit(string)}"


def test_names_mean_views_of_their_column() -> None:
    columns = ("word", "pos", "prefix9")
    clusters = WordClusters({"Dog": "0101", "cat": "011"})

    def value(name: str, string: str = "Dog") -> tuple[str, str | None]:
        view = make_view(name, columns, clusters)
        return view.column, view.function(string)

    assert value("word") == ("word", "Dog")
    assert value("prefix2") == ("word", "Do") and value("prefix7") == ("word", "Dog")
    assert value("suffix2(pos)") == ("pos", "og")
    assert value("prefix9") == ("prefix9", "Dog"), (
        "an input column comes before a function of its name"
    )
    assert value("cluster2") == ("word", "01") and value("cluster") == ("word", "0101")
    assert value("cluster", "Cat") == ("word", "011") and value("cluster", "dog") == ("word", None)
    assert value('test(word,"^[A-Z]")') == ("word", "true") and value('test(pos,"x")') == (
        "pos",
        "false",
    )
    assert value('match(word,"[A-Z].")') == ("word", "Do") and value(
        'match_lower(word,"[A-Z].")'
    ) == ("word", "do")
    assert value('match(word,"x")') == ("word", "")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("chunk", "no view 'chunk': the input columns are word, pos"),
        ("prefix", "no view"),
        ("prefix0", "no view"),
        ("shape3", "no view"),
        ("lower(tag)", "needs a column 'tag'"),
        ("cluster4", "needs a file of word clusters"),
        ('test(word,"(")', "no regular expression"),
        ("", "no view"),
    ],
)
def test_a_name_that_means_no_view(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_view(name, ("word", "pos"))


def test_clusters_are_read_and_kept_as_plain_data(tmp_path) -> None:
    path = tmp_path / "paths"
    path.write_text("01\tdog\t7\n01\tcat\t2\n110\tRome\t5\n")
    clusters = WordClusters.read(path, min_count=3)
    assert len(clusters) == 2 and clusters.bits("cat") is None
    assert WordClusters.from_state(clusters.to_state()).paths == {"dog": "01", "Rome": "110"}
