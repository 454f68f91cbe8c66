"""Questions to a language model: states, next words, whole sentences, drawn sentences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np

from laconic.core.arrays import Array, Ints
from laconic.core.ragged import cut
from laconic.lm.running import END_ID, ONE_STRING, START, UNKNOWN_ID, SentenceEncoder
from laconic.models.loaded import check_fitted

if TYPE_CHECKING:
    from laconic.lm.mixture import AnyAutomaton

MOST_WORDS = 1000  # of a sampled sentence
# The first words of a sentence, or the state after them.
After: TypeAlias = str | Iterable[str] | int


class Queries:
    """What a model of the next word answers; states are numbers."""

    encoder_: SentenceEncoder
    _kernel: AnyAutomaton

    def start(self) -> int:
        """Return the state at the start of a sentence."""
        return int(self._automaton().start())

    def state(self, words: str | Iterable[str]) -> int:
        """Return the state after the first words of a sentence."""
        given = words.split() if isinstance(words, str) else words
        automaton = self._automaton()
        return int(automaton.advance(automaton.start(), self.encoder_.ids(given)))

    @overload
    def score(self, state: int, word: str) -> tuple[int, float]: ...
    @overload
    def score(self, state: int, word: list[str]) -> tuple[list[int], Array]: ...
    def score(
        self, state: int, word: str | list[str]
    ) -> tuple[int, float] | tuple[list[int], Array]:
        """Score one more word, or each of several words that could come next.

        Parameters
        ----------
        state : int
            The state before the word, from `start`, `state` or `score`.
        word : str or list of str
            The word; "</s>" ends the sentence.

        Returns
        -------
        state : int or list of int
            The state after the word, or after each of the words.
        log_prob : float or array of shape (n_words,)
            Natural logarithm of the word's probability, or of that of each word.
        """
        try:
            scored: tuple[int, float] = self._kernel.score_word(
                state,
                word,  # type: ignore[arg-type]  # several words are a TypeError
                self.encoder_.numbers,
                UNKNOWN_ID,
            )
            return scored
        except (AttributeError, TypeError, ValueError):
            # The model is not fitted, several words are given, or the word is <s>; otherwise the
            # state is at fault.
            automaton = self._automaton()
            if isinstance(word, str):
                self.encoder_.id(word)
                if not isinstance(state, int | np.integer):
                    raise ValueError(
                        f"expected a state, a number from start, state or score, got {state!r}"
                    ) from None
                raise
        if not isinstance(word, list | tuple) or not all(isinstance(one, str) for one in word):
            raise ValueError(f"expected a word or a list of words, which are strings, got {word!r}")
        scores: tuple[list[int], Array] = automaton.score_words(state, self.encoder_.ids(word))
        return scores

    def log_prob(self, sentence: str | Iterable[str]) -> float:
        """Return the log probability (natural) of one sentence with its end.

        Parameters
        ----------
        sentence : str or iterable of str
            The words, or a string that is split at blanks.
        """
        words = sentence if isinstance(sentence, str) else list(sentence)
        if isinstance(words, str):
            return self._automaton().score_sentence(words, self.encoder_.index, UNKNOWN_ID, END_ID)
        automaton, ids = self._automaton(), self.encoder_.encode([words]).tokens
        return float(automaton.score(ids, np.array([0, len(ids)]), automaton.start())[0].sum())

    def complete(
        self,
        words: After,
        k: int = 10,
        prefix: str = "",
        allowed: Iterable[str] | None = None,
    ) -> list[tuple[str, float]]:
        """Return the most likely next words.

        Parameters
        ----------
        words : str, iterable of str or int
            The first words of a sentence, or a state.
        k : int, default=10
            Number of words to return.
        prefix : str, default=""
            Letters that the words begin with.
        allowed : iterable of str or None, default=None
            The only words to choose from; those that the model does not know are left out.

        Returns
        -------
        completions : list of (str, float)
            Words with their log probabilities (natural), the most likely first.
        """
        automaton, state = self._automaton(), self._after(words)
        ids = self._allowed(prefix, allowed)
        if ids is None:
            found, log_probs = automaton.best(state, k)
            best = found.tolist()
        else:
            of_ids = automaton.distribution(state)[ids]
            order = np.argsort(-of_ids, kind="stable")[:k]
            best, log_probs = ids[order].tolist(), of_ids[order]
        named = self.encoder_.words
        return [(named[i], p) for i, p in zip(best, log_probs.tolist(), strict=True)]

    def sample(
        self,
        n: int = 1,
        seed: int = 0,
        most: int = MOST_WORDS,
        after: After = (),
        prefix: str = "",
        allowed: Iterable[str] | None = None,
    ) -> list[list[str]]:
        """Return n sentences drawn from the model.

        Parameters
        ----------
        n : int, default=1
            Number of sentences.
        seed : int, default=0
            Seed of the random numbers.
        most : int, default=1000
            Number of words after which a sentence is cut.
        after : str, iterable of str or int, default=()
            The first words of the sentences, which are not returned, or a state.
        prefix : str, default=""
            Letters that the first word begins with.
        allowed : iterable of str or None, default=None
            The only words to draw, beside the end of the sentence.

        Returns
        -------
        sentences : list of lists of str
        """
        automaton, words, state = self._automaton(), self.encoder_.words, self._after(after)
        others = self._allowed("", allowed)
        if others is None and not prefix:
            tokens, ptr = automaton.sample(n, seed % 2**64, state, END_ID, most)
            return [[words[i] for i in part] for part in cut(tokens.tolist(), ptr)]
        rng = np.random.default_rng(seed)
        others = None if others is None else np.append(others, END_ID)
        first = self._allowed(prefix, allowed) if prefix else others
        return [[words[i] for i in self._drawn(rng, state, most, first, others)] for _ in range(n)]

    def _drawn(
        self,
        rng: np.random.Generator,
        state: int,
        most: int,
        first: Ints | None,
        others: Ints | None,
    ) -> list[int]:
        """Return ids drawn among `first`, then among `others`, to the end of a sentence."""
        drawn: list[int] = []
        while len(drawn) < most:
            ids = others if drawn else first
            log_probs = self._kernel.distribution(state)
            if ids is not None:
                log_probs = log_probs[ids]
            total = np.cumsum(np.exp(log_probs - log_probs.max()))
            at = int(np.searchsorted(total, rng.random() * total[-1], side="right"))
            word = at if ids is None else int(ids[at])
            if word == END_ID:
                break
            drawn.append(word)
            state = self._kernel.advance(state, np.array([word], np.int32))
        return drawn

    def _after(self, words: After) -> int:
        """Return the state that is given, or that after the words."""
        return int(words) if isinstance(words, int | np.integer) else self.state(words)

    def _allowed(self, prefix: str, allowed: Iterable[str] | None) -> Ints | None:
        """Return the ids of words that may come; None if all may. ValueError if none may."""
        if not prefix and allowed is None:
            return None
        if isinstance(allowed, str):
            raise ValueError(ONE_STRING.replace("sentences, each a string or", "words,"))
        numbers = self.encoder_.numbers
        names = numbers if allowed is None else dict.fromkeys(allowed)
        ids = [numbers[w] for w in names if w.startswith(prefix) and w in numbers and w != START]
        if prefix:
            ids = [i for i in ids if i not in (UNKNOWN_ID, END_ID)]
        if not ids:
            raise ValueError(f"the model knows no word that is allowed and begins with {prefix!r}")
        return np.array(ids, np.int64)

    def _automaton(self) -> AnyAutomaton:
        try:
            return self._kernel
        except AttributeError:
            check_fitted(self)
            raise
