"""`Crf`: a tagger learned from all sentences at once,

    min_w  sum over sentences loss(gold, scores of w) + penalty(w)

with the loss of a conditional random field, a structured SVM or a structured perceptron.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from sklearn.base import BaseEstimator

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.designs.chain import Chain, Tokens
from laconic.core.groups import Groups
from laconic.core.losses import ChainHinge, ChainLog, ChainLoss, ChainPerceptron
from laconic.core.penalties import Discrete, Penalty, Ridge, SparseGroupLasso, TreeGroupLasso
from laconic.core.penalties.total import RatedElasticNet
from laconic.core.report import FitReport, in_one_line
from laconic.core.solvers.base import Solver
from laconic.core.solvers.budget import group_weights
from laconic.core.solvers.discrete import DiscreteAdmm
from laconic.core.solvers.fista import Fista
from laconic.core.solvers.owlqn import Owlqn
from laconic.tag.learn import TrainingData
from laconic.tag.numbering import FeatureNumbering
from laconic.tag.problem import ChainProblem
from laconic.tag.weights import TagWeights

TAIL_RIDGE = 1e-3
CrfGroups: TypeAlias = Literal["templates", "rows", "tree"]
CrfLoss: TypeAlias = Literal["log", "hinge", "perceptron"]
GROUPS: tuple[str, ...] = get_args(CrfGroups)
LOSSES: dict[str, Callable[[], ChainLoss]] = {
    "log": ChainLog,
    "hinge": ChainHinge,
    "perceptron": ChainPerceptron,
}


class TaggerProblem(NamedTuple):
    """A problem over numbered features, and the way back from the numbers.

    Parameters
    ----------
    problem : ChainProblem
        What is minimised.
    numbering : FeatureNumbering
        The features of the numbers.
    n_features : int
        Number of different features.
    x : array or None
        Where to begin.
    place : list of int
        Place of every template in the problem, where those of pairs of labels come last.
    """

    problem: ChainProblem
    numbering: FeatureNumbering
    n_features: int
    x: Array | None
    place: list[int]

    def weights(self, x: Array) -> TagWeights:
        """Return a point as the weights of a tagger."""
        return self.numbering.weights(self.problem.design, x).subset(self.place)


class Crf(BaseEstimator):
    """min_w sum loss + ridge |w|^2 / 2 + lasso |w|_1 + group sum_g d_g |w_g|_2: weights of taggers.

    Without a group term L-BFGS or OWL-QN solves it, else proximal gradient.

    Parameters
    ----------
    ridge : float, default=1.0
        Strength of the squared norm of the weights.
    lasso : float, default=0.0
        Strength of the absolute values of the weights.
    group : float, default=0.0
        Strength of the norms of groups of weights; goes with lasso, not with ridge.
    groups : {"templates", "rows", "tree"}, default="templates"
        Which weights form a group: those of a template, a row (all labels of a feature), or both
        as a tree, in which a feature is kept only if its template is.
    group_weight : str, default="one"
        Rule for the weight d_g of a group by its size: "one", "log" or "sqrt log".
    loss : {"log", "hinge", "perceptron"}, default="log"
        Loss of a sentence: that of a CRF, a structured SVM or a structured perceptron.
    support : {"observed", "all"}, default="observed"
        Whether features have weights for the labels (or pairs of labels) that they occur with in
        the training data, or for all of them.
    start : bool, default=True
        Whether first labels have weights too.
    penalise_transitions : bool, default=False
        Whether ridge and lasso apply to transitions and first labels as well.
    tol : float, default=1e-3
        Certificate at which the solver stops.
    max_iter : int, default=100
        Number of steps of the solver, at most.
    values : iterable of float, default=None
        If given, all weights take values of this set (see laconic.value_set).
    admm : DiscreteAdmm, default=None
        Solver for `values`. None is DiscreteAdmm().

    Examples
    --------
    >>> from laconic import Crf, Tagger
    >>> from laconic.text.patterns import parse_templates
    >>> X = [["the", "cat", "sleeps"], ["a", "dog", "barks"]]
    >>> y = [["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"]]
    >>> templates = parse_templates("word[0]", ("word",))
    >>> tagger = Tagger(templates, Crf(ridge=0.1), columns=("word",)).fit(X, y)
    >>> tagger.predict([["a", "cat", "barks"]])
    [['DET', 'NOUN', 'VERB']]
    >>> tagger.report_.converged
    True
    """

    def __init__(
        self,
        ridge: float = 1.0,
        lasso: float = 0.0,
        group: float = 0.0,
        groups: CrfGroups = "templates",
        group_weight: str = "one",
        loss: CrfLoss = "log",
        support: Literal["observed", "all"] = "observed",
        start: bool = True,
        penalise_transitions: bool = False,
        tol: float = 1e-3,
        max_iter: int = 100,
        values: Iterable[float] | None = None,
        admm: DiscreteAdmm | None = None,
    ):
        self.ridge = ridge
        self.lasso = lasso
        self.group = group
        self.groups = groups
        self.group_weight = group_weight
        self.loss = loss
        self.support = support
        self.start = start
        self.penalise_transitions = penalise_transitions
        self.tol = tol
        self.max_iter = max_iter
        self.values = values
        self.admm = admm

    def check(self) -> Crf:
        """Raise a ValueError on parameters that make no sense, or return the learner itself."""
        if self.loss not in LOSSES:
            raise ValueError(
                f"loss must be one of {', '.join(map(repr, LOSSES))}, got {self.loss!r}"
            )
        if self.groups not in GROUPS:
            raise ValueError(
                f"groups must be one of {', '.join(map(repr, GROUPS))}, got {self.groups!r}"
            )
        if min(self.ridge, self.lasso, self.group) < 0:
            raise ValueError(
                "ridge, lasso and group must not be negative, "
                f"got {self.ridge!r}, {self.lasso!r} and {self.group!r}"
            )
        if self.group and self.ridge:
            raise ValueError("group goes with lasso, not with ridge: set ridge=0")
        if self.group and self.penalise_transitions:
            raise ValueError("penalise_transitions goes with ridge and lasso, not with group")
        if self.group and self.values is not None:
            raise ValueError("values go with lasso and ridge, not with group: set group=0")
        return self

    def penalty(self, design: Chain) -> Penalty:
        """Return the penalty over the design's weights."""
        if not self.group:
            strength = self.ridge + self.lasso
            if self.values is not None:
                return Discrete(self.values, strength, self.lasso / strength if strength else 0.0)
            if not self.lasso:
                return Ridge(self.ridge)
            tail = np.ones(design.n_penalised - design.n_state)
            return RatedElasticNet(
                self.lasso * np.concatenate([design.roots(), tail]), np.full(1, self.ridge)
            )
        strength = self.group + self.lasso
        penalty = TreeGroupLasso if self.groups == "tree" else SparseGroupLasso
        return penalty(self.groups_of(design), strength, self.lasso / strength)

    def groups_of(self, design: Chain) -> Groups:
        """Return the groups over the design's weights, weighted by their sizes."""
        templates, rows = np.diff(design.template_ptr), np.diff(design.row_ptr)
        sizes = {"templates": templates, "rows": rows, "tree": np.concatenate([templates, rows])}
        make = {"templates": design.by_template, "rows": design.by_row, "tree": design.by_tree}
        return make[self.groups](group_weights(sizes[self.groups], self.group_weight))

    def solver(self) -> Solver:
        """Return the solver for these parameters."""
        if self.values is not None:
            return DiscreteAdmm() if self.admm is None else self.admm
        if self.group:
            return Fista(self.tol, self.max_iter)
        # A certificate costs an evaluation's worth of memory traffic: it is computed now and then.
        return Owlqn(self.tol, self.max_iter, memory=6, check_every=20)

    def learn(self, data: TrainingData, /) -> tuple[TagWeights, FitReport]:
        """Number the features, solve, and return the weights by feature with the fit report."""
        began = time.perf_counter()
        posed = self.pose(data)
        result = self.solver().run(posed.problem, posed.x, data.callback)
        return posed.weights(result.x), FitReport(
            learner=in_one_line(self),
            objective=posed.problem.value(result.x),
            certificate=result.error,
            n_iter=result.n_iter,
            converged=result.converged,
            interrupted=result.interrupted,
            features_total=posed.n_features,
            trace=tuple(result.trace),
            seconds=time.perf_counter() - began,
        )

    def pose(self, training: TrainingData, keep_only: bool = True) -> TaggerProblem:
        """Return the problem that `learn` solves.

        With a start, solving begins at its weights; with `keep_only`, only its features take part.
        """
        templates, data, start = training.templates, training.data, training.start
        self.check()
        order = sorted(range(len(templates)), key=lambda m: templates[m].pairs)
        arrays = templates.subset(order).arrays(training.encoder.view_index)
        ids, sizes = _core.Expander(*arrays[:3]).number(data.columns, data.ptr, training.threads)
        ids = ids.reshape(-1, len(templates))
        numbering = FeatureNumbering(sizes, arrays, data)
        if start is not None:
            start = start.subset(order)
            if keep_only:
                numbering.keep_only(ids, start)
        n_pairs = int(arrays.pairs.sum())
        tokens = Tokens(ids, sizes, data.ptr, data.gold, training.n_labels, n_pairs)
        # Twins may share a weight if the penalty is one of single weights: theirs would be equal.
        merge = not self.group and self.values is None
        design = Chain(
            tokens, self.support, self.start, training.threads, merge, self.penalise_transitions
        )
        # Transitions that gold never makes would drift away without end under proximal gradient.
        tail_ridge = TAIL_RIDGE if self.group else 0.0
        problem = ChainProblem(design, LOSSES[self.loss](), self.penalty(design), tail_ridge)
        x = None if start is None else numbering.point(design, start)
        return TaggerProblem(problem, numbering, int(sizes.sum()), x, np.argsort(order).tolist())
