"""A model adapted to a domain: its scores are where the weights of the domain's text begin.

    p(v | x) = exp(score(x, v) + sum of w(c, v) over the suffixes c of x) / Z(x)
    min_w  - log-likelihood of the text of the domain + penalty(w),    w >= 0

score is that of the given model, w are the weights of the n-grams of the new text: what it says
beyond the model, which is the prior (Chelba and Acero 2006 put a Gaussian one around its weights).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Array, Bools
from laconic.core.report import Callback, FitReport, in_one_line
from laconic.lm.class_mixture import (
    ClassMixture,
    class_part,
    halves,
    held_out_weights,
    is_enough,
    parts_log_probs,
    quiet_discounts,
)
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Text
from laconic.lm.interpolation import known_numbers, over
from laconic.lm.kneser_ney import KneserNey
from laconic.lm.log_linear import LogLinear, model_of
from laconic.lm.mixture import MixturePart
from laconic.lm.model import LanguageModel
from laconic.lm.products import factors, over_words
from laconic.lm.pruning import condensed
from laconic.lm.running import SentenceEncoder, SentencesLike

FOLDS, ENOUGH = 5, 20_000  # parts of a text, and tokens that are held out


def adapted(
    model: LanguageModel,
    X: SentencesLike,
    learner: ClassMixture | LogLinear | None = None,
    callback: Callback | None = None,
) -> LanguageModel:
    """Return a model that has gone on to learn from text of a domain.

    With `ClassMixture`, the default, it is mixed with the given model, with the n-grams of the
    domain's text alone, and with classes of both; weights are those under which fifths of
    that text, held out, are most likely.

    Parameters
    ----------
    model : LanguageModel
        A fitted model, say of much general text.
    X : iterable of str or of lists of str
        Text of the domain; its new words are added to those of the model.
    learner : ClassMixture, LogLinear or None, default=None
        What learns from X; None means `ClassMixture()`. Its n-grams of words must be log-linear.
        With `LogLinear()` the result is one model of n-grams, which an ARPA file can hold.
    callback : callable or None
        Receives an `Event` after every pass; the fit stops if it returns True.

    Returns
    -------
    model : LanguageModel

    Examples
    --------
    >>> from laconic import LanguageModel, adapted
    >>> general = LanguageModel(order=2).fit(["the cat sleeps", "the dog barks", "a dog sleeps"])
    >>> special = adapted(general, ["the queue barks", "the queue sleeps"])
    >>> special.complete("the", k=1)[0][0]
    'queue'
    """
    check_is_fitted(model)
    X = X if isinstance(X, str) else list(X)  # which is refused below
    learner = ClassMixture() if learner is None else clone(learner)
    words = learner.words if isinstance(learner, ClassMixture) else learner
    words = LogLinear() if words is None else words
    if not isinstance(words, LogLinear):
        raise ValueError(f"n-grams of words must be log-linear to be adapted, got {words!r}")
    encoder = SentenceEncoder(
        dict.fromkeys([*model.encoder_.words, *SentenceEncoder.learn(X)[0].words])
    )
    text, number = encoder.encode(X), known_numbers(model, encoder)
    if len(text.ptr) < 2:
        raise ValueError("adaptation needs at least one sentence to learn from")
    prior = over_words(model.model_, number, len(encoder))
    adapted_words, report = _adapted(prior, text, words, callback)
    others: list[MixturePart] = []
    if isinstance(learner, ClassMixture) and is_enough(text) and not report.interrupted:
        old = [_of_words(prior), *(over(part, number, 1.0) for part in model.others_)]
        with quiet_discounts():
            weights = _weights(prior, old, text, learner, words, number >= 0)
            mixed = [*old, *_of_domain(text, prior.order, learner.numbers(text))]
        others = [
            each._replace(weight=float(weight))
            for each, weight in zip(mixed, weights[1:], strict=True)
        ]
    before = (prior, *(part.model for part in others))
    report = replace(
        report,
        learner=f"adapted({in_one_line(learner)})",
        features_total=report.features_total + sum(len(each.target) for each in before),
        groups_total=report.groups_total + sum(each.n_contexts for each in before),
    )
    return LanguageModel(order=prior.order)._adopt(encoder, adapted_words, report, tuple(others))


def _adapted(
    prior: ContextModel, text: Text, words: LogLinear, callback: Callback | None
) -> tuple[ContextModel, FitReport]:
    """Return the prior times the weights of the text, and how these came about."""
    fitted = words.fit(text, prior.order, callback=callback, prior=prior)
    product = factors([prior, model_of(fitted, text)]).product(np.ones(2))
    return condensed(product), fitted.report


def _weights(
    prior: ContextModel,
    old: list[MixturePart],
    text: Text,
    learner: ClassMixture,
    words: LogLinear,
    known: Bools,
) -> Array:
    """Return the weights of adapted words and of all that they are mixed with.

    Every fifth of the text is held out in turn, until there are tokens enough: how much a little
    text of a domain says beside the model depends on how far it is from what the model knows.
    """
    numbers, log_probs, n_tokens = learner.numbers(text), [], 0
    for fold in range(FOLDS):
        part, held_out = halves(text, FOLDS, FOLDS, fold)
        seen = known | (np.bincount(part.tokens, minlength=text.n_words) > 0)
        others = [*old, *_of_domain(part, prior.order, numbers)]
        adapted_words = _adapted(prior, part, words, None)[0]
        log_probs.append(parts_log_probs(adapted_words, others, held_out, seen[held_out.tokens]))
        n_tokens += len(held_out.tokens)
        if n_tokens >= ENOUGH:
            break
    return held_out_weights(np.concatenate(log_probs, axis=1))


def _of_domain(text: Text, order: int, numbers: list[int]) -> list[MixturePart]:
    """Return the n-grams of the words of a text, and those of its classes."""
    alone = _of_words(KneserNey().learn(text, order).model)
    return [alone, *(class_part(text, order, number, 0.5) for number in numbers)]


def _of_words(model: ContextModel) -> MixturePart:
    """Return n-grams of words as a part of a mixture."""
    n_words = model.n_words
    return MixturePart(model, np.arange(n_words, dtype=np.int32), np.zeros(n_words), 0.5)
