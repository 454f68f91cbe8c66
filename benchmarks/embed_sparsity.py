"""The sparsity section of the page on word vectors: zeros by size and strength, what dimensions are
about, and the forest on real words.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.embed_models import CHOSEN, file_name, of_size
from benchmarks.embed_tasks import Tasks, zeros_of
from benchmarks.embed_vectors import MIN_COUNT, THREADS, WINDOW, by_laconic, corpus_files, kept
from benchmarks.page import table
from laconic import OnlineDictionary, WordVectors
from laconic.embed.codes import WordRows
from laconic.embed.components import leading_components
from laconic.embed.explain import dimension_rows
from laconic.embed.plots import plot_word_heatmap, plot_word_map, plot_word_trees

SIZES, STRENGTHS = (26, 52), (0.02, 0.1)
SHOWN = "forest of components"  # the row of the tasks that dimensions and words are shown of
SHOWN_SIZE = 52
N_TOP, N_TREES = 5, 2  # words of a dimension; trees whose dimensions are listed
FIGURES: dict[str, Any] = {}
ANIMALS = "animal animals horse dog cat elephant lion sheep bird fish"
COUNTRIES = "country countries france italy spain germany japan china india brazil"
MAPPED = {
    "good": "good great excellent best nice wonderful fine positive beautiful pleasant happy "
    "success",
    "bad": "bad terrible awful worst poor horrible negative ugly painful sad failure wrong",
    "man": "man men boy boys father son brother husband king prince uncle actor",
    "woman": "woman women girl girls mother daughter sister wife queen princess aunt actress",
}


def section(data: Path, quick: bool = False) -> str:
    """The table, the listing and the pictures."""
    shown = next(row for row in of_size(SHOWN_SIZE) if row[0] == SHOWN)
    model = kept(file_name(SHOWN, SHOWN_SIZE), by_laconic, data, *shown[1:]).model
    blocks = {"animals": ANIMALS.split(), "countries": COUNTRIES.split()}
    FIGURES["embed-heat.svg"] = plot_word_heatmap(model, blocks)
    FIGURES["embed-trees.svg"] = plot_word_trees(model, ["animal", "horse", "elephant"])
    FIGURES["embed-map.svg"] = plot_word_map(
        model, {name: words.split() for name, words in MAPPED.items()}
    )
    zeros = table(
        ["penalty", "size", "strength", "zeros, %", "WS-353", "similarity", "others"],
        strengths(data, quick),
    )
    lines = [
        "## Sparsity and what dimensions are about\n",
        "The stronger the penalty, the more zeros; scores are those of the tasks. All code the "
        "leading 52 principal components, evened out.\n",
        zeros,
        *intrusion(model),
        *pictures(model),
    ]
    return "\n".join([*lines, ""])


def strengths(data: Path, quick: bool) -> list[list[Any]]:
    """A row for every penalty, size and strength: all code the same components."""
    tasks, rows = Tasks(data), []
    chosen, settings = (
        CHOSEN[SHOWN_SIZE],
        next(row[2] for row in of_size(SHOWN_SIZE) if row[0] == SHOWN),
    )
    read = WordVectors(window=WINDOW, min_count=MIN_COUNT, n_jobs=THREADS, **settings).associations(
        corpus_files(data)
    )
    how = (chosen.components, chosen.power, np.random.RandomState(0), THREADS, read.weights)
    given = leading_components(WordRows(read.matrix), *how).rows.matrix()
    for penalty in ("lasso", "forest"):
        for size in SIZES[-1:] if quick else SIZES:
            for strength in STRENGTHS[:1] if quick else STRENGTHS:
                learner = OnlineDictionary(size, penalty, strength, n_jobs=THREADS)
                model = WordVectors(learner).fit_associations(read.words, read.counts, given)
                scores = tasks.similarities(model)
                rows.append(
                    [
                        penalty,
                        size,
                        f"{strength:g}",
                        f"{zeros_of(model):.0f}",
                        *(f"{value:.3f}" for value in scores),
                    ]
                )
                print(rows[-1], flush=True)
    return rows


def intrusion(model: WordVectors, seed: int = 0) -> list[str]:
    """For each dimension of some trees its top words with one word that does not belong there, in
    random order, for a reader to find.
    """
    random, units = np.random.default_rng(seed), model.units()[:10_000]
    rows, answers = [], []
    for row in dimension_rows(model, N_TOP, len(units))[: N_TREES * 13]:
        intruder = model.words_[_intruder(units, row.dimension, random)]
        words = [*row.positive, intruder]
        random.shuffle(words)
        rows.append(
            [
                f"{'· ' * row.depth}{row.dimension}",
                f"{100 * row.used:.0f}",
                ", ".join(words),
                ", ".join(row.negative),
            ]
        )
        answers.append(f"{row.dimension} {intruder}")
    return [
        f"Word intrusion: of `{SHOWN}` at size {SHOWN_SIZE}, the {N_TOP} words with the largest "
        "numbers in each dimension of two trees (a dot for each step down from the root), of "
        "the 10,000 most frequent words, and among them one from the lower half of that "
        "dimension that has a large number in another one. Which one does not belong? "
        f"Answers below the table; beside, the {N_TOP} words with the smallest numbers.\n",
        table(
            ["dimension", "used by, %", f"{N_TOP} words and an intruder", "at the other end"], rows
        ),
        f"Intruders: {', '.join(answers)}.\n",
    ]


def _intruder(units: np.ndarray, dimension: int, random: np.random.Generator) -> int:
    """A word below the median of this dimension, of those in the top hundredth of another one."""
    low = units[:, dimension] <= np.median(units[:, dimension])
    other = int(random.choice([m for m in range(units.shape[1]) if m != dimension]))
    high = units[:, other] >= np.quantile(units[:, other], 0.99)
    return int(random.choice(np.flatnonzero(low & high)))


def pictures(model: WordVectors) -> list[str]:
    """The figures with what they show in numbers."""
    vectors = np.array([model.vector(word) for word in ("animal", "horse", "elephant")])
    agree = np.all(np.sign(vectors) == np.sign(vectors[0]), axis=0)
    assert model.parents_ is not None
    depth = np.array(
        [row.depth for row in sorted(dimension_rows(model, 0), key=lambda row: row.dimension)]
    )
    shares = ", ".join(
        f"{name} {agree[depth == d].sum()} of {np.sum(depth == d)}"
        for d, name in enumerate(("roots", "middle", "leaves"))
    )
    lengths = {
        word: float(np.linalg.norm(model.vector(word)))
        for word in ("animal", "horse", "elephant", "country", "france")
    }
    return [
        f"Signs of *animal*, *horse* and *elephant* agree at: {shares}. Lengths of vectors: "
        + ", ".join(f"{word} {length:.2f}" for word, length in lengths.items())
        + ".\n",
        "![Coefficients of animals and countries](embed-heat.svg)\n",
        "![One tree of the forest for animal, horse and elephant](embed-trees.svg)\n",
        "![Words of good and bad, man and woman, by t-SNE](embed-map.svg)",
    ]
