"""`WordVectors`: sparse vectors of words, learned from the words around them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Array, Floats, Ints, Ints32
from laconic.core.report import Callback, FitReport, Reported
from laconic.embed.association import EntryWeights, association
from laconic.embed.cooccurrence import Cooccurrences
from laconic.embed.learn import CodeLearner, with_counts
from laconic.embed.online_dictionary import OnlineDictionary
from laconic.embed.stochastic import StochasticCoding
from laconic.embed.word_counts import MEMORY, RunningText, read_text
from laconic.errors import InputError
from laconic.models.save import Saved
from laconic.text.io import PathLike
from laconic.text.vectors import read_vectors, write_vectors
from laconic.text.vocab import Vocab

AMONG = 30_000  # number of most frequent words that answers are chosen from
TINY = np.finfo(np.float32).tiny


class Associations(NamedTuple):
    """Input of learners: words, their counts, associations (words, contexts), perhaps weights."""

    words: list[str]
    counts: Ints
    matrix: sparse.csr_matrix
    weights: EntryWeights | None


class WordVectors(Saved, Reported, BaseEstimator):
    """X ~ codes @ dictionary: a vector per frequent word, from associations with nearby words.

    Parameters
    ----------
    learner : OnlineDictionary, StochasticCoding, Svd or None, default=None
        What factorises the associations; None means `OnlineDictionary()`. Any object with a method
        `learn(matrix, callback, weights) -> Coded` can be given.
    size : int or None, default=None
        Number of dimensions of the vectors; None means that of the learner.
    window : int, default=5
        Number of words to each side that count as neighbours.
    dynamic : bool, default=False
        Whether distant words of the window count less. A word at distance d counts
        (window - d + 1) / window.
    n_contexts : int or None, default=None
        Number of most frequent words that count as neighbours; None means all.
    subsample : float or None, default=None
        Words of a greater frequency than this are left out at random, as in word2vec.
    min_count : int, default=10
        Words that occur less often have no vector.
    max_size : int or None, default=None
        Maximal number of words, the most frequent; None means no limit.
    rare : "gap", "drop" or "mark", default="gap"
        How other words are treated: keep their place, leave them out, or make them one word #rare#.
    association : "ppmi" or "pmi", default="ppmi"
        Measure of association: pointwise mutual information, or its positive part.
    smoothing : float, default=0.75
        Power of the counts of neighbours, from 0 to 1.
    shift : float, default=1.0
        Number whose logarithm is subtracted from associations.
    exponent : float, default=1.0
        Power of associations: 0.5 lowers those of rare words.
    weighting : float, default=0.0
        Power of the count of a pair that is its weight, from 0 to 1. 0 weighs all pairs alike;
        about 0.65 gives rare words, whose associations are mostly noise, less weight.
    scale : float, default=0.0
        Power of the root mean square of a dimension by which it is divided, from 0 to 1. 1 gives
        all dimensions the same size; zeros stay zeros.
    memory : int, default=2**31
        Bytes of memory for counting, besides the result.
    n_jobs : int or None, default=None
        Number of threads for counting; learners have their own n_jobs.
    random_state : int, default=0
        Seed of subsampling.

    Attributes
    ----------
    words_ : list of str
        All words, the most frequent first.
    counts_ : array of shape (n_words,)
        Number of occurrences of each word.
    codes_ : csr_matrix of shape (n_words, size)
        The vectors as learned, without scaling.
    dictionary_ : array of shape (size, n_contexts) or None
        The dictionary; None if the model was read from a file.
    parents_ : array of shape (size,) or None
        The dimension above each dimension in the learner's forest, -1 at roots; None without one.
    report_ : FitReport
        How the vectors came about; its learner is "" if they come from another program.

    Examples
    --------
    >>> from laconic import Svd, WordVectors
    >>> text = [["sun", "warms", "day"], ["moon", "cools", "night"]] * 10
    >>> model = WordVectors(Svd(2, n_jobs=1)).fit(text)
    >>> len(model), model.vector("sun").shape
    (6, (2,))
    >>> model.similarity("sun", "day") > model.similarity("sun", "night")
    True
    """

    def __init__(
        self,
        learner: CodeLearner | None = None,
        size: int | None = None,
        window: int = 5,
        dynamic: bool = False,
        n_contexts: int | None = None,
        subsample: float | None = None,
        min_count: int = 10,
        max_size: int | None = None,
        rare: str = "gap",
        association: str = "ppmi",
        smoothing: float = 0.75,
        shift: float = 1.0,
        exponent: float = 1.0,
        weighting: float = 0.0,
        scale: float = 0.0,
        memory: int = MEMORY,
        n_jobs: int | None = None,
        random_state: int = 0,
    ):
        self.learner = learner
        self.size = size
        self.window = window
        self.dynamic = dynamic
        self.n_contexts = n_contexts
        self.subsample = subsample
        self.min_count = min_count
        self.max_size = max_size
        self.rare = rare
        self.association = association
        self.smoothing = smoothing
        self.shift = shift
        self.exponent = exponent
        self.weighting = weighting
        self.scale = scale
        self.memory = memory
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: RunningText, y: object = None, callback: Callback | None = None
    ) -> WordVectors:
        """Learn from text.

        Parameters
        ----------
        X : path, list of paths, or iterable of lists of str
            Files with one sentence per line, plain or compressed, or sentences as lists of words.
        y : None
            Ignored.
        callback : callable or None
            Receives an `Event` after every pass of the learner, which stops if it returns True.

        Returns
        -------
        self : WordVectors
        """
        self._check()
        began = time.perf_counter()
        given = self.associations(X)
        self.fit_associations(given.words, given.counts, given.matrix, callback, given.weights)
        self.report_ = replace(self.report_, seconds=time.perf_counter() - began)
        return self

    def associations(self, X: RunningText) -> Associations:
        """Return the input of learners for a text, which is given as in `fit`."""
        self._check()
        seed = None if self.subsample is None else self.random_state
        how = Cooccurrences(self.window, self.dynamic, self.n_contexts, self.subsample, seed)
        with read_text(X, self.min_count, self.max_size, self.rare, memory=self.memory) as text:
            counts = how.count(text, self.memory, self.n_jobs)
        if not counts.nnz:
            raise InputError(
                f"no two of the {len(text)} words that occur {self.min_count} times or more are "
                "near each other in a sentence; give more text, or lower min_count."
            )
        how_much = (self.association, self.smoothing, self.shift, self.exponent)
        return Associations(
            text.words,
            text.counts,
            *association(counts, *how_much, copy=False, weighting=self.weighting),
        )

    def fit_associations(
        self,
        words: Sequence[str],
        counts: ArrayLike,
        matrix: sparse.spmatrix,
        callback: Callback | None = None,
        weights: EntryWeights | None = None,
    ) -> WordVectors:
        """Learn from the result of `associations`, which several learners can share."""
        learner = OnlineDictionary() if self.learner is None else clone(self.learner)
        if self.size is not None:
            learner.set_params(size=self.size)
        coded = learner.learn(matrix, callback, weights)
        parents = _parents(learner)
        return self._adopt(words, counts, coded.codes, coded.report, parents, coded.dictionary)

    def _adopt(
        self,
        words: Sequence[str],
        counts: ArrayLike,
        codes: sparse.spmatrix | Array | Floats,
        report: FitReport | None = None,
        parents: Ints32 | None = None,
        dictionary: Floats | None = None,
    ) -> WordVectors:
        """Become the model of these vectors."""
        self._check()
        matrix = sparse.csr_matrix(codes, dtype=np.float32)
        if len(words) != matrix.shape[0] or len(np.asarray(counts)) != len(words):
            raise ValueError(
                f"there are {len(words)} words, but codes of {matrix.shape[0]}, "
                f"and {len(np.asarray(counts))} counts"
            )
        self._vocab = Vocab(words).freeze()
        self.counts_, self.codes_ = np.asarray(counts, np.int64), matrix
        self.parents_, self.dictionary_ = parents, dictionary
        self.report_ = with_counts(report or FitReport(), matrix)
        rms = np.sqrt(np.asarray(matrix.multiply(matrix).mean(axis=0), np.float64).ravel())
        self.divisors_ = np.where(rms > 0, rms, 1.0) ** self.scale
        self._units: Floats | None = None
        return self

    @property
    def words_(self) -> list[str]:
        """All words, the most frequent first."""
        check_is_fitted(self, "codes_")
        return self._vocab.words

    def __len__(self) -> int:
        return len(self.words_)

    def __contains__(self, word: object) -> bool:
        check_is_fitted(self, "codes_")
        return word in self._vocab

    def ids(self, words: Iterable[str]) -> Ints32:
        """Return the indices of words in `words_`, -1 for unknown words."""
        check_is_fitted(self, "codes_")
        return self._vocab.ids(words)

    def id(self, word: str) -> int:
        """Return the index of one word; an unknown word is an InputError."""
        check_is_fitted(self, "codes_")
        found = self._vocab.id(word)
        if found < 0:
            raise InputError(f"the model has no vector for {word!r}: it knows {len(self)} words.")
        return found

    def vectors(self, first: int = 0, last: int | None = None) -> Floats:
        """Return the vectors of the words [first, last), dense, with every dimension scaled."""
        check_is_fitted(self, "codes_")
        dense: Floats = self.codes_[first:last].toarray()
        divisors: Floats = self.divisors_.astype(np.float32)
        return np.asarray(dense / divisors, np.float32)

    def vector(self, word: str) -> Floats:
        """Return the vector of a word; an unknown word is an InputError."""
        place = self.id(word)
        vector: Floats = self.vectors(place, place + 1)[0]
        return vector

    def units(self) -> Floats:
        """Return all vectors scaled to length 1 (words, size); vectors of zeros stay zero."""
        if self._units is None:
            rows = self.vectors()
            rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), TINY)
            self._units = rows
        return self._units

    def similarity(self, word: str, other: str) -> float:
        """Return the cosine of two words."""
        units = self.units()
        return float(units[self.id(word)] @ units[self.id(other)])

    def most_similar(
        self, word: str, k: int = 10, among: int | None = None
    ) -> list[tuple[str, float]]:
        """Return the nearest words.

        Parameters
        ----------
        word : str
            A word with a vector.
        k : int, default=10
            Number of words to return.
        among : int or None, default=None
            Number of most frequent words to choose from; None means all.

        Returns
        -------
        words : list of (str, float)
            Words with their cosines, the nearest first.
        """
        place = self.id(word)
        return self._nearest(self.units()[place], [place], k, among)

    def analogy(
        self, a: str, b: str, c: str, k: int = 10, among: int | None = AMONG
    ) -> list[tuple[str, float]]:
        """Return the words that are to c as b is to a: the largest cosines to b - a + c (3CosAdd).

        Parameters
        ----------
        a, b, c : str
            Words with vectors; they are not returned.
        k : int, default=10
            Number of words to return.
        among : int or None, default=30000
            Number of most frequent words to choose from; None means all.

        Returns
        -------
        words : list of (str, float)
            Words with their cosines, the best first.
        """
        places = [self.id(word) for word in (a, b, c)]
        units = self.units()
        wanted = units[places[1]] - units[places[0]] + units[places[2]]
        return self._nearest(wanted / max(float(np.linalg.norm(wanted)), TINY), places, k, among)

    def _nearest(
        self, wanted: Floats, without: list[int], k: int, among: int | None
    ) -> list[tuple[str, float]]:
        """Return the k words with the largest cosines to a vector of length 1."""
        if k < 0 or (among is not None and among < 0):
            raise ValueError(f"k and among must be at least 0, got {k!r} and {among!r}")
        cosines = self.units()[:among] @ wanted
        cosines[[place for place in without if place < len(cosines)]] = -np.inf
        n = min(k, int(np.count_nonzero(cosines > -np.inf)))
        best = np.argpartition(-cosines, n - 1)[:n] if n else np.empty(0, np.int64)
        best = best[np.argsort(-cosines[best], kind="stable")]
        return [(self.words_[i], float(cosines[i])) for i in best.tolist()]

    def to_word2vec(self, path: PathLike, binary: bool = False) -> None:
        """Write a word2vec file of the scaled vectors, for gensim, spaCy and others.

        It is text or binary, compressed if its name ends in .gz.
        """
        write_vectors(path, self.words_, self.vectors(), binary)

    @classmethod
    def from_word2vec(cls, path: PathLike, binary: bool | None = None) -> WordVectors:
        """Return the vectors of a file of word2vec (text or binary) or GloVe.

        Its words must be sorted by falling frequency, as both programs write them.
        """
        vocab, vectors = read_vectors(path, binary)
        return cls(size=vectors.shape[1])._adopt(
            vocab.words, np.zeros(len(vocab), np.int64), vectors
        )

    def _check(self) -> None:
        """Raise a ValueError if a parameter cannot be used."""
        if not 0 <= self.scale <= 1:
            raise ValueError(f"scale must be from 0 to 1, got {self.scale!r}")


def _parents(learner: BaseEstimator) -> Ints32 | None:
    """Return the dimension above each dimension, -1 at roots; None without a forest."""
    if not isinstance(learner, OnlineDictionary | StochasticCoding):
        return None
    forest = learner.code_terms().forest
    if forest.parent is None or not np.any(forest.parent >= 0):
        return None
    parents = np.full(forest.n_features, -1, np.int32)
    parents[forest.index] = np.where(
        forest.parent >= 0, forest.index[np.maximum(forest.parent, 0)], -1
    )
    return parents
