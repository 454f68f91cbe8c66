"""Scores of word vectors on the tasks of files: similarity, analogies, completion, sentiment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from laconic.embed.task_files import (
    ANALOGIES,
    COMPLETION,
    SENTIMENT,
    SIMILARITY,
    TASKS,
    read_analogies,
    read_completions,
    read_similarity,
    task_of,
)
from laconic.errors import InputError
from laconic.text.io import name_of

if TYPE_CHECKING:
    from laconic.embed.model import WordVectors

NEUTRAL, FIRST_POSITIVE = "2", 3  # labels of sentiment treebanks are 0 to 4


def scores(
    model: WordVectors, files: Sequence[str], task: str | None, describe: Callable[[str], None]
) -> dict[str, Any]:
    """Return the scores on the tasks of files; None: the form of a file tells its task."""
    by_task: dict[str, list[str]] = {name: [] for name in TASKS}
    for path in files:
        by_task[task or task_of(path)].append(path)
    if len(by_task[SENTIMENT]) not in (0, 3):
        raise InputError(
            f"sentiment takes three files, to train, tune and test on, not "
            f"{len(by_task[SENTIMENT])}."
        )
    found: dict[str, Any] = {}
    if paths := by_task[SIMILARITY]:
        describe(SIMILARITY)
        found |= _similarity(model, paths)
    for path in by_task[ANALOGIES]:
        describe(ANALOGIES)
        found |= _analogies(model, path)
    for path in by_task[COMPLETION]:
        describe(COMPLETION)
        found |= _completion(model, path)
    if paths := by_task[SENTIMENT]:
        describe(SENTIMENT)
        found |= _sentiment(model, paths)
    return found


def _similarity(model: WordVectors, paths: list[str]) -> dict[str, Any]:
    from laconic.embed.tasks import similarity_score

    scores = {path: similarity_score(model, read_similarity(path)) for path in paths}
    known = [score.score for score in scores.values() if not np.isnan(score.score)]
    rows = [
        {"file": name_of(path), "spearman": s.score, "covered": s.covered, "pairs": s.total}
        for path, s in scores.items()
    ]
    return {SIMILARITY: float(np.mean(known)) if known else None, "similarity sets": rows}


def _analogies(model: WordVectors, path: str) -> dict[str, Any]:
    from laconic.embed.tasks import analogy_scores

    scores = analogy_scores(model, read_analogies(path))
    kinds = {"semantic": scores.semantic, "syntactic": scores.syntactic, "all": scores.all}
    rows = [
        {"section": name, "accuracy": s.score, "covered": s.covered, "questions": s.total}
        for name, s in scores.sections.items()
    ]
    return {
        ANALOGIES: {name: {"accuracy": s.score, "covered": s.covered} for name, s in kinds.items()},
        "analogy sections": rows,
    }


def _completion(model: WordVectors, path: str) -> dict[str, Any]:
    from laconic.embed.tasks import completion_score

    score = completion_score(model, read_completions(path))
    return {
        COMPLETION: {"accuracy": score.score, "covered": score.covered, "sentences": score.total}
    }


def _sentiment(model: WordVectors, paths: list[str]) -> dict[str, Any]:
    from laconic.embed.tasks import sentiment_score

    train, dev, test = map(_polarity, paths)
    found = sentiment_score(model, train, dev, test)
    return {
        SENTIMENT: {"accuracy": found.test, "dev_accuracy": found.dev, "strength": found.strength}
    }


def _polarity(path: str) -> tuple[list[list[str]], list[bool]]:
    """Return the sentences of a sentiment treebank that are not neutral, and which are positive."""
    from laconic.text.trees import read_trees

    trees = [tree for tree in read_trees(path) if tree.label[0] != NEUTRAL]
    if not trees or not all(tree.label[0].isdigit() for tree in trees):
        raise InputError(
            f"{name_of(path)}: expected trees with a label from 0 (very negative) to 4 (very "
            "positive) at their roots."
        )
    return [tree.words for tree in trees], [int(tree.label[0]) >= FIRST_POSITIVE for tree in trees]
