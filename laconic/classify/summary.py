"""The groups of each penalty after a fit: how many were kept, and a few of them in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.classify.structure import LATENT, Family, Training
from laconic.core.arrays import Array, Ints
from laconic.core.groups import subtree_sums
from laconic.core.penalties import OverlapGroupLasso
from laconic.text.documents import Sentence, sentence_text, sentences_of
from laconic.text.tokens import Boundary
from laconic.text.trees import Tree, leaves

N_EXAMPLES = 20
N_CHOSEN = 100  # of latent groups, which are few and say what the model knows
EXAMPLE_LENGTH = 100
ALIKE = 25  # examples that agree in this number of first characters count as the same
N_WORDS_SHOWN = 10


class GroupSummary(NamedTuple):
    """Number of groups of one penalty, number with a weight that is not zero, and examples."""

    total: int
    selected: int
    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


class RankedGroups(NamedTuple):
    """Groups worth showing: kept ones, strongest first; dropped ones, largest first.

    `norms` and `sizes` are those of all groups.
    """

    kept: Ints
    dropped: Ints
    norms: Array
    sizes: Ints


def rank_groups(family: Family, coef: Array, part_norms: Array | None = None) -> RankedGroups:
    """Rank groups by |w_g|, the weights of a feature for all labels together; coef: (K, features).

    Latent groups are ranked by `part_norms`, those of their own shares v_g of the weights.

    In a hierarchy, where each group is at least as strong as those inside it, |w_g| is divided by
    the square root of the size. Groups of one word, and dropped groups inside dropped groups, are
    left out.
    """
    groups = family.groups
    norms = part_norms
    if norms is None:
        index, inner = OverlapGroupLasso(groups).copied(groups.n_features)
        norms = inner.norms(np.sqrt(np.square(coef).sum(axis=0))[index])
    sizes = (
        groups.sizes if groups.parent is None else subtree_sums(groups.parent, groups.sizes)
    ).astype(np.int64)
    kept = np.flatnonzero((norms > 0) & (sizes >= (2 if part_norms is None else 1)))
    outermost = (norms == 0) & (sizes >= 2)
    if groups.parent is not None:
        outermost &= (groups.parent < 0) | (norms[groups.parent] > 0)
    dropped = np.flatnonzero(outermost)
    strength = norms[kept] if groups.parent is None else norms[kept] / np.sqrt(sizes[kept])
    by_strength, by_size = (
        np.argsort(-strength, kind="stable"),
        np.argsort(-sizes[dropped], kind="stable"),
    )
    return RankedGroups(kept[by_strength], dropped[by_size], norms, sizes)


def with_examples(
    summary: GroupSummary,
    family: Family,
    training: Training,
    boundary: Boundary,
    coef: Array,
    part_norms: Array | None = None,
) -> GroupSummary:
    """Add up to 20 kept and 20 dropped groups in words, in the order of `rank_groups`.

    Of latent groups, which have `part_norms`, up to 100 kept ones.
    """
    ranked = rank_groups(family, coef, part_norms)
    names = _Names(family, training, boundary)
    return summary._replace(
        kept=_first_names(names, ranked.kept, N_EXAMPLES if part_norms is None else N_CHOSEN),
        dropped=_first_names(names, ranked.dropped, N_EXAMPLES),
    )


class _Names:
    """Groups in words: a sentence, a phrase, top words of a topic, frequent words of a cluster."""

    def __init__(self, family: Family, training: Training, boundary: Boundary) -> None:
        self.family = family
        self.kind = LATENT.get(family.name, family.name)
        self.training = training
        self.boundary = boundary

    def of(self, group: int) -> str:
        """Return one group as one short line."""
        if self.kind == "sentence":
            return _short(sentence_text(self._sentence(int(self.family.source[group]))))
        if self.kind == "tree":
            sentence, node = self.family.source[group].tolist()
            tree = self._sentence(sentence)
            assert isinstance(tree, Tree)  # groups of a tree family are nodes of trees
            return _short(" ".join(leaves(tree, node)))
        words = self.training.vocab.words
        name = f"{self.family.names[group]}: " if self.family.names else ""
        return _short(
            name + " ".join(words[f] for f in self._features(group)[:N_WORDS_SHOWN].tolist())
        )

    def _sentence(self, sentence: int) -> Sentence:
        """Return a sentence by its number in all training documents."""
        starts = self.training.encoded.document_ptr
        d = int(np.searchsorted(starts, sentence, side="right")) - 1
        sentences = sentences_of(self.training.documents[d], self.boundary)
        return sentences[sentence - int(starts[d])]

    def _features(self, group: int) -> Ints:
        """Return the features of a flat group in its order, those below a node by frequency."""
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
        ordered: Ints = below[np.argsort(-seen, kind="stable")]
        return ordered


def _first_names(names: _Names, groups: Ints, most: int) -> tuple[str, ...]:
    """Return the first `most` lines that do not begin alike; fewer where nearly all do."""
    found: dict[str, str] = {}
    for group in groups[: 10 * most].tolist():
        if len(found) == most:
            break
        name = names.of(group)
        found.setdefault(name[:ALIKE], name)
    return tuple(found.values())


def _short(text: str) -> str:
    """Return one line of at most EXAMPLE_LENGTH characters that any file can hold."""
    line = " ".join(text.split()).encode("utf-8", "replace").decode()
    return line if len(line) <= EXAMPLE_LENGTH else line[: EXAMPLE_LENGTH - 1].rstrip() + "…"
