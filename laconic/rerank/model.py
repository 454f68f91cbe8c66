"""`Reranker`: the best of a parser's k best trees, by features found in a kernel space of their sub-trees.

    tree = argmax over the k best of  beta * score by the parser + w . features of the tree

Training lists come from parsers that have not seen the sentences they parse, with the right tree added. Features are searched by
the gradient of an L1-norm SVM (`laconic.mine`), from a model of single arcs, and weighed by an averaged perceptron; beta is the
best one for held-out trees (Qian and Liu 2015).
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from laconic.core.ragged import ranges
from laconic.core.report import Callback, Event, FitReport, in_one_line
from laconic.core.solvers.online import Mira
from laconic.mine.gradient import GradientMining, Outputs, Round, best_of_lists
from laconic.mine.narrowing import Narrowed
from laconic.mine.polynomial import Polynomial
from laconic.mine.ranking import ListFeatures, Ranked, decayed, orders, rank
from laconic.mine.refusal import named_if_refused
from laconic.mine.sub_trees import SubTrees
from laconic.parse.lists import TreeLists, crossed, k_best, whole, with_gold
from laconic.parse.model import Parser
from laconic.parse.predict import Tree, TreePredictor
from laconic.parse.templates import part_templates_from
from laconic.rerank.tree_space import TreeSpace
from laconic.text.sequences import SequenceEncoder, TokenColumns
from laconic.text.treebanks import Treebank

Float64 = NDArray[np.float64]
MOST_TREES = 10_000  # of a sentence
BATCH = 256  # sentences whose features are in memory together
SHARES = np.linspace(0, 1, 41)[:-1]  # of the parser's scores in the sum, tried for beta


class RankedLists(NamedTuple):
    """Lists of trees with the heads that are right, as a treebank has them."""

    lists: TreeLists
    gold: NDArray[np.int32]

    def some(self, chosen: NDArray[np.integer[Any]]) -> RankedLists:
        """The lists of these sentences."""
        ptr = self.lists.tokens.ptr
        return RankedLists(
            self.lists.some(chosen), self.gold[ranges(ptr[:-1][chosen], ptr[1:][chosen])]
        )

    def uas(self, scores: Float64) -> float:
        """The share of right heads in the trees with the highest scores."""
        return float(
            self.lists.right_heads(self.gold)[best_of_lists(self.lists.ptr, scores)].sum()
            / max(1, len(self.gold))
        )


class Reranker(TreePredictor):
    """Learn which of a parser's trees is the right one.

    parser: a Parser; None: Parser("tri siblings", learner=Mira(6)); k: trees of a sentence; folds: parsers that make training lists
    kernel: SubTrees(arcs) or Polynomial(degree): the space of features
    templates: of the basic features of arcs, a name or a file
    threshold: C of the search: larger features whose counts in right and in wrongly preferred trees do not differ by more are left
        out, and single ones with counts that are not above it; 0: all that occur stay
    rounds: of the search; memory: bytes that it may use
    decay: of the perceptron's steps, by the order of features; epochs: its passes
    pretrain_epochs: passes of the model of single arcs that the search begins with (0: it begins with nothing, and finds the most)
    beta: the factor of the parser's scores; None: the best one for held-out trees
    """

    def __init__(
        self,
        parser: Any = None,
        k: int = 10,
        folds: int = 10,
        kernel: Any = None,
        templates: Any = "basic",
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
        X: Any,
        y: Any = None,
        dev: Treebank | None = None,
        callback: Callback | None = None,
    ) -> Reranker:
        """Learn from a Treebank, or sentences and trees; beta from `dev`, or from the last fold if there is none.

        A callback sees an Event after every "fold" and before the "parser" is learned, then every
        OrderCount and every Round of the search.
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
        held = None if dev is None else RankedLists(k_best(parser, dev.tokens, self.k), dev.heads)
        self.fit_lists(parser, RankedLists(lists, gold), held, callback)
        self.report_ = replace(self.report_, seconds=time.perf_counter() - began)
        return self

    def fit_lists(
        self,
        parser: Any,
        train: RankedLists,
        dev: RankedLists | None = None,
        callback: Callback | None = None,
    ) -> Reranker:
        """Learn from lists that are there already, for a fitted parser."""
        began = time.perf_counter()
        if dev is None and self.beta is None:
            train, dev = _split(train, self.folds)
        self.parser_ = parser
        lists, gold = with_gold(train.lists, train.gold)
        templates = self.templates_given_ = part_templates_from(self.templates, parser.columns)
        self.space_ = TreeSpace(templates, SequenceEncoder(templates.views, tuple(parser.columns)))
        structures = self._structures(lists, grow=True)
        self.space_.encoder.freeze()
        trees = np.arange(len(lists.scores), dtype=np.int64)
        outputs = Outputs(lists.ptr, trees, np.zeros(len(trees), np.int32), gold)
        stops: list[bool] = []

        def on_event(event: Event) -> bool:
            stops.append(callback is not None and bool(callback(event)))
            return stops[-1]

        miner, rounds = named_if_refused(
            lambda threshold: self._search(threshold, structures, outputs, on_event), self.threshold
        )
        weights, self.wrong_ = self._rank(
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

    def rank_scores(self, lists: TreeLists) -> Float64:
        """What the features of every tree weigh, up to what the trees of a list share."""
        check_is_fitted(self)
        found = [np.zeros(0)]
        for begin in range(0, len(lists.tokens), BATCH):
            part = lists.some(np.arange(begin, min(begin + BATCH, len(lists.tokens))))
            found.append(
                ListFeatures.of(self.miner_, self._structures(part), part.ptr).scores(self.weights_)
            )
        return np.concatenate(found)

    def parse(self, X: Any) -> tuple[NDArray[np.int32], list[str] | None]:
        """A head and a label for every token of sentences, of a Treebank or of TokenColumns, one after the other."""
        lists = self._reranked(X, 1)
        found: tuple[NDArray[np.int32], list[str] | None] = self.parser_._labelled(
            lists.tokens, lists.heads
        )
        return found

    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[Tree, float]]]:
        """Up to k of the trees that each sentence is given by the parser, with their scores here, best first.

        Scores compare the trees of a sentence, not sentences.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k!r}")
        lists = self._reranked(X, k)
        found: list[list[tuple[Tree, float]]] = self.parser_._listed(lists)
        return found

    @property
    def used_kernel(self) -> Any:
        """The space of features."""
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

    def _tokens(self, X: Any) -> TokenColumns:
        check_is_fitted(self)
        found: TokenColumns = self.parser_._tokens(X)
        return found

    def _reranked(self, X: Any, k: int) -> TreeLists:
        """The best k of the parser's trees."""
        tokens = self._tokens(X)
        lists = k_best(self.parser_, tokens, self.k)
        return lists.ranked(self.beta_ * lists.scores + self.rank_scores(lists), k)

    def _adopt(self, miner: Any, weights: Float64) -> None:
        """Keep the features with weights, what they extend, and the basic features that they are made of."""
        found = Narrowed.of(miner, np.flatnonzero(weights))
        depth, basic = np.divmod(found.extension[1:], max(1, len(self.space_)))
        used, basic = np.unique(basic, return_inverse=True)
        self.space_ = self.space_.narrowed(used)
        found.extension[1:] = depth * max(1, len(used)) + basic
        self.miner_, self.weights_ = found.miner(), weights[found.number]

    def _check(self) -> None:
        """ValueError now rather than after the parsers have learned."""
        if not (self.parser is None or isinstance(self.parser, Parser)):
            raise ValueError(f"parser must be a Parser or None, got {self.parser!r}")
        if not 1 <= self.k <= MOST_TREES:
            raise ValueError(f"k must be from 1 to {MOST_TREES}, got {self.k!r}")
        if self.epochs < 1 or self.pretrain_epochs < 0:
            raise ValueError(
                f"epochs must be at least 1, pretrain_epochs 0, got {self.epochs!r} and {self.pretrain_epochs!r}"
            )
        decayed(np.zeros(0, np.int64), self.decay)
        GradientMining(
            self.threshold, self.used_kernel.most_order, self.rounds, memory=self.memory
        ).new_miner()

    def _structures(self, lists: TreeLists, grow: bool = False) -> Any:
        products = isinstance(self.kernel, Polynomial)
        return self.space_.sets(lists, grow) if products else self.space_.trees(lists, grow)

    def _search(
        self,
        threshold: int,
        structures: Any,
        outputs: Outputs,
        callback: Callback,
    ) -> tuple[Any, list[Round]]:
        """Features of order 1, a model of them, and from there what else is above the threshold where that model is wrong."""
        most_order = self.used_kernel.most_order
        first = GradientMining(threshold, 1, 1, memory=self.memory).run(structures, outputs, 1)
        if most_order == 1:
            return first.miner, first.rounds
        weights = np.zeros(len(first.miner))
        if self.pretrain_epochs > 0:
            features = ListFeatures.of(first.miner, structures, outputs.ptr)
            weights = self._rank(first.miner, features, outputs, self.pretrain_epochs).weights
        single = np.arange(1, len(first.miner))
        search = GradientMining(
            threshold,
            most_order,
            self.rounds,
            decreasing=True,
            memory=self.memory,
            proximal=threshold > 0,
        )
        found = search.run(
            structures,
            outputs,
            1,
            first.miner,
            weights[:, None],
            callback=callback,
            on_order=callback,
        )
        return Narrowed.of(found.miner, np.union1d(found.features, single)).miner(), [
            *first.rounds,
            *found.rounds,
        ]

    def _rank(self, miner: Any, features: ListFeatures, outputs: Outputs, epochs: int) -> Ranked:
        return rank(
            features, outputs, decayed(orders(miner), self.decay), epochs, self.random_state
        )

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "miner_" in state:
            state["miner_"] = Narrowed.of(self.miner_, np.arange(len(self.miner_)))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "miner_" in state:
            self.miner_ = self.miner_.miner()


def best_beta(dev: RankedLists, ranked: Float64) -> float:
    """The factor of the parser's scores with the most right heads, of a grid of shares of both scores' spreads; the middle one of equals."""
    spread = _spread(ranked, dev.lists.ptr) / max(_spread(dev.lists.scores, dev.lists.ptr), 1e-300)
    betas = spread * SHARES / (1 - SHARES)
    found = np.array([dev.uas(beta * dev.lists.scores + ranked) for beta in betas])
    best = np.flatnonzero(found == found.max())
    return float(betas[best[len(best) // 2]])


def _spread(scores: Float64, ptr: NDArray[np.int64]) -> float:
    """The standard deviation within lists."""
    lengths = np.diff(ptr)
    return float(np.std(scores - np.repeat(np.add.reduceat(scores, ptr[:-1]) / lengths, lengths)))


def _split(train: RankedLists, folds: int) -> tuple[RankedLists, RankedLists]:
    """All lists but those of the last fold, and those."""
    first, last = np.split(
        np.arange(len(train.lists.tokens)), [int(len(train.lists.tokens) * (1 - 1 / folds))]
    )
    return train.some(first), train.some(last)
