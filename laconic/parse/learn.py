"""What a parser gives to a learner: encoded training data, and the kernel that learns from it."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from laconic import _core
from laconic.core.arrays import Ints, Ints32
from laconic.core.report import Callback
from laconic.core.solvers.online import Examples, OnlineLearner
from laconic.parse.templates import PartTemplates
from laconic.parse.weights import (
    Candidates,
    ParseWeights,
    TreeShape,
    features_of,
    load_kernel,
    make_kernel,
)
from laconic.text.sequences import SequenceEncoder
from laconic.text.treebanks import Treebank


class EncodedTrees(NamedTuple):
    """Encoded sentences with trees.

    Parameters
    ----------
    columns : array of shape (n_views, n_tokens)
        The value of every view at every token.
    ptr : array of shape (n_sentences + 1,)
        Boundaries of the sentences.
    gold : array of shape (n_tokens,)
        The head of every token.
    candidates : Candidates
        The heads that every token may have; all by default.
    """

    columns: Ints32
    ptr: Ints
    gold: Ints32
    candidates: Candidates = Candidates()

    def seen_by(self, kernel: _core.Parser) -> _core.TrainingTrees:
        """Return the sentences as a kernel parser learns from them."""
        return kernel.number(self.columns, self.ptr, *self.candidates)


class TreeTrainingData(NamedTuple):
    """Encoded sentences with trees, and the templates that make features of their parts.

    Parameters
    ----------
    templates : PartTemplates
        The templates.
    encoder : SequenceEncoder
        The encoder that made the columns of `data`.
    data : EncodedTrees
        The sentences.
    shape : TreeShape
        Which trees there are.
    callback : callable, optional
        Called with an Event after every pass; True stops the learner.
    start : ParseWeights, optional
        If given, only features of it may get weights.
    """

    templates: PartTemplates
    encoder: SequenceEncoder
    data: EncodedTrees
    shape: TreeShape
    callback: Callback | None = None
    start: ParseWeights | None = None

    @property
    def widths(self) -> Ints:
        """Number of weights of a feature, for each template: one."""
        return np.ones(len(self.templates), dtype=np.int64)

    def kernel(self) -> _core.Parser:
        """Return a kernel parser without weights; if `start` is given, with its features."""
        kernel = make_kernel(self.templates, self.encoder, self.shape)
        if self.start is None:
            return kernel
        return load_kernel(
            kernel,
            self.start._replace(weights=[np.zeros_like(part) for part in self.start.weights]),
        )

    def examples(self, kernel: _core.Parser) -> Examples:
        """Return the sentences, and about how many features each template has in them."""
        seen = self.data.seen_by(kernel)
        return Examples(seen, self.data.gold, kernel.count(seen))

    def weights(self, kernel: _core.Parser) -> ParseWeights:
        """Return the weights of a kernel parser, with the names of their features."""
        return features_of(kernel, self.data.seen_by(kernel), self.templates)


def as_tree_learner(given: object) -> OnlineLearner:
    """Return what was given, or raise a ValueError if it does not learn sentence by sentence."""
    if not isinstance(given, OnlineLearner):
        raise ValueError(
            "a parser learns by an online learner such as Mira(), KBestMira() or Sparseptron(), "
            f"got {given!r}"
        )
    return given


def short_enough(bank: Treebank, most: int) -> Treebank:
    """Return the sentences of at most `most` tokens, with warnings for what is too long or little.

    Cut sentences would teach that arcs across the cuts do not exist.
    """
    long = np.diff(bank.ptr) > most
    if long.any():
        if long.all():
            raise ValueError(
                f"every sentence has more than {most} tokens: "
                "split them, or fit with a larger most_tokens"
            )
        warnings.warn(
            f"left out {np.count_nonzero(long):,} of {len(long):,} sentences, which have more than "
            f"{most} tokens; a larger most_tokens takes them",
            stacklevel=3,
        )
        bank = bank.some(np.flatnonzero(~long))
    if len(bank) == 1:
        warnings.warn(
            "there is one sentence to learn from, which the parser will know by heart: "
            "a parser needs hundreds",
            stacklevel=3,
        )
    return bank
