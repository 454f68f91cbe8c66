"""What is known about words beyond their counts: topics and clusters, also of unlabelled text.

    topics    tokens / 5000     clusters    sqrt(tokens)      unless their numbers are stated

A topic then has enough tokens to be learned from, and a cluster grows with the text as its
vocabulary does. Labels play no part, so that any text of the kind will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp

from laconic.classify import structure
from laconic.classify.structure import LATENT, ClusterSource, Training
from laconic.classify.topics import Topics, learn_topics
from laconic.core.arrays import Array, Ints
from laconic.text.clusters import Clusters, brown_clusters
from laconic.text.documents import DocumentEncoder, DocumentLike, Encoded, Tokenizer
from laconic.text.stop_words import stop_words_of
from laconic.text.tokens import Boundary
from laconic.text.vocab import Vocab

LEARNED = ("topics", "brown")  # structures that are learned from text
TOPIC_TOKENS = 5000  # of the text, for each topic
MOST = 1000  # topics or clusters, unless more are stated
LEAST = {"topics": 10, "brown": 20}
SWEEP_TOKENS = 2e7  # over all sweeps, which are fewer in larger texts
LEAST_SWEEPS = 10


class Lexicon(NamedTuple):
    """Topics and clusters of the words of a model; None where nothing needs them."""

    topics: Topics | None
    clusters: Clusters | None


class LexiconParameters(Protocol):
    """The parameters of TextClassifier that decide what is learned about words."""

    n_topics: int | None
    n_top: int
    n_clusters: int | None
    clusters: ClusterSource | None
    random_state: int
    lowercase: bool
    boundary: Boundary
    tokenizer: Tokenizer | None
    stop_words: str | Sequence[str] | None


class WordText:
    """Text that topics and clusters are learned from, and those that were learned already."""

    def __init__(self, encoded: Encoded, vocab: Vocab) -> None:
        self.encoded, self.vocab = encoded, vocab
        self._topics: dict[tuple[int, int, int], Topics] = {}
        self._clusters: dict[int, Clusters] = {}

    @cached_property
    def words(self) -> tuple[Ints, Ints]:
        """The words of all sentences, and where each sentence begins."""
        return words_alone(self.encoded)

    @classmethod
    def read(
        cls,
        parameters: LexiconParameters,
        training: Training,
        unlabelled: Sequence[DocumentLike] = (),
    ) -> WordText:
        """Return the text of training documents, or of these and unlabelled ones."""
        if not len(unlabelled):
            return cls(training.encoded, training.vocab)
        encoder = DocumentEncoder(
            parameters.lowercase,
            boundary=parameters.boundary,
            tokenizer=parameters.tokenizer,
            stop_words=stop_words_of(parameters.stop_words),
        )
        return cls(encoder.grow([*training.documents, *unlabelled]), encoder.vocab)

    def scaled(self, name: str) -> int:
        """Return the number of topics ("topics") or clusters ("brown") that suits the text."""
        tokens = len(self.words[0])
        wanted = tokens / TOPIC_TOKENS if name == "topics" else np.sqrt(tokens)
        return int(np.clip(round(wanted), LEAST[name], MOST))

    def topics(self, vocab: Vocab, number: int, n_top: int, seed: int) -> Topics:
        """Return topics over the words of a vocabulary."""
        key = (number, n_top, seed)
        if key not in self._topics:
            ids, ptr = self.words
            document = np.repeat(
                np.arange(len(self.encoded.document_ptr) - 1),
                np.diff(ptr[self.encoded.document_ptr]),
            )
            counts = sp.csr_matrix(
                (np.ones(len(ids)), (document, ids)),
                shape=(len(self.encoded.document_ptr) - 1, len(self.vocab)),
            )
            sweeps = max(LEAST_SWEEPS, round(SWEEP_TOKENS / max(len(ids), 1)))
            self._topics[key] = learn_topics(
                counts, number, n_top, seed=seed, n_iter=None if sweeps >= 100 else sweeps
            )
        return self._topics[key] if vocab is self.vocab else self._renumbered(key, vocab)

    def _renumbered(self, key: tuple[int, int, int], vocab: Vocab) -> Topics:
        """Return topics in the numbers of another vocabulary, without words that it lacks."""
        found = self._topics[key]
        word = vocab.ids([self.vocab.words[w] for w in found.words.tolist()])
        known = word >= 0
        ptr: Ints = np.concatenate([[0], np.cumsum(known)])[found.ptr]
        probability: Array = found.probability[known]
        return Topics(word[known], probability, ptr)

    def clusters(self, training: Training, source: ClusterSource | None, number: int) -> Clusters:
        """Return clusters of the words of training documents, given or learned."""
        if source is not None:
            return structure.given_clusters(training.vocab, source)
        if number not in self._clusters:
            ids, ptr = self.words
            self._clusters[number] = brown_clusters(ids, ptr, len(self.vocab), n_clusters=number)
        learned = self._clusters[number]
        if training.vocab is self.vocab:
            return learned
        return structure.given_clusters(training.vocab, (self.vocab, learned))


def words_alone(encoded: Encoded) -> tuple[Ints, Ints]:
    """Return the words of each sentence in order, without n-grams, prefixes and dropped words."""
    position = np.arange(len(encoded.feature)) - np.repeat(
        encoded.sentence_ptr[:-1], np.diff(encoded.sentence_ptr)
    )
    is_word = (position < np.repeat(encoded.n_words, np.diff(encoded.sentence_ptr))) & (
        encoded.feature >= 0
    )
    ptr = np.concatenate([[0], np.cumsum(is_word)])[encoded.sentence_ptr]
    return encoded.feature[is_word].astype(np.int64), ptr


def learn_lexicon(
    parameters: LexiconParameters,
    names: set[str],
    training: Training,
    text: WordText,
) -> Lexicon:
    """Learn the topics and clusters that penalties or features in `names` need."""
    kinds = {LATENT.get(name, name) for name in names}
    if not kinds & set(LEARNED):
        return Lexicon(None, None)
    topics = clusters = None
    if "topics" in kinds:
        number = parameters.n_topics or text.scaled("topics")
        topics = text.topics(training.vocab, number, parameters.n_top, parameters.random_state)
    if "brown" in kinds:
        number = parameters.n_clusters or text.scaled("brown")
        clusters = text.clusters(training, parameters.clusters, number)
    return Lexicon(topics, clusters)
