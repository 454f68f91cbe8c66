"""Scores of parsers on treebanks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.text.treebanks import Treebank

if TYPE_CHECKING:
    from laconic.parse.trees import TreePredictor


def scores(model: TreePredictor, gold: Treebank) -> dict[str, Any]:
    """Return UAS, LAS and the share of complete trees, with and without punctuation.

    Scores of labels are None where there are none.
    """
    from laconic.parse.metrics import punctuation_of, tree_scores

    heads, labels = model.parse(gold)
    known = bool(gold.labels) and labels is not None
    gold_labels = gold.labels if known else None
    found = tree_scores(
        gold.heads,
        heads,
        gold.ptr,
        gold_labels,
        labels if known else None,
        punctuation_of(gold.tokens),
    )
    return {
        "sentences": len(gold),
        "tokens": found.n_tokens,
        "uas": found.uas,
        "las": found.las,
        "complete": found.complete,
        "labelled_complete": found.labelled_complete,
        "without_punctuation": {
            "tokens": found.n_words,
            "uas": found.uas_words,
            "las": found.las_words,
            "complete": found.complete_words,
        },
    }
