"""Plots of word vectors as matplotlib Figures: heat maps, trees of coefficients, maps of words.

As in Figs. 4.2 to 4.4 of Yogatama (2015). Blue is positive, red is negative, white is zero; shades
follow square roots, so that small numbers are visible beside large ones. `figure.savefig(path)`
writes any format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from laconic.core.arrays import Array, Floats, Ints32
from laconic.embed.explain import tree_order
from laconic.embed.model import WordVectors
from laconic.report.plots import COLOURS, FAINT, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOUR_MAP = "RdBu"
FEW = 200  # largest number of words for which t-SNE is exact
Blocks = Mapping[str, Sequence[str]]


class Layout(NamedTuple):
    """Positions of the dimensions of one tree: x by leaves, y minus the depth."""

    dimensions: list[int]
    x: dict[int, float]
    y: dict[int, float]
    n_leaves: int


def plot_word_heatmap(model: WordVectors, blocks: Blocks, title: str = "") -> Figure:
    """Plot the coefficients of the words of each block, one row per word.

    Dimensions are sorted from the most negative mean of the block to the most positive.
    """
    from matplotlib.figure import Figure

    found = {name: _vectors(model, words) for name, words in blocks.items()}
    n_rows, size = sum(map(len, found.values())), model.codes_.shape[1]
    figure = Figure(
        figsize=(max(6.0, min(16.0, 2 + 0.21 * size)), 0.8 + 0.28 * n_rows + 0.75 * len(found)),
        layout="constrained",
    )
    axes = figure.subplots(
        len(found),
        1,
        squeeze=False,
        gridspec_kw={"height_ratios": [len(v) + 0.5 for v in found.values()]},
    )
    image = None
    for axis, (name, vectors) in zip(axes[:, 0], found.items(), strict=True):
        order = np.argsort(vectors.mean(axis=0), kind="stable")
        largest = float(np.abs(vectors).max()) or 1.0
        # Zeros are masked, so that they stay white.
        shades = np.ma.masked_equal(_shade(vectors[:, order] / largest), 0)
        image = axis.pcolormesh(
            shades, cmap=COLOUR_MAP, vmin=-1, vmax=1, edgecolors="face", linewidth=0.2
        )
        axis.invert_yaxis()
        axis.set_yticks(np.arange(len(vectors)) + 0.5, list(blocks[name]))
        step = max(1, size // 60)
        axis.set_xticks(
            np.arange(0, size, step) + 0.5, order[::step].tolist(), rotation=90, fontsize=7
        )
        axis.tick_params(length=0, labelcolor=INK)
        axis.set_title(name, loc="left", fontsize=10, color=INK)
        for side in axis.spines.values():
            side.set_color(FAINT)
    if image is not None:
        bar = figure.colorbar(
            image,
            ax=axes[:, 0].tolist(),
            fraction=0.02,
            pad=0.01,
            label="coefficient / largest of the block",
        )
        ticks = np.array([-1, -0.5, -0.1, 0, 0.1, 0.5, 1])
        bar.solids.set(rasterized=False, edgecolor="face")  # type: ignore[union-attr]
        bar.set_ticks(_shade(ticks).tolist(), labels=[f"{tick:g}" for tick in ticks])
    if title:
        figure.suptitle(title, color=INK)
    return figure


def plot_word_trees(
    model: WordVectors, words: Sequence[str], tree: int | None = None, title: str = ""
) -> Figure:
    """Plot the coefficients of words in one tree of the forest; None: that with the largest."""
    from matplotlib.figure import Figure

    if model.parents_ is None:
        raise ValueError("these word vectors have no forest: learn them with penalty='forest'")
    vectors = _vectors(model, words)
    layouts = tree_layouts(model.parents_)
    if tree is None:
        tree = int(np.argmax([np.sum(vectors[:, layout.dimensions] ** 2) for layout in layouts]))
    if not 0 <= tree < len(layouts):
        raise ValueError(f"the forest has the trees 0 to {len(layouts) - 1}, not {tree}")
    layout = layouts[tree]
    largest = float(np.abs(vectors[:, layout.dimensions]).max()) or 1.0
    width = max(2.4, 0.36 * layout.n_leaves)
    figure = Figure(figsize=(width * len(words), 2.6 if not title else 2.9), layout="constrained")
    axes = figure.subplots(1, len(words), squeeze=False)[0]
    for axis, word, vector in zip(axes, words, vectors, strict=True):
        _draw_tree(axis, layout, model.parents_, vector[layout.dimensions], largest)
        axis.set_title(word, fontsize=11, color=INK)
        axis.margins(0.08, 0.2)
        axis.set_axis_off()
    if title:
        figure.suptitle(title, color=INK)
    return figure


def _draw_tree(axis: Axes, layout: Layout, parents: Ints32, values: Floats, largest: float) -> None:
    """Draw one tree with its values, those of the layout's dimensions, as shades of its nodes."""
    from matplotlib import colormaps

    x, y = layout.x, layout.y
    for m in layout.dimensions:
        above = int(parents[m])
        if above >= 0:
            axis.plot([x[above], x[m]], [y[above], y[m]], color=FAINT, lw=1, zorder=1)
    shades = colormaps[COLOUR_MAP]
    axis.scatter(
        [x[m] for m in layout.dimensions],
        [y[m] for m in layout.dimensions],
        s=230,
        c=[
            shades(0.5 + 0.5 * shade) if shade else "white"
            for shade in _shade(values / largest).tolist()
        ],
        edgecolors=[INK if value else FAINT for value in values.tolist()],
        linewidths=0.8,
        zorder=2,
    )
    for m, value in zip(layout.dimensions, values.tolist(), strict=True):
        colour = "white" if abs(value) > 0.5 * largest else INK
        axis.text(x[m], y[m], str(m), ha="center", va="center", fontsize=7, color=colour, zorder=3)


def plot_word_map(
    model: WordVectors, blocks: Blocks, runs: int = 10, random_state: int = 0, title: str = ""
) -> Figure:
    """Plot words in the plane by t-SNE on their cosines; words of a block share a colour.

    The best of `runs` runs is taken.
    """
    from matplotlib.figure import Figure

    words = [word for some in blocks.values() for word in some]
    colours = [COLOURS[k % len(COLOURS)] for k, some in enumerate(blocks.values()) for _ in some]
    places = _map(model.units()[[model.id(word) for word in words]], runs, random_state)
    figure = Figure(figsize=(9, 6), layout="constrained")
    axis = figure.subplots()
    axis.scatter(places[:, 0], places[:, 1], c=colours, s=12)
    axis.margins(0.1)
    for word, colour, place in zip(words, colours, places, strict=True):
        axis.annotate(
            word, place, xytext=(3, 3), textcoords="offset points", color=colour, fontsize=9
        )
    for k, name in enumerate(blocks):
        axis.scatter([], [], c=COLOURS[k % len(COLOURS)], s=12, label=name)
    axis.legend(frameon=False, fontsize=9, loc="best")
    axis.set_xticks([])
    axis.set_yticks([])
    for side in axis.spines.values():
        side.set_color(FAINT)
    if title:
        axis.set_title(title, color=INK)
    return figure


def _map(units: Floats, runs: int, random_state: int) -> Floats:
    """Return the places in the plane with the least divergence of `runs` runs of t-SNE."""
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    if len(units) < 3:
        raise ValueError(f"a map needs at least three words, got {len(units)}")
    perplexity, method = (
        min(15.0, (len(units) - 1) / 3),
        "exact" if len(units) <= FEW else "barnes_hut",
    )
    with threadpool_limits(1):  # for few words, threads cost more than they save
        fits = [
            TSNE(
                2,
                perplexity=perplexity,
                metric="cosine",
                init="random",
                method=method,
                random_state=random_state + run,
            ).fit(units)
            for run in range(max(1, runs))
        ]
    return np.asarray(min(fits, key=lambda fit: fit.kl_divergence_).embedding_)


def tree_layouts(parents: Ints32) -> list[Layout]:
    """Return the trees of a forest: leaves side by side, other nodes above their children."""
    trees: list[list[tuple[int, int]]] = []
    for m, depth in tree_order(parents):
        if depth == 0:
            trees.append([])
        trees[-1].append((m, depth))
    layouts = []
    for tree in trees:
        inner = {int(parents[m]) for m, depth in tree if depth}
        leaves = [m for m, _ in tree if m not in inner]
        x = {m: float(place) for place, m in enumerate(leaves)}
        for m, _ in reversed(tree):
            if m in inner:
                below = [x[child] for child, depth in tree if depth and parents[child] == m]
                x[m] = (min(below) + max(below)) / 2
        layouts.append(
            Layout([m for m, _ in tree], x, {m: -float(depth) for m, depth in tree}, len(leaves))
        )
    return layouts


def _shade(values: Array | Floats) -> Array:
    """Return the signed square roots."""
    return np.asarray(np.sign(values) * np.sqrt(np.abs(values)), np.float64)


def _vectors(model: WordVectors, words: Sequence[str]) -> Floats:
    """Return the vectors of words, one row each."""
    if not words:
        raise ValueError("expected at least one word to plot")
    return np.concatenate([model.vectors(place, place + 1) for place in map(model.id, words)])
