"""`WordVectors`: sparse vectors of words, learned from what stands near them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Floats
from laconic.core.report import Callback, FitReport, Reported
from laconic.embed.association import EntryWeights, association
from laconic.embed.cooccurrence import Cooccurrences
from laconic.embed.forest import forest_for
from laconic.embed.learn import with_counts
from laconic.embed.online_dictionary import OnlineDictionary
from laconic.embed.word_counts import MEMORY, read_text
from laconic.errors import InputError
from laconic.models.save import Saved
from laconic.text.io import PathLike
from laconic.text.vectors import read_vectors, write_vectors
from laconic.text.vocab import Vocab

AMONG = 30_000  # most frequent words that answers are chosen from
TINY = np.finfo(np.float32).tiny


class Associations(NamedTuple):
    """What a learner gets: words, how often each occurs, associations (words, contexts), and weights of these if there are any."""

    words: list[str]
    counts: NDArray[np.int64]
    matrix: sparse.csr_matrix
    weights: EntryWeights | None


class WordVectors(Saved, Reported, BaseEstimator):
    """Learn a vector for every frequent word: associations of words with the words around them, X ~ codes @ dictionary.

    learner: what factorises the associations: OnlineDictionary() if it is None, StochasticCoding(), Svd(), or any object with
        `learn(matrix, callback, weights) -> Coded`
    size: dimensions; None: as many as the learner has
    window, dynamic, n_contexts, subsample: see Cooccurrences; subsampling leaves words out of the text at random (random_state)
    min_count, max_size, rare: see read_text
    association: "ppmi" or "pmi", with `smoothing`, `shift` and `exponent`: see association
    weighting: 0..1; pairs count by the number of their meetings to this power, which gives rare words, whose associations are mostly noise, less
        say: try 0.65; 0: all count alike
    scale: 0..1; every dimension is divided by its root mean square to this power, which keeps zeros and makes dimensions count alike
    memory: bytes that counting may use besides its result
    n_jobs: threads that count; the learner has its own n_jobs

    After fitting, or loading: `words_`, the most frequent first, and `counts_`; `codes_` (words, size), sparse, as they were learned;
    `dictionary_` (size, contexts), None if the model comes from a file; `parents_`, for each dimension the one above it in the
    learner's forest, -1 at roots, None without a forest; `report_`, whose learner is "" if the vectors come from a file of another program.
    """

    def __init__(
        self,
        learner: Any = None,
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

    def fit(self, X: Any, y: Any = None, callback: Callback | None = None) -> WordVectors:
        """Learn from text: the path of a file or a list of paths (a sentence a line, plain or gzip), or sentences, each a list of words.

        callback is told of every pass of the learner.
        """
        self._check()
        began = time.perf_counter()
        given = self.associations(X)
        self.fit_associations(given.words, given.counts, given.matrix, callback, given.weights)
        self.report_ = replace(self.report_, seconds=time.perf_counter() - began)
        return self

    def associations(self, X: Any) -> Associations:
        """What a learner gets, of the same text as `fit`."""
        self._check()
        seed = None if self.subsample is None else self.random_state
        how = Cooccurrences(self.window, self.dynamic, self.n_contexts, self.subsample, seed)
        with read_text(X, self.min_count, self.max_size, self.rare, memory=self.memory) as text:
            counts = how.count(text, self.memory, self.n_jobs)
        if not counts.nnz:
            raise InputError(
                f"no two of the {len(text)} words that occur {self.min_count} times or more stand near each other in a sentence; "
                "give more text, or lower min_count."
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
        matrix: Any,
        callback: Callback | None = None,
        weights: EntryWeights | None = None,
    ) -> WordVectors:
        """Learn from what `associations` gives, so that several learners can have it."""
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
        codes: Any,
        report: FitReport | None = None,
        parents: NDArray[np.int32] | None = None,
        dictionary: Floats | None = None,
    ) -> WordVectors:
        self._check()
        matrix = sparse.csr_matrix(codes, dtype=np.float32)
        if len(words) != matrix.shape[0] or len(np.asarray(counts)) != len(words):
            raise ValueError(
                f"there are {len(words)} words, but codes of {matrix.shape[0]}, and {len(np.asarray(counts))} counts"
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

    def ids(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Places of words in `words_`, -1 for those that are not there."""
        check_is_fitted(self, "codes_")
        return self._vocab.ids(words)

    def id(self, word: str) -> int:
        """The place of one word, which must be there."""
        check_is_fitted(self, "codes_")
        found = self._vocab.id(word)
        if found < 0:
            raise InputError(f"the model has no vector for {word!r}: it knows {len(self)} words.")
        return found

    def vectors(self, first: int = 0, last: int | None = None) -> Floats:
        """The vectors of the words [first, last), dense, with every dimension scaled."""
        check_is_fitted(self, "codes_")
        return self.codes_[first:last].toarray() / self.divisors_.astype(np.float32)

    def vector(self, word: str) -> Floats:
        """The vector of a word."""
        place = self.id(word)
        return self.vectors(place, place + 1)[0]

    def units(self) -> Floats:
        """Vectors of length 1 for all words (words, size); zero for words whose codes are all zero."""
        if self._units is None:
            rows = self.vectors()
            rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), TINY)
            self._units = rows
        return self._units

    def similarity(self, word: str, other: str) -> float:
        """The cosine of two words."""
        units = self.units()
        return float(units[self.id(word)] @ units[self.id(other)])

    def most_similar(
        self, word: str, k: int = 10, among: int | None = None
    ) -> list[tuple[str, float]]:
        """The k words with the largest cosines to a word, with these; `among`: of so many most frequent words only."""
        place = self.id(word)
        return self._nearest(self.units()[place], [place], k, among)

    def analogy(
        self, a: str, b: str, c: str, k: int = 10, among: int | None = AMONG
    ) -> list[tuple[str, float]]:
        """The k words that are to c what b is to a: the largest cosines with b - a + c (3CosAdd), of so many most frequent words."""
        places = [self.id(word) for word in (a, b, c)]
        units = self.units()
        wanted = units[places[1]] - units[places[0]] + units[places[2]]
        return self._nearest(wanted / max(float(np.linalg.norm(wanted)), TINY), places, k, among)

    def _nearest(
        self, wanted: Floats, without: list[int], k: int, among: int | None
    ) -> list[tuple[str, float]]:
        if k < 0 or (among is not None and among < 0):
            raise ValueError(f"k and among must not be negative, got {k!r} and {among!r}")
        cosines = self.units()[:among] @ wanted
        cosines[[place for place in without if place < len(cosines)]] = -np.inf
        n = min(k, int(np.count_nonzero(cosines > -np.inf)))
        best = np.argpartition(-cosines, n - 1)[:n] if n else np.empty(0, np.int64)
        best = best[np.argsort(-cosines[best], kind="stable")]
        return [(self.words_[i], float(cosines[i])) for i in best.tolist()]

    def to_word2vec(self, path: PathLike, binary: bool = False) -> None:
        """Write scaled vectors for word2vec, gensim, spaCy and others: text or binary, compressed if the name ends in .gz."""
        write_vectors(path, self.words_, self.vectors(), binary)

    @classmethod
    def from_word2vec(cls, path: PathLike, binary: bool | None = None) -> WordVectors:
        """The vectors of a file, word2vec's (text or binary) or GloVe's; its words must stand by falling frequency, as they do there."""
        vocab, vectors = read_vectors(path, binary)
        return cls(size=vectors.shape[1])._adopt(
            vocab.words, np.zeros(len(vocab), np.int64), vectors
        )

    def _check(self) -> None:
        if not 0 <= self.scale <= 1:
            raise ValueError(f"scale must lie in 0..1, got {self.scale!r}")


def _parents(learner: Any) -> NDArray[np.int32] | None:
    """For each dimension the one above it, -1 at roots; None if the learner has no forest, or one of single nodes."""
    params = learner.get_params(deep=False)
    if params.get("penalty", "lasso") == "lasso":
        return None
    forest = forest_for(
        **{
            name: params[name]
            for name in ("penalty", "size", "branching", "growth")
            if name in params
        }
    )
    assert forest.parent is not None
    parents = np.full(forest.n_features, -1, np.int32)
    parents[forest.index] = np.where(
        forest.parent >= 0, forest.index[np.maximum(forest.parent, 0)], -1
    )
    return parents
