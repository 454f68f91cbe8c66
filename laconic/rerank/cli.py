"""The commands for rerankers of parse trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from laconic.cli.console import Bar
from laconic.cli.options import TREEBANK_HELP, UTF8, Encoding
from laconic.cli.training import fit_facts
from laconic.models.option import Option
from laconic.parse.cli import predict as predict
from laconic.parse.scores import scores
from laconic.rerank.scores import beside
from laconic.rerank.train import reranker_facts, searched
from laconic.rerank.train import train as train
from laconic.text.treebanks import read_treebank

if TYPE_CHECKING:
    from laconic.rerank.explain import WeighedFeature
    from laconic.rerank.model import Reranker


def evaluate(
    model: Reranker,
    gold: Annotated[str, Option(f"Sentences with trees. {TREEBANK_HELP}")],
    bar: Bar,
    *,
    encoding: Encoding = UTF8,
) -> dict[str, Any]:
    """Return the scores of a parser, beside those of its parser alone and of the best tree."""
    bar.describe("reading")
    bank = read_treebank(gold, encoding)
    bar.describe("parsing")
    return {
        **scores(model, bank),
        **beside(model, bank),
        "features_kept": model.n_features_selected_,
    }


def inspect(model: Reranker, n: int, as_json: bool) -> dict[str, Any]:
    """Show the features found by order, and those that speak most for and against a tree."""
    from laconic.rerank.explain import top_features

    found = top_features(model, n)
    facts = {
        "columns": list(model.parser_.columns),
        **reranker_facts(model),
        **fit_facts(model),
    }
    if as_json:
        kept = model.space_.templates.names
        templates = {
            "kept": kept,
            "dropped": [name for name in model.templates_given_.names if name not in kept],
        }
        features = {
            order: {"for": _trees(top.best), "against": _trees(top.worst)}
            for order, top in found.items()
        }
        return {**facts, "orders": searched(model), "templates": templates, "features": features}
    drawn = {
        f"order {order}: for a tree, then against it": _drawn([*top.best, *top.worst])
        for order, top in found.items()
    }
    return {**facts, "features by order": searched(model), **drawn}


def _trees(rows: list[WeighedFeature]) -> list[dict[str, Any]]:
    return [{"weight": row.weight, "arcs": [arc._asdict() for arc in row.arcs]} for row in rows]


def _drawn(rows: list[WeighedFeature]) -> list[dict[str, str]]:
    """Return the lines of each tree, the weight before the first."""
    return [
        {
            "weight": "" if number else f"{row.weight:+.4g}",
            "arcs, from head (h) to modifier (m)": line,
        }
        for row in rows
        for number, line in enumerate(row.lines())
    ]
