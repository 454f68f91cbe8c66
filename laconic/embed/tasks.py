"""Evaluation of word vectors: word similarity, analogies, sentence completion and sentiment.

As in Yogatama et al. (2015). A word is looked up as written, then in lower case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.stats import spearmanr

from laconic.core.arrays import Bools, Floats, Ints, Ints32
from laconic.core.penalties import Ridge
from laconic.core.ragged import pointers
from laconic.embed.model import AMONG, WordVectors
from laconic.embed.task_files import Analogies, Completion, Similarity
from laconic.linear.model import SparseClassifier

BATCH = 500  # questions answered at once
STRENGTHS = tuple(float(10.0**k) for k in np.arange(-3, 3.5, 0.5))
TINY = float(np.finfo(np.float64).tiny)
LabelledSentences: TypeAlias = tuple[Sequence[Sequence[str]], ArrayLike]


class Score(NamedTuple):
    """A score over the `covered` items whose words are known, out of `total`."""

    score: float
    covered: int
    total: int


class AnalogyScores(NamedTuple):
    """Accuracies: of semantic questions, of syntactic ones, of all, and of every section."""

    semantic: Score
    syntactic: Score
    all: Score
    sections: dict[str, Score]


class SentimentScore(NamedTuple):
    """Accuracy on test sentences, and on those that the strength was chosen on."""

    test: float
    dev: float
    strength: float


def lookup(model: WordVectors, words: Iterable[str]) -> Ints32:
    """Return the indices of words, as written or in lower case; -1 for unknown words."""
    given = list(words)
    ids = model.ids(given)
    unknown = np.flatnonzero(ids < 0)
    ids[unknown] = model.ids(given[i].lower() for i in unknown.tolist())
    return ids


def similarity_score(model: WordVectors, task: Similarity) -> Score:
    """Return Spearman's correlation of cosines with human scores, over pairs of known words."""
    first, second = lookup(model, task.first), lookup(model, task.second)
    known = (first >= 0) & (second >= 0)
    units = model.units()
    cosines = np.einsum("ij,ij->i", units[first[known]], units[second[known]])
    scores = task.scores[known]
    constant = len(scores) < 2 or np.ptp(cosines) == 0 or np.ptp(scores) == 0
    return Score(
        np.nan if constant else float(spearmanr(cosines, scores).statistic),
        int(known.sum()),
        len(known),
    )


def analogy_scores(model: WordVectors, task: Analogies, among: int = AMONG) -> AnalogyScores:
    """Return how often d has the largest cosine to b - a + c (3CosAdd).

    Candidates are the `among` most frequent words except a, b and c; if d is not one of them, the
    answer is wrong. Questions with an unknown word are left out.
    """
    ids = lookup(model, chain.from_iterable(task.words)).reshape(-1, 4)
    known = np.all(ids >= 0, axis=1)
    right = np.zeros(len(ids), bool)
    right[known] = _answers(model.units(), ids[known, :3], among) == ids[known, 3]
    is_syntactic = task.is_syntactic()

    def score(these: Bools) -> Score:
        covered = int(np.sum(these & known))
        return Score(
            float(np.sum(right & these)) / covered if covered else np.nan, covered, int(these.sum())
        )

    sections = {name: score(task.section == number) for number, name in enumerate(task.sections)}
    return AnalogyScores(
        score(~is_syntactic), score(is_syntactic), score(np.ones(len(ids), bool)), sections
    )


def _answers(units: Floats, questions: Ints32, among: int) -> Ints:
    """Return the answer to every question a, b, c: one of the `among` first words."""
    # Cosines of the few words of questions with all words; those of b - a + c are their sums.
    asked, place = np.unique(questions, return_inverse=True)
    place = place.reshape(questions.shape)
    cosines = units[asked] @ units[:among].T
    answers = np.empty(len(questions), np.int64)
    for first in range(0, len(questions), BATCH):
        a, b, c = place[first : first + BATCH].T
        scores = cosines[b] - cosines[a] + cosines[c]
        own = questions[first : first + BATCH]
        row, column = np.nonzero(own < scores.shape[1])
        scores[row, own[row, column]] = -np.inf
        answers[first : first + BATCH] = np.argmax(scores, axis=1)
    return answers


def completion_score(model: WordVectors, task: Sequence[Completion]) -> Score:
    """Return how often the right choice has the largest mean cosine to the known other words.

    A choice of several words has the mean of their cosines. A choice with an unknown word loses,
    and so do all choices in a sentence without known words.
    """
    units = model.units()
    n_right = n_covered = 0
    for question in task:
        others = lookup(model, question.others)
        centre = units[others[others >= 0]].sum(axis=0)
        choices = [lookup(model, words) for words in question.choices]
        scores = np.array(
            [
                float(np.mean(units[ids] @ centre)) if len(ids) and ids.min() >= 0 else -np.inf
                for ids in choices
            ]
        )
        n_covered += bool(np.all(scores > -np.inf))
        n_right += (
            bool(np.any(others >= 0))
            and scores[question.answer] > -np.inf
            and int(np.argmax(scores)) == question.answer
        )
    return Score(float(n_right / len(task)), n_covered, len(task))


def sentence_means(model: WordVectors, sentences: Sequence[Sequence[str]]) -> Floats:
    """Return the mean vector of the known words of every sentence, zero if there are none."""
    ids = lookup(model, chain.from_iterable(sentences))
    lengths = np.array([len(words) for words in sentences], np.int64)
    places = np.repeat(np.arange(len(sentences)), lengths)[ids >= 0]
    known = np.bincount(places, minlength=len(sentences))
    weights = (1 / np.maximum(known, 1)).astype(np.float32)[places]
    mixing = sparse.csr_matrix(
        (weights, ids[ids >= 0], pointers(known)), (len(sentences), len(model))
    )
    return np.asarray(
        mixing @ model.codes_.toarray() / model.divisors_.astype(np.float32), np.float32
    )


def sentiment_score(
    model: WordVectors,
    train: LabelledSentences,
    dev: LabelledSentences,
    test: LabelledSentences,
    strengths: Sequence[float] = STRENGTHS,
) -> SentimentScore:
    """Return the accuracy of a logistic regression with a ridge on mean vectors of sentences.

    Each part is (sentences, labels). The strength of the ridge is the best one on dev.
    """
    inputs = [
        sentence_means(model, sentences).astype(np.float64) for sentences, _ in (train, dev, test)
    ]
    # Inputs are rescaled so that strengths mean the same for all vectors.
    size = max(float(np.sqrt(np.mean(inputs[0] ** 2))), TINY)
    fitted = []
    for strength in sorted(strengths, reverse=True):
        classifier = SparseClassifier(penalty=Ridge(strength)).fit(inputs[0] / size, train[1])
        fitted.append((float(classifier.score(inputs[1] / size, dev[1])), classifier, strength))
    best, classifier, strength = max(fitted, key=lambda entry: entry[0])
    return SentimentScore(float(classifier.score(inputs[2] / size, test[1])), best, strength)
