"""The documents section of the mining page: mined combinations of words beside words and bigrams,
for lasso and ridge.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.svm import LinearSVC

from benchmarks import corpora
from benchmarks.mining_documents_page import Row, Trial, layout
from benchmarks.peers import vectorizer_for
from benchmarks.timing import measure_in_subprocess
from laconic import L1, KernelMiner, Polynomial, Ridge, SparseClassifier


class Grid(NamedTuple):
    """Thresholds to try by degree, and strengths by penalty."""

    thresholds: dict[int, tuple[int, ...]]
    strengths: dict[str, tuple[float, ...]]


# Messages are long: lower thresholds would find millions of combinations. They are few and easy:
# weaker penalties suit them.
MESSAGES = Grid(
    {2: (2, 4, 8), 3: (3, 5, 8), 4: (4, 5, 8)},
    {"lasso": (0.3, 0.1, 0.03, 0.01), "ridge": (0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003)},
)
SENTENCES = Grid(
    {2: (1, 2, 4), 3: (1, 2, 4), 4: (1, 2, 4)},
    {"lasso": (1.0, 0.3, 0.1), "ridge": (1.0, 0.3, 0.1, 0.03)},
)
TASKS = (("science", False, MESSAGES), ("science", True, MESSAGES), ("sst", False, SENTENCES))
SCALES = (0.03, 0.1, 0.3)
PENALTIES = {"lasso": L1, "ridge": Ridge}
MAX_DF = 0.1
COST = 1.0
TRIAL, ROUNDS = 5, 20  # threshold and rounds of the trials
STRONGEST = 6


class Extra(NamedTuple):
    """Columns beside the words in train, dev and test: how many words each is made of, its name,
    and the threshold of the search.
    """

    parts: Sequence[sp.csr_array]
    order: NDArray[np.intp]
    names: NDArray[np.object_]
    threshold: int | None = None


class Documents:
    """A task as matrices: tf-idf of words, and of those in at most a tenth of the documents, whose
    combinations are searched.
    """

    def __init__(self, task: corpora.Task, strengths: dict[str, tuple[float, ...]]):
        self.task, self.strengths = task, strengths
        self.texts = [part.texts for part in (task.train, task.dev, task.test)]
        self.labels = [part.labels for part in (task.train, task.dev, task.test)]
        self.words, self.names = self.rows()
        self.rare, self.rare_names = self.rows(max_df=MAX_DF)

    def rows(self, **parameters: Any) -> tuple[list[sp.csr_array], NDArray[np.object_]]:
        """Sublinear tf-idf of the three parts, and what the columns are."""
        vectorizer = vectorizer_for(self.task, tfidf=True, sublinear=True).set_params(**parameters)
        vectorizer.fit(self.texts[0])
        return [
            sp.csr_array(vectorizer.transform(texts)) for texts in self.texts
        ], vectorizer.get_feature_names_out()

    def bigrams(self) -> Extra:
        """Whether two words stand beside each other."""
        parts, names = self.rows(ngram_range=(2, 2))
        return Extra([part.sign() for part in parts], np.full(len(names), 2), names)

    def mined(self, miner: KernelMiner, rare: bool = True) -> Extra:
        """The combinations of two words or more that a miner found."""
        rows, names = (self.rare, self.rare_names) if rare else (self.words, self.names)
        order = np.array([len(members) for members in miner.combinations_], dtype=np.intp)
        parts = [sp.csr_array(miner.transform(part)[:, order > 1]) for part in rows]
        return Extra(
            parts, order[order > 1], miner.get_feature_names_out(names)[order > 1], miner.threshold
        )

    def beside(self, extra: Extra | None, scale: float) -> list[sp.csr_array]:
        """Words and, smaller, what stands beside them."""
        if extra is None:
            return self.words
        return [
            sp.csr_array(sp.hstack([w, scale * more]))
            for w, more in zip(self.words, extra.parts, strict=True)
        ]


def mine(X: sp.csr_array, y: NDArray[np.str_], degree: int, threshold: int) -> KernelMiner:
    """One round from the scores of a linear SVM.

    What its support vectors tell apart beyond the threshold.
    """
    pretrain = LinearSVC(C=COST, loss="hinge", random_state=0, max_iter=10_000)
    return KernelMiner(
        Polynomial(degree), threshold, rounds=1, pretrain=pretrain, proximal=True
    ).fit(X, y)


class Fit(NamedTuple):
    """A fitted model with what it was fitted on."""

    model: SparseClassifier
    extra: Extra | None
    scale: float | None
    rows: list[sp.csr_array]
    seconds: float
    log_loss: float


def chosen(
    documents: Documents, penalty: str, extras: Sequence[Extra | None], scales: Sequence[float]
) -> Fit:
    """The lowest log-loss on dev over thresholds, scales and strengths; ties to the first."""
    best: Fit | None = None
    for extra in extras:
        for scale in scales if extra is not None else (1.0,):
            rows = documents.beside(extra, scale)
            for strength in documents.strengths[penalty]:
                began = time.perf_counter()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    model = SparseClassifier(PENALTIES[penalty](strength), tol=1e-3, max_iter=200)
                    model.fit(rows[0], documents.labels[0])
                seconds = time.perf_counter() - began
                loss = float(log_loss(documents.labels[1], model.predict_proba(rows[1])))
                if best is None or loss < best.log_loss:
                    best = Fit(
                        model, extra, scale if extra is not None else None, rows, seconds, loss
                    )
    if best is None:
        raise ValueError("there is nothing to choose from")
    return best


def row_of(documents: Documents, features: str, penalty: str, fit: Fit, degree: int | None) -> Row:
    """What the page says of a chosen model.

    Its mining is done again in a process of its own, to see seconds and memory.
    """
    right = [
        fit.model.predict(rows) == labels
        for rows, labels in zip(fit.rows, documents.labels, strict=True)
    ]
    order = np.concatenate(
        [np.ones(len(documents.names), np.intp), *([] if fit.extra is None else [fit.extra.order])]
    )
    weights = np.asarray(fit.model.coef_).ravel()
    kept = np.bincount(order[weights != 0], minlength=5)[1:]
    threshold = None if fit.extra is None else fit.extra.threshold
    mining = None
    if degree is not None:
        mining = measure_in_subprocess(
            mine, documents.rare[0], documents.labels[0], degree, threshold
        )
    strongest = (
        {}
        if fit.extra is None
        else strongest_of(fit.model.classes_, weights[len(documents.names) :], fit.extra.names)
    )
    setting = (threshold, fit.scale, fit.model.penalty.strength)
    dev, test = float(right[1].mean()), float(right[2].mean())
    return Row(
        features,
        penalty,
        dev,
        fit.log_loss,
        test,
        kept,
        setting,
        fit.seconds,
        mining,
        right[2],
        strongest,
    )


def strongest_of(
    classes: NDArray[np.str_], weights: NDArray[np.float64], names: NDArray[np.object_]
) -> dict[str, list[str]]:
    """The names with the largest weights for each of two classes."""
    found = {}
    for label, sign in zip(classes, (-1, 1), strict=True):
        order = np.argsort(-sign * weights, kind="stable")[:STRONGEST]
        found[str(label)] = [str(names[k]) for k in order if sign * weights[k] > 0]
    return found


def rows_of(
    documents: Documents, degrees: dict[int, tuple[int, ...]], scales: Sequence[float]
) -> list[Row]:
    """Lasso and ridge on words, words with bigrams, words with what was mined."""
    found = []
    spaces: dict[str, tuple[list[Extra | None], int | None]] = {
        "words": ([None], None),
        "words, bigrams": ([documents.bigrams()], None),
    }
    for degree, thresholds in degrees.items():
        miners = [
            mine(documents.rare[0], documents.labels[0], degree, threshold)
            for threshold in thresholds
        ]
        spaces[f"words, mined to degree {degree}"] = (
            [documents.mined(miner) for miner in miners],
            degree,
        )
    for penalty in PENALTIES:
        for features, (extras, degree) in spaces.items():
            fit = chosen(documents, penalty, extras, scales)
            found.append(row_of(documents, features, penalty, fit, degree))
    return found


def trials_of(
    documents: Documents, threshold: int, rounds: int, scales: Sequence[float]
) -> list[Trial]:
    """What each choice of the search does to a ridge on words and pairs, on dev."""
    svm = LinearSVC(C=COST, loss="hinge", random_state=0, max_iter=10_000)
    step = 1 / len(documents.labels[0])
    slow = {"decreasing": True, "pretrain": svm, "proximal": True}
    ways: dict[str, tuple[bool, dict[str, Any]]] = {
        f"Algorithm 1: {rounds} rounds of step 1 from zero": (False, {"rounds": rounds}),
        "one round from zero": (False, {"rounds": 1}),
        "one round from an SVM": (False, {"rounds": 1, "pretrain": svm}),
        "the same, proximal": (False, {"rounds": 1, "pretrain": svm, "proximal": True}),
        "the same, words in at most a tenth": (
            True,
            {"rounds": 1, "pretrain": svm, "proximal": True},
        ),
        f"the same, {rounds} rounds of decreasing steps": (
            True,
            {"rounds": rounds, "step": step, **slow},
        ),
    }
    fit = chosen(documents, "ridge", [None], (1.0,))
    found = [Trial("words alone", 0, (0, 0), 0.0, accuracy_on_dev(documents, fit), fit.log_loss)]
    for title, (rare, parameters) in ways.items():
        began = time.perf_counter()
        miner = KernelMiner(Polynomial(2), threshold, **parameters)
        miner.fit((documents.rare if rare else documents.words)[0], documents.labels[0])
        seconds = time.perf_counter() - began
        extra = documents.mined(miner, rare)
        fit = chosen(documents, "ridge", [extra], scales)
        wrong = (miner.rounds_[0].wrong, miner.rounds_[-1].wrong)
        found.append(
            Trial(
                title,
                len(extra.order),
                wrong,
                seconds,
                accuracy_on_dev(documents, fit),
                fit.log_loss,
            )
        )
    return found


def accuracy_on_dev(documents: Documents, fit: Fit) -> float:
    """Of a fitted model."""
    return float(np.mean(fit.model.predict(fit.rows[1]) == documents.labels[1]))


def section(data: Path, quick: bool = False) -> str:
    """Fit everything and lay the tables out."""
    rows, trials = {}, {}
    threshold, rounds = (20, 2) if quick else (TRIAL, ROUNDS)
    for name, stripped, grid in TASKS[1:2] if quick else TASKS:
        documents = Documents(corpora.load(name, data, stripped), grid.strengths)
        title = documents.task.name
        scales = SCALES[1:2] if quick else SCALES
        rows[title] = rows_of(documents, {2: (8,)} if quick else grid.thresholds, scales)
        trials[title] = trials_of(documents, threshold, rounds, scales)
    return layout(rows, trials, threshold)
