"""What a fitted language model does with text: probabilities of words, perplexity."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Array
from laconic.core.ragged import cut
from laconic.core.report import Reported
from laconic.core.threads import thread_count
from laconic.lm.contexts import Text
from laconic.lm.queries import Queries
from laconic.lm.running import UNKNOWN_ID, SentencesLike
from laconic.models.loaded import check_fitted
from laconic.models.save import Saved

if TYPE_CHECKING:
    from laconic.lm.learn import NgramLearner


class TextScore(NamedTuple):
    """Counts and log probabilities of a text under a model.

    sentences, words   numbers of them; ends of sentences do not count as words
    unknown            number of words outside the vocabulary, including <unk> itself
    log_prob           natural logarithm of the probability of all words and ends
    log_prob_unknown   the part of it that comes from unknown words
    """

    sentences: int
    words: int
    unknown: int
    log_prob: float
    log_prob_unknown: float

    def perplexity(self, unknown: bool = True, ends: bool = True) -> float:
        """Return exp(-log probability / number of words), see `LanguageModel.perplexity`."""
        n = self.words - (0 if unknown else self.unknown) + (self.sentences if ends else 0)
        log_prob = self.log_prob - (0 if unknown else self.log_prob_unknown)
        return math.exp(min(-log_prob / n, 700)) if n else math.nan


class LanguagePredictor(Queries, Saved, Reported):
    """The parameters of a language model (see LanguageModel), and what it does when fitted."""

    def __init__(
        self,
        order: int = 5,
        learner: NgramLearner | None = None,
        min_count: int = 1,
        vocabulary: Iterable[str] | None = None,
        n_jobs: int | None = None,
    ):
        self.order = order
        self.learner = learner
        self.min_count = min_count
        self.vocabulary = vocabulary
        self.n_jobs = n_jobs

    def log_probs(self, X: SentencesLike | Text) -> list[Array]:
        """Return, per sentence, the log probabilities (natural) of its words and of its end."""
        text = self._text(X)
        return list(cut(self._scored(text)[0], text.ptr))

    def ngram_lengths(self, X: SentencesLike | Text) -> list[NDArray[np.uint16]]:
        """Return, per sentence, the lengths of the n-grams that scored its words and its end."""
        text = self._text(X)
        return list(cut(self._scored(text)[1], text.ptr))

    def evaluate(self, X: SentencesLike | Text) -> TextScore:
        """Return the counts and log probabilities that perplexities are computed from."""
        text = self._text(X)
        log_probs, unknown = self._scored(text)[0], text.tokens == UNKNOWN_ID
        n = len(text.ptr) - 1
        return TextScore(
            n,
            len(text.tokens) - n,
            int(unknown.sum()),
            float(log_probs.sum()),
            float(log_probs[unknown].sum()),
        )

    def perplexity(self, X: SentencesLike | Text, unknown: bool = True, ends: bool = True) -> float:
        """Return the inverse of the geometric mean of probabilities.

        Parameters
        ----------
        X : iterable of str or of lists of str
            Sentences, as in `fit`.
        unknown : bool, default=True
            Whether unknown words are scored and counted (KenLM's "including OOVs"). If False they
            are neither (SRILM's ppl, KenLM's "excluding OOVs").
        ends : bool, default=True
            Whether ends of sentences count as words. If False they are scored, but not counted
            (SRILM's ppl1).

        Returns
        -------
        perplexity : float
            nan if there is nothing to count.
        """
        return self.evaluate(X).perplexity(unknown, ends)

    def _text(self, X: SentencesLike | Text) -> Text:
        check_fitted(self)
        return X if isinstance(X, Text) else self.encoder_.encode(X)

    def _scored(self, text: Text) -> tuple[Array, NDArray[np.uint16]]:
        """Return the log probability of every token, and the length of the n-gram that gave it."""
        automaton = self._automaton()
        log_probs, lengths = automaton.score(
            text.tokens, text.ptr, automaton.start(), thread_count(self.n_jobs)
        )
        return log_probs, lengths
