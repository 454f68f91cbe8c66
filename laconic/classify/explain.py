"""What a fitted TextClassifier looks at: words, kept and dropped groups, deciding sentences.

The tables are those of section 5.4.3 of Yogatama (2015): sentences by their log-odds (Table 5.5),
topics and clusters that are zero or not (Tables 5.6 and 5.7), the removed phrases of a parse tree
(Figure 5.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from laconic.classify.model import TextClassifier
from laconic.classify.structure import LATENT, Family
from laconic.classify.summary import rank_groups
from laconic.core.arrays import Array, Bools, Ints
from laconic.core.groups import Groups, subtree_sums
from laconic.text.documents import DocumentLike, prefix, sentence_text, sentences_of
from laconic.text.trees import Tree, leaves

if TYPE_CHECKING:
    from laconic.classify.compact import CompactClassifier

AnyClassifier: TypeAlias = "TextClassifier | CompactClassifier"
MOST_CELLS = 4_000_000  # of the leave-one-out rows that are held at once


class WordWeight(NamedTuple):
    """A word, n-gram or prefix, and the score that each occurrence adds to its class."""

    word: str
    weight: float


class SentenceEffect(NamedTuple):
    """log_odds = logit p(label | document) - logit p(label | document without this sentence).

    logit p is log p - log (1 - p).
    kept: whether a word of the sentence has a weight that is not zero.
    """

    text: str
    log_odds: float
    kept: bool


class GroupRow(NamedTuple):
    """One group: words, Euclidean norm of the weights, number of words, number in the family."""

    words: tuple[str, ...]
    norm: float
    size: int
    number: int


class RemovedPhrases(NamedTuple):
    """zero (n_nodes,): no word below the node has a weight; maximal: zero nodes inside no other."""

    zero: Bools
    maximal: Ints


def top_words(model: AnyClassifier, n: int = 10) -> dict[object, list[WordWeight]]:
    """Return up to `n` words with the largest positive weights per class, strongest first."""
    check_is_fitted(model, "coef_")
    words = model.encoder_.vocab.words
    weights = np.concatenate([-model.coef_, model.coef_]) if model.one_score else model.coef_
    strongest = np.argsort(-weights, axis=1, kind="stable")[:, :n]
    return {
        label: [WordWeight(words[f], float(row[f])) for f in order.tolist() if row[f] > 0]
        for label, row, order in zip(model.classes_.tolist(), weights, strongest, strict=True)
    }


def live_words(model: AnyClassifier, words: Sequence[str]) -> Bools:
    """Return which of `words` have a weight that is not zero, as words or by a prefix."""
    cased = [word.lower() for word in words] if model.lowercase else list(words)
    forms = [
        cased,
        *([prefix(word, length) for word in cased] for length in model.encoder_.prefixes),
    ]
    alive = np.append(model.alive(), False)
    live: Bools = np.any([alive[model.encoder_.vocab.ids(form)] for form in forms], axis=0)
    return live


def sentence_texts(model: AnyClassifier, document: DocumentLike) -> list[str]:
    """Return the sentences of a document as the model divides it."""
    return [sentence_text(sentence) for sentence in sentences_of(document, model.boundary)]


def sentence_effects(
    model: AnyClassifier, document: DocumentLike, label: object = None
) -> list[SentenceEffect]:
    """Return how much each sentence speaks for `label`, by default the predicted one."""
    check_is_fitted(model, "coef_")
    encoded = model.encoder_.encode([document])
    n_sentences = len(encoded.sentence_ptr) - 1
    one_each = encoded._replace(document_ptr=np.arange(n_sentences + 1))
    counts = one_each.counts(len(model.encoder_.vocab))
    lengths = encoded.n_words.astype(np.float64)
    total = np.array([lengths.sum()])
    whole = model.score_rows(model.weigh(sp.csr_matrix(counts.sum(axis=0)), total))
    single = model.thresholds_ is not None
    if label is None:
        label = model.classes_[int(whole[0] > 0) if whole.ndim == 1 else int(whole[0].argmax())]
    place = np.flatnonzero(model.classes_ == label)
    if len(place) != 1:
        raise ValueError(
            f"the model knows the labels {', '.join(map(str, model.classes_))}; got {label!r}"
        )
    of_whole = _log_odds(whole, int(place[0]), single)[0]
    rest = [
        _log_odds(model.score_rows(model.weigh(rows, total - left)), int(place[0]), single)
        for rows, left in _without_each(counts, lengths)
    ]
    log_odds = of_whole - np.concatenate([np.zeros(0), *rest])
    alive = model.alive().astype(np.float64)
    texts = sentence_texts(model, document)
    return [
        SentenceEffect(*row)
        for row in zip(texts, log_odds.tolist(), (counts @ alive > 0).tolist(), strict=True)
    ]


def _without_each(counts: sp.csr_matrix, lengths: Array) -> Iterator[tuple[sp.csr_matrix, Array]]:
    """Yield the sum of all rows but one, for each row of `counts`, in blocks; the rows' lengths."""
    columns = np.unique(counts.indices)
    narrow = counts[:, columns]
    total = np.asarray(narrow.sum(axis=0))
    step = max(1, MOST_CELLS // max(1, len(columns)))
    for first in range(0, counts.shape[0], step):
        rows = sp.csr_matrix(total - narrow[first : first + step].toarray())
        table = sp.csr_matrix(
            (rows.data, columns[rows.indices], rows.indptr), shape=(rows.shape[0], counts.shape[1])
        )
        yield table, lengths[first : first + step]


def _log_odds(scores: Array, label: int, single: bool = False) -> Array:
    """Return log p / (1 - p) of a label: its score less the log-sum-exp of the others.

    Of `single` labels, of which a document may have several, it is the score itself.
    """
    if single:
        return scores.reshape(len(scores), -1)[:, label]
    if scores.ndim == 1:
        return scores if label == 1 else -scores
    others: Array = logsumexp(np.delete(scores, label, axis=1), axis=1)
    return np.asarray(scores[:, label] - others)


def group_tables(
    model: TextClassifier, name: str, n: int = 10, documents: Sequence[DocumentLike] | None = None
) -> tuple[list[GroupRow], list[GroupRow]]:
    """Return the `n` strongest groups that the penalty `name` kept, and the `n` largest dropped.

    Strength is the norm of the weights; in a hierarchy (phrases, clusters), where each group is at
    least as strong as those inside it, the norm over the square root of the size. Groups of one
    word, repeated groups, and dropped groups inside dropped groups are left out. Words are ordered
    by probability (topics), by weight (clusters), and as in the text (sentences, phrases) if the
    training `documents` are given again.
    """
    family = _family(model, name)
    ranked = rank_groups(family, model.coef_, model.part_norms_)
    words_of = _GroupWords(model, family, documents)

    def rows(order: Ints) -> list[GroupRow]:
        seen: dict[tuple[str, ...], GroupRow] = {}
        for g in order.tolist():
            if len(seen) == n:
                break
            words = words_of(g)
            seen.setdefault(words, GroupRow(words, float(ranked.norms[g]), int(ranked.sizes[g]), g))
        return list(seen.values())

    return rows(ranked.kept), rows(ranked.dropped)


def _family(model: TextClassifier, name: str) -> Family:
    check_is_fitted(model, "coef_")
    families: dict[str, Family] = {
        family.name: family for family in getattr(model, "families_", ())
    }
    if name not in families:
        known = (
            ", ".join(families) or "none (a model read from a file keeps its words, not its groups)"
        )
        raise ValueError(f"the model has groups of these penalties: {known}; got {name!r}")
    return families[name]


class _GroupWords:
    """The words of a group, in the order that `group_tables` promises."""

    def __init__(
        self, model: TextClassifier, family: Family, documents: Sequence[DocumentLike] | None
    ) -> None:
        self.model = model
        self.family = family
        self.size = np.sum(model.coef_**2, axis=0)
        self.vocab = model.encoder_.vocab.words
        self.below = _descendants(family.groups)
        self.trees = self.sentences = None
        kind = LATENT.get(family.name, family.name)
        if documents is not None and kind == "tree":
            self.trees = [
                unit for document in documents for unit in sentences_of(document, model.boundary)
            ]
        if documents is not None and kind == "sentence":
            self.sentences = [
                unit for document in documents for unit in model.encoder_.sentence_words(document)
            ]

    def __call__(self, g: int) -> tuple[str, ...]:
        groups = self.family.groups
        members = groups.index[groups.ptr[g] : groups.ptr[g + self.below[g]]]
        if self.sentences is not None:
            place = int(self.family.source[g])
            words = self.sentences[place] if place < len(self.sentences) else []
        elif self.trees is not None:
            place, node = self.family.source[g].tolist()
            tree = self.trees[place] if place < len(self.trees) else None
            words = leaves(tree, node) if isinstance(tree, Tree) and node < len(tree.label) else []
        else:
            if LATENT.get(self.family.name, self.family.name) == "brown":
                members = members[np.argsort(-self.size[members], kind="stable")]
            return tuple(self.vocab[f] for f in members.tolist())
        self._check(words, members)
        return tuple(words)

    def _check(self, words: list[str], members: Ints) -> None:
        """Raise a ValueError unless the known words are those of the group.

        The group of a sentence has n-grams and prefixes too.
        """
        ids = self.model.encoder_.vocab.ids(
            word.lower() if self.model.lowercase else word for word in words
        )
        wholly = (
            self.model.encoder_.ngrams > 1
            or self.model.encoder_.prefixes
            or len(np.unique(members)) == len(np.unique(ids[ids >= 0]))
        )
        if not wholly or not np.isin(ids[ids >= 0], members).all() or not (ids >= 0).any():
            raise ValueError(
                "documents must be the training documents, all of them and in the same order"
            )


def _descendants(groups: Groups) -> Ints:
    """Return the number of groups per subtree; they are successive, since trees are in preorder."""
    ones = np.ones(len(groups))
    sums: Array = ones if groups.parent is None else subtree_sums(groups.parent, ones)
    return sums.astype(np.int64)


def removed_phrases(model: AnyClassifier, tree: Tree) -> RemovedPhrases:
    """Return the constituents whose words all have zero weight (or are unknown)."""
    check_is_fitted(model, "coef_")
    alive = np.bincount(
        tree.owner, weights=live_words(model, tree.words), minlength=len(tree.label)
    )
    zero = subtree_sums(tree.parent, alive) == 0
    below_none = (tree.parent < 0) | ~zero[tree.parent]
    return RemovedPhrases(zero, np.flatnonzero(zero & below_none))
