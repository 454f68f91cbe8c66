"""The tasks section of the page on word vectors: Table 4.1 of Yogatama (2015) on our text."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import corpora
from benchmarks.embed_models import AT_RATE, CHOICES, LARGE, SMALL, models
from benchmarks.page import percent, table
from laconic import WordVectors
from laconic.embed.task_files import read_analogies, read_completions, read_similarity
from laconic.embed.tasks import analogy_scores, completion_score, sentiment_score, similarity_score

TUNED_ON = "EN-WS-353-ALL"
# Similarity, syntactic and semantic analogies, completion, sentiment: Table 4.1.
PUBLISHED = {
    ("PCA", 52): (0.39, 18.88, 8.39, 27.69, 74.46),
    ("CBOW", 52): (0.43, 23.80, 8.45, 25.60, 68.48),
    ("skip-gram", 52): (0.49, 26.69, 19.49, 26.89, 71.99),
    ("lasso", 52): (0.49, 11.84, 4.50, 25.10, 75.51),
    ("forest", 52): (0.52, 24.38, 9.86, 28.88, 75.83),
    ("PCA", 520): (0.50, 40.67, 28.82, 30.58, 81.70),
    ("CBOW", 520): (0.53, 52.20, 12.58, 26.69, 77.38),
    ("skip-gram", 520): (0.58, 54.64, 39.15, 26.00, 79.46),
    ("lasso", 520): (0.58, 22.02, 15.46, 28.59, 78.20),
    ("forest", 520): (0.66, 48.00, 41.33, 35.86, 81.90),
}
INTRODUCTION = """\
Text: `embed_corpus`, 31 million words, those seen 10 times or more, a window of 5 words on both \
sides. Similarity: the mean of Spearman's correlations over the 13 sets; `others`:
without the three sets of WordSim-353, by which choices were made; below the table stands which \
were not. Analogies: 3CosAdd over the 30,000 most frequent words. Completion: the choice with the \
largest
mean cosine to the other words of the sentence. Sentiment: averaged vectors and a logistic \
regression whose ridge is chosen on dev. CPU seconds are from text to vectors. Gap: the largest
duality gap of a word's code, relative to its objective."""

ABOUT_LARGE = """\
As above, with 520 dimensions. Codes of all contexts have the strengths of size 52 and one pass \
over the words; codes are asked for with duality gaps of 1e-3 of a word's objective."""


class Scores(NamedTuple):
    """Spearman's correlations (of the set that choices are made by, the mean of all, the mean of
    others) and shares of right answers.
    """

    tuned_on: float
    similarity: float
    others: float
    syntactic: float
    semantic: float
    completion: float
    sentiment: float


class Tasks:
    """The files of all tasks, read once."""

    def __init__(self, data: Path):
        self.similarity = {
            file.stem: read_similarity(file) for file in sorted((data / "wordsim").glob("EN-*.txt"))
        }
        self.analogies = read_analogies(data / "analogies" / "questions-words.txt")
        self.completion = read_completions(data / "msr_completion" / "questions.norm.tsv")
        task = corpora.load("sst", data)
        self.sentiment = [
            ([text.lower().split() for text in part.texts], part.labels)
            for part in (task.train, task.dev, task.test)
        ]

    def by_set(self, model: WordVectors) -> dict[str, float]:
        """Spearman's correlation on every set of similarities."""
        return {name: similarity_score(model, task).score for name, task in self.similarity.items()}

    def similarities(self, model: WordVectors) -> tuple[float, float, float]:
        """The correlation that choices are made by, the mean over all sets, and the mean over those
        that nothing was chosen by.
        """
        similar = self.by_set(model)
        others = [score for name, score in similar.items() if "WS-353" not in name]
        return similar[TUNED_ON], float(np.mean(list(similar.values()))), float(np.mean(others))

    def scores(self, model: WordVectors) -> Scores:
        """All of them."""
        analogies = analogy_scores(model, self.analogies)
        return Scores(
            *self.similarities(model),
            analogies.syntactic.score,
            analogies.semantic.score,
            completion_score(model, self.completion).score,
            sentiment_score(model, *self.sentiment).test,
        )


def gap_of(model: WordVectors) -> str:
    """The certificate of codes that were solved for."""
    return f"{model.certificate_:.0e}" if np.isfinite(model.certificate_) else "–"


def zeros_of(model: WordVectors) -> float:
    """Percent of the numbers of all vectors that are zero."""
    return float(100 * (1 - model.codes_.nnz / np.prod(model.codes_.shape)))


def scores_of(scores: Scores) -> list[str]:
    """Scores as cells of a table, under the names of SCORES."""
    return [*(f"{value:.3f}" for value in scores[:3]), *map(percent, scores[3:])]


SCORES = ["WS-353", "similarity", "others", "syntactic", "semantic", "completion", "sentiment"]
COLUMNS = [
    "vectors",
    "size",
    *SCORES,
    "zeros, %",
    "gap",
    "CPU s",
    "MB",
    "paper: similarity, syntactic, semantic, completion, sentiment",
]


def section(data: Path, quick: bool = False, size: int = SMALL) -> str:
    """All vectors of a size on all tasks."""
    tasks = Tasks(data)
    rows: list[list[Any]] = []
    similarity: dict[str, float] = {}
    by_set: dict[str, dict[str, float]] = {}
    for name, found in models(data, size, quick):
        scored = tasks.scores(found.model)
        similarity[name], scores = scored.similarity, scores_of(scored)
        by_set[name] = tasks.by_set(found.model)
        published = PUBLISHED.get((name, size))
        paper = (
            "–"
            if published is None
            else f"{published[0]:.2f}, " + ", ".join(f"{value:.1f}" for value in published[1:])
        )
        rows.append(
            [
                name,
                size,
                *scores,
                f"{zeros_of(found.model):.0f}",
                gap_of(found.model),
                found.cpu_seconds,
                found.megabytes,
                paper,
            ]
        )
        print(rows[-1], flush=True)
    notes = "\n".join(f"* {name}: {text}" for name, text in CHOICES.items())
    body = (
        [INTRODUCTION, "", table(COLUMNS, rows), notes]
        if size == SMALL
        else [ABOUT_LARGE, "", table(COLUMNS, rows)]
    )
    return "\n".join(
        [
            f"## Tasks, vectors of {size} dimensions\n",
            *body,
            *([] if quick else [similarity_text(similarity), "", sets(by_set)]),
            "",
        ]
    )


def sets(by_set: dict[str, dict[str, float]]) -> str:
    """Every set of similarities, of the vectors whose order is asked for."""
    names = [name for name in ("forest", "forest of components", "skip-gram") if name in by_set]
    rows = [
        [one.removeprefix("EN-"), *(f"{by_set[name][one]:.3f}" for name in names)]
        for one in by_set[names[0]]
    ]
    return table(["similarities of", *names], rows)


def similarity_text(similarity: dict[str, float]) -> str:
    """Return which models are ahead on mean similarity."""

    def beside(first: str, second: str) -> str:
        ahead = similarity[first] - similarity[second]
        return f"{first} is {abs(ahead):.3f} {'ahead of' if ahead > 0 else 'behind'} {second}"

    pairs = (
        ("forest", "PCA"),
        ("forest", "lasso"),
        ("forest", "skip-gram"),
        ("forest of components", "PCA"),
        ("forest of components", "lasso of components"),
        ("forest of components", "skip-gram"),
        (AT_RATE, "skip-gram"),
    )
    return (
        "* Mean similarity: "
        f"{'; '.join(beside(*pair) for pair in pairs if set(pair) <= set(similarity))}."
    )


def large(data: Path, quick: bool = False) -> str:
    """The same for the larger size."""
    return section(data, quick, LARGE)
