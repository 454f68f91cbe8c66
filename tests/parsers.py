"""A few sentences with trees, and parsers of all kinds for them, for tests of model files."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic import Mira, Parser, Perceptron, Rda, Reranker, Sparseptron, SubTrees, WordTagger
from laconic.parse.templates import parse_part_templates
from laconic.parse.trees import DependencyTree
from laconic.text.views import WordClusters

SENTENCES = [
    [
        ("The", "the", "DET", "DT", "_"),
        ("dog", "dog", "NOUN", "NN", "S"),
        ("ran", "run", "VERB", "VBD", "_"),
    ],
    [
        ("Dogs", "dog", "NOUN", "NNS", "P"),
        ("saw", "see", "VERB", "VBD", "_"),
        ("a", "a", "DET", "DT", "_"),
        ("cat", "cat", "NOUN", "NN", "S"),
    ],
    [
        ("He", "he", "PRON", "PRP", "_"),
        ("ran", "run", "VERB", "VBD", "_"),
        ("home", "home", "ADV", "RB", "_"),
        (".", ".", "PUNCT", ".", "_"),
    ],
    [
        ("A", "a", "DET", "DT", "_"),
        ("hearing", "hearing", "NOUN", "NN", "S"),
        ("is", "be", "AUX", "VBZ", "_"),
        ("on", "on", "ADV", "RB", "_"),
        ("today", "today", "NOUN", "NN", "S"),
    ],
]
TREES = [
    DependencyTree([2, 3, 0], ["det", "nsubj", "root"]),
    DependencyTree([2, 0, 4, 2], ["nsubj", "root", "det", "obj"]),
    DependencyTree([2, 0, 2, 2], ["nsubj", "root", "advmod", "punct"]),
    DependencyTree([2, 4, 5, 0, 2], ["det", "nsubj", "cop", "root", "nmod"]),  # with a crossing arc
]
UNSEEN = [[("zzz", "zzz", "X", "XX", "_"), ("dog", "dog", "NOUN", "NN", "S")], [], SENTENCES[3][:1]]
CLUSTERS = WordClusters(
    {"dog": "0010", "dogs": "0011", "cat": "0001", "ran": "1000", "saw": "1001"}
)
LINES = [
    "bias",
    "h.cluster2|m.cluster",
    "h.coarse|m.coarse|dist",
    "m.word|m.coarse[-1]",
    "h.fine|between.coarse|dir",
]
MORE = [
    "h.coarse|s.coarse|m.coarse",
    "g.coarse|h.coarse|m.coarse",
    "g.fine|h.fine|s.fine|m.fine",
    "h.fine|t.fine|s.fine|m.fine",
]
TEMPLATES = parse_part_templates([*LINES, *MORE])
MODELS: dict[str, dict[str, Any]] = {
    "arcs": {},
    "second": {"model": "carreras"},
    "third": {"model": "tri siblings", "n_jobs": 2},
    "crossing": {"crossing": True},
    "no labels": {
        "labels": False,
        "single_root": False,
        "learner": Sparseptron(3, every=2),
        "refit": Perceptron(2),
    },
    "own tags": {"tagger": WordTagger(learner=Mira(2), folds=2)},
    "lasso": {"learner": Rda(0.01), "prune": 1e-3, "refit": Mira(1), "refit_features": "features"},
}


def fitted(**parameters: Any) -> Parser:
    """A parser of these sentences."""
    given = {"templates": TEMPLATES, "learner": Mira(3), "clusters": CLUSTERS, **parameters}
    return Parser(**given).fit(SENTENCES, TREES)


def attachments(n: int, seed: int) -> tuple[list[list[tuple[str, ...]]], list[DependencyTree]]:
    """Sentences such as "dog saw cat with glass", whose last word decides the head of "with"."""
    random = np.random.default_rng(seed)
    X, y = [], []
    for number in range(n):
        subject, thing = random.choice(["dog", "cat", "bird"], 2).tolist()
        last = str(random.choice(["glass", "lens", "tail", "wing"]))
        words = [subject, str(random.choice(["saw", "met"])), thing, "with", last]
        coarse = ["NOUN", "VERB", "NOUN", "ADP", "NOUN"]
        X.append(
            [(word, word, tag, tag, str(number)) for word, tag in zip(words, coarse, strict=True)]
        )
        y.append(
            DependencyTree(
                [2, 0, 2, 2 if last in ("glass", "lens") else 3, 4],
                ["nsubj", "root", "obj", "prep", "pobj"],
            )
        )
    return X, y


COARSE = parse_part_templates(["h.coarse|m.coarse|dist"])
PAIRS = parse_part_templates(
    ["h.word|m.word", "h.fine|m.fine", "h.fine|m.word", "h.fine|between.fine|m.fine|dist"]
)


def reranker(**parameters: Any) -> Reranker:
    """Of such sentences, over the lists of a parser that knows tags alone."""
    parser = Parser("arcs", COARSE, Mira(2))
    return Reranker(
        **{
            "parser": parser,
            "k": 4,
            "folds": 3,
            "templates": PAIRS,
            "threshold": 1,
            "kernel": SubTrees(2),
            "decay": 0.1,
            **parameters,
        }
    )
