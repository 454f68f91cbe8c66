"""The section `few` of the classify page: models of few labelled documents, and of text without
labels beside them.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.classify_defaults import Corpus
from benchmarks.classify_structures import chosen_corpora
from benchmarks.page import percent, table
from laconic import TextClassifier

NUMBERS, DRAWS = (50,), 3
MODELS: dict[str, tuple[dict[str, Any], bool]] = {
    "lasso": ({"penalty": "lasso"}, False),
    "elastic": ({"penalty": "elastic"}, False),
    "ridge": ({"penalty": "ridge"}, False),
    "clusters": ({"penalty": "brown"}, True),
    "topics": ({"penalty": "topics"}, True),
    "ridge, clusters as features": ({"penalty": "ridge", "features": ("brown",)}, True),
    "ridge, topics as features": ({"penalty": "ridge", "features": ("topics",)}, True),
}
TEXT = f"""\
Means over {DRAWS} draws of labelled documents, the same for all models, and deviations over the
draws. The rest of the training documents is the unlabelled text of the lower rows, from which
topics and clusters are learned. As features they are columns beside the words under one ridge, so
that words which no labelled document has get weights. `words`: mean at {NUMBERS[0]} documents."""


def few_rows(corpus: Corpus, quick: bool) -> list[list[Any]]:
    """Return the rows of one corpus in the table of few labelled documents."""
    accuracy: dict[str, list[list[float]]] = {name: [] for name in MODELS}
    words: dict[str, list[int]] = {name: [] for name in MODELS}
    numbers = NUMBERS[:1] if quick else NUMBERS
    texts = np.array(corpus.train, dtype=object)
    for n in numbers:
        for name in MODELS:
            accuracy[name].append([])
        for draw in range(1 if quick else DRAWS):
            rows = few_of(corpus.train_labels, n, draw)
            rest = texts[np.setdiff1d(np.arange(len(texts)), rows)].tolist()
            for name, (settings, reads_rest) in MODELS.items():
                model = TextClassifier(**settings)
                more = {"unlabelled": rest} if reads_rest else {}
                model.fit(texts[rows].tolist(), corpus.train_labels[rows], **more)
                right = model.predict(corpus.test) == corpus.test_labels
                accuracy[name][-1].append(float(np.mean(right)))
                if n == numbers[0]:
                    words[name].append(int(model.report_.features_kept))
    return [
        [
            corpus.name if k == 0 else "",
            name + (", unlabelled text" if MODELS[name][1] else ""),
            *(f"{percent(np.mean(a))} ± {percent(np.std(a))}" for a in accuracy[name]),
            round(np.mean(words[name])),
        ]
        for k, name in enumerate(MODELS)
    ]


def few_of(labels: NDArray[Any], n: int, seed: int) -> NDArray[np.intp]:
    """Return n random rows, as many of each label."""
    order = np.random.default_rng(seed).permutation(len(labels))
    classes = np.unique(labels)
    parts = [order[labels[order] == label][: n // len(classes)] for label in classes]
    return np.sort(np.concatenate(parts))


def section(data: Path, quick: bool, corpus: Path | None = None) -> str:
    """Return the section as Markdown."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        found = chosen_corpora(data, quick, corpus)
        rows = [row for each in found for row in few_rows(each, quick)]
    numbers = [f"{n} documents" for n in (NUMBERS[:1] if quick else NUMBERS)]
    columns = ["corpus", "model", *numbers, "words"]
    return "\n\n".join(["## Few labelled documents", TEXT, table(columns, rows)])
