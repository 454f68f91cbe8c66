"""`Crf`: a tagger learned from all sentences at once,

    min_w  sum over sentences loss(gold, scores of w) + penalty(w)

with the loss of a conditional random field, a structured SVM or a structured perceptron.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from laconic import _core
from laconic.core.arrays import Array
from laconic.core.designs.chain import Chain, Tokens
from laconic.core.losses import ChainHinge, ChainLog, ChainLoss, ChainPerceptron
from laconic.core.penalties import Discrete, Penalty, Ridge, Separable
from laconic.core.penalties.elastic import elastic_rates, of_rates
from laconic.core.penalties.names import as_penalty
from laconic.core.penalties.parameter import TakesPenalty
from laconic.core.penalties.templates import TEMPLATE_PENALTIES, template_penalty
from laconic.core.penalties.total import RatedElasticNet
from laconic.core.report import FitReport, in_one_line
from laconic.core.solvers.base import Solver
from laconic.core.solvers.discrete import DiscreteAdmm
from laconic.core.solvers.fista import Fista
from laconic.core.solvers.owlqn import Owlqn
from laconic.tag.learn import TrainingData
from laconic.tag.numbering import FeatureNumbering
from laconic.tag.penalty import DEFAULT, TemplatePenalties
from laconic.tag.problem import ChainProblem
from laconic.tag.weights import TagWeights
from laconic.text.templates import Templates

TAIL_RIDGE = 1e-3
CrfLoss: TypeAlias = Literal["log", "hinge", "perceptron"]
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


class Crf(TakesPenalty):
    """min_w sum over sentences loss(gold, scores of w) + penalty(w): weights of taggers.

    With lasso and ridge alone L-BFGS or OWL-QN solves it, else proximal gradient.

    Parameters
    ----------
    penalty : str, Penalty or None, default="ridge"
        A name such as ridge, lasso or elastic, or one of groups: group and sparse-group (the
        weights of a template), label-group (those of a feature for all labels), tree (both, a
        feature is kept only if its template is), coarse-to-fine (a template and all that refine
        it); a sum such as "group+lasso"; or an object, such as
        ``OverlapGroupLasso({"left": ["word[-1]", "word[-2]"]})`` over templates by their names.
    strength : float, dict or None, default=None
        Strength of the penalty; a dict names one per term of a sum, None is 1, or what the object
        says.
    group_weight : str, default="one"
        Rule for the weight of a group that goes by its name, by its size: "one", "log" or "sqrt
        log".
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
    >>> tagger = Tagger(templates, Crf(strength=0.1), columns=("word",)).fit(X, y)
    >>> tagger.predict([["a", "cat", "barks"]])
    [['DET', 'NOUN', 'VERB']]
    >>> tagger.report_.converged
    True
    """

    def __init__(
        self,
        penalty: Penalty | str | None = DEFAULT,
        strength: float | Mapping[str, float] | None = None,
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
        self.penalty = penalty
        self.strength = strength
        self.group_weight = group_weight
        self.loss = loss
        self.support = support
        self.start = start
        self.penalise_transitions = penalise_transitions
        self.tol = tol
        self.max_iter = max_iter
        self.values = values
        self.admm = admm

    def make_penalty(self, given: Penalty | str | None) -> Penalty:
        """Return the penalty that a value of the parameter means, over groups by name."""
        return as_penalty(given, None, DEFAULT, TEMPLATE_PENALTIES)

    def check(self) -> Crf:
        """Raise a ValueError on parameters that make no sense, or return the learner itself."""
        if self.loss not in LOSSES:
            raise ValueError(
                f"loss must be one of {', '.join(map(repr, LOSSES))}, got {self.loss!r}"
            )
        penalty = self.stated_penalty()
        if elastic_rates(penalty) is None:
            if self.penalise_transitions:
                raise ValueError(
                    "penalise_transitions goes with lasso and ridge, "
                    f"not with {type(penalty).__name__}"
                )
            if self.values is not None:
                raise ValueError(
                    f"values go with lasso and ridge, not with {type(penalty).__name__}"
                )
        return self

    def stated_penalty(self) -> Penalty:
        """Return the penalty that the parameters state, over groups by name."""
        return template_penalty(self.penalty, self.strength, DEFAULT)

    def penalty_over(self, design: Chain, templates: Templates | None = None) -> Penalty:
        """Return the penalty over the design's weights."""
        stated = self.stated_penalty()
        rates = elastic_rates(stated)
        if rates is None:
            names = [] if templates is None else templates.names
            order = Templates(()).order if templates is None else templates.order
            over = TemplatePenalties(design, names, self.group_weight, order)
            return over.over_weights(stated)
        if self.values is not None:
            return Discrete.under(of_rates(rates), self.values)
        if not rates.lasso:
            return Ridge(rates.ridge)
        tail = np.ones(design.n_penalised - design.n_state)
        return RatedElasticNet(
            rates.lasso * np.concatenate([design.roots(), tail]), np.full(1, rates.ridge)
        )

    def solver(self, penalty: Penalty) -> Solver:
        """Return the solver for a penalty over weights."""
        if isinstance(penalty, Discrete):
            return DiscreteAdmm() if self.admm is None else self.admm
        if not isinstance(penalty, Separable) or penalty.positive:
            return Fista(self.tol, self.max_iter)
        # A certificate costs an evaluation's worth of memory traffic: it is computed now and then.
        return Owlqn(self.tol, self.max_iter, memory=6, check_every=20)

    def learn(self, data: TrainingData, /) -> tuple[TagWeights, FitReport]:
        """Number the features, solve, and return the weights by feature with the fit report."""
        began = time.perf_counter()
        posed = self.pose(data)
        result = self.solver(posed.problem.penalty).run(posed.problem, posed.x, data.callback)
        return posed.weights(result.x), FitReport(
            learner=in_one_line(self),
            objective=posed.problem.value(result.x),
            certificate=result.error,
            certificate_kind=result.certificate_kind,
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
        plain = elastic_rates(self.stated_penalty()) is not None
        merge = plain and self.values is None
        design = Chain(
            tokens, self.support, self.start, training.threads, merge, self.penalise_transitions
        )
        if data.weighting is not None:
            design.kernel.weigh(data.weighting.of_sentences(data.ptr))
        # Transitions that gold never makes would drift away without end under proximal gradient.
        tail_ridge = 0.0 if plain else TAIL_RIDGE
        penalty = self.penalty_over(design, templates.subset(order))
        problem = ChainProblem(design, LOSSES[self.loss](), penalty, tail_ridge)
        x = None if start is None else numbering.point(design, start)
        return TaggerProblem(problem, numbering, int(sizes.sum()), x, np.argsort(order).tolist())
