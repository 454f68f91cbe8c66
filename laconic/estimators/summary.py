"""What became of the groups of each regularizer: how many were selected, and a few kept and dropped ones in words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.estimators.structure import Family, Training
from laconic.penalties import OverlapGroupLasso
from laconic.text.tokens import sentences
from laconic.text.trees import Tree, leaves

N_EXAMPLES = 20
EXAMPLE_LENGTH = 100
N_WORDS_SHOWN = 10


class GroupSummary(NamedTuple):
    """Groups of one regularizer: all, those with a weight that is not zero, and examples of the kept and the dropped."""

    total: int
    selected: int
    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def group_norms(family: Family, coef: NDArray[np.float64]) -> NDArray[np.float64]:
    """|w_g| of each group, the weights of a feature for all labels taken together; coef is (K, features)."""
    length = np.sqrt(np.square(coef).sum(axis=0))
    index, inner = OverlapGroupLasso(family.groups).copied()
    return inner.norms(length[index])


def with_examples(
    summary: GroupSummary, family: Family, training: Training, boundary: Any, coef: NDArray[np.float64]
) -> GroupSummary:
    """The summary with up to 20 groups kept, those of the largest mean square weight first, and 20 dropped, evenly spread."""
    norms = group_norms(family, coef)
    # The weight of a group is the root of its size: without it the longest groups would always come first.
    order = np.argsort(-norms / np.maximum(family.groups.weight, 1.0), kind="stable")
    kept = order[: min(N_EXAMPLES, int(np.count_nonzero(norms)))]
    dropped = np.flatnonzero(norms == 0)
    if len(dropped) > N_EXAMPLES:
        dropped = dropped[np.linspace(0, len(dropped) - 1, N_EXAMPLES).astype(np.int64)]
    names = _Names(family, training, boundary)
    return summary._replace(kept=_distinct(map(names.of, kept.tolist())), dropped=_distinct(map(names.of, dropped.tolist())))


class _Names:
    """Groups in words: the sentence, the phrase, the top words of the topic, the frequent words of the cluster."""

    def __init__(self, family: Family, training: Training, boundary: Any):
        self.family = family
        self.training = training
        self.boundary = boundary

    def of(self, group: int) -> str:
        """One short line for one group."""
        if self.family.name == "sentence":
            return _short(self._sentence(int(self.family.source[group])))
        if self.family.name == "tree":
            document, node = self.family.source[group].tolist()
            return _short(" ".join(leaves(self.training.documents[document], node)))
        words = self.training.vocab.words
        return _short(" ".join(words[f] for f in self._features(group)[:N_WORDS_SHOWN].tolist()))

    def _sentence(self, sentence: int) -> str:
        starts = self.training.encoded.document_ptr
        d = int(np.searchsorted(starts, sentence, side="right")) - 1
        document = self.training.documents[d]
        if isinstance(document, Tree):
            return " ".join(document.words)
        k = sentence - int(starts[d])
        if isinstance(document, str):
            start, end = sentences(document, self.boundary)[k]
            return document[start:end]
        return document[k] if isinstance(document[k], str) else " ".join(document[k])

    def _features(self, group: int) -> NDArray[np.int64]:
        """Features of a flat group in its order; of a node, all features below it, the most frequent first."""
        groups = self.family.groups
        if groups.parent is None:
            return groups.members(group)
        inside = np.zeros(len(groups), dtype=bool)
        frontier = np.array([group])
        while len(frontier):
            inside[frontier] = True
            frontier = np.flatnonzero(np.isin(groups.parent, frontier))
        below = groups.index[np.repeat(inside, groups.sizes)]
        seen = np.asarray(self.training.counts[:, below].sum(axis=0)).ravel()
        return below[np.argsort(-seen, kind="stable")]


def _distinct(names: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _short(text: str) -> str:
    """One line of at most EXAMPLE_LENGTH characters that any file can hold."""
    line = " ".join(text.split()).encode("utf-8", "replace").decode()
    return line if len(line) <= EXAMPLE_LENGTH else line[: EXAMPLE_LENGTH - 1].rstrip() + "…"
