"""Outputs of examples: lists of structures under labels, one of them gold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array, Integers, Ints, Ints32


class Outputs(NamedTuple):
    """Possible outputs of examples: those of example i are ptr[i] .. ptr[i + 1].

    Parameters
    ----------
    ptr : array of shape (n_examples + 1,)
        Bounds of the outputs of each example.
    structure : array of shape (n_outputs,)
        Number of the structure of each output.
    label : array of shape (n_outputs,)
        Label of each output.
    gold : array of shape (n_examples,)
        Number of the right output of each example.
    """

    ptr: Ints
    structure: Ints
    label: Ints32
    gold: Ints

    @classmethod
    def of_labels(cls, labels: Integers, n_labels: int) -> Outputs:
        """Return outputs where every example is one structure under any of the labels."""
        n = len(labels)
        ptr = np.arange(n + 1, dtype=np.int64) * n_labels
        structure, label = np.divmod(np.arange(n * n_labels, dtype=np.int64), n_labels)
        return cls(ptr, structure, label.astype(np.int32), ptr[:-1] + labels)

    def best(self, scores: Array) -> Ints:
        """Return the first output of every example among those with the highest score."""
        return best_of_lists(self.ptr, scores)


def best_of_lists(ptr: Ints, scores: Array) -> Ints:
    """Return the first of entries ptr[i] .. ptr[i + 1] among those with the highest score.

    No list may be empty.
    """
    highest = np.maximum.reduceat(scores, ptr[:-1])
    winners = np.flatnonzero(scores == np.repeat(highest, np.diff(ptr)))
    return winners[np.searchsorted(winners, ptr[:-1])].astype(np.int64)
