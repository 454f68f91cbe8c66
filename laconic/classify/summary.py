"""What became of the groups of each regularizer: how many were selected, and a few kept and dropped ones in words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.classify.structure import Family, Training
from laconic.core.groups import subtree_sums
from laconic.core.penalties import OverlapGroupLasso
from laconic.text.documents import sentence_text, sentences_of
from laconic.text.trees import leaves

N_EXAMPLES = 20
EXAMPLE_LENGTH = 100
ALIKE = 25  # lines with the same first so many characters teach nothing new
N_WORDS_SHOWN = 10


class GroupSummary(NamedTuple):
    """Groups of one regularizer: all, those with a weight that is not zero, and examples of the kept and the dropped."""

    total: int
    selected: int
    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


class Ranked(NamedTuple):
    """Groups worth showing: the kept ones strongest first, the dropped ones largest first; norms and sizes of all groups."""

    kept: NDArray[np.int64]
    dropped: NDArray[np.int64]
    norms: NDArray[np.float64]
    sizes: NDArray[np.int64]


def rank_groups(family: Family, coef: NDArray[np.float64]) -> Ranked:
    """Rank by |w_g|, the weights of a feature for all labels taken together; coef is (K, features).

    In a hierarchy, where each group is at least as strong as those inside it, |w_g| is divided by the root of the size. Passed over
    are groups of one word, and dropped groups inside dropped groups.
    """
    groups = family.groups
    index, inner = OverlapGroupLasso(groups).copied()
    norms = inner.norms(np.sqrt(np.square(coef).sum(axis=0))[index])
    sizes = (
        groups.sizes if groups.parent is None else subtree_sums(groups.parent, groups.sizes)
    ).astype(np.int64)
    kept = np.flatnonzero((norms > 0) & (sizes >= 2))
    outermost = (norms == 0) & (sizes >= 2)
    if groups.parent is not None:
        outermost &= (groups.parent < 0) | (norms[groups.parent] > 0)
    dropped = np.flatnonzero(outermost)
    strength = norms[kept] if groups.parent is None else norms[kept] / np.sqrt(sizes[kept])
    by_strength, by_size = (
        np.argsort(-strength, kind="stable"),
        np.argsort(-sizes[dropped], kind="stable"),
    )
    return Ranked(kept[by_strength], dropped[by_size], norms, sizes)


def with_examples(
    summary: GroupSummary,
    family: Family,
    training: Training,
    boundary: Any,
    coef: NDArray[np.float64],
) -> GroupSummary:
    """The summary with up to 20 kept and 20 dropped groups in words, in the order of `rank_groups`."""
    ranked = rank_groups(family, coef)
    names = _Names(family, training, boundary)
    return summary._replace(
        kept=_first_names(names, ranked.kept), dropped=_first_names(names, ranked.dropped)
    )


class _Names:
    """Groups in words: the sentence, the phrase, the top words of the topic, the frequent words of the cluster."""

    def __init__(self, family: Family, training: Training, boundary: Any):
        self.family = family
        self.training = training
        self.boundary = boundary

    def of(self, group: int) -> str:
        """One short line for one group."""
        if self.family.name == "sentence":
            return _short(sentence_text(self._sentence(int(self.family.source[group]))))
        if self.family.name == "tree":
            sentence, node = self.family.source[group].tolist()
            return _short(" ".join(leaves(self._sentence(sentence), node)))
        words = self.training.vocab.words
        return _short(" ".join(words[f] for f in self._features(group)[:N_WORDS_SHOWN].tolist()))

    def _sentence(self, sentence: int) -> Any:
        starts = self.training.encoded.document_ptr
        d = int(np.searchsorted(starts, sentence, side="right")) - 1
        return sentences_of(self.training.documents[d], self.boundary)[sentence - int(starts[d])]

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


def _first_names(names: _Names, groups: NDArray[np.int64]) -> tuple[str, ...]:
    """The first 20 lines that do not begin alike; where nearly all do, fewer."""
    found: dict[str, str] = {}
    for group in groups[: 10 * N_EXAMPLES].tolist():
        if len(found) == N_EXAMPLES:
            break
        name = names.of(group)
        found.setdefault(name[:ALIKE], name)
    return tuple(found.values())


def _short(text: str) -> str:
    """One line of at most EXAMPLE_LENGTH characters that any file can hold."""
    line = " ".join(text.split()).encode("utf-8", "replace").decode()
    return line if len(line) <= EXAMPLE_LENGTH else line[: EXAMPLE_LENGTH - 1].rstrip() + "…"
