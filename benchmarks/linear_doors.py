"""The matrix of doors and penalties: which estimator or learner takes which penalty."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import laconic
from laconic.core.penalties import Penalty
from laconic.text.patterns import parse_templates

N = 9  # words, columns, templates, effects and dimensions: what a penalty is about
STEPS = 5  # of solvers: enough to see that a penalty is taken
RNG = np.random.default_rng(0)
X = RNG.poisson(0.7, (40, N)).astype(float)
Y = (X @ RNG.normal(size=N) + RNG.normal(size=40) > 0).astype(int)
TIMES = np.arange(40) % 3
WORDS = [f"w{number}" for number in range(N)]
TEXTS = [
    " ".join(word for word, n in zip(WORDS, row, strict=True) for _ in range(int(n))) or WORDS[0]
    for row in X
]
SENTENCES = [
    [tuple(f"v{int(value)}" for value in row) for row in X[start : start + 4]]
    for start in range(0, 40, 4)
]
LABELS = [["B" if y else "O" for y in Y[start : start + 4]] for start in range(0, 40, 4)]
SMALL = sp.csr_matrix(X)
ROWS = sp.csr_matrix(np.maximum(RNG.normal(size=(5, 10)), 0))

Door = Callable[[Penalty], object]


def _tagger(learner: Any) -> object:
    templates = parse_templates("\n".join(f"{word}[0]" for word in WORDS), tuple(WORDS))
    return laconic.Tagger(templates, learner, columns=tuple(WORDS)).fit(SENTENCES, LABELS)


def _text(penalty: Penalty) -> object:
    # Words in the order in which they first occur are features 0, 1, ..: as in X.
    first = " ".join(WORDS)
    return laconic.TextClassifier(penalty, max_iter=STEPS).fit([first, *TEXTS], [0, *Y])


def _language_model(penalty: Penalty) -> object:
    learner = laconic.LogLinear(penalty, max_iter=STEPS)
    return laconic.LanguageModel(order=2, learner=learner).fit(["a b a b a", "b a b", "a c"])


def _discrete(penalty: Penalty) -> object:
    model = laconic.SparseClassifier("l1", strength=0.1).fit(X, Y)
    return laconic.discretize(model, X, Y, (-1.0, 1.0), penalty=penalty)


DOORS: dict[str, Door] = {
    "SparseClassifier": lambda penalty: laconic.SparseClassifier(penalty, max_iter=STEPS).fit(X, Y),
    "TextClassifier": _text,
    "Crf": lambda penalty: _tagger(laconic.Crf(penalty, max_iter=STEPS)),
    "Fobos": lambda penalty: _tagger(laconic.Fobos(None, penalty, every=10, epochs=1)),
    "Sparseptron": lambda penalty: _tagger(
        laconic.Sparseptron(5, epochs=1, every=10, penalty=penalty)
    ),
    "Rda": lambda penalty: _tagger(laconic.Rda(epochs=1, penalty=penalty)),
    "StochasticGradient": lambda penalty: _tagger(
        laconic.StochasticGradient(epochs=1, penalty=penalty)
    ),
    "LogLinear": _language_model,
    "OnlineDictionary": lambda penalty: laconic.OnlineDictionary(
        N, penalty, passes=1, tolerance=0.09, n_jobs=1
    ).learn(ROWS),
    "StochasticCoding": lambda penalty: laconic.StochasticCoding(
        N, penalty, epochs=1, n_jobs=1
    ).learn(ROWS),
    "TemporalRegressor": lambda penalty: laconic.TemporalRegressor(penalty, max_iter=STEPS).fit(
        X, Y, times=TIMES
    ),
    "TemporalTextModel": lambda penalty: laconic.TemporalTextModel(
        penalty, max_iter=STEPS, constant=False
    ).fit(X[:, :3] + 1, X, times=TIMES),
    "discretize": _discrete,
}


def opened(door: str, penalty: Penalty) -> str | None:
    """Return None where a door takes a penalty, else the sentence with which it refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            DOORS[door](penalty)
        except ValueError as error:
            return str(error)
    return None


GROUPS = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
OVERLAPS = [[0, 1, 2], [2, 3, 4], [4, 5, 6, 7, 8]]
SHOWN: dict[str, Penalty] = {
    "L1": laconic.L1(0.1),
    "Ridge": laconic.Ridge(0.1),
    "ElasticNet": laconic.ElasticNet(0.1),
    "L0": laconic.L0(0.1),
    "MCP": laconic.MCP(0.1),
    "SCAD": laconic.SCAD(0.1),
    "LogSum": laconic.LogSum(0.1),
    "Slope": laconic.Slope(0.1),
    "GroupLasso": laconic.GroupLasso(GROUPS, 0.1),
    "SparseGroupLasso": laconic.SparseGroupLasso(GROUPS, 0.1),
    "TreeGroupLasso": laconic.TreeGroupLasso([[0, 1, 2, 3], [1, 2], [5, 6]], 0.1),
    "OverlapGroupLasso": laconic.OverlapGroupLasso(OVERLAPS, 0.1),
    "PenaltySum": laconic.PenaltySum([laconic.OverlapGroupLasso(OVERLAPS, 0.1), laconic.L1(0.1)]),
    "Discrete": laconic.Discrete((-1.0, 1.0), 0.1),
}


def doors(data: Path, quick: bool) -> str:
    """Return the matrix as markdown, and the sentences of the doors that refuse."""
    rows, sentences = [], dict[str, str]()
    for name, penalty in SHOWN.items():
        said = {door: opened(door, penalty) for door in DOORS}
        rows.append([name, *("yes" if one is None else "no" for one in said.values())])
        for door, sentence in said.items():
            if sentence is not None:
                sentences.setdefault(door, " ".join(sentence.split()))
    head = ["penalty", *DOORS]
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
    refused = [f"- `{door}`: {sentence}" for door, sentence in sentences.items()]
    return "\n".join(
        [
            "## Which penalty goes through which door",
            "",
            f"Every cell is a fit on tiny data with {N} features. A door that says no says why,"
            " here for the first penalty it refuses:",
            "",
            *lines,
            "",
            *refused,
        ]
    )
