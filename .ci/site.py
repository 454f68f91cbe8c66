"""Pages of the site that are made when it is built: changelog, gallery of examples, benchmarks."""

from __future__ import annotations

import ast
import io
import math
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
# Plots: title; page of results, section and column of names; columns to compare, and their labels.
PLOTS = (
    (
        "Accuracy of classifiers (%), nothing chosen by hand",
        ("classify", "defaults", "corpus"),
        {"laconic": "laconic", "SVM, C by folds": "SVM, tuned"},
    ),
    (
        "Accuracy of tags (%), per treebank",
        ("tag", "defaults", "treebank"),
        {"Tagger()": "laconic", "CRFsuite": "CRFsuite"},
    ),
    (
        "Processor seconds of training a tagger",
        ("tag", "defaults", "treebank"),
        {"s": "laconic", "CRFsuite, s": "CRFsuite"},
    ),
    (
        "Perplexity beside modified Kneser-Ney (%), lower is better",
        ("lm", "defaults", "text"),
        {"default": "laconic", "Kneser-Ney + classes": "Kneser-Ney + classes"},
    ),
)


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages."""
    made = {
        "changelog.md": (ROOT / "CHANGELOG.md").read_text("utf-8").replace("](docs/", "]("),
        "examples.md": gallery(),
        **benchmarks(),
    }
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def gallery() -> str:
    """Return a page with every script of examples/ and what its docstring says."""
    parts = ["# Examples\n\nScripts of the folder `examples/`; the tests run each of them.\n"]
    for path in sorted((ROOT / "examples").glob("*.py")):
        source = path.read_text("utf-8")
        said = ast.get_docstring(ast.parse(source)) or ""
        title, _, rest = said.partition("\n")
        code = source.split('"""', 2)[2].strip()
        lines = [one for one in rest.splitlines() if not one.startswith("python examples/")]
        about = "\n".join(lines).strip()
        parts.append(f"## {title.rstrip('.')}\n\n{about}\n\n```python\n{code}\n```\n")
    return "\n".join(parts)


def table(page: str, section: str) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the first table of a section of results."""
    text = (ROOT / "docs" / "results" / f"{page}.md").read_text("utf-8")
    part = text.partition(f"<!-- section {section} -->")[2].partition("<!-- section")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    end = next((at for at, row in enumerate(rows) if len(row) != len(rows[0])), len(rows))
    return rows[0], rows[2:end]


def number(cell: str) -> float:
    """Return the number that a cell begins with."""
    found = re.match(r"\**(-?[\d,.]+)", cell)
    return float(found[1].replace(",", "")) if found else float("nan")


def dots(names: list[str], series: dict[str, list[float]]) -> str:
    """Return a picture of rows of dots as SVG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 0.9 + 0.26 * len(names)), layout="constrained")
    axes = figure.subplots()
    for k, (label, values) in enumerate(series.items()):
        places = range(len(names))
        axes.plot(values, places, "o", label=label, color=("#455a64", "#fb8c00")[k])
    axes.set_yticks(range(len(names)), [name.strip("*") for name in names])
    axes.invert_yaxis()
    axes.grid(axis="y", color="#cfd8dc", linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(series))
    stream = io.StringIO()
    figure.savefig(stream, format="svg")
    return stream.getvalue()


def benchmarks() -> dict[str, str]:
    """Return a page with plots of the tables of docs/results, and the plots."""
    files = {}
    parts = [
        "# Benchmarks in pictures\n\nDrawn from the tables of the pages of results, where the "
        "command and the commit of every number stand.\n"
    ]
    for title, (page, section, name), labels in PLOTS:
        header, rows = table(page, section)
        first = header.index(next(iter(labels)))
        rows = [row for row in rows if not math.isnan(number(row[first]))]
        series = {
            label: [number(row[header.index(column)]) for row in rows]
            for column, label in labels.items()
        }
        names = [row[header.index(name)] for row in rows]
        plot = f"plots/{len(files)}.svg"
        files[plot] = dots(names, series)
        parts.append(f"## {title}\n\n![{title}]({plot})\n\n[All numbers](results/{page}.md)\n")
    return {**files, "benchmarks.md": "\n".join(parts)}
