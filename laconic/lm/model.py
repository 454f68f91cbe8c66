"""`LanguageModel`: log p(word | the words before it in its sentence), learned from sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from laconic.core.ragged import cut
from laconic.core.report import Callback, FitReport, Reported
from laconic.errors import InputError
from laconic.lm.arpa import read_arpa, write_arpa
from laconic.lm.backoff import arpa_of, context_model
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Text
from laconic.lm.kneser_ney import KneserNey
from laconic.lm.learn import learn_ngrams, with_counts
from laconic.lm.pruning import expected_frequencies, pruned, seen_frequencies
from laconic.lm.running import END, END_ID, UNKNOWN, UNKNOWN_ID, SentenceEncoder
from laconic.models.save import Saved
from laconic.text.io import PathLike, name_of

MOST_WORDS = 1000  # of a sentence that is drawn


class TextScore(NamedTuple):
    """What a model says of a text.

    sentences, words   how many there are; ends of sentences are no words here
    unknown            words that are not in the vocabulary, and <unk> itself
    log_prob           natural logarithm of the probability of all words and ends
    log_prob_unknown   the part of the unknown words in it
    """

    sentences: int
    words: int
    unknown: int
    log_prob: float
    log_prob_unknown: float

    def perplexity(self, unknown: bool = True, ends: bool = True) -> float:
        """exp(-log probability / number of words), see `LanguageModel.perplexity`."""
        n = self.words - (0 if unknown else self.unknown) + (self.sentences if ends else 0)
        log_prob = self.log_prob - (0 if unknown else self.log_prob_unknown)
        return math.exp(min(-log_prob / n, 700)) if n else math.nan


class LanguageModel(Saved, Reported, BaseEstimator):
    """Learn a model of the next word of a sentence.

    order: words of the longest n-grams, the predicted one among them
    learner: what learns, KneserNey() if it is None, or LogLinear(); any object with
        `learn(text, order, callback) -> ContextModel`
    min_count: words that occur less often are <unk>, of which there are then examples; 1: <unk> is a word that never occurs
    vocabulary: the words to know instead; all others are <unk>
    n_jobs: threads that score

    A word that is not known is <unk>. `report_` says how the model came about (its learner is "" if the model came from an ARPA file). States are numbers: `start()` gives that of a sentence's start, `score` one after another.
    """

    def __init__(
        self,
        order: int = 5,
        learner: Any = None,
        min_count: int = 1,
        vocabulary: Iterable[str] | None = None,
        n_jobs: int | None = None,
    ):
        self.order = order
        self.learner = learner
        self.min_count = min_count
        self.vocabulary = vocabulary
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, callback: Callback | None = None) -> LanguageModel:
        """Learn from sentences: lists of words, or strings that are split at blanks.

        callback is told of every step of a learner that has some, LogLinear, and says whether to end here.
        """
        encoder, text = SentenceEncoder.learn(X, self.min_count, self.vocabulary)
        return self.fit_text(encoder, text, callback)

    def fit_text(
        self,
        encoder: SentenceEncoder,
        text: Text,
        callback: Callback | None = None,
    ) -> LanguageModel:
        """Learn from a text that is encoded already, as `SentenceEncoder.learn` gives both; min_count and vocabulary are not used."""
        if not (isinstance(self.order, int | np.integer) and self.order >= 1):
            raise ValueError(f"order must be a whole number of at least 1, got {self.order!r}")
        learner = KneserNey() if self.learner is None else clone(self.learner, safe=False)
        if len(text.ptr) < 2:
            raise ValueError("a language model needs at least one sentence to learn from")
        model, report = learn_ngrams(learner, text, int(self.order), callback)
        return self._adopt(encoder, model, report)

    def start(self) -> int:
        """The state at the start of a sentence."""
        return int(self._automaton().start())

    def score(self, state: int, word: str) -> tuple[int, float]:
        """The state after one more word, and the word's log probability (natural) before; the word "</s>" ends a sentence."""
        try:
            return self._kernel.score_word(state, word, self.encoder_.numbers, UNKNOWN_ID)
        except (AttributeError, ValueError):
            self._automaton()  # these two say what is wrong with the model, or with the word; otherwise it is the state
            self.encoder_.id(word)
            raise

    def log_probs(self, X: Any) -> list[NDArray[np.float64]]:
        """For every sentence the log probabilities (natural) of its words and of its end."""
        text = self._text(X)
        return list(cut(self._scored(text)[0], text.ptr))

    def ngram_lengths(self, X: Any) -> list[NDArray[np.uint16]]:
        """For every sentence how many words the n-grams have that its words and its end were scored by."""
        text = self._text(X)
        return list(cut(self._scored(text)[1], text.ptr))

    def evaluate(self, X: Any) -> TextScore:
        """Counts and log probabilities of sentences, from which perplexities come."""
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

    def perplexity(self, X: Any, unknown: bool = True, ends: bool = True) -> float:
        """The inverse of the geometric mean of probabilities; inputs as in `fit`.

        unknown   True: of all words (KenLM's "including OOVs"; texts in which <unk> is a word like others);
                  False: unknown words are neither scored nor counted (SRILM's ppl, KenLM's "excluding OOVs")
        ends      False: ends of sentences are scored but not counted as words (SRILM's ppl1)
        """
        return self.evaluate(X).perplexity(unknown, ends)

    def sample(self, n: int = 1, seed: int = 0, most: int = MOST_WORDS) -> list[list[str]]:
        """N sentences drawn from the model, of at most `most` words."""
        automaton, words = self._automaton(), self.encoder_.words
        tokens, ptr = automaton.sample(n, seed % 2**64, automaton.start(), END_ID, most)
        return [[words[i] for i in part] for part in cut(tokens.tolist(), ptr)]

    def complete(self, words: str | Iterable[str], k: int = 10) -> list[tuple[str, float]]:
        """The k most likely words after the first words of a sentence, with their log probabilities, the most likely first."""
        automaton = self._automaton()
        given = self.encoder_.ids(words.split() if isinstance(words, str) else words)
        best, log_probs = automaton.best(automaton.advance(automaton.start(), given), k)
        return [
            (self.encoder_.words[i], log_prob)
            for i, log_prob in zip(best.tolist(), log_probs.tolist(), strict=True)
        ]

    def prune(self, size: int, X: Any = None) -> LanguageModel:
        """A model of the `size` n-grams (words alone among them) whose loss would change the distribution most (Stolcke 1998).

        X: sentences that say how often contexts occur, best those that were learned from; None: the model itself says so, which for
        Kneser-Ney models is much worse: their probabilities of single words are not frequencies.
        """
        check_is_fitted(self)
        frequency = (
            expected_frequencies(self.model_, END_ID)
            if X is None
            else seen_frequencies(self.model_, self._text(X))
        )
        return copy(self)._adopt(self.encoder_, pruned(self.model_, size, frequency), self.report_)

    def to_arpa(self, path: PathLike) -> None:
        """Write an ARPA file, compressed if its name ends in .gz, for KenLM, SRILM and others: the same probabilities, to 9 digits.

        Models of all learners are back-off models: the weight of a context is exp(base[c] - base[its parent]).
        """
        check_is_fitted(self)
        write_arpa(path, arpa_of(self.model_, self.encoder_.words))

    @classmethod
    def from_arpa(cls, path: PathLike) -> LanguageModel:
        """The model of an ARPA file; <unk> has the probability 10^-100 if the file has none."""
        try:
            model, words = context_model(read_arpa(path), (UNKNOWN, END))
        except InputError as error:
            raise InputError(
                str(error) if str(error).startswith(name_of(path)) else f"{name_of(path)}: {error}."
            ) from None
        return cls(order=model.order)._adopt(SentenceEncoder(words), model, FitReport())

    @property
    def n_ngrams_(self) -> list[int]:
        """How many n-grams of each order the model has."""
        check_is_fitted(self)
        own = None if self.model_.borrowed is None else self.model_.borrowed == 0
        return (
            np.bincount(self.model_.depth[self.model_.context_of_pairs()], own).astype(int).tolist()
        )

    def _adopt(
        self, encoder: SentenceEncoder, model: ContextModel, report: FitReport
    ) -> LanguageModel:
        if model.n_words != len(encoder):
            raise ValueError(
                f"the model predicts {model.n_words} words, but there are {len(encoder)}"
            )
        self.encoder_, self.model_ = encoder, model
        self._kernel = model.automaton()
        self.report_ = with_counts(report, model)
        return self

    def _automaton(self) -> Any:
        try:
            return self._kernel
        except AttributeError:
            check_is_fitted(self)
            raise

    def _text(self, X: Any) -> Text:
        check_is_fitted(self)
        return X if isinstance(X, Text) else self.encoder_.encode(X)

    def _scored(self, text: Text) -> tuple[NDArray[np.float64], NDArray[np.uint16]]:
        automaton = self._automaton()
        log_probs, lengths = automaton.score(
            text.tokens, text.ptr, automaton.start(), effective_n_jobs(self.n_jobs)
        )
        return log_probs, lengths

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_kernel", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "model_" in state:
            self._kernel = self.model_.automaton()
