"""Scores of pipelines, as results of the command line show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.text.conllu import Conllu

if TYPE_CHECKING:
    from laconic.pipeline.predict import PipelinePredictor

OF_TAGS = ("upos", "xpos", "ufeats", "alltags")
OF_TREES = ("uas", "las", "clas", "mlas", "blex")


def scores(model: PipelinePredictor, gold: Conllu, raw: bool) -> dict[str, Any]:
    """Return F1 of all that the pipeline predicts, from raw text or from gold words.

    `detail` has precision, recall and the share of the aligned words that are right.
    """
    from laconic.pipeline.segment import raw_text
    from laconic.pipeline.shared_task import TITLES, shared_task_scores

    found = model.predict(raw_text(gold).paragraphs) if raw else model.annotate(gold)
    left_out: set[str] = set() if raw else {"tokens", "sentences", "words"}
    left_out |= set() if model.tags_ is not None else {*OF_TAGS, "mlas"}
    left_out |= set() if model.lemmatizer_ is not None else {"lemmas", "blex"}
    left_out |= set() if model.parser_ is not None else set(OF_TREES)
    all_scores = shared_task_scores(gold, found)
    shown = {key: score for key, score in all_scores.items() if key not in left_out}
    detail = [
        {
            "metric": TITLES[key],
            "precision": score.precision,
            "recall": score.recall,
            "f1": score.f1,
            "aligned": score.accuracy,
        }
        for key, score in shown.items()
    ]
    return {**{key: score.f1 for key, score in shown.items()}, "detail": detail}
