"""The verbs for rerankers of parse trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.cli.console import Bar
from laconic.parse import cli as parse
from laconic.text.treebanks import read_treebank

if TYPE_CHECKING:
    from laconic.rerank.explain import WeighedFeature
    from laconic.rerank.model import Reranker

predict = parse.predict


def evaluate(
    model: Reranker, gold_path: str, bar: Bar, *, encoding: str = parse.UTF8
) -> dict[str, Any]:
    """Scores as those of parsers, beside the parser's own and those of the best tree of each list, and the size of the model."""
    bar.describe("reading")
    gold = read_treebank(gold_path, encoding)
    bar.describe("parsing")
    return {
        **parse.scores(model, gold),
        **beside(model, gold),
        "features_nonzero": model.n_features_selected_,
    }


def beside(model: Reranker, gold: Any) -> dict[str, Any]:
    """What the parser alone gets right, and what could be got right by choosing from its lists."""
    from laconic.parse.lists import k_best

    alone = parse.scores(model.parser_, gold)
    lists = k_best(model.parser_, gold.tokens, model.k)
    return {
        "parser_alone": {name: alone[name] for name in ("uas", "las", "complete")},
        "oracle_uas": lists.most_right(gold.heads) / max(1, len(gold.heads)),
    }


def account(model: Reranker) -> dict[str, Any]:
    """What was learned: over which lists, in which space, and how much of what there was."""
    parser = model.parser_
    return {
        "parser": {"parts": parser.model, "weights": parser.n_features_selected_},
        "k": model.k,
        "folds": model.folds,
        "kernel": repr(model.used_kernel),
        "threshold": model.threshold,
        "features_total": model.n_features_total_,
        "features_nonzero": model.n_features_selected_,
        "basic_features": len(model.space_),
        "groups_total": len(model.templates_given_),
        "groups_selected": len(model.space_.templates),
        "beta": model.beta_,
        "labels": 0 if parser.labeler_ is None else len(parser.labeler_.tagger_.classes_),
    }


def searched(model: Reranker) -> list[dict[str, Any]]:
    """A row for each order of features."""
    from laconic.rerank.explain import order_rows

    return [row._asdict() for row in order_rows(model)]


def inspect(model: Reranker, n: int, as_json: bool) -> dict[str, Any]:
    """What the search found order by order, and the features that speak most for and against a tree, drawn as trees."""
    from laconic.rerank.explain import top_features

    found = top_features(model, n)
    facts = {"columns": list(model.parser_.columns), **account(model)}
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
    """The weight before the first line of each tree."""
    return [
        {
            "weight": "" if number else f"{row.weight:+.4g}",
            "arcs, from head (h) to modifier (m)": line,
        }
        for row in rows
        for number, line in enumerate(row.lines())
    ]
