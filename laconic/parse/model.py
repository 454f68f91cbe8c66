"""`Parser`: sentences in, a tree for each out.

    tree = argmax over trees of  sum over its parts of  w . features of the part

Parts are arcs, or arcs with siblings and the head's head, by model. Features are what templates make of the words of a part and
those near them. A learner chooses and weighs them; a second one may refit what the first has kept. Relation labels are given to the
arcs of the tree in a second stage. Treebanks with crossing arcs are learned as projective trees with marked labels, and the marks
say how the arcs of a predicted tree cross (Nivre and Nilsson 2005).
"""

from __future__ import annotations

import copy
import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from laconic.core.inference.tree import MODELS
from laconic.core.ragged import cut
from laconic.core.report import Callback
from laconic.core.solvers.online import Mira, StochasticGradient
from laconic.models.features import kept_templates
from laconic.parse.labels import RelationLabeler
from laconic.parse.learn import TreeData, TreeTrainingData, as_tree_learner
from laconic.parse.predict import ParsePredictor
from laconic.parse.pseudo_projective import lift
from laconic.parse.relation_columns import relation_columns
from laconic.parse.scorer import PRUNER, Scorer
from laconic.parse.templates import PartTemplates, part_templates_from
from laconic.parse.weights import Candidates, ParseWeights, TreeShape
from laconic.tag.refit import joined_reports
from laconic.text.sequences import SequenceEncoder, TokenColumns
from laconic.text.treebanks import COLUMNS, Treebank, check_trees
from laconic.text.views import WordClusters

REFIT_FEATURES = ("templates", "features")
READY = {
    "arcs": "arcs",
    "siblings": "second",
    "carreras": "second",
    "grand siblings": "third",
    "tri siblings": "third",
}


class Parser(ParsePredictor):
    """Learn dependency trees.

    model: "arcs" (order 1), "siblings", "carreras" (order 2), "grand siblings", "tri siblings" (order 3)
    templates: "arcs", "arcs684", "second", "third", a file or PartTemplates; None: what suits the model. Those of parts that the
        model does not score are left out
    learner: Mira(10), Sparseptron(budget=200), .. ; None is Mira(); refit: a learner that learns anew from the kept templates
    crossing: trees may have crossing arcs (model "arcs" alone); else crossing arcs are lifted and marked in the labels
    labels: learn relation labels, if the treebank has different ones; labeler: a RelationLabeler for it
    single_root: one word of a sentence hangs on the root; None: as in the training data
    refit_features: the refit learns all features of the kept "templates", or only the very "features" that were kept
    prune: arcs less probable than this times a word's most probable one are out of question; None: 1e-4, and 0 (all arcs are looked
        at) for the model "arcs"
    most_heads: at most so many heads of a word are looked at where arcs are pruned
    clusters: a file of Brown clusters, for templates with cluster views
    tagger: a WordTagger, for a parser that needs words alone: it learns from tags that this one predicts, and predicts them itself
    """

    def fit(self, X: Any, y: Any = None, callback: Callback | None = None) -> Parser:
        """Learn from a Treebank, or from sentences X and y: for each a Tree, or a list of heads. A callback sees every pass."""
        began = time.perf_counter()
        bank = self._bank(X, y)
        if self.refit_features not in REFIT_FEATURES:
            raise ValueError(
                f"refit_features must be 'templates' or 'features', got {self.refit_features!r}"
            )
        templates = self._templates()
        self.tagger_ = None
        if self.tagger is not None:
            if tuple(self.columns) != COLUMNS:
                raise ValueError(
                    f"a tagger fills the columns {', '.join(COLUMNS)}; got columns={self.columns!r}"
                )
            self.tagger_ = clone(self.tagger).fit(bank.tokens, callback)
            bank = Treebank(self.tagger_.crossed(bank.tokens, callback), bank.heads, bank.labels)
        first, *rest = [
            as_tree_learner(learner)
            for learner in (self._learner(), self.refit)
            if learner is not None
        ]
        heads, labels = self._learned_trees(bank)
        self.shape_ = TreeShape(self.model, self.crossing, self._single_root(bank.heads, bank.ptr))
        self.pruner_ = None
        candidates = Candidates()
        if self._threshold() > 0:
            self.pruner_ = self._learn_pruner(bank.tokens, heads)
            candidates = self._candidates(bank.tokens, heads)
        encoder = self._new_encoder(templates)
        data = TreeData(*encoder.grow(bank.tokens), heads, candidates)
        training = TreeTrainingData(templates, encoder, data, self.shape_, callback)
        weights, report = first.learn(training)
        self.templates_given_ = templates
        for learner in rest:
            if report.interrupted:
                break
            kept, found = kept_templates(templates, weights)
            training = training._replace(
                templates=kept, start=found if self.refit_features == "features" else None
            )
            weights, second = learner.learn(training)
            report = joined_reports(report, second)
        self.scorer_ = Scorer.narrowed(training, weights)
        self.labeler_ = None
        if labels is not None:
            labeler = (
                RelationLabeler(n_jobs=self.n_jobs) if self.labeler is None else clone(self.labeler)
            )
            self.labeler_ = labeler.fit(bank.tokens, heads, labels, callback)
            report = replace(report, interrupted=report.interrupted or labeler.tagger_.interrupted_)
        self.report_ = self._completed(replace(report, seconds=time.perf_counter() - began))
        return self

    def with_weights(self, weights: ParseWeights) -> Parser:
        """A copy with other weights of the same features; those that are zero are dropped with all that only they mention."""
        check_is_fitted(self)
        found = copy.copy(self)
        found.scorer_ = self.scorer_.with_weights(weights, self.shape_)
        found.report_ = found._completed(self.report_)
        return found

    def relearned(
        self,
        learner: Any,
        X: Any,
        y: Any = None,
        callback: Callback | None = None,
    ) -> Parser:
        """A copy whose features were weighed anew by another learner, from zero weights; pruning and labels stay as they are."""
        check_is_fitted(self)
        bank = self._bank(X, y)
        bank = Treebank(self._tagged(bank.tokens), bank.heads, bank.labels)
        heads, _ = self._learned_trees(bank)
        data = TreeData(
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
        found.report_ = found._completed(
            replace(report, features_total=self.report_.features_total)
        )
        return found

    def relations(self, bank: Treebank) -> tuple[TokenColumns, list[list[str]]] | None:
        """What the labeler learns from a treebank: columns of tokens in their trees, and labels; None if there are none to learn."""
        heads, labels = self._learned_trees(bank)
        return (
            None
            if labels is None
            else (relation_columns(self._tagged(bank.tokens), heads), list(cut(labels, bank.ptr)))
        )

    def _templates(self) -> PartTemplates:
        if self.model not in MODELS:
            raise ValueError(
                f"model must be one of {', '.join(map(repr, MODELS))}, got {self.model!r}"
            )
        if self.crossing and self.model != "arcs":
            raise ValueError(
                "trees with crossing arcs are scored by arcs alone: use model='arcs', or leave crossing=False"
            )
        given = part_templates_from(
            READY[self.model] if self.templates is None else self.templates, self.columns
        )
        kinds = TreeShape(self.model).kinds
        return given.subset(m for m, template in enumerate(given) if template.kind in kinds)

    def _learner(self) -> Any:
        return Mira() if self.learner is None else self.learner

    def _single_root(self, heads: NDArray[np.int32], ptr: NDArray[np.int64]) -> bool:
        if self.single_root is not None:
            return self.single_root
        roots = np.add.reduceat((heads == 0).astype(np.int64), ptr[:-1][np.diff(ptr) > 0])
        return bool(np.all(roots == 1))

    def _learned_trees(self, bank: Treebank) -> tuple[NDArray[np.int32], list[str] | None]:
        """Heads that the model can have, and labels for the second stage, if there is one."""
        if not len(bank.heads):
            raise ValueError("there are no tokens to learn from")
        check_trees(bank)
        labels = (
            bank.labels if self.labels and len(set(bank.labels)) > 1 else None
        )  # labels that are all the same say nothing
        if self.crossing:
            return bank.heads, labels
        heads = bank.heads.copy()
        given = labels if labels is not None else [""] * len(heads)
        marked: list[str] = []
        for s, names in enumerate(cut(given, bank.ptr)):
            span = slice(*bank.ptr[s : s + 2].tolist())
            lifted, names = lift(heads[span].tolist(), names)
            heads[span] = lifted
            marked += names
        return heads, marked if labels is not None or marked != given else None

    def _new_encoder(self, templates: PartTemplates) -> SequenceEncoder:
        clusters = self.clusters
        if clusters is not None and not isinstance(clusters, WordClusters):
            clusters = WordClusters.read(clusters)
        return SequenceEncoder(templates.views, tuple(self.columns), clusters)

    def _learn_pruner(self, tokens: TokenColumns, heads: NDArray[np.int32]) -> Scorer:
        templates = part_templates_from("pruner", self.columns)
        encoder = self._new_encoder(templates)
        training = TreeTrainingData(
            templates, encoder, TreeData(*encoder.grow(tokens), heads), PRUNER
        )
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
