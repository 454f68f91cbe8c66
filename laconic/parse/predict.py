"""What a fitted parser does with sentences: prunes their arcs, finds the best trees, labels them, and puts lifted arcs back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from laconic.core.ragged import cut
from laconic.core.report import FitReport, Reported
from laconic.models.save import Saved
from laconic.parse.labels import RelationLabeler
from laconic.parse.lists import TreeLists, k_best
from laconic.parse.pseudo_projective import sink
from laconic.parse.scorer import Scorer
from laconic.parse.tags import WordTagger
from laconic.parse.templates import PartTemplates
from laconic.parse.texts import text_trees
from laconic.parse.weights import Candidates, ParseWeights, TreeShape
from laconic.text.sequences import TokenColumns
from laconic.text.tokens import Boundary
from laconic.text.treebanks import COLUMNS, Treebank
from laconic.text.trees import Tree as DocumentTree


class Tree(NamedTuple):
    """heads[t]: the place in the sentence of token t's head, counted from 1, 0 at a root; labels: of the arcs, or None."""

    heads: list[int]
    labels: list[str] | None


def as_trees(
    heads: NDArray[np.int32], labels: list[str] | None, ptr: NDArray[np.int64]
) -> list[Tree]:
    """A tree for each sentence, from the heads and labels of all tokens."""
    trees = cut(heads.tolist(), ptr)
    if labels is None:
        return [Tree(part, None) for part in trees]
    return [Tree(part, names) for part, names in zip(trees, cut(labels, ptr), strict=True)]


class TreePredictor(Reported, Saved, BaseEstimator, ABC):
    """What has trees for sentences: a parser, or what chooses among a parser's trees."""

    @abstractmethod
    def parse(self, X: Any) -> tuple[NDArray[np.int32], list[str] | None]:
        """A head and a label for every token of sentences, of a Treebank or of TokenColumns, one after the other."""

    @abstractmethod
    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[Tree, float]]]:
        """Up to k different trees of each sentence with their scores, best first."""

    @abstractmethod
    def _tokens(self, X: Any) -> TokenColumns:
        """Sentences of any of these kinds as columns."""

    def predict(self, X: Any) -> list[Tree]:
        """The best tree of each sentence."""
        tokens = self._tokens(X)
        return as_trees(*self.parse(tokens), tokens.ptr)

    def score(self, X: Any, y: Any = None) -> float:
        """The share of tokens with the right head."""
        bank = self._bank(X, y)
        return float(np.mean(self.parse(bank.tokens)[0] == bank.heads))

    def _bank(self, X: Any, y: Any = None) -> Treebank:
        """Sentences and trees as a treebank, unless X is one."""
        if isinstance(X, Treebank) and y is None:
            return X
        tokens = self._tokens(X)
        trees = [tree if isinstance(tree, tuple) else (tree, None) for tree in y]
        if len(trees) != len(tokens):
            raise ValueError(f"there are {len(tokens)} sentences, but {len(trees)} trees")
        for number, (tree, n) in enumerate(zip(trees, np.diff(tokens.ptr).tolist(), strict=True)):
            if len(tree[0]) != n:
                raise ValueError(f"sentence {number} has {n} tokens, but {len(tree[0])} heads")
        heads = np.fromiter(
            (head for tree in trees for head in tree[0]), np.int32, int(tokens.ptr[-1])
        )
        labels = [label for tree in trees for label in tree[1] or ()]
        if len(labels) not in (0, len(heads)):
            raise ValueError(f"there are {len(heads)} tokens, but {len(labels)} labels")
        return Treebank(tokens, heads, labels)


class ParsePredictor(TreePredictor):
    """The parameters of a parser (see Parser), and what it does once it is fitted."""

    shape_: TreeShape
    scorer_: Scorer
    pruner_: Scorer | None
    labeler_: RelationLabeler | None
    tagger_: WordTagger | None
    templates_given_: PartTemplates

    def __init__(
        self,
        model: str = "arcs",
        templates: Any = None,
        learner: Any = None,
        refit: Any = None,
        refit_features: str = "templates",
        crossing: bool = False,
        labels: bool = True,
        labeler: Any = None,
        single_root: bool | None = None,
        prune: float | None = None,
        most_heads: int = 10,
        columns: Sequence[str] = COLUMNS,
        clusters: Any = None,
        n_jobs: int | None = None,
        tagger: Any = None,
    ):
        self.model = model
        self.templates = templates
        self.learner = learner
        self.refit = refit
        self.refit_features = refit_features
        self.crossing = crossing
        self.labels = labels
        self.labeler = labeler
        self.single_root = single_root
        self.prune = prune
        self.most_heads = most_heads
        self.columns = columns
        self.clusters = clusters
        self.n_jobs = n_jobs
        self.tagger = tagger

    @property
    def weights_(self) -> ParseWeights:
        """The features of the kept templates, and their weights."""
        return self.scorer_.weights

    def parse(self, X: Any) -> tuple[NDArray[np.int32], list[str] | None]:
        """A head and a label for every token of sentences, of a Treebank or of TokenColumns, one after the other."""
        check_is_fitted(self)
        tokens = self._tagged(self._tokens(X))
        columns, ptr = self.scorer_.encoder.encode(tokens)
        heads, _ = self.scorer_.kernel.parse(
            columns, ptr, *self._candidates(tokens), self._n_threads()
        )
        return self._labelled(tokens, heads)

    def _labelled(
        self, tokens: TokenColumns, heads: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], list[str] | None]:
        if self.labeler_ is None:
            return heads, None
        marked = self.labeler_.predict(tokens, heads)
        if self.crossing:
            return heads, marked
        labels: list[str] = []
        for s, names in enumerate(cut(marked, tokens.ptr)):
            span = slice(*tokens.ptr[s : s + 2].tolist())
            heads[span], plain = sink(heads[span].tolist(), names)
            labels += plain
        return heads, labels if any(labels) else None

    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[Tree, float]]]:
        """Up to k different trees of each sentence with their scores, best first."""
        check_is_fitted(self)
        return self._listed(k_best(self, self._tokens(X), k))

    def _listed(self, lists: TreeLists) -> list[list[tuple[Tree, float]]]:
        """The trees of each list with labels, lifted arcs put back, and their scores."""
        found = []
        flat = cut(lists.heads, lists.tree_ptr[lists.ptr])
        for sentence, heads, scores in zip(
            lists.tokens.split(), flat, cut(lists.scores.tolist(), lists.ptr), strict=True
        ):
            copies = sentence.some(np.zeros(len(scores), np.int64))
            trees = as_trees(*self._labelled(copies, heads.copy()), copies.ptr)
            found.append(list(zip(trees, scores, strict=True)))
        return found

    def arc_probabilities(self, X: Any, heads: Any) -> NDArray[np.float64]:
        """How probable each token's arc to a given head is in the CRF with these weights; models of orders 1 and 2."""
        check_is_fitted(self)
        tokens = self._tagged(self._tokens(X))
        columns, ptr = self.scorer_.encoder.encode(tokens)
        wanted = np.ascontiguousarray(heads, dtype=np.int32)
        return self.scorer_.kernel.arc_probabilities(
            columns, ptr, *self._candidates(tokens), wanted, self._n_threads()
        )

    def _tokens(self, X: Any) -> TokenColumns:
        if isinstance(X, Treebank):
            return X.tokens
        if isinstance(X, TokenColumns):
            return X
        bare = getattr(self, "tagger_", None) is not None and all(
            isinstance(token, str) for s in X for token in s
        )
        return TokenColumns.from_sentences(X, tuple(self.columns)[:1] if bare else self.columns)

    def _tagged(self, tokens: TokenColumns) -> TokenColumns:
        """The tokens with tags by the parser's own tagger, if it has one: others than it learned from would lead it astray."""
        return tokens if self.tagger_ is None else self.tagger_.filled(tokens)

    def _candidates(
        self, tokens: TokenColumns, gold: NDArray[np.int32] | None = None
    ) -> Candidates:
        if self.pruner_ is None:
            return Candidates()
        columns, ptr = self.pruner_.encoder.encode(tokens)
        wanted = np.zeros(0, np.int32) if gold is None else gold
        return Candidates(
            *self.pruner_.kernel.candidates(
                columns, ptr, self._threshold(), self.most_heads, wanted, self._n_threads()
            )
        )

    def _threshold(self) -> float:
        given = (0.0 if self.model == "arcs" else 1e-4) if self.prune is None else self.prune
        if not 0 <= given <= 1 or self.most_heads < 1:
            raise ValueError(
                f"prune must be from 0 to 1 and most_heads above 0, got {self.prune!r} and {self.most_heads!r}"
            )
        return given

    def _completed(self, report: FitReport) -> FitReport:
        """Return a report with the sizes of this model."""
        return replace(
            report,
            features_kept=self.scorer_.weights.n_nonzero,
            groups_total=len(self.templates_given_),
            groups_kept=len(self.scorer_.templates),
        )

    def _n_threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "scorer_")

    def text_trees(
        self, texts: Sequence[str], boundary: Boundary = "auto"
    ) -> list[list[DocumentTree]]:
        """Return the dependency trees of plain texts; see laconic.text_trees."""
        return text_trees(self, texts, boundary)
