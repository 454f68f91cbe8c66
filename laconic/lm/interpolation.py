"""Models mixed with models: p(v | x) = sum_m w_m p_m(v | x), weights by EM on text of the domain;

or log-linearly, p(v | x) = prod_m p_m(v | x)^w_m / Z(x), see products.py.

The result is a `LanguageModel` over the words of all of them. A word that a model does not know has
no probability in it; <unk> stands for words that none knows. Weights are those under which `X` is
most likely: with a model of much general text and one of a little text of a domain that adapts the
first to the domain (Jelinek and Mercer 1980).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Array, Ints32
from laconic.core.report import FitReport
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Text
from laconic.lm.mixture import MixturePart, all_parts, em_weights, token_log_probs
from laconic.lm.model import LanguageModel
from laconic.lm.products import factors, over_words
from laconic.lm.pruning import condensed
from laconic.lm.running import UNKNOWN_ID, SentenceEncoder, SentencesLike

NEVER = -60.0  # logarithm of the probability of a word that a model does not know
NO_TEXT = "expected text with at least one sentence to find weights on"
MOST = 100  # exponent of a model
PRIOR = 0.1  # number of words of X that each model has seen before it


def interpolated(
    models: Sequence[LanguageModel],
    X: SentencesLike | None = None,
    weights: Sequence[float] | None = None,
    log_linear: bool = False,
) -> LanguageModel:
    """Return the mixture of language models.

    Parameters
    ----------
    models : sequence of LanguageModel
        Two or more fitted models; their vocabularies may differ.
    X : iterable of str or of lists of str, or None
        Text that none of them was learned from. Weights are those under which it is most likely.
    weights : sequence of float or None, default=None
        Weights instead, which are divided by their sum (exponents of a log-linear mixture are not).
    log_linear : bool, default=False
        Whether n-grams of words are multiplied, p_1^w_1 p_2^w_2 .. / Z, instead of summed up. The
        product is one model of n-grams, as fast as each, which an ARPA file holds too. Classes are
        mixed with it as ever.

    Returns
    -------
    model : LanguageModel
        Its attribute `others_` has the parts and their weights.

    Examples
    --------
    >>> from laconic import LanguageModel, LogLinear, interpolated
    >>> general = LanguageModel(2, LogLinear()).fit(["a x", "a y", "b x", "b z", "c z"])
    >>> special = LanguageModel(2, LogLinear()).fit(["d x", "e x", "e y"])
    >>> both = interpolated([general, special], ["d x", "e y", "a x"])
    >>> both.perplexity(["e x"]) < general.perplexity(["e x"])
    True
    """
    if len(models) < 2:
        raise ValueError(f"expected two models or more to mix, got {len(models)}")
    for model in models:
        check_is_fitted(model)
    if (X is None) == (weights is None):
        raise ValueError("weights follow from X: give either text or weights")
    encoder = SentenceEncoder(
        dict.fromkeys(word for model in models for word in model.encoder_.words)
    )
    numbers = [known_numbers(model, encoder) for model in models]
    if log_linear:
        text = None if X is None else encoder.encode(X)
        return _multiplied(models, encoder, numbers, text, weights)
    found = (
        np.asarray(weights, float)
        if weights is not None
        else _weights(models, numbers, encoder.encode([] if X is None else X))
    )
    if found.shape != (len(models),) or not np.all(found > 0) or not np.isfinite(found.sum()):
        raise ValueError(f"expected a positive weight for each model, got {weights!r}")
    found = found / found.sum()
    parts = [
        over(part, number, float(weight))
        for model, number, weight in zip(models, numbers, found, strict=True)
        for part in all_parts(model.model_, model.others_)
    ]
    first = _with_words(models[0].model_, len(encoder))
    return _made(models, "interpolated", found, encoder, first, tuple(parts[1:]))


def _made(
    models: Sequence[LanguageModel],
    how: str,
    weights: Array,
    encoder: SentenceEncoder,
    words: ContextModel,
    others: tuple[MixturePart, ...],
) -> LanguageModel:
    report = FitReport(
        f"{how}({', '.join(f'{weight:.3f}' for weight in weights)})",
        converged=True,
        features_total=sum(model.report_.features_total for model in models),
        groups_total=sum(model.report_.groups_total for model in models),
    )
    made = LanguageModel(order=max(model.order for model in models))
    return made._adopt(encoder, words, report, others)


def _multiplied(
    models: Sequence[LanguageModel],
    encoder: SentenceEncoder,
    numbers: list[Ints32],
    text: Text | None,
    weights: Sequence[float] | None,
) -> LanguageModel:
    """Return the product of the n-grams of words, mixed with all classes."""
    others = [
        over(part, number, 1.0)
        for model, number in zip(models, numbers, strict=True)
        for part in model.others_
    ]
    if text is None and others:
        raise ValueError("weights of classes follow from X: give text, or models without classes")
    if text is not None and not len(text.tokens):
        raise ValueError(NO_TEXT)
    all_words = factors(
        [
            over_words(model.model_, number, len(encoder))
            for model, number in zip(models, numbers, strict=True)
        ]
    )
    found = np.asarray(weights, float) if text is None else all_words.likeliest(text)
    if found.shape != (len(models),) or not np.all((found >= 0) & (found < MOST)):
        raise ValueError(f"expected a weight from 0 to {MOST} for each model, got {weights!r}")
    words = condensed(all_words.product(found))
    if text is not None and others:
        log_probs = [token_log_probs(words, text), *(part.log_probs(text) for part in others)]
        shares = em_weights(np.array(log_probs), np.full(len(log_probs), PRIOR))
        others = [
            part._replace(weight=float(share))
            for part, share in zip(others, shares[1:], strict=True)
        ]
    return _made(models, "multiplied", found, encoder, words, tuple(others))


def known_numbers(model: LanguageModel, encoder: SentenceEncoder) -> Ints32:
    """Return the number that every word of the encoder has in the model; -1 for unknown words."""
    return np.array([model.encoder_.numbers.get(word, -1) for word in encoder.words], np.int32)


def _weights(models: Sequence[LanguageModel], numbers: list[Ints32], text: Text) -> Array:
    """Return the weights under which the text is most likely."""
    if not len(text.tokens):
        raise ValueError(NO_TEXT)
    log_probs = []
    for model, number in zip(models, numbers, strict=True):
        own = number[text.tokens]
        known = Text(np.where(own < 0, UNKNOWN_ID, own), text.ptr, len(model.encoder_))
        each = np.concatenate(model.log_probs(known))
        log_probs.append(np.where(own < 0, NEVER, each))
    return em_weights(np.array(log_probs), np.full(len(models), PRIOR))


def over(part: MixturePart, number: Ints32, weight: float) -> MixturePart:
    """Return a part of a model over more words, which have no probability in it."""
    own = np.where(number < 0, UNKNOWN_ID, number)
    log_share = np.where(number < 0, NEVER, part.log_share[own])
    return MixturePart(part.model, part.classes[own], log_share, weight * part.weight)


def _with_words(model: ContextModel, n_words: int) -> ContextModel:
    """Return the model with more words, the last ones, which have no probability."""
    new = n_words - model.n_words
    log_prob = NEVER - model.base[0]
    ptr = model.ptr + new
    ptr[0] = 0
    at = model.n_words
    return model._replace(
        word=np.where(model.word == model.n_words, n_words, model.word).astype(np.int32),
        ptr=ptr,
        target=np.insert(model.target, at, np.arange(at, n_words)).astype(np.int32),
        gain=np.insert(model.gain, at, np.full(new, log_prob)),
        borrowed=None
        if model.borrowed is None
        else np.insert(model.borrowed, at, np.zeros(new, np.uint8)),
    )
