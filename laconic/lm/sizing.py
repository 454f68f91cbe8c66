"""Language models cut down to a number of bytes: of the compact file, words and all.

    the most n-grams for which  bytes(n-grams) <= n_bytes

Bytes rise with n-grams along a line that hardly bends, so that a few prunings find the number.
"""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

from laconic.lm.compact import OF_CLASSES, CompactLanguageModel, pack, unpack
from laconic.lm.contexts import Text
from laconic.lm.log_linear import LogLinear
from laconic.lm.mixture import least_with_classes
from laconic.lm.model import LanguageModel
from laconic.lm.running import SentencesLike
from laconic.models.checks import Arrays, Contents
from laconic.models.file import content_of
from laconic.models.kind import COMPACT

ROUNDS = 12  # of pruning and packing
SHARE = 0.25  # of the bytes that lists of classes may take; beyond, n-grams of words are worth more
BELOW = 0.995  # of a number of n-grams, to be on the safe side
CLOSE = 0.98  # of the bytes that are asked for: from here on nothing more is searched


class _Packed(NamedTuple):
    """A model in its compact form: the number of n-grams, the bytes of the file, its contents."""

    ngrams: int
    n_bytes: int
    contents: Contents


def sized(
    model: LanguageModel,
    n_bytes: int,
    X: SentencesLike | Text | None = None,
    refit: LogLinear | None = None,
) -> CompactLanguageModel:
    """Return the model with as many n-grams as a compact file of at most `n_bytes` bytes holds.

    Parameters
    ----------
    model : LanguageModel
        A fitted model.
    n_bytes : int
        Most bytes of the file that `save` writes for the result.
    X : iterable of str or of lists of str, or None
        Sentences, best the training data: see `LanguageModel.prune`.
    refit : LogLinear or None, default=None
        What learns the weights of the n-grams that are kept anew.

    Returns
    -------
    model : CompactLanguageModel

    Examples
    --------
    >>> from laconic import LanguageModel
    >>> from laconic.lm.sizing import sized
    >>> text = [f"the {a} {b} the {c}" for a in "pqr" for b in "xy" for c in "pqr"]
    >>> small = sized(LanguageModel(order=3).fit(text), 3200, text)
    >>> small.perplexity(text) < len(small.encoder_)
    True
    """
    if X is not None and not isinstance(X, Text):
        X = model.encoder_.encode(X)
    whole = _packed(model)
    if whole.n_bytes <= n_bytes:
        return unpack(*whole.contents)
    least = len(model.encoder_)
    if model.others_ and _bytes_of_classes(whole.contents[0]) <= SHARE * n_bytes:
        least = least_with_classes(model.model_, model.others_)
    elif model.others_:
        model = copy(model)._adopt(model.encoder_, model.model_, model.report_)
        whole = _packed(model)
    low, high = _packed(model.prune(least, X)), whole
    if low.n_bytes > n_bytes:
        raise ValueError(
            f"the words alone take {low.n_bytes:,} bytes: give at least that many, not "
            f"{n_bytes:,}, or know fewer words"
        )
    for at in range(ROUNDS):
        if low.n_bytes >= CLOSE * n_bytes or high.ngrams - low.ngrams < 2:
            break
        # By turns on the line between both ends, and in the middle: the line alone would move one
        # end only where bytes bend.
        share = (n_bytes - low.n_bytes) / (high.n_bytes - low.n_bytes) if at % 2 == 0 else 0.5
        size = low.ngrams + max(1, int(BELOW * share * (high.ngrams - low.ngrams)))
        tried = _packed(model.prune(size, X), size)
        low, high = (tried, high) if tried.n_bytes <= n_bytes else (low, tried)
    size = low.ngrams
    while refit is not None:  # other weights are other values, and a few n-grams lose theirs
        found = _packed(model.prune(size, X, refit))
        if found.n_bytes <= n_bytes or size == least:
            return unpack(*found.contents)
        size = max(least, int(BELOW * size * n_bytes / found.n_bytes))
    return unpack(*low.contents)


def _packed(model: LanguageModel, ngrams: int | None = None) -> _Packed:
    """Return the compact form; `ngrams` is their number where more were asked for than are left."""
    contents = pack(model)
    head, body = content_of("lm" + COMPACT, *contents)
    return _Packed(
        sum(model.n_ngrams_) + sum(len(part.model.target) for part in model.others_)
        if ngrams is None
        else ngrams,
        len(head) + len(body),
        contents,
    )


def _bytes_of_classes(arrays: Arrays) -> int:
    """Return the bytes of the class of every word, and of its share of it."""
    return sum(
        array.nbytes for name, array in arrays.items() if name.partition(".")[2] in OF_CLASSES
    )
