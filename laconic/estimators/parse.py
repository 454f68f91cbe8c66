"""`Parser`: sentences in, a tree for each out.

    tree = argmax over trees of  sum over its parts of  w . features of the part

Parts are arcs, or arcs with siblings and the head's head, by model. Features are what templates make of the words of a part and
those near them. A learner chooses and weighs them; a second one may refit what the first has kept. Relation labels are given to the
arcs of the tree in a second stage. Treebanks with crossing arcs are learned as projective trees with marked labels, and the marks
say how the arcs of a predicted tree cross (Nivre and Nilsson 2005).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from laconic.estimators.features import kept_templates, narrow
from laconic.estimators.parse_labels import RelationLabeler
from laconic.estimators.parse_learning import Learned, ParseLesson, TreeData, as_tree_learner
from laconic.estimators.parse_model import Candidates, ParseWeights, TreeShape, load_kernel, make_kernel
from laconic.inference.tree import MODELS
from laconic.ragged import cut
from laconic.solvers.online import Mira, StochasticGradient
from laconic.text.io import PathLike
from laconic.text.part_templates import PartTemplates, part_templates_from
from laconic.text.pseudo_projective import lift, sink
from laconic.text.sequences import SequenceEncoder, TokenColumns
from laconic.text.treebanks import COLUMNS, Treebank
from laconic.text.views import WordClusters

REFIT_FEATURES = ("templates", "features")
READY = {"arcs": "arcs", "siblings": "second", "carreras": "second", "grand siblings": "third", "tri siblings": "third"}


class Tree(NamedTuple):
    """heads[t]: the place in the sentence of token t's head, counted from 1, 0 at a root; labels: of the arcs, or None."""

    heads: list[int]
    labels: list[str] | None


class Scorer(NamedTuple):
    """Templates with weights, the encoder of their views, and the kernel that scores with them."""

    templates: PartTemplates
    encoder: SequenceEncoder
    weights: ParseWeights
    kernel: Any

    @classmethod
    def of(cls, templates: PartTemplates, encoder: SequenceEncoder, weights: ParseWeights, shape: TreeShape) -> Scorer:
        """With a kernel of its own."""
        return cls(templates, encoder, weights, load_kernel(make_kernel(templates, encoder, shape), weights))

    @classmethod
    def narrowed(cls, lesson: ParseLesson, found: ParseWeights) -> Scorer:
        """What was learned, without templates and values that have no weights."""
        templates, found = kept_templates(lesson.templates, found)
        return cls.of(templates, *narrow(templates, lesson.encoder, found), lesson.shape)


PRUNER = TreeShape("arcs", crossing=True)


class Parser(BaseEstimator):
    """Learn dependency trees.

    model: "arcs" (order 1), "siblings", "carreras" (order 2), "grand siblings", "tri siblings" (order 3)
    templates: "arcs", "arcs684", "second", "third", a file or PartTemplates; None: what suits the model. Those of parts that the
        model does not score are left out
    learner: Mira(10), Sparseptron(budget=200), .. ; None is Mira(); refit: a learner that learns anew from the kept templates
    crossing: trees may have crossing arcs (model "arcs" alone); else crossing arcs are lifted and marked in the labels
    labels: learn relation labels, if the treebank has them; labeler: a RelationLabeler for it
    single_root: one word of a sentence hangs on the root; None: as in the training data
    refit_features: the refit learns all features of the kept "templates", or only the very "features" that were kept
    prune: arcs less probable than this times a word's most probable one are out of question; None: 1e-4, and 0 (all arcs are looked
        at) for the model "arcs"
    most_heads: at most so many heads of a word are looked at where arcs are pruned
    clusters: a file of Brown clusters, for templates with cluster views
    """

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

    def fit(self, X: Any, y: Any = None, callback: Callable[[Any], bool | None] | None = None) -> Parser:
        """Learn from a Treebank, or from sentences X and y: for each a Tree, or a list of heads. A callback sees every pass."""
        bank = X if isinstance(X, Treebank) and y is None else self._bank(X, y)
        if self.refit_features not in REFIT_FEATURES:
            raise ValueError(f"refit_features must be 'templates' or 'features', got {self.refit_features!r}")
        templates = self._templates()
        first, *rest = [as_tree_learner(learner) for learner in (self._learner(), self.refit) if learner is not None]
        heads, labels = self._learned_trees(bank)
        self.shape_ = TreeShape(self.model, self.crossing, self._single_root(bank.heads, bank.ptr))
        self.pruner_ = None
        candidates = Candidates()
        if self._threshold() > 0:
            self.pruner_ = self._learn_pruner(bank.tokens, heads)
            candidates = self._candidates(bank.tokens, heads)
        encoder = self._new_encoder(templates)
        data = TreeData(*encoder.grow(bank.tokens), heads, candidates)
        lesson = ParseLesson(templates, encoder, data, self.shape_, callback)
        steps = [first.learn(lesson)]
        self.templates_given_ = templates
        self.n_features_total_ = steps[0].n_features
        for learner in rest:
            if steps[-1].interrupted:
                break
            kept, found = kept_templates(templates, steps[0].weights)
            lesson = lesson._replace(templates=kept, start=found if self.refit_features == "features" else None)
            steps.append(learner.learn(lesson))
        self._adopt(lesson, steps)
        self.labeler_ = None
        if labels is not None:
            labeler = RelationLabeler() if self.labeler is None else self.labeler
            self.labeler_ = labeler.fit(bank.tokens, heads, labels)
        return self

    @property
    def weights_(self) -> ParseWeights:
        """The features of the kept templates, and their weights."""
        return self.scorer_.weights

    def with_weights(self, weights: ParseWeights) -> Parser:
        """A copy with other weights of the same features; those that are zero are dropped with all that only they mention."""
        check_is_fitted(self)
        found = copy.copy(self)
        # Narrowing renumbers values in place, and they are this model's own.
        weights = weights._replace(atoms=[part.copy() for part in weights.atoms])
        templates, weights = kept_templates(self.scorer_.templates, weights)
        found.scorer_ = Scorer.of(templates, *narrow(templates, self.scorer_.encoder, weights), self.shape_)
        found.n_features_selected_ = found.scorer_.weights.n_nonzero
        return found

    def relearned(self, learner: Any, X: Any, y: Any = None, callback: Callable[[Any], bool | None] | None = None) -> Parser:
        """A copy whose features were weighed anew by another learner, from zero weights; pruning and labels stay as they are."""
        check_is_fitted(self)
        bank = X if isinstance(X, Treebank) and y is None else self._bank(X, y)
        heads, _ = self._learned_trees(bank)
        data = TreeData(*self.scorer_.encoder.encode(bank.tokens), heads, self._candidates(bank.tokens, heads))
        lesson = ParseLesson(self.scorer_.templates, self.scorer_.encoder, data, self.shape_, callback, self.scorer_.weights)
        learned = as_tree_learner(learner).learn(lesson)
        found = self.with_weights(learned.weights)
        found.trace_, found.interrupted_ = learned.trace, learned.interrupted
        return found

    def _adopt(self, lesson: ParseLesson, steps: list[Learned]) -> None:
        self.scorer_ = Scorer.narrowed(lesson, steps[-1].weights)
        self.n_features_selected_ = self.scorer_.weights.n_nonzero
        self.trace_ = [epoch for step in steps for epoch in step.trace]
        self.interrupted_ = steps[-1].interrupted

    def _templates(self) -> PartTemplates:
        if self.model not in MODELS:
            raise ValueError(f"model must be one of {', '.join(map(repr, MODELS))}, got {self.model!r}")
        if self.crossing and self.model != "arcs":
            raise ValueError("trees with crossing arcs are scored by arcs alone: use model='arcs', or leave crossing=False")
        given = part_templates_from(READY[self.model] if self.templates is None else self.templates, self.columns)
        kinds = TreeShape(self.model).kinds
        return given.subset(m for m, template in enumerate(given) if template.kind in kinds)

    def _learner(self) -> Any:
        return Mira() if self.learner is None else self.learner

    def _single_root(self, heads: NDArray[np.int32], ptr: NDArray[np.int64]) -> bool:
        if self.single_root is not None:
            return self.single_root
        roots = np.add.reduceat((heads == 0).astype(np.int64), ptr[:-1][np.diff(ptr) > 0])
        return bool(np.all(roots == 1))

    def _bank(self, X: Any, y: Any) -> Treebank:
        """Sentences and trees as a treebank."""
        tokens = self._tokens(X)
        trees = [tree if isinstance(tree, tuple) else (tree, None) for tree in y]
        if len(trees) != len(tokens):
            raise ValueError(f"there are {len(tokens)} sentences, but {len(trees)} trees")
        for number, (tree, n) in enumerate(zip(trees, np.diff(tokens.ptr).tolist(), strict=True)):
            if len(tree[0]) != n:
                raise ValueError(f"sentence {number} has {n} tokens, but {len(tree[0])} heads")
        heads = np.fromiter((head for tree in trees for head in tree[0]), np.int32, int(tokens.ptr[-1]))
        labels = [label for tree in trees for label in tree[1] or ()]
        if len(labels) not in (0, len(heads)):
            raise ValueError(f"there are {len(heads)} tokens, but {len(labels)} labels")
        return Treebank(tokens, heads, labels)

    def _tokens(self, X: Any) -> TokenColumns:
        if isinstance(X, Treebank):
            return X.tokens
        return X if isinstance(X, TokenColumns) else TokenColumns.from_sentences(X, self.columns)

    def _learned_trees(self, bank: Treebank) -> tuple[NDArray[np.int32], list[str] | None]:
        """Heads that the model can have, and labels for the second stage, if there is one."""
        if not len(bank.heads):
            raise ValueError("there are no tokens to learn from")
        labels = bank.labels if self.labels and bank.labels else None
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
        lesson = ParseLesson(templates, encoder, TreeData(*encoder.grow(tokens), heads), PRUNER)
        learned = StochasticGradient("log", epochs=2, step=0.2, averaged=True).learn(lesson)
        return Scorer.narrowed(lesson, learned.weights)

    def _candidates(self, tokens: TokenColumns, gold: NDArray[np.int32] | None = None) -> Candidates:
        if self.pruner_ is None:
            return Candidates()
        columns, ptr = self.pruner_.encoder.encode(tokens)
        wanted = np.zeros(0, np.int32) if gold is None else gold
        return Candidates(
            *self.pruner_.kernel.candidates(columns, ptr, self._threshold(), self.most_heads, wanted, self._n_threads())
        )

    def _threshold(self) -> float:
        given = (0.0 if self.model == "arcs" else 1e-4) if self.prune is None else self.prune
        if not 0 <= given <= 1 or self.most_heads < 1:
            raise ValueError(f"prune must be from 0 to 1 and most_heads above 0, got {self.prune!r} and {self.most_heads!r}")
        return given

    def _n_threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def parse(self, X: Any) -> tuple[NDArray[np.int32], list[str] | None]:
        """A head and a label for every token of sentences, of a Treebank or of TokenColumns, one after the other."""
        check_is_fitted(self)
        tokens = self._tokens(X)
        columns, ptr = self.scorer_.encoder.encode(tokens)
        heads, _ = self.scorer_.kernel.parse(columns, ptr, *self._candidates(tokens), self._n_threads())
        return self._labelled(tokens, heads)

    def _labelled(self, tokens: TokenColumns, heads: NDArray[np.int32]) -> tuple[NDArray[np.int32], list[str] | None]:
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

    def predict(self, X: Any) -> list[Tree]:
        """The best tree of each sentence."""
        tokens = self._tokens(X)
        heads, labels = self.parse(tokens)
        trees = cut(heads.tolist(), tokens.ptr)
        if labels is None:
            return [Tree(part, None) for part in trees]
        return [Tree(part, names) for part, names in zip(trees, cut(labels, tokens.ptr), strict=True)]

    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[Tree, float]]]:
        """Up to k different trees of each sentence with their scores, best first."""
        check_is_fitted(self)
        tokens = self._tokens(X)
        columns, ptr = self.scorer_.encoder.encode(tokens)
        counts, heads, scores = self.scorer_.kernel.k_best(columns, ptr, *self._candidates(tokens), k)
        found: list[list[tuple[Tree, float]]] = []
        at = rank = 0
        for sentence, count in zip(tokens.split(), counts.tolist(), strict=True):
            n = int(sentence.ptr[-1])
            ranked = []
            for _ in range(count):
                arcs, labels = self._labelled(sentence, heads[at : at + n].copy())
                ranked.append((Tree(arcs.tolist(), labels), float(scores[rank])))
                at, rank = at + n, rank + 1
            found.append(ranked)
        return found

    def score(self, X: Any, y: Any = None) -> float:
        """The share of tokens with the right head."""
        bank = X if isinstance(X, Treebank) and y is None else self._bank(X, y)
        return float(np.mean(self.parse(bank.tokens)[0] == bank.heads))

    def save(self, path: PathLike) -> None:
        """Write the model to one file, whole or not at all; `laconic.load` reads it."""
        from laconic.estimators.storage import save_model  # imported late: storage knows the estimators

        save_model(self, path)

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

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "scorer_")
