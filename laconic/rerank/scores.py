"""Scores of a reranker beside those of its parser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.parse.scores import scores
from laconic.text.treebanks import Treebank

if TYPE_CHECKING:
    from laconic.rerank.model import Reranker


def beside(model: Reranker, gold: Treebank) -> dict[str, Any]:
    """Return the scores of the parser alone, and of the best tree of each of its lists."""
    from laconic.parse.lists import k_best

    alone = scores(model.parser_, gold)
    lists = k_best(model.parser_, gold.tokens, model.k)
    return {
        "parser_alone": {name: alone[name] for name in ("uas", "las", "complete")},
        "oracle_uas": lists.most_right(gold.heads) / max(1, len(gold.heads)),
    }
