"""Plots: what they show, for any path and any tree, without global state."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.core.groups import Groups
from laconic.core.penalties import GroupLasso
from laconic.linear.model import SparseClassifier
from laconic.linear.path import Path, regularization_path
from laconic.report.plots import plot_path, plot_tree, tree_layout
from laconic.text.trees import Tree, parse_tree, tree_from_heads

TREE = parse_tree("(S (NP (DT the) (NN cat)) (VP (VBZ sits) (PP (IN on) (NP (DT a) (NN mat)))))")


def path_of(weights: np.ndarray, strengths: np.ndarray, n_outputs: int = 1) -> Path:
    n = len(strengths)
    selected = np.any(weights.reshape(n, -1, n_outputs) != 0, axis=2).sum(axis=1)
    return Path(
        strengths,
        sp.csr_matrix(weights),
        np.zeros((n, n_outputs)),
        np.zeros(n),
        np.zeros(n),
        selected,
        np.zeros(n),
    )


def rendered(figure: object) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format="svg")  # type: ignore[attr-defined]
    return stream.getvalue()


@pytest.mark.slow
def test_a_real_path_of_a_group_penalty() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 6))
    y = X[:, 0] + X[:, 1] > 0
    groups = Groups.from_lists([[0, 1], [2, 3], [4, 5]], 6)
    path = regularization_path(SparseClassifier(GroupLasso(groups)), X, y, n_strengths=6, ratio=0.1)
    figure = plot_path(path, [f"x{k}" for k in range(6)], n_named=2, title="groups of $two$")
    weights, count = figure.axes
    assert weights.get_xscale() == "log" and weights.xaxis_inverted()
    labels = [text.get_text() for text in weights.get_legend().get_texts()]
    assert sorted(labels) == ["x0", "x1"]
    lines = {line.get_label(): line.get_ydata() for line in weights.lines}
    assert lines["x0"].tolist() == pytest.approx(path.weights[:, [0]].toarray().ravel().tolist())
    assert count.lines[0].get_ydata().max() == path.selected.max()
    assert b"<svg" in rendered(figure)


@pytest.mark.slow
def test_the_legend_names_the_largest_weights_only() -> None:
    weights = np.array([[0.0, 0.0, 0.0, 0.0], [0.5, -3.0, 0.0, 1.0]])
    figure = plot_path(
        path_of(weights, np.array([1.0, 0.1])), ["_hidden", "$\\frac", "never", "plain"], n_named=2
    )
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["\\$\\frac", "plain"]
    assert len(figure.axes[0].collections[0].get_segments()) == 1
    rendered(figure)
    shown = (
        plot_path(path_of(weights, np.array([1.0, 0.1])), ["_hidden", "b", "never", "d"], n_named=9)
        .axes[0]
        .get_legend()
    )
    assert " _hidden" in [text.get_text() for text in shown.get_texts()]


def test_several_outputs_are_told_apart() -> None:
    weights = np.array([[0.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 1.0]])
    figure = plot_path(path_of(weights, np.array([1.0, 0.5]), 2), ["a", "b"], ["yes", "no"])
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == [
        "a → yes",
        "b → no",
    ]
    with pytest.raises(ValueError, match="4 weights"):
        plot_path(path_of(weights, np.array([1.0, 0.5])), ["a", "b", "c"])


@pytest.mark.slow
@pytest.mark.parametrize("strengths", [[1.0], [1.0, 0.1, 0.0], [0.0]])
def test_odd_grids_are_drawn(strengths: list[float]) -> None:
    rendered(plot_path(path_of(np.ones((len(strengths), 3)), np.array(strengths))))
    rendered(plot_path(path_of(np.zeros((len(strengths), 3)), np.array(strengths))))


@given(st.lists(st.integers(0, 11), min_size=1, max_size=12), st.integers(1, 9))
@settings(max_examples=50)
def test_a_layout_puts_parents_above_children_and_words_apart(
    heads: list[int], length: int
) -> None:
    heads = [
        head % (k + 1) for k, head in enumerate(heads)
    ]  # a head stands before its word: no cycle
    tree = tree_from_heads(["w" * (1 + (k * length) % 7) for k in range(len(heads))], heads)
    place = tree_layout(tree)
    below = tree.parent >= 0
    assert np.all(place.node_y[below] < place.node_y[tree.parent[below]])
    half = np.array([len(word) for word in tree.words]) / 2
    assert np.all(place.word_x[1:] - half[1:] > place.word_x[:-1] + half[:-1])
    assert place.node_x.min() >= 0 and place.node_x.max() <= place.width
    assert place.node_y.max() <= place.height


def test_removed_phrases_are_grey() -> None:
    removed = np.zeros(len(TREE.label), dtype=bool)
    removed[[8, 9, 10]] = True
    figure = plot_tree(TREE, removed, title="$cat$")
    grey = {text.get_text() for text in figure.axes[0].texts if text.get_color() != "#222222"}
    assert grey == {"NP", "DT", "NN", "a", "mat"}
    assert [
        text.get_text() for text in figure.axes[0].texts if text.get_color() == "#222222"
    ].count("NP") == 1
    rendered(figure)


def test_removed_has_an_entry_a_node() -> None:
    with pytest.raises(ValueError, match=f"expected {len(TREE.label)}"):
        plot_tree(TREE, [True])


def test_long_sentences_get_wide_figures() -> None:
    flat = Tree(
        ["word"] * 60, ["S"], *(np.array(a, dtype=np.int32) for a in ([-1], [0] * 60, [0], [60]))
    )
    assert (
        plot_tree(flat, [False]).get_size_inches()[0]
        > 3 * plot_tree(TREE, [False] * 11).get_size_inches()[0]
    )


@pytest.mark.slow
def test_pyplot_stays_out() -> None:
    script = (
        "import sys; from laconic.report.plots import plot_tree;"
        "from laconic.text.trees import parse_tree;"
        "figure = plot_tree(parse_tree('(S (A a) (B b))'), [0, 0, 1]);"
        "figure.savefig(sys.stdout.buffer, format='svg');"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert (
        b"<svg"
        in subprocess.run([sys.executable, "-c", script], check=True, capture_output=True).stdout
    )


def test_scores_by_degrees_of_freedom() -> None:
    from laconic.report.plots import plot_degrees

    axes = plot_degrees({"few $": [(8, 76.0), (2, 70.0)], "all": [(900, 77.0)]}, "score").axes[0]
    assert axes.get_xscale() == "log" and axes.get_ylabel() == "score"
    assert [line.get_xdata().tolist() for line in axes.lines] == [[2, 8], [900]]
    assert axes.lines[0].get_label() == r"few \$"
