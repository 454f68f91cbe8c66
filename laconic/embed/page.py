"""A page about word vectors: facts, what each dimension is about, and plots of chosen words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from laconic.embed.explain import DimensionRow, dimension_rows
from laconic.embed.model import WordVectors
from laconic.embed.plots import plot_word_heatmap, plot_word_map, plot_word_trees
from laconic.report.html import drawn, facts, page, section, text
from laconic.text.io import PathLike, atomic_writer

N_WORDS = 8  # number of words at each end of a dimension
FEWEST_MAPPED, RUNS = 4, 3  # least number of words of a map, and runs of t-SNE


def write_embed_report(
    model: WordVectors, path: PathLike, blocks: Mapping[str, Sequence[str]] | None = None
) -> None:
    """Write one self-contained HTML page about fitted word vectors.

    `blocks` are words to plot, by name of their block.
    """
    title = f"Vectors of {len(model):,} words with {model.codes_.shape[1]} dimensions"
    parts = [
        f"<h1>{text(title)}</h1>",
        _lead(model),
        _facts(model),
        *_pictures(model, blocks or {}),
        _dimensions(model),
    ]
    with atomic_writer(path) as stream:
        stream.write(page(f"laconic: {title.lower()}", "\n".join(parts)))


def _lead(model: WordVectors) -> str:
    learned = (
        "From a file of vectors."
        if not model.report_.learner
        else f"Learned by {model.report_.learner}."
    )
    return f'<p class="lead">{text(learned)}</p>'


def _facts(model: WordVectors) -> str:
    total, kept = int(np.prod(model.codes_.shape)), int(np.count_nonzero(model.codes_.data))
    rows = [("numbers that are not zero", f"{kept:,}", f"of {total:,} ({kept / total:.1%})")]
    rows.append(
        (
            "words",
            f"{len(model):,}",
            f"seen {int(model.counts_.sum()):,} times" if model.counts_.any() else "",
        )
    )
    if model.parents_ is not None:
        rows.append(
            (
                "trees of dimensions",
                f"{int(np.sum(model.parents_ < 0)):,}",
                f"{len(model.parents_):,} nodes",
            )
        )
    report = model.report_
    if np.isfinite(report.objective):
        rows.append(
            (
                "objective",
                f"{report.objective:.6g}",
                f"certificate {report.certificate:.1e}" if np.isfinite(report.certificate) else "",
            )
        )
    if report.interrupted:
        rows.append(("training", "interrupted", ""))
    return facts(rows)


def _pictures(model: WordVectors, blocks: Mapping[str, Sequence[str]]) -> list[str]:
    words = [word for some in blocks.values() for word in some]
    if not words:
        return []
    note = "Blue is positive, red is negative, white is zero."
    order = "Dimensions go from the most negative mean of a block to the most positive."
    parts = [section("Chosen words", f"{note} {order}", drawn(plot_word_heatmap(model, blocks)))]
    if model.parents_ is not None:
        trees = "".join(drawn(plot_word_trees(model, some[:4])) for some in blocks.values())
        parts.append(
            section(
                "Coefficients in a tree",
                "Of each block, the tree of dimensions with the largest numbers.",
                trees,
            )
        )
    if len(set(words)) >= FEWEST_MAPPED:
        parts.append(
            section(
                "A map",
                "Words whose cosines are large lie near each other (t-SNE).",
                drawn(plot_word_map(model, blocks, RUNS)),
            )
        )
    return parts


def _dimensions(model: WordVectors) -> str:
    rows = "".join(map(_dimension_line, dimension_rows(model, N_WORDS)))
    head = (
        '<tr><th>dimension</th><th class="number">used by</th>'
        '<th style="padding-left:1rem">most</th><th>least</th></tr>'
    )
    note = "The words with the largest and the smallest numbers, of words scaled to length 1."
    forest = (
        " A dimension is used by a word only where the one above it in its tree is."
        if model.parents_ is not None
        else ""
    )
    return section(
        "Dimensions", note + forest, f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
    )


def _dimension_line(row: DimensionRow) -> str:
    most, least = (text(", ".join(words)) for words in (row.positive, row.negative))
    style = f' style="padding-left:{1.2 * row.depth:.1f}rem"' if row.depth else ""
    return (
        f'<tr><td{style}>{row.dimension}</td><td class="number">{row.used:.1%}</td>'
        f'<td style="padding-left:1rem">{most}</td><td>{least}</td></tr>'
    )
