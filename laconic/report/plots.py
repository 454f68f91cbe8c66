"""Pictures of models as matplotlib Figures: paths, weights held, degrees of freedom, trees.

Figures are built without pyplot: nothing is global, no display is needed, and
`figure.savefig(path)` writes any format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array, Ints
from laconic.text.trees import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from laconic.core.report import Pass
    from laconic.linear.path import Path

# The colours of Okabe and Ito, distinct under every common colour blindness; yellow is left out,
# since it is pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ("-", "--", ":")
INK, FAINT, REMOVED = "#222222", "#C9CDD2", "#A3A8AE"
MOST_LINES = 500  # lines of unnamed weights; more cannot be seen


class TreeLayout(NamedTuple):
    """Where a tree is drawn: x in characters, y in levels above the words, which are at 0.

    node_x, node_y  (n_nodes)  place of each node
    word_x          (n_words)  place of each word
    """

    node_x: Array
    node_y: Array
    word_x: Array
    width: float
    height: float


def tree_layout(tree: Tree, gap: float = 2.0) -> TreeLayout:
    """Place words side by side, and each node one level above the highest node below it.

    A node is in the middle of what hangs from it.
    """
    n_nodes = len(tree.label)
    # A word that hangs alone at its node is as wide as the node's label, if that is longer.
    alone = np.bincount(tree.owner, minlength=n_nodes)[tree.owner] == 1
    labels = np.array([len(tree.label[node]) for node in tree.owner.tolist()], dtype=np.float64)
    words = np.array([len(word) for word in tree.words], dtype=np.float64)
    lengths = np.maximum(words, np.where(alone, labels, 0.0)) + gap
    ends = np.cumsum(lengths)
    word_x = ends - lengths / 2
    parent, level = tree.parent.tolist(), [1.0] * n_nodes
    low, high = [np.inf] * n_nodes, [-np.inf] * n_nodes
    for node, x in zip(tree.owner.tolist(), word_x.tolist(), strict=True):
        low[node], high[node] = min(low[node], x), max(high[node], x)
    for node in range(n_nodes - 1, -1, -1):  # children before parents
        above, middle = parent[node], (low[node] + high[node]) / 2
        if above >= 0:
            low[above], high[above] = min(low[above], middle), max(high[above], middle)
            level[above] = max(level[above], level[node] + 1)
    middle = (np.array(low) + np.array(high)) / 2
    return TreeLayout(
        middle,
        np.array(level),
        word_x,
        float(ends[-1]) if len(ends) else 0.0,
        max(level, default=0.0),
    )


def plot_path(
    path: Path,
    names: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    n_named: int = 8,
    title: str = "",
) -> Figure:
    """Draw weights against strength (logarithmic, strong to weak) and the number of features.

    Parameters
    ----------
    path : Path
        What `regularization_path` returned.
    names : sequence of str, (n_features), optional
        Names of the features for the legend.
    classes : sequence, (n_outputs), optional
        Names of the outputs, where there are several.
    n_named : int, default=8
        Number of weights in the legend, the largest ones.
    title : str, default=""
        The title of the figure.

    Returns
    -------
    figure : matplotlib.figure.Figure
        The number of selected features has its axis on the right.
    """
    from matplotlib.figure import Figure

    n_weights = path.weights.shape[1]
    n_outputs = 1
    if classes is not None:
        n_outputs = len(classes)
    elif names is not None:
        n_outputs = n_weights // len(names)
    if names is not None and len(names) * n_outputs != n_weights:
        raise ValueError(
            f"the path has {n_weights} weights, but there are {len(names)} names, "
            f"{n_outputs} outputs"
        )
    figure = Figure(figsize=(8.4, 4.8), layout="constrained")
    axes = figure.add_subplot()
    _draw_count(axes, path)
    _draw_weights(axes, path, lambda j: _weight_name(j, n_outputs, names, classes), n_named)
    positive = path.strengths[path.strengths > 0]
    if len(positive) == len(path.strengths):
        axes.set_xscale("log")
    else:  # a strength of zero has its place at the end of a logarithmic axis
        axes.set_xscale("symlog", linthresh=float(positive.min(initial=1.0)))
    axes.invert_xaxis()
    axes.margins(x=0.01, y=0.06)
    axes.set_xlabel("strength of the penalty (weaker to the right)")
    axes.set_ylabel("weight")
    axes.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.6)
    axes.spines["top"].set_visible(False)
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", parse_math=False)
    return figure


def _draw_count(axes: Axes, path: Path) -> None:
    """Draw the number of selected features behind the weights, with an axis of its own."""
    from matplotlib.ticker import MaxNLocator

    count = axes.twinx()
    axes.set_zorder(count.get_zorder() + 1)
    axes.patch.set_visible(False)
    count.step(path.strengths, path.selected, where="mid", color=INK, linewidth=1.0, alpha=0.55)
    count.fill_between(
        path.strengths, path.selected, step="mid", color=FAINT, alpha=0.3, linewidth=0
    )
    count.set_ylabel("features selected (shaded)", color="#555555")
    count.set_ylim(0, max(1, path.selected.max(initial=0)) * 1.05)
    count.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    count.spines["top"].set_visible(False)


def _draw_weights(axes: Axes, path: Path, name_of: Callable[[int], str], n_named: int) -> None:
    """Draw the largest weights in colours with a legend, and others in grey behind them."""
    from matplotlib.collections import LineCollection

    columns = path.weights.tocsc()
    size = np.asarray(abs(columns).max(axis=0).todense()).ravel()
    alive = np.flatnonzero(size)
    order = alive[np.argsort(-size[alive], kind="stable")]
    named, others = order[:n_named], order[n_named : n_named + MOST_LINES]
    traces = [np.column_stack([path.strengths, columns[:, [j]].toarray().ravel()]) for j in others]
    axes.add_collection(LineCollection(traces, colors=REMOVED, linewidths=0.7, alpha=0.55))
    for place, j in enumerate(named.tolist()):
        axes.plot(
            path.strengths,
            columns[:, [j]].toarray().ravel(),
            color=COLOURS[place % len(COLOURS)],
            linestyle=DASHES[place // len(COLOURS) % len(DASHES)],
            marker="o" if len(path.strengths) == 1 else None,
            lw=1.9,
            label=name_of(j),
        )
    axes.axhline(0, color=INK, linewidth=0.8)
    if len(named):
        axes.legend(
            loc="upper left",
            fontsize=9,
            frameon=True,
            framealpha=0.85,
            edgecolor="none",
            title="largest weights",
        )


def held_lines(trace: Sequence[Pass]) -> list[tuple[Ints, Ints]]:
    """Return rounds and the weights held there, one pair of arrays per learner.

    The rounds of one learner go on from those of the one before.
    """
    lines: list[list[tuple[int, int]]] = []
    done = last = 0
    for epoch in trace:
        if epoch.done == 1:
            done += last
            lines.append([(done, 0)])
        lines[-1] += [(done + n_rounds, held) for n_rounds, held in epoch.held]
        last = max(last if epoch.done > 1 else 0, *(n_rounds for n_rounds, _ in epoch.held), 0)
    arrays = (np.array(line, dtype=np.int64) for line in lines)
    return [(line[:, 0], line[:, 1]) for line in arrays]


def plot_held(traces: Mapping[str, Sequence[Pass]], title: str = "") -> Figure:
    """Draw the weights held in memory by round, one line per trace (Martins et al. 2011, Fig. 2).

    The rounds of a refit are dashed.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(8.4, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for place, (name, trace) in enumerate(traces.items()):
        colour = COLOURS[place % len(COLOURS)]
        for step, (rounds, held) in enumerate(held_lines(trace)):
            label = name.replace("$", r"\$") if step == 0 else None
            axes.plot(
                rounds,
                held,
                color=colour,
                linestyle=DASHES[min(step, 1)],
                linewidth=1.5,
                label=label,
            )
    axes.set_xlabel("rounds (sentences seen)")
    axes.set_ylabel("weights held")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.yaxis.set_major_formatter(EngFormatter())
    axes.margins(x=0.01)
    axes.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    if len(traces) > 1:
        axes.legend(fontsize=9, frameon=False)
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", parse_math=False)
    return figure


def plot_degrees(
    curves: Mapping[str, Sequence[tuple[int, float]]], measure: str, title: str = ""
) -> Figure:
    """Draw a score against degrees of freedom (log scale).

    `curves` has one named list of (degrees of freedom, score) per line.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(8.4, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for place, (name, points) in enumerate(curves.items()):
        x, y = zip(*sorted(points), strict=True)
        label = name.replace("$", r"\$")
        axes.plot(
            x,
            y,
            color=COLOURS[place % len(COLOURS)],
            marker="os^D"[place % 4],
            markersize=5,
            linewidth=1.5,
            label=label,
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.set_xlabel("degrees of freedom: different non-zero weights")
    axes.set_ylabel(measure)
    axes.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=9, frameon=False)
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", parse_math=False)
    return figure


def _weight_name(
    weight: int, n_outputs: int, names: Sequence[str] | None, classes: Sequence[Any] | None
) -> str:
    """Return the name of a weight for the legend.

    There a leading underscore would hide it, and a dollar sign would start a formula.
    """
    feature, output = divmod(weight, n_outputs)
    name = str(names[feature]) if names is not None else f"feature {feature}"
    if n_outputs > 1:
        name += f" → {classes[output] if classes is not None else output}"
    shown = name.replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def plot_tree(tree: Tree, removed: ArrayLike, title: str = "") -> Figure:
    """Draw a tree over its words; removed nodes and their words are grey, on dotted edges.

    Parameters
    ----------
    tree : Tree
        The tree of a sentence.
    removed : array of bool, (n_nodes)
        Whether each node is removed.
    title : str, default=""
        The title of the figure.

    Returns
    -------
    figure : matplotlib.figure.Figure
        Its size follows that of the tree.
    """
    from matplotlib.figure import Figure

    gone = np.asarray(removed, dtype=bool)
    if gone.shape != (len(tree.label),):
        raise ValueError(
            f"removed has one entry per node: expected {len(tree.label)}, "
            f"got an array of shape {gone.shape}"
        )
    place = tree_layout(tree)
    figure = Figure(
        figsize=(max(3.0, 0.098 * place.width + 0.4), max(1.6, 0.42 * place.height + 0.8)),
        layout="constrained",
    )
    axes = figure.add_subplot()
    axes.set_xlim(0, max(1.0, place.width))
    axes.set_ylim(-0.5, place.height + 0.5)
    axes.axis("off")
    box = {"boxstyle": "round,pad=0.18", "facecolor": "white", "edgecolor": "none"}

    def edge(x: float, y: float, above: int, grey: bool) -> None:
        # Along, then down: subtrees stand side by side, so such edges never cross.
        corners = [place.node_x[above], x, x], [place.node_y[above], place.node_y[above], y]
        axes.plot(
            *corners,
            color=FAINT if grey else INK,
            linewidth=0.9,
            linestyle=":" if grey else "-",
            zorder=1,
        )

    for node, above in enumerate(tree.parent.tolist()):
        if above >= 0:
            edge(place.node_x[node], place.node_y[node], above, bool(gone[node]))
        ink, text = REMOVED if gone[node] else INK, tree.label[node]
        spot = place.node_x[node], place.node_y[node]
        axes.text(
            *spot,
            text,
            ha="center",
            va="center",
            fontsize=8.5,
            color=ink,
            bbox=box,
            parse_math=False,
        )
    for word, node, x in zip(tree.words, tree.owner.tolist(), place.word_x.tolist(), strict=True):
        edge(x, 0.0, node, bool(gone[node]))
        look: dict[str, Any] = (
            {"color": REMOVED, "style": "italic"}
            if gone[node]
            else {"color": INK, "weight": "bold"}
        )
        axes.text(
            x, 0.0, word, ha="center", va="center", fontsize=9.5, bbox=box, parse_math=False, **look
        )
    if title:
        axes.set_title(title, loc="left", fontsize=11, parse_math=False)
    return figure
