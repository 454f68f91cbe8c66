"""The verbs for word vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from laconic.cli.console import Bar
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
from laconic.models.checks import finite
from laconic.text.io import atomic_writer, name_of, open_text
from laconic.text.vectors import line_of

if TYPE_CHECKING:
    from laconic.embed.model import WordVectors

NEUTRAL, FIRST_POSITIVE = "2", 3  # labels of sentiment treebanks are 0 to 4


def predict(
    model: WordVectors,
    input_path: str,
    output: str,
    bar: Bar,
    *,
    encoding: str = "utf-8",
    nearest: int | None = None,
) -> dict[str, Any]:
    """Write a line for each word that is known: the word and its vector, or a line for each of its nearest words, with their cosines."""
    n_words = n_unknown = 0
    with open_text(input_path, encoding) as lines, atomic_writer(output) as stream:
        for line in lines:
            for word in line.split():
                n_words += 1
                if word not in model:
                    n_unknown += 1
                elif nearest is None:
                    stream.write(line_of(word, model.vector(word)))
                else:
                    stream.writelines(
                        f"{word}\t{near}\t{cosine:.4f}\n"
                        for near, cosine in model.most_similar(word, nearest)
                    )
            bar.describe(f"looking up: {n_words:,} words")
        if n_words and n_unknown == n_words:
            raise InputError(f"{name_of(input_path)}: the model knows none of these words.")
    return {"words": n_words, "unknown": n_unknown}


def evaluate(
    model: WordVectors, gold_paths: list[str], bar: Bar, *, task: str | None = None
) -> dict[str, Any]:
    """Scores on the tasks of the files, which their form tells, or the option --task."""
    if task is not None and task not in TASKS:
        raise InputError(f"--task is one of {', '.join(TASKS)}, not {task!r}.")
    by_task: dict[str, list[str]] = {name: [] for name in TASKS}
    for path in gold_paths:
        by_task[task or task_of(path)].append(path)
    if len(by_task[SENTIMENT]) not in (0, 3):
        raise InputError(
            f"sentiment takes three files, to train, to choose and to test, not {len(by_task[SENTIMENT])}."
        )
    found: dict[str, Any] = {}
    if paths := by_task[SIMILARITY]:
        bar.describe(SIMILARITY)
        found |= _similarity(model, paths)
    for path in by_task[ANALOGIES]:
        bar.describe(ANALOGIES)
        found |= _analogies(model, path)
    for path in by_task[COMPLETION]:
        bar.describe(COMPLETION)
        found |= _completion(model, path)
    if paths := by_task[SENTIMENT]:
        bar.describe(SENTIMENT)
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
    """Sentences of a treebank of sentiments that are not neutral, and whether they are positive."""
    from laconic.text.trees import read_trees

    trees = [tree for tree in read_trees(path) if tree.label[0] != NEUTRAL]
    if not trees or not all(tree.label[0].isdigit() for tree in trees):
        raise InputError(
            f"{name_of(path)}: expected trees with a label from 0 (very negative) to 4 (very positive) at their roots."
        )
    return [tree.words for tree in trees], [int(tree.label[0]) >= FIRST_POSITIVE for tree in trees]


def account(model: WordVectors) -> dict[str, Any]:
    """What was learned, how well solved, and how much of the vectors is not zero."""
    n_words, size = model.codes_.shape
    facts: dict[str, Any] = {
        "words": n_words,
        "size": size,
        "occurrences": int(model.counts_.sum()),
    }
    report = model.report_
    if report.learner:
        facts["learner"] = report.learner
        facts |= {name: finite(getattr(report, name)) for name in ("objective", "certificate")}
        facts["interrupted"] = report.interrupted
    return {
        **facts,
        "features_total": report.features_total,
        "features_nonzero": report.features_kept,
        "share_of_zeros": 1 - report.features_kept / report.features_total,
        "groups_total": report.groups_total,
        "groups_selected": report.groups_kept,
    }


def inspect(
    model: WordVectors,
    n: int,
    as_json: bool,
    *,
    near: str | None = None,
    analogy: str | None = None,
) -> dict[str, Any]:
    """What each dimension is about; or the nearest words of a word, or what is to a third word as a second is to a first."""
    wanted: dict[str, Any] = {}
    if near is not None:
        wanted[f"near {near}"] = _listed(model.most_similar(near, n))
    if analogy is not None:
        words = analogy.split()
        if len(words) != 3:
            raise InputError(
                f"--analogy takes three words, not {len(words)}: what is to the third as the second is to the first?"
            )
        wanted[f"{words[0]} : {words[1]} = {words[2]} :"] = _listed(
            model.analogy(words[0], words[1], words[2], n)
        )
    if wanted:
        return wanted
    from laconic.embed.explain import dimension_rows

    rows = dimension_rows(model, min(n, 10) if not as_json else n)
    if as_json:
        return {**account(model), "dimensions": [row._asdict() for row in rows]}
    table = [
        {
            "dimension": "  " * row.depth + str(row.dimension),
            "used": f"{row.used:.1%}",
            "most": ", ".join(row.positive),
            "least": ", ".join(row.negative),
        }
        for row in rows
    ]
    return {**account(model), "dimensions, and the words at their ends": table}


def _listed(found: list[tuple[str, float]]) -> list[dict[str, Any]]:
    return [{"word": word, "cosine": cosine} for word, cosine in found]


def report(model: WordVectors, output: str, *, words: str | None = None) -> None:
    """A page of what dimensions are about, with pictures of words."""
    from laconic.embed.page import write_embed_report

    blocks = [block.split() for block in (words or "").split(";")]
    write_embed_report(model, output, {" ".join(block): block for block in blocks if block})


def export(model: WordVectors, output: str, *, binary: bool = False) -> dict[str, Any]:
    """A file of word2vec's form, text or binary."""
    model.to_word2vec(output, binary)
    return {"words": len(model), "size": model.codes_.shape[1]}
