"""`Reranker`: the best of a parser's k best trees, by features from a kernel space of sub-trees.

    tree = argmax over the k best of  beta * score by the parser + w . features of the tree

Training lists come from parsers that have not seen the sentences they parse, with the right tree
added. Features are searched by the gradient of an L1-norm SVM (`laconic.mine`), beginning with a
model of single arcs, and weighed by an averaged perceptron; beta is the best one for held-out trees
(Qian and Liu 2015).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.report import Callback, Event, FitReport, in_one_line
from laconic.core.solvers.online import Mira
from laconic.mine.gradient import GradientMining
from laconic.mine.narrowing import Narrowed
from laconic.mine.outputs import Outputs
from laconic.mine.polynomial import Polynomial
from laconic.mine.ranking import ListFeatures, decayed
from laconic.mine.refusal import named_if_refused
from laconic.mine.rounds import Round
from laconic.mine.sub_trees import SubTrees
from laconic.parse.lists import TreeLists, crossed, k_best, whole, with_gold
from laconic.parse.model import Parser
from laconic.parse.templates import PartTemplates, part_templates_from
from laconic.parse.trees import (
    GivenTree,
    ParsedTokens,
    ParseSentences,
    RankedTree,
    TreePredictor,
)
from laconic.rerank.gold_lists import GoldLists, best_beta, without_last_fold
from laconic.rerank.learn import FeatureSearch, TreeStructures
from laconic.rerank.tree_space import TreeSpace
from laconic.text.io import PathLike
from laconic.text.sequences import SequenceEncoder
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import Treebank

MOST_TREES = 10_000  # trees per sentence
BATCH = 256  # sentences whose features are in memory together


class Reranker(TreePredictor, BaseEstimator):
    """tree = argmax over a parser's k best of beta * score by the parser + w . features of it.

    Parameters
    ----------
    parser : Parser, default=None
        The parser whose trees are ranked. None is Parser("tri siblings", learner=Mira(6)).
    k : int, default=10
        Number of trees per sentence, at most.
    folds : int, default=10
        Number of parsers that make the training lists, each from the sentences of other folds.
    kernel : SubTrees or Polynomial, default=None
        Space of features: sub-trees, or products of the basic features of arcs. None is SubTrees().
    templates : str, path or PartTemplates, default="basic"
        Templates of the basic features of arcs: the name of a ready set, a file, or PartTemplates.
    threshold : int, default=3
        Counts that features must exceed. A feature of several arcs is left out if its counts in
        right and in wrongly preferred trees do not differ by more, a feature of one arc if its
        counts are not above it; 0 keeps all that occur.
    rounds : int, default=1
        Number of rounds of the search.
    decay : float, default=0.1
        Factor of the perceptron's step size per order of a feature.
    epochs : int, default=10
        Number of passes of the perceptron.
    pretrain_epochs : int, default=10
        Number of passes of the model of single arcs with which the search begins. With 0 it begins
        with no model, and finds the most features.
    beta : float, default=None
        Factor of the parser's scores. None is the best one for held-out trees.
    memory : float, default=2**30
        Number of bytes that the search may use.
    random_state : int, default=0
        Seed of the order of sentences in the perceptron's passes.

    Attributes
    ----------
    parser_ : Parser
        The parser of all sentences.
    space_ : TreeSpace
        The basic features of arcs.
    miner_ : laconic._core.Miner
        The features: which basic features each is made of.
    weights_ : array
        One weight per feature of `miner_`.
    beta_ : float
        Factor of the parser's scores.
    wrong_ : list of int
        Number of wrong trees in each pass of the perceptron.
    rounds_ : tuple of Round
        The rounds of the search.
    templates_given_ : PartTemplates
        All templates of basic features.
    report_ : FitReport
        How the fit went.

    Examples
    --------
    >>> from laconic import Mira, Parser, Reranker
    >>> from laconic.parse.templates import parse_part_templates
    >>> X, y = [["we", "eat"], ["they", "eat"]] * 3, [[2, 0]] * 6
    >>> templates = parse_part_templates(["h.word|m.word|dir", "m.word|dir"], columns=("word",))
    >>> parser = Parser(templates=templates, learner=Mira(2), columns=("word",))
    >>> reranker = Reranker(parser, k=2, folds=3, templates=templates).fit(X, y)
    >>> reranker.predict([["we", "eat"]])[0].heads
    [2, 0]
    """

    parser_: Parser
    space_: TreeSpace
    miner_: _core.Miner
    weights_: Array
    beta_: float
    wrong_: list[int]
    templates_given_: PartTemplates

    def __init__(
        self,
        parser: Parser | str | None = None,
        k: int = 10,
        folds: int = 10,
        kernel: SubTrees | Polynomial | None = None,
        templates: PathLike | PartTemplates = "basic",
        threshold: int = 3,
        rounds: int = 1,
        decay: float = 0.1,
        epochs: int = 10,
        pretrain_epochs: int = 10,
        beta: float | None = None,
        memory: float = 2**30,
        random_state: int | None = 0,
    ):
        self.parser = parser
        self.k = k
        self.folds = folds
        self.kernel = kernel
        self.templates = templates
        self.threshold = threshold
        self.rounds = rounds
        self.decay = decay
        self.epochs = epochs
        self.pretrain_epochs = pretrain_epochs
        self.beta = beta
        self.memory = memory
        self.random_state = random_state

    def fit(
        self,
        X: ParseSentences,
        y: Sequence[GivenTree] | None = None,
        dev: Treebank | None = None,
        callback: Callback | None = None,
    ) -> Reranker:
        """Learn from sentences with trees.

        Parameters
        ----------
        X : Treebank, TokenColumns or list of list of tokens
            Sentences.
        y : list of trees, optional
            For each sentence a DependencyTree, or a list of heads; None if X is a Treebank.
        dev : Treebank, optional
            Sentences by which beta is chosen; None is the last fold of the training lists.
        callback : callable, optional
            Called with an Event after every "fold" and before the "parser" is learned, then with
            every OrderCount and Round of the search; True stops.

        Returns
        -------
        Reranker
            The reranker itself.
        """
        began = time.perf_counter()
        self._check()
        base = (
            Parser("tri siblings", learner=Mira(6)) if self.parser is None else clone(self.parser)
        )
        bank = base._bank(X, y)
        lists = crossed(base, bank, self.folds, self.k, callback)
        if callback is not None and callback(Event("parser", 1, 1)):
            raise KeyboardInterrupt
        parser = whole(base.fit(bank))
        gold, _ = parser._learned_trees(bank)
        held = None if dev is None else GoldLists(k_best(parser, dev.tokens, self.k), dev.heads)
        self.fit_lists(parser, GoldLists(lists, gold), held, callback)
        self.report_ = replace(self.report_, seconds=time.perf_counter() - began)
        return self

    def fit_lists(
        self,
        parser: Parser,
        train: GoldLists,
        dev: GoldLists | None = None,
        callback: Callback | None = None,
    ) -> Reranker:
        """Learn from lists of trees.

        Parameters
        ----------
        parser : Parser
            A fitted parser.
        train : GoldLists
            Lists by parsers that have not seen the sentences.
        dev : GoldLists, optional
            Lists by which beta is chosen; None is the last fold of `train`.
        callback : callable, optional
            Called with every OrderCount and Round of the search; True stops.
        """
        began = time.perf_counter()
        if dev is None and self.beta is None:
            train, dev = without_last_fold(train, self.folds)
        self.parser_ = parser
        lists, gold = with_gold(train.lists, train.gold)
        templates = self.templates_given_ = part_templates_from(self.templates, parser.columns)
        self.space_ = TreeSpace(templates, SequenceEncoder(templates.views, tuple(parser.columns)))
        structures = self._structures(lists, grow=True)
        self.space_.encoder.freeze()
        trees = np.arange(len(lists.scores), dtype=np.int64)
        outputs = Outputs(lists.ptr, trees, np.zeros(len(trees), np.int32), gold)
        search = self._feature_search()
        stops: list[bool] = []

        def on_event(event: Event) -> bool:
            stops.append(callback is not None and bool(callback(event)))
            return stops[-1]

        miner, rounds = named_if_refused(
            lambda threshold: search.run(threshold, structures, outputs, on_event), self.threshold
        )
        weights, self.wrong_ = search.rank(
            miner, ListFeatures.of(miner, structures, lists.ptr), outputs, self.epochs
        )
        self._adopt(miner, weights)
        if dev is None or self.beta is not None:
            self.beta_ = float(self.beta or 0)
        else:
            self.beta_ = best_beta(dev, self.rank_scores(dev.lists))
        self.report_ = self._completed(
            FitReport(
                in_one_line(self),
                n_iter=self.epochs,
                converged=not any(stops),
                interrupted=any(stops),
                features_total=len(miner) - 1,
                trace=tuple(rounds),
                seconds=time.perf_counter() - began,
            )
        )
        return self

    def rank_scores(self, lists: TreeLists) -> Array:
        """Return w . features of every tree, up to a constant per list."""
        check_is_fitted(self)
        found = [np.zeros(0)]
        for begin in range(0, len(lists.tokens), BATCH):
            part = lists.some(np.arange(begin, min(begin + BATCH, len(lists.tokens))))
            found.append(
                ListFeatures.of(self.miner_, self._structures(part), part.ptr).scores(self.weights_)
            )
        return np.concatenate(found)

    def parse(self, X: ParseSentences) -> ParsedTokens:
        """Return the heads and labels of all tokens, one after the other; see TreePredictor."""
        lists = self._reranked(X, 1)
        return self.parser_._labelled(lists.tokens, lists.heads)

    def predict_k_best(self, X: ParseSentences, k: int) -> list[list[RankedTree]]:
        """Return up to k of the parser's trees with their new scores; see TreePredictor.

        Scores compare the trees of a sentence, not sentences.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k!r}")
        lists = self._reranked(X, k)
        return self.parser_._listed(lists)

    @property
    def used_kernel(self) -> SubTrees | Polynomial:
        """The space of features, SubTrees() if none was given."""
        return SubTrees() if self.kernel is None else self.kernel

    @property
    def rounds_(self) -> tuple[Round, ...]:
        """The rounds of the search, in order."""
        return tuple(event for event in self.report_.trace if isinstance(event, Round))

    def _completed(self, report: FitReport) -> FitReport:
        """Return a report with the sizes of this model."""
        return replace(
            report,
            features_kept=int(np.count_nonzero(self.weights_)),
            groups_total=len(self.templates_given_),
            groups_kept=len(self.space_.templates),
        )

    def tagged(self, X: ParseSentences) -> TokenColumns | None:
        """Return the sentences with tags by the parser's own tagger; see TreePredictor."""
        check_is_fitted(self)
        return self.parser_.tagged(X)

    def _tokens(self, X: ParseSentences) -> TokenColumns:
        check_is_fitted(self)
        return self.parser_._tokens(X)

    def _reranked(self, X: ParseSentences, k: int) -> TreeLists:
        """Return the best k of the parser's trees."""
        tokens = self._tokens(X)
        lists = k_best(self.parser_, tokens, self.k)
        return lists.ranked(self.beta_ * lists.scores + self.rank_scores(lists), k)

    def _adopt(self, miner: _core.Miner, weights: Array) -> None:
        """Keep the features with weights, what they extend, and their basic features."""
        found = Narrowed.of(miner, np.flatnonzero(weights))
        depth, basic = np.divmod(found.extension[1:], max(1, len(self.space_)))
        used, basic = np.unique(basic, return_inverse=True)
        self.space_ = self.space_.narrowed(used)
        found.extension[1:] = depth * max(1, len(used)) + basic
        self.miner_, self.weights_ = found.miner(), weights[found.number]

    def _check(self) -> None:
        """Raise a ValueError now rather than after the parsers have learned."""
        if not (self.parser is None or isinstance(self.parser, Parser)):
            raise ValueError(f"parser must be a Parser or None, got {self.parser!r}")
        if not 1 <= self.k <= MOST_TREES:
            raise ValueError(f"k must be from 1 to {MOST_TREES}, got {self.k!r}")
        if self.epochs < 1 or self.pretrain_epochs < 0:
            raise ValueError(
                "epochs must be at least 1, pretrain_epochs 0, "
                f"got {self.epochs!r} and {self.pretrain_epochs!r}"
            )
        decayed(np.zeros(0, np.int64), self.decay)
        GradientMining(
            self.threshold, self.used_kernel.most_order, self.rounds, memory=self.memory
        ).new_miner()

    def _feature_search(self) -> FeatureSearch:
        return FeatureSearch(
            self.used_kernel.most_order,
            self.rounds,
            self.memory,
            self.pretrain_epochs,
            self.decay,
            self.random_state,
        )

    def _structures(self, lists: TreeLists, grow: bool = False) -> TreeStructures:
        """Return the trees as the search of the feature space reads them."""
        products = isinstance(self.kernel, Polynomial)
        return self.space_.sets(lists, grow) if products else self.space_.trees(lists, grow)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "miner_" in state:
            state["miner_"] = Narrowed.of(self.miner_, np.arange(len(self.miner_)))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "miner_" in state:
            packed: Narrowed = state["miner_"]
            self.miner_ = packed.miner()
