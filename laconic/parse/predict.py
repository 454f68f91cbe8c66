"""What a fitted parser does with sentences: it prunes arcs, finds trees and labels them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from laconic.core.arrays import Array, Ints32
from laconic.core.ragged import cut
from laconic.core.report import FitReport
from laconic.core.threads import thread_count
from laconic.models.loaded import check_fitted
from laconic.parse.lists import TreeLists, k_best
from laconic.parse.pieces import MOST_TOKENS, Pieces
from laconic.parse.pseudo_projective import of_sentences, sink
from laconic.parse.templates import PartTemplates
from laconic.parse.texts import text_trees
from laconic.parse.trees import ParsedTokens, ParseSentences, RankedTree, TreePredictor, as_trees
from laconic.parse.weights import Candidates, ParseWeights, TreeShape
from laconic.tag.predict import RefitScope
from laconic.text.io import PathLike
from laconic.text.token_columns import TokenColumns
from laconic.text.tokens import Boundary
from laconic.text.treebanks import COLUMNS, Treebank
from laconic.text.trees import Tree
from laconic.text.views import WordClusters

if TYPE_CHECKING:
    from laconic.core.solvers.online import OnlineLearner
    from laconic.models.compact.features import CompactWeights
    from laconic.parse.compact import CompactScorer
    from laconic.parse.labels import RelationLabeler
    from laconic.parse.scorer import Scorer
    from laconic.parse.tags import WordTagger

TreeModel: TypeAlias = Literal["arcs", "siblings", "carreras", "grand siblings", "tri siblings"]


class ParsePredictor(TreePredictor):
    """The parameters of a parser (see Parser), and what it does once it is fitted."""

    shape_: TreeShape
    scorer_: Scorer | CompactScorer
    pruner_: Scorer | CompactScorer | None
    labeler_: RelationLabeler | None
    tagger_: WordTagger | None
    templates_given_: PartTemplates

    def __init__(
        self,
        model: TreeModel = "arcs",
        templates: PathLike | PartTemplates | None = None,
        learner: OnlineLearner | str | None = None,
        refit: OnlineLearner | str | None = None,
        refit_features: RefitScope = "templates",
        crossing: bool = False,
        labels: bool = True,
        labeler: RelationLabeler | str | None = None,
        single_root: bool | None = None,
        prune: float | None = None,
        most_heads: int = 10,
        columns: Sequence[str] = COLUMNS,
        clusters: PathLike | WordClusters | None = None,
        n_jobs: int | None = None,
        tagger: WordTagger | str | None = None,
        most_tokens: int = MOST_TOKENS,
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
        self.most_tokens = most_tokens

    @property
    def weights_(self) -> ParseWeights | CompactWeights:
        """The features of the kept templates, and their weights."""
        return self.scorer_.weights

    def parse(self, X: ParseSentences) -> ParsedTokens:
        """Return the heads and labels of all tokens, one after the other; see TreePredictor."""
        check_fitted(self)
        tokens = self._tagged(self._tokens(X))
        pieces = self._pieces(tokens)
        columns, ptr = self.scorer_.encoder.encode(pieces.tokens)
        heads, _ = self.scorer_.kernel.parse(
            columns, ptr, *self._candidates(pieces.tokens), self._n_threads()
        )
        return self._labelled(tokens, pieces.whole(heads))

    def _labelled(self, tokens: TokenColumns, heads: Ints32) -> ParsedTokens:
        """Return heads with lifted arcs put back, and labels."""
        if self.labeler_ is None:
            return heads, None
        marked = self.labeler_.predict(tokens, heads)
        if self.crossing:
            return heads, marked
        heads, labels = of_sentences(sink, heads, marked, tokens.ptr)
        return heads, labels if any(labels) else None

    def predict_k_best(self, X: ParseSentences, k: int) -> list[list[RankedTree]]:
        """Return the k best trees of every sentence with their scores; see TreePredictor."""
        check_fitted(self)
        return self._listed(k_best(self, self._tokens(X), k))

    def _listed(self, lists: TreeLists) -> list[list[RankedTree]]:
        """Return the trees of each list with labels, lifted arcs put back, and their scores."""
        found = []
        flat = cut(lists.heads, lists.tree_ptr[lists.ptr])
        for sentence, heads, scores in zip(
            lists.tokens.split(), flat, cut(lists.scores.tolist(), lists.ptr), strict=True
        ):
            copies = sentence.some(np.zeros(len(scores), np.int64))
            trees = as_trees(*self._labelled(copies, heads), copies.ptr)
            found.append(list(zip(trees, scores, strict=True)))
        return found

    def arc_probabilities(self, X: ParseSentences, heads: ArrayLike) -> Array:
        """Return the probability of each token's arc to a given head, in the CRF of these weights.

        Parameters
        ----------
        X : list of list of tokens, TokenColumns or Treebank
            Sentences.
        heads : array-like of int
            One head per token, of all sentences one after the other.

        Returns
        -------
        array of shape (n_tokens,)
            Probabilities; models of order 3 have none.
        """
        check_fitted(self)
        tokens = self._tagged(self._tokens(X))
        columns, ptr = self.scorer_.encoder.encode(tokens)
        wanted = np.ascontiguousarray(heads, dtype=np.int32)
        found: Array = self.scorer_.kernel.arc_probabilities(
            columns, ptr, *self._candidates(tokens), wanted, self._n_threads()
        )
        return found

    def _tokens(self, X: ParseSentences) -> TokenColumns:
        if isinstance(X, Treebank):
            return X.tokens
        if isinstance(X, TokenColumns):
            return X
        sentences = list(X)
        words_alone = getattr(self, "tagger_", None) is not None and all(
            isinstance(token, str) for sentence in sentences for token in sentence
        )
        names = tuple(self.columns)[:1] if words_alone else self.columns
        return TokenColumns.from_sentences(sentences, names)

    def _pieces(self, tokens: TokenColumns) -> Pieces:
        """Return sentences in pieces of at most `most_tokens` tokens."""
        return Pieces.of(tokens, self.most_tokens)

    def tagged(self, X: ParseSentences) -> TokenColumns | None:
        """Return the sentences with tags by the parser's own tagger; see TreePredictor."""
        check_fitted(self)
        return None if self.tagger_ is None else self._tagged(self._tokens(X))

    def _tagged(self, tokens: TokenColumns) -> TokenColumns:
        """Return the tokens with tags by the parser's own tagger, if it has one.

        It learned from such tags: others would mislead it.
        """
        return tokens if self.tagger_ is None else self.tagger_.filled(tokens)

    def _candidates(self, tokens: TokenColumns, gold: Ints32 | None = None) -> Candidates:
        """Return the heads that the pruner leaves, the gold ones among them if they are given."""
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
        """Return the threshold of pruning; 0 if there is none."""
        given = (0.0 if self.model == "arcs" else 1e-4) if self.prune is None else self.prune
        if not 0 <= given <= 1 or self.most_heads < 1:
            raise ValueError(
                "prune must be from 0 to 1 and most_heads above 0, "
                f"got {self.prune!r} and {self.most_heads!r}"
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
        return thread_count(self.n_jobs)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "scorer_")

    def text_trees(self, texts: Sequence[str], boundary: Boundary = "auto") -> list[list[Tree]]:
        """Return the dependency trees of plain texts; see laconic.text_trees."""
        return text_trees(self, texts, boundary)
