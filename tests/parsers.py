"""A few sentences with trees, and parsers of all kinds that learn them, for tests of model files."""

from __future__ import annotations

from typing import Any

from laconic import Mira, Parser, Perceptron, Rda, Sparseptron, WordTagger
from laconic.estimators.parse_predicting import Tree
from laconic.text.part_templates import parse_part_templates
from laconic.text.views import WordClusters

SENTENCES = [
    [("The", "the", "DET", "DT", "_"), ("dog", "dog", "NOUN", "NN", "S"), ("ran", "run", "VERB", "VBD", "_")],
    [("Dogs", "dog", "NOUN", "NNS", "P"), ("saw", "see", "VERB", "VBD", "_"), ("a", "a", "DET", "DT", "_"), ("cat", "cat", "NOUN", "NN", "S")],
    [("He", "he", "PRON", "PRP", "_"), ("ran", "run", "VERB", "VBD", "_"), ("home", "home", "ADV", "RB", "_"), (".", ".", "PUNCT", ".", "_")],
    [("A", "a", "DET", "DT", "_"), ("hearing", "hearing", "NOUN", "NN", "S"), ("is", "be", "AUX", "VBZ", "_"), ("on", "on", "ADV", "RB", "_"),
     ("today", "today", "NOUN", "NN", "S")],
]  # fmt: skip
TREES = [
    Tree([2, 3, 0], ["det", "nsubj", "root"]),
    Tree([2, 0, 4, 2], ["nsubj", "root", "det", "obj"]),
    Tree([2, 0, 2, 2], ["nsubj", "root", "advmod", "punct"]),
    Tree([2, 4, 5, 0, 2], ["det", "nsubj", "cop", "root", "nmod"]),  # with a crossing arc
]
UNSEEN = [[("zzz", "zzz", "X", "XX", "_"), ("dog", "dog", "NOUN", "NN", "S")], [], SENTENCES[3][:1]]
CLUSTERS = WordClusters({"dog": "0010", "dogs": "0011", "cat": "0001", "ran": "1000", "saw": "1001"})
LINES = ["bias", "h.cluster2|m.cluster", "h.coarse|m.coarse|dist", "m.word|m.coarse[-1]", "h.fine|between.coarse|dir"]
MORE = ["h.coarse|s.coarse|m.coarse", "g.coarse|h.coarse|m.coarse", "g.fine|h.fine|s.fine|m.fine", "h.fine|t.fine|s.fine|m.fine"]
TEMPLATES = parse_part_templates([*LINES, *MORE])
MODELS: dict[str, dict[str, Any]] = {
    "arcs": {},
    "second": {"model": "carreras"},
    "third": {"model": "tri siblings", "n_jobs": 2},
    "crossing": {"crossing": True},
    "no labels": {"labels": False, "single_root": False, "learner": Sparseptron(3, every=2), "refit": Perceptron(2)},
    "own tags": {"tagger": WordTagger(learner=Mira(2), folds=2)},
    "lasso": {"learner": Rda(0.01), "prune": 1e-3, "refit": Mira(1), "refit_features": "features"},
}


def fitted(**parameters: Any) -> Parser:
    """A parser of these sentences."""
    given = {"templates": TEMPLATES, "learner": Mira(3), "clusters": CLUSTERS, **parameters}
    return Parser(**given).fit(SENTENCES, TREES)
