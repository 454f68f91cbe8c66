"""`Parser`: sentences in, one tree per sentence out.

    tree = argmax over trees of  sum over its parts of  w . features of the part

Parts are arcs or, depending on the model, arcs with siblings and the head's head. Templates make
the features of a part from its words and those near them. A learner selects and weighs them; a
second one may learn again from what the first has kept. The arcs of a tree get their labels in a
second stage. Treebanks with crossing arcs are learned as projective trees with marked labels, and
the marks say how the arcs of a predicted tree cross (Nivre and Nilsson 2005).
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from laconic.core.arrays import Ints, Ints32
from laconic.core.inference.tree import MODELS
from laconic.core.ragged import cut
from laconic.core.report import Callback, FitReport
from laconic.core.solvers.online import Mira, OnlineLearner, StochasticGradient
from laconic.models.features import kept_templates
from laconic.parse.labels import RelationLabeler
from laconic.parse.learn import EncodedTrees, TreeTrainingData, as_tree_learner, short_enough
from laconic.parse.predict import ParsePredictor
from laconic.parse.pseudo_projective import lift, of_sentences
from laconic.parse.relation_columns import relation_columns
from laconic.parse.scorer import Scorer
from laconic.parse.templates import PartTemplates, part_templates_from
from laconic.parse.trees import GivenTree, ParseSentences
from laconic.parse.weights import PRUNER, Candidates, ParseWeights, TreeShape
from laconic.tag.predict import REFIT_FEATURES
from laconic.tag.refit import joined_reports
from laconic.text.sequences import SequenceEncoder
from laconic.text.token_columns import TokenColumns
from laconic.text.treebanks import COLUMNS, Treebank, check_trees
from laconic.text.views import WordClusters

READY = {
    "arcs": "arcs",
    "siblings": "second",
    "carreras": "second",
    "grand siblings": "third",
    "tri siblings": "third",
}


class Parser(ParsePredictor, BaseEstimator):
    """tree = argmax over trees of sum over its parts of w . features of the part.

    Parameters
    ----------
    model : str, default="arcs"
        Which parts of trees are scored: "arcs" (order 1), "siblings" or "carreras" (order 2),
        "grand siblings" or "tri siblings" (order 3).
    templates : str, path or PartTemplates, default=None
        Feature templates: the name of a ready set, a file of templates, or PartTemplates. Ready
        sets are "arcs", "arcs684", "second" and "third"; None is the one that suits the model.
        Templates of parts that the model does not score are left out.
    learner : online learner, default=None
        What selects and weighs features, such as Mira(10) or Sparseptron(budget=200). None is
        Mira().
    refit : online learner, default=None
        A second learner, which learns again from what the first has kept.
    refit_features : {"templates", "features"}, default="templates"
        What the second learner learns from: all features of the kept templates, or only the
        features that were kept.
    crossing : bool, default=False
        Whether the model finds trees with crossing arcs, for the model "arcs" alone. Otherwise
        crossing arcs are lifted, and marked in the labels.
    labels : bool, default=True
        Whether to learn relation labels, if the treebank has different ones.
    labeler : RelationLabeler, default=None
        What learns relation labels. None is RelationLabeler().
    single_root : bool, default=None
        Whether exactly one word of a sentence hangs on the root. None is as in the training data.
    prune : float, default=None
        Arcs less probable than this times a word's most probable arc are left out. None is 1e-4,
        and 0 (no pruning) for the model "arcs".
    most_heads : int, default=10
        Number of heads of a word that are considered where arcs are pruned, at most.
    columns : sequence of str, default=("word", "lemma", "coarse", "fine", "morph")
        Names of the strings of a token.
    clusters : path or WordClusters, default=None
        Brown clusters for templates with cluster views: a file with bits, tab and word per line.
    n_jobs : int, default=None
        Number of threads. None is one, -1 is all processors.
    tagger : WordTagger, default=None
        A tagger for a parser that needs words alone. The parser learns from tags that the tagger
        predicts, and lets it predict those of new sentences.
    most_tokens : int, default=400
        Number of tokens of a sentence, at most. Longer ones are cut at punctuation, parsed in
        pieces and joined to one tree: every piece hangs on the root of the first. Longer sentences
        with trees are not learned from.

    Attributes
    ----------
    scorer_ : Scorer
        The kept templates, their encoder, their weights and the kernel that scores with them.
    weights_ : ParseWeights
        The weights of the kept features.
    templates_given_ : PartTemplates
        All templates.
    shape_ : TreeShape
        Which trees there are.
    pruner_ : Scorer or None
        The model that prunes arcs.
    labeler_ : RelationLabeler or None
        The model of relation labels.
    tagger_ : WordTagger or None
        The tagger of words.
    report_ : FitReport
        How the fit went.

    Examples
    --------
    >>> from laconic import Mira, Parser
    >>> X = [["we", "eat", "fish"], ["they", "catch", "fish"]]
    >>> y = [[2, 0, 2], [2, 0, 2]]
    >>> from laconic.parse.templates import parse_part_templates
    >>> templates = parse_part_templates(["h.word|m.word|dir", "m.word|dir"], columns=("word",))
    >>> parser = Parser(templates=templates, learner=Mira(3), columns=("word",)).fit(X, y)
    >>> parser.predict([["they", "eat", "fish"]])[0].heads
    [2, 0, 2]
    """

    scorer_: Scorer
    pruner_: Scorer | None

    @property
    def weights_(self) -> ParseWeights:
        """The features of the kept templates, and their weights."""
        return self.scorer_.weights

    def fit(
        self,
        X: ParseSentences,
        y: Sequence[GivenTree] | None = None,
        callback: Callback | None = None,
    ) -> Parser:
        """Learn from sentences with trees.

        Parameters
        ----------
        X : Treebank, TokenColumns or list of list of tokens
            Sentences; a token is a tuple with one string per column, or a string if there is one.
        y : list of trees, optional
            For each sentence a DependencyTree, or a list of heads; None if X is a Treebank.
        callback : callable, optional
            Called with an Event after every pass; True stops, and what was learned is kept.

        Returns
        -------
        Parser
            The parser itself.
        """
        began = time.perf_counter()
        bank = self._bank(X, y)
        if self.refit_features not in REFIT_FEATURES:
            raise ValueError(
                f"refit_features must be 'templates' or 'features', got {self.refit_features!r}"
            )
        templates = self._templates()
        bank = self._learn_tags(short_enough(bank, self.most_tokens), callback)
        learners = [as_tree_learner(Mira() if self.learner is None else self.learner)]
        if self.refit is not None:
            learners.append(as_tree_learner(self.refit))
        heads, labels = self._learned_trees(bank)
        self.shape_ = TreeShape(self.model, self.crossing, self._single_root(bank.heads, bank.ptr))
        self.pruner_ = None
        candidates = Candidates()
        if self._threshold() > 0:
            self.pruner_ = self._learn_pruner(bank.tokens, heads)
            candidates = self._candidates(bank.tokens, heads)
        encoder = self._new_encoder(templates)
        data = EncodedTrees(*encoder.grow(bank.tokens), heads, candidates)
        training = TreeTrainingData(templates, encoder, data, self.shape_, callback)
        report = self._learn_weights(training, learners)
        self.labeler_ = None
        if labels is not None:
            self.labeler_ = self._new_labeler().fit(bank.tokens, heads, labels, callback)
            stopped = self.labeler_.tagger_.interrupted_
            report = replace(report, interrupted=report.interrupted or stopped)
        self.report_ = self._completed(replace(report, seconds=time.perf_counter() - began))
        return self

    def with_weights(self, weights: ParseWeights) -> Parser:
        """Return a copy with other weights of the same features.

        Weights that are zero are dropped, with everything that only they mention.
        """
        check_is_fitted(self)
        found = copy.copy(self)
        found.scorer_ = self.scorer_.with_weights(weights, self.shape_)
        found.report_ = found._completed(self.report_)
        return found

    def relearned(
        self,
        learner: OnlineLearner,
        X: ParseSentences,
        y: Sequence[GivenTree] | None = None,
        callback: Callback | None = None,
    ) -> Parser:
        """Return a copy whose features were weighed again by another learner, from zero.

        Pruning and labels stay as they are.

        Parameters
        ----------
        learner : online learner
            What weighs the features.
        X, y, callback
            See `fit`.
        """
        check_is_fitted(self)
        bank = short_enough(self._bank(X, y), self.most_tokens)
        bank = Treebank(self._tagged(bank.tokens), bank.heads, bank.labels)
        heads, _ = self._learned_trees(bank)
        data = EncodedTrees(
            *self.scorer_.encoder.encode(bank.tokens), heads, self._candidates(bank.tokens, heads)
        )
        training = TreeTrainingData(
            self.scorer_.templates,
            self.scorer_.encoder,
            data,
            self.shape_,
            callback,
            self.scorer_.weights,
        )
        weights, report = as_tree_learner(learner).learn(training)
        found = self.with_weights(weights)
        total = self.report_.features_total
        found.report_ = found._completed(replace(report, features_total=total))
        return found

    def relations(self, bank: Treebank) -> tuple[TokenColumns, list[list[str]]] | None:
        """Return what the labeler learns from a treebank; None if there are no labels to learn.

        That is columns of tokens in their trees, and one label per token.
        """
        heads, labels = self._learned_trees(bank)
        if labels is None:
            return None
        return relation_columns(self._tagged(bank.tokens), heads), list(cut(labels, bank.ptr))

    def _templates(self) -> PartTemplates:
        if self.model not in MODELS:
            raise ValueError(
                f"model must be one of {', '.join(map(repr, MODELS))}, got {self.model!r}"
            )
        if self.crossing and self.model != "arcs":
            raise ValueError(
                "trees with crossing arcs are scored by arcs alone: "
                "use model='arcs', or leave crossing=False"
            )
        given = part_templates_from(
            READY[self.model] if self.templates is None else self.templates, self.columns
        )
        kinds = TreeShape(self.model).kinds
        return given.subset(m for m, template in enumerate(given) if template.kind in kinds)

    def _learn_tags(self, bank: Treebank, callback: Callback | None) -> Treebank:
        """Return the treebank with tags such as the parser's own tagger predicts, if it has one."""
        self.tagger_ = None
        if self.tagger is None:
            return bank
        if tuple(self.columns) != COLUMNS:
            raise ValueError(
                f"a tagger fills the columns {', '.join(COLUMNS)}; got columns={self.columns!r}"
            )
        self.tagger_ = clone(self.tagger).fit(bank.tokens, callback)
        return Treebank(self.tagger_.crossed(bank.tokens, callback), bank.heads, bank.labels)

    def _learn_weights(
        self, training: TreeTrainingData, learners: list[OnlineLearner]
    ) -> FitReport:
        """Learn `scorer_` by a learner, and again by a second one, if there is one."""
        templates = self.templates_given_ = training.templates
        weights, report = learners[0].learn(training)
        for learner in learners[1:]:
            if report.interrupted:
                break
            kept, found = kept_templates(templates, weights)
            start = found if self.refit_features == "features" else None
            training = training._replace(templates=kept, start=start)
            weights, second = learner.learn(training)
            report = joined_reports(report, second)
        self.scorer_ = Scorer.narrowed(training, weights)
        return report

    def _new_labeler(self) -> RelationLabeler:
        if self.labeler is None:
            return RelationLabeler(n_jobs=self.n_jobs)
        labeler: RelationLabeler = clone(self.labeler)
        return labeler

    def _single_root(self, heads: Ints32, ptr: Ints) -> bool:
        """Return whether trees have one root: as asked for, or as in the training data."""
        if self.single_root is not None:
            return self.single_root
        roots = np.add.reduceat((heads == 0).astype(np.int64), ptr[:-1][np.diff(ptr) > 0])
        return bool(np.all(roots == 1))

    def _learned_trees(self, bank: Treebank) -> tuple[Ints32, list[str] | None]:
        """Return heads that the model can have, and the labels to learn, if there are any."""
        if not len(bank.heads):
            raise ValueError("there are no tokens to learn from")
        check_trees(bank)
        # Labels that are all the same say nothing.
        labels = bank.labels if self.labels and len(set(bank.labels)) > 1 else None
        if self.crossing:
            return bank.heads, labels
        given = labels if labels is not None else [""] * len(bank.heads)
        heads, marked = of_sentences(lift, bank.heads, given, bank.ptr)
        return heads, marked if labels is not None or marked != given else None

    def _new_encoder(self, templates: PartTemplates) -> SequenceEncoder:
        clusters = self.clusters
        if clusters is not None and not isinstance(clusters, WordClusters):
            clusters = WordClusters.read(clusters)
        return SequenceEncoder(templates.views, tuple(self.columns), clusters)

    def _learn_pruner(self, tokens: TokenColumns, heads: Ints32) -> Scorer:
        templates = part_templates_from("pruner", self.columns)
        encoder = self._new_encoder(templates)
        data = EncodedTrees(*encoder.grow(tokens), heads)
        training = TreeTrainingData(templates, encoder, data, PRUNER)
        learner = StochasticGradient("log", epochs=2, step=0.2, averaged=True)
        weights, report = learner.learn(training)
        if report.interrupted:  # there is nothing yet that could be kept
            raise KeyboardInterrupt
        return Scorer.narrowed(training, weights)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        for name in ("scorer_", "pruner_"):
            if state.get(name) is not None:
                state[name] = state[name]._replace(kernel=None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "scorer_" in state:
            self.scorer_ = Scorer.of(*self.scorer_[:3], self.shape_)
            self.pruner_ = None if self.pruner_ is None else Scorer.of(*self.pruner_[:3], PRUNER)
