"""The labels of training sentences: their scheme, the classes, and one number per token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Ints32
from laconic.text.labels import Scheme, convert_labels, detect_scheme
from laconic.text.sequences import TokenColumns


class KnownLabels(NamedTuple):
    """What is known of labels.

    Parameters
    ----------
    classes : array of str
        The labels, in the scheme in which they are learned.
    scheme, given : str
        Scheme of the labels in learning, and in the training data.
    """

    classes: NDArray[np.str_]
    scheme: Scheme
    given: Scheme


def flat_labels(tokens: TokenColumns, y: Sequence[Sequence[str]]) -> list[str]:
    """Return the labels of all sentences, or raise a ValueError unless there is one per token."""
    lengths = np.diff(tokens.ptr).tolist()
    if len(y) != len(lengths):
        raise ValueError(f"there are {len(lengths)} sentences, but labels for {len(y)}")
    for s, (labels, length) in enumerate(zip(y, lengths, strict=True)):
        if isinstance(labels, str):
            raise ValueError(
                f"sentence {s} needs a list of labels, one per token, but has the string {labels!r}"
            )
        if len(labels) != length:
            raise ValueError(f"sentence {s} has {length} tokens, but {len(labels)} labels")
    return [str(label) for labels in y for label in labels]


def distinct_labels(labels: Sequence[str]) -> NDArray[np.str_]:
    """Return the classes in order; ValueError unless there are at least two."""
    classes = np.array(sorted(set(labels)))
    if len(classes) < 2:
        raise ValueError(f"at least two different labels are needed, found {len(classes)}")
    return classes


def learn_labels(
    tokens: TokenColumns,
    y: Sequence[Sequence[str]],
    scheme: Scheme | None,
    known: KnownLabels | None = None,
) -> tuple[Ints32, KnownLabels]:
    """Return the number of each token's label, and what is known of labels now.

    Parameters
    ----------
    tokens : TokenColumns
        Sentences.
    y : list of list of str
        One label per token.
    scheme : str or None
        Scheme in which chunk labels are learned; None is that in which they are given.
    known : KnownLabels, optional
        What is known from earlier sentences: there are no other classes.
    """
    labels = flat_labels(tokens, y)
    if not labels:
        raise ValueError("there are no tokens to learn from")
    # A later batch has the scheme of the first one with chunks.
    given = known.given if known and known.given != "plain" else detect_scheme(labels, tokens.ptr)
    learned = given
    if scheme is not None and scheme != "plain" and given != "plain":
        learned = scheme
        labels = convert_labels(labels, tokens.ptr, learned)
    classes = distinct_labels(labels) if known is None else known.classes
    number = {label: k for k, label in enumerate(classes.tolist())}
    unknown = next((label for label in labels if label not in number), None)
    if unknown is not None:
        raise ValueError(
            f"the label {unknown!r} is not one of those that the model knows: name all labels in "
            "the first call of partial_fit, or fit on sentences that have them"
        )
    gold = np.fromiter(map(number.__getitem__, labels), np.int32, len(labels))
    return gold, KnownLabels(classes, learned, given)
