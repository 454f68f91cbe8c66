"""Plots and pages of word vectors."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.core.report import FitReport
from laconic.embed.explain import dimension_rows, tree_order
from laconic.embed.model import WordVectors
from laconic.embed.page import write_embed_report
from laconic.embed.plots import plot_word_heatmap, plot_word_map, plot_word_trees, tree_layouts
from laconic.errors import InputError

PARENTS = np.array([-1, 0, 0, 1, -1, 4], np.int32)
BLOCKS = {"first": ["w0", "w1", "w2"], "second": ["w3", "w<4>"]}


def model(seed: int = 0) -> WordVectors:
    rng = np.random.default_rng(seed)
    codes = rng.normal(size=(8, 6)) * (rng.random((8, 6)) < 0.7)
    report = FitReport("OnlineDictionary()", 12.5, 1e-5, converged=True)
    return WordVectors()._adopt(
        ["w0", "w1", "w2", "w3", "w<4>", "w5", "w6", "w7"], np.ones(8), codes, report, PARENTS
    )


def rendered(figure: object) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=40)  # type: ignore[attr-defined]
    return stream.getvalue()


@pytest.mark.slow
def test_heat_maps_show_coefficients_in_order_of_their_means() -> None:
    vectors = model()
    figure = plot_word_heatmap(vectors, BLOCKS, "a title")
    assert rendered(figure)
    for axis, words in zip(figure.axes, BLOCKS.values(), strict=False):
        shown = axis.collections[0].get_array()
        order = [int(label.get_text()) for label in axis.get_xticklabels()]
        given_codes = np.array([vectors.vector(word) for word in words])[:, order]
        assert np.all(np.diff(given_codes.mean(axis=0)) >= 0)
        assert np.array_equal(np.ma.getmaskarray(shown), given_codes == 0)
        np.testing.assert_allclose(
            shown.filled(0) ** 2 * np.sign(shown.filled(0)),
            given_codes / np.abs(given_codes).max(),
            atol=1e-6,
        )


def test_trees_of_coefficients() -> None:
    figure = plot_word_trees(model(), ["w0", "w1"], title="a title")
    assert rendered(figure) and [axis.get_title() for axis in figure.axes] == ["w0", "w1"]
    assert [text.get_text() for text in plot_word_trees(model(), ["w0"], 1).axes[0].texts] == [
        "4",
        "5",
    ]
    with pytest.raises(ValueError, match="trees 0 to 1, not 2"):
        plot_word_trees(model(), ["w0"], 2)
    with pytest.raises(ValueError, match="no forest"):
        plot_word_trees(WordVectors()._adopt(["a"], [1], np.ones((1, 2))), ["a"])


def test_maps_of_words() -> None:
    figure = plot_word_map(model(), BLOCKS, runs=1)
    assert rendered(figure) and [text.get_text() for text in figure.axes[0].texts] == [
        "w0",
        "w1",
        "w2",
        "w3",
        "w<4>",
    ]
    with pytest.raises(ValueError, match="at least three words"):
        plot_word_map(model(), {"a": ["w0"]})


def test_unknown_words() -> None:
    for plot in (plot_word_heatmap, plot_word_map):
        with pytest.raises(InputError, match="no vector for 'zebra'"):
            plot(model(), {"a": ["w0", "w1", "zebra"]})
    with pytest.raises(ValueError, match="at least one word"):
        plot_word_heatmap(model(), {"a": []})


@settings(max_examples=50)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_layouts_and_orders_of_any_forest(numbers: list[int], random: object) -> None:
    order = list(range(len(numbers)))
    random.shuffle(order)  # type: ignore[attr-defined]
    parents = np.full(len(numbers), -1)
    for i, number in enumerate(numbers):
        parents[order[i]] = -1 if number % (i + 1) == i else order[number % (i + 1)]
    listed = tree_order(parents)
    assert sorted(m for m, _ in listed) == sorted(order)
    place = {m: k for k, (m, _) in enumerate(listed)}
    depth = dict(listed)
    assert all(depth[m] == (0 if parents[m] < 0 else depth[parents[m]] + 1) for m in order)
    assert all(parents[m] < 0 or place[parents[m]] < place[m] for m in order)
    layouts = tree_layouts(parents)
    assert sorted(m for layout in layouts for m in layout.dimensions) == sorted(order)
    for layout in layouts:
        spots = {(layout.x[m], layout.y[m]) for m in layout.dimensions}
        assert (
            len(spots) == len(layout.dimensions) and max(layout.x.values()) <= layout.n_leaves - 1
        )


def test_rows_of_dimensions() -> None:
    vectors = model()
    rows = dimension_rows(vectors, 2)
    assert [(row.dimension, row.parent, row.depth) for row in rows] == [
        (0, -1, 0),
        (1, 0, 1),
        (3, 1, 2),
        (2, 0, 1),
        (4, -1, 0),
        (5, 4, 1),
    ]
    for row in rows:
        column = vectors.units()[:, row.dimension]
        assert row.used == pytest.approx(np.mean(column != 0))
        best = np.argsort(-column, kind="stable")[:2]
        assert (
            row.positive == [vectors.words_[i] for i in best if column[i] > 0]
            and len(row.negative) <= 2
        )
    assert (
        dimension_rows(vectors, 0)[0].positive == []
        and len(dimension_rows(vectors, 100)[0].positive) <= 8
    )


@pytest.mark.slow
def test_a_page(tmp_path: Path) -> None:
    write_embed_report(model(), tmp_path / "page.html", BLOCKS)
    written = (tmp_path / "page.html").read_text()
    assert (
        written.count("<svg") == 4
        and "<image" not in written
        and "w&lt;4&gt;" in written
        and "w<4>" not in written
        and "OnlineDictionary()" in written
    )
    plain = WordVectors()._adopt(["a", "b"], [0, 0], np.eye(2))
    write_embed_report(plain, tmp_path / "plain.html")
    assert (
        "<svg" not in (tmp_path / "plain.html").read_text()
        and "From a file" in (tmp_path / "plain.html").read_text()
    )
    with pytest.raises(InputError, match="no vector"):
        write_embed_report(model(), tmp_path / "bad.html", {"a": ["zebra"]})
    assert not (tmp_path / "bad.html").exists()
