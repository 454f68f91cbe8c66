"""The labels of training sentences: their scheme, classes and weights, one number per token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.core.arrays import Floats, Ints32
from laconic.core.solvers.online import Weighting
from laconic.text.labels import Scheme, convert_labels, detect_scheme
from laconic.text.token_columns import TokenColumns

LabelWeights: TypeAlias = Mapping[str, float] | str


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
    labels: list[str],
    scheme: Scheme | None,
    known: KnownLabels | None = None,
) -> tuple[Ints32, KnownLabels]:
    """Return the number of each token's label, and what is known of labels now.

    Parameters
    ----------
    tokens : TokenColumns
        Sentences.
    labels : list of str
        One label per token, of all sentences.
    scheme : str or None
        Scheme in which chunk labels are learned; None is that in which they are given.
    known : KnownLabels, optional
        What is known from earlier sentences: there are no other classes.
    """
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


def weighting_of(
    tokens: TokenColumns,
    labels: list[str],
    sample_weight: ArrayLike | None,
    class_weight: LabelWeights | None,
) -> Weighting | None:
    """Return how much sentences and labels count; None if all count once."""
    if sample_weight is None and class_weight is None:
        return None
    weight = np.ones(len(tokens), np.float32)
    if sample_weight is not None:
        weight = np.asarray(sample_weight, dtype=np.float32)
        if weight.shape != (len(tokens),) or not np.all(np.isfinite(weight) & (weight >= 0)):
            raise ValueError(
                f"sample_weight needs one number of at least 0 for each of the {len(tokens)} "
                f"sentences, got an array of shape {weight.shape}"
            )
    return Weighting(np.ascontiguousarray(weight), _costs(labels, class_weight))


def _costs(labels: list[str], class_weight: LabelWeights | None) -> Floats:
    """Return the weight of each token's label."""
    if class_weight is None:
        return np.ones(len(labels), np.float32)
    counts = Counter(labels)
    if class_weight == "balanced":
        of_label = {label: len(labels) / (len(counts) * n) for label, n in counts.items()}
    elif isinstance(class_weight, Mapping):
        of_label = {str(label): float(value) for label, value in class_weight.items()}
        if unknown := [label for label in of_label if label not in counts]:
            raise ValueError(f"class_weight names the label {unknown[0]!r}, which no token has")
        if not all(0 <= value < np.inf for value in of_label.values()):
            raise ValueError(f"class_weight needs numbers of at least 0, got {class_weight!r}")
    else:
        raise ValueError(
            f"class_weight must be 'balanced' or a weight per label, got {class_weight!r}"
        )
    return np.array([of_label.get(label, 1.0) for label in labels], np.float32)
