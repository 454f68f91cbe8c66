"""`LanguageModel`: log p(word | the words before it in its sentence), learned from sentences."""

from __future__ import annotations

import time
import warnings
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from laconic.core.report import Callback, FitReport
from laconic.errors import InputError
from laconic.lm.arpa import read_arpa, write_arpa
from laconic.lm.backoff import arpa_of, context_model
from laconic.lm.class_mixture import ClassMixture
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Text
from laconic.lm.learn import with_counts
from laconic.lm.log_linear import LogLinear
from laconic.lm.mixture import MixturePart, mixture_automaton, pruned_mixture
from laconic.lm.predict import LanguagePredictor
from laconic.lm.pruning import closed
from laconic.lm.refit import refitted
from laconic.lm.running import END, UNKNOWN, SentenceEncoder, SentencesLike
from laconic.text.io import PathLike, name_of


class LanguageModel(LanguagePredictor, BaseEstimator):
    """log p(word | the words before it in its sentence), on n-grams of any order.

    Words outside the vocabulary are scored as <unk>. States are numbers: `start()` returns that of
    the start of a sentence, `state(words)` that after its first words, `score` the next one after
    every word.

    Parameters
    ----------
    order : int, default=5
        Number of words of the longest n-grams, including the predicted one.
    learner : ClassMixture, LogLinear, KneserNey or None, default=None
        What learns the n-grams; None means `ClassMixture()`: log-linear n-grams mixed with those of
        classes of words, Kneser-Ney ones where a log-linear fit does not fit the memory. Any object
        with a method `learn(text, order, callback) -> LearnedNgrams` can be given.
    min_count : int, default=1
        Words that occur less often are replaced by <unk>. With 1, <unk> never occurs in the
        training data.
    vocabulary : iterable of str or None, default=None
        Words to know, instead of those of the training data; all others become <unk>.
    n_jobs : int or None, default=None
        Number of threads for scoring; None means 1, -1 all processors.

    Attributes
    ----------
    encoder_ : SentenceEncoder
        The vocabulary, and how sentences become ids.
    model_ : ContextModel
        Contexts and n-grams of words as flat arrays.
    others_ : tuple of MixturePart
        What is mixed with the n-grams of words: n-grams of classes, with their weights.
    report_ : FitReport
        How the model came about; its learner is "" if the model was read from an ARPA file.
    n_ngrams_ : list of int
        Number of n-grams of each order.

    Examples
    --------
    >>> from laconic import LanguageModel
    >>> text = ["the cat sleeps", "the dog sleeps", "the dog barks", "a dog barks", "the dog eats"]
    >>> model = LanguageModel(order=2).fit(text)
    >>> model.complete("the", k=1)[0][0]
    'dog'
    >>> model.perplexity(["the dog sleeps"]) < model.perplexity(["sleeps dog the"])
    True
    """

    def fit(
        self, X: SentencesLike, y: object = None, callback: Callback | None = None
    ) -> LanguageModel:
        """Learn from sentences.

        Parameters
        ----------
        X : iterable of str or of lists of str
            The sentences: lists of words, or strings that are split at blanks.
        y : None
            Ignored.
        callback : callable or None
            Receives an `Event` after every step of a learner with steps (LogLinear); the fit stops
            if it returns True.

        Returns
        -------
        self : LanguageModel
        """
        began = time.perf_counter()
        encoder, text = SentenceEncoder.learn(X, self.min_count, self.vocabulary)
        return self.fit_text(encoder, text, callback)._timed(began)

    def fit_text(
        self,
        encoder: SentenceEncoder,
        text: Text,
        callback: Callback | None = None,
    ) -> LanguageModel:
        """Learn from encoded data, as `SentenceEncoder.learn` returns it.

        The parameters min_count and vocabulary are not used.
        """
        began = time.perf_counter()
        if not (isinstance(self.order, int | np.integer) and self.order >= 1):
            raise ValueError(f"order must be a whole number of at least 1, got {self.order!r}")
        learner = ClassMixture() if self.learner is None else clone(self.learner, safe=False)
        if len(text.ptr) < 2:
            raise ValueError("a language model needs at least one sentence to learn from")
        learned = learner.learn(text, int(self.order), callback)
        return self._adopt(encoder, *learned)._timed(began)

    def prune(
        self,
        size: int,
        X: SentencesLike | Text | None = None,
        refit: LogLinear | None = None,
    ) -> LanguageModel:
        """Return a model of the n-grams whose loss would change the distribution most.

        The criterion is relative entropy (Stolcke 1998).

        Parameters
        ----------
        size : int
            Number of n-grams to keep, of words and of classes together. Single words all stay, and
            single classes; where `size` is less than 1.4 times these, classes are left out.
        X : iterable of str or of lists of str, or None
            Sentences from which frequencies of contexts are counted, best the training data. With
            None they are estimated by the model, which is much worse for Kneser-Ney models: their
            probabilities of single words are not frequencies.
        refit : LogLinear or None, default=None
            What learns the weights of the n-grams of words that are kept anew, from X: for models
            whose n-grams of words are log-linear.

        Returns
        -------
        model : LanguageModel
        """
        check_is_fitted(self)
        text = None if X is None else self._text(X)
        model, others = pruned_mixture(self.model_, self.others_, size, text)
        if refit is not None:
            if text is None:
                raise ValueError("weights are learned anew from text: give X, the training data")
            model = refitted(refit, model, text)
        return copy(self)._adopt(self.encoder_, model, self.report_, others)

    def to_arpa(self, path: PathLike) -> None:
        """Write an ARPA file for KenLM, SRILM and others, compressed if its name ends in .gz.

        It gives the same probabilities, to 9 digits. Models of all learners are back-off models:
        the weight of a context is exp(base[c] - base[its parent]). All prefixes and suffixes of
        n-grams are written, since KenLM needs them. N-grams of classes cannot be written: where a
        model has some, the file holds its n-grams of words alone, and a warning says so.
        """
        check_is_fitted(self)
        if self.others_:
            warnings.warn(
                "an ARPA file holds n-grams of words: those of classes that are mixed with them "
                "are left out of it; learn with LogLinear() (--learner log-linear) to have "
                "the model in the file",
                stacklevel=2,
            )
        write_arpa(path, arpa_of(closed(self.model_), self.encoder_.words))

    @classmethod
    def from_arpa(cls, path: PathLike) -> LanguageModel:
        """Return the model of an ARPA file; <unk> gets probability 10^-100 if the file has none."""
        try:
            model, words = context_model(read_arpa(path), (UNKNOWN, END))
        except InputError as error:
            raise InputError(
                str(error) if str(error).startswith(name_of(path)) else f"{name_of(path)}: {error}."
            ) from None
        return cls(order=model.order)._adopt(SentenceEncoder(words), model, FitReport())

    @property
    def n_ngrams_(self) -> list[int]:
        """Number of n-grams of each order."""
        check_is_fitted(self)
        counts = np.bincount(self.model_.depth, self.model_.own_sizes())
        return [int(count) for count in counts]

    def _adopt(
        self,
        encoder: SentenceEncoder,
        model: ContextModel,
        report: FitReport,
        others: tuple[MixturePart, ...] = (),
    ) -> LanguageModel:
        """Become the model of these n-grams."""
        if model.n_words != len(encoder):
            raise ValueError(
                f"the model predicts {model.n_words} words, but there are {len(encoder)}"
            )
        self.encoder_, self.model_, self.others_ = encoder, model, others
        self._kernel = mixture_automaton(model, others)
        self.report_ = with_counts(report, model, others)
        return self

    def _timed(self, began: float) -> LanguageModel:
        """Let the fit report say the seconds since `began`."""
        self.report_ = replace(self.report_, seconds=time.perf_counter() - began)
        return self

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_kernel", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "model_" in state:
            self._kernel = mixture_automaton(self.model_, self.others_)
