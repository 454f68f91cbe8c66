"""`Crf`: a tagger learned from all sentences at once,

    min_w  sum over sentences loss(gold, scores of w) + penalty(w)

with the conditional random field's loss, or the structured SVM's or perceptron's. Transitions are not penalised unless asked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from laconic import _core
from laconic.core.designs.chain import Chain, Tokens
from laconic.core.groups import Groups
from laconic.core.losses import ChainHinge, ChainLog, ChainLoss, ChainPerceptron
from laconic.core.penalties import Discrete, Penalty, Ridge, SparseGroupLasso, TreeGroupLasso
from laconic.core.penalties.total import RatedElasticNet
from laconic.core.ragged import pointers, ranges
from laconic.core.report import FitReport, in_one_line
from laconic.core.solvers.base import Solver
from laconic.core.solvers.discrete import DiscreteAdmm
from laconic.core.solvers.fista import Fista
from laconic.core.solvers.gravity import group_weights
from laconic.core.solvers.online import Sentences
from laconic.core.solvers.owlqn import Owlqn
from laconic.tag.learn import TrainingData
from laconic.tag.problem import ChainProblem
from laconic.tag.weights import TagWeights
from laconic.text.sequences import AFTER_BASE, BEFORE_BASE
from laconic.text.templates import TemplateArrays

TAIL_RIDGE = 1e-3
GROUPS = ("templates", "rows", "tree")
LOSSES: dict[str, Callable[[], ChainLoss]] = {
    "log": ChainLog,
    "hinge": ChainHinge,
    "perceptron": ChainPerceptron,
}


class Posed(NamedTuple):
    """A problem over numbered features, the way back from the numbers, and where to begin."""

    problem: ChainProblem
    book: FeatureBook
    n_features: int
    x: NDArray[np.float64] | None
    place: list[int]  # of every template in the problem, where those of pairs of labels come last

    def weights(self, x: NDArray[np.float64]) -> TagWeights:
        """A point as a tagger has it."""
        return self.book.weights(self.problem.design, x).subset(self.place)


class Crf(BaseEstimator):
    """ridge |w|^2 / 2 + lasso |w|_1 + group * sum over groups of d_g |w_g|_2, with any of the three strengths above zero.

    groups: the "templates", the "rows" (all labels of a feature), or both as a "tree": a feature is kept only in a template that
    is kept. group_weight: d_g by rule, see laconic.core.solvers.gravity. support: weights for the labels, or pairs of labels, that features
    occur with in the data ("observed"), or for all of them ("all"). start: first labels have weights too. penalise_transitions: ridge and lasso
    are on transitions and starts as well. Without a group term L-BFGS / OWL-QN solves it, else proximal gradient.
    values: if given, all weights, transitions too, take values of this set (see laconic.value_set), by `admm` or DiscreteAdmm().
    """

    def __init__(
        self,
        ridge: float = 1.0,
        lasso: float = 0.0,
        group: float = 0.0,
        groups: str = "templates",
        group_weight: str = "one",
        loss: str = "log",
        support: str = "observed",
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
        """Raise on parameters that make no sense."""
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
                f"ridge, lasso and group must not be negative, got {self.ridge!r}, {self.lasso!r} and {self.group!r}"
            )
        if self.group and self.ridge:
            raise ValueError("group goes with lasso, not with ridge: set ridge=0")
        if self.group and self.penalise_transitions:
            raise ValueError("penalise_transitions goes with ridge and lasso, not with group")
        if self.group and self.values is not None:
            raise ValueError("values go with lasso and ridge, not with group: set group=0")
        return self

    def penalty(self, design: Chain) -> Penalty:
        """The penalty over the design's weights."""
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
        """The groups over the design's weights, weighted by their sizes."""
        templates, rows = np.diff(design.template_ptr), np.diff(design.row_ptr)
        sizes = {"templates": templates, "rows": rows, "tree": np.concatenate([templates, rows])}
        make = {"templates": design.by_template, "rows": design.by_row, "tree": design.by_tree}
        return make[self.groups](group_weights(sizes[self.groups], self.group_weight))

    def solver(self) -> Solver:
        """The solver of these parameters."""
        if self.values is not None:
            return DiscreteAdmm() if self.admm is None else self.admm
        # A certificate costs an evaluation's worth of memory traffic: it is asked for now and then only.
        return (
            Fista(self.tol, self.max_iter)
            if self.group
            else Owlqn(self.tol, self.max_iter, memory=6, check_every=20)
        )

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

    def pose(self, training: TrainingData, keep_only: bool = True) -> Posed:
        """The problem that `learn` solves. With a start, its weights are where solving begins and only its features take part, unless told otherwise."""
        templates, data, start = training.templates, training.data, training.start
        self.check()
        order = sorted(range(len(templates)), key=lambda m: templates[m].pairs)
        arrays = templates.subset(order).arrays(training.encoder.view_index)
        ids, sizes = _core.Expander(*arrays[:3]).number(data.columns, data.ptr, training.threads)
        ids = ids.reshape(-1, len(templates))
        book = FeatureBook(sizes, arrays, data)
        if start is not None:
            start = start.subset(order)
            if keep_only:
                book.keep_only(ids, start)
        tokens = Tokens(ids, sizes, data.ptr, data.gold, training.n_labels, int(arrays.pairs.sum()))
        # Twins may share weights where the penalty is one of single weights: they would be equal anyway.
        merge = not self.group and self.values is None
        design = Chain(
            tokens, self.support, self.start, training.threads, merge, self.penalise_transitions
        )
        # Transitions that gold never makes would drift away without end under proximal gradient.
        problem = ChainProblem(
            design, LOSSES[self.loss](), self.penalty(design), TAIL_RIDGE if self.group else 0.0
        )
        x = None if start is None else book.point(design, start)
        return Posed(problem, book, int(sizes.sum()), x, np.argsort(order).tolist())


class FeatureBook:
    """From numbers of features back to the values of their atoms, through a token at which each fires."""

    def __init__(self, sizes: NDArray[np.int64], arrays: TemplateArrays, data: Sentences):
        self.arrays = arrays
        self.data = data
        self.first = pointers(sizes)
        length = np.diff(data.ptr)
        self.begin, self.end = np.repeat(data.ptr[:-1], length), np.repeat(data.ptr[1:], length)

    def atoms(self, template: int, token: NDArray[np.integer]) -> NDArray[np.int32]:
        """(n, atoms): the values of a template at tokens; positions outside the sentence have values of their own."""
        out = []
        for a in range(self.arrays.atom_ptr[template], self.arrays.atom_ptr[template + 1]):
            at = token + self.arrays.atom_offset[a]
            early, late = self.begin[token] - at, at - self.end[token] + 1
            inside = np.clip(at, self.begin[token], self.end[token] - 1)
            value = self.data.columns[self.arrays.atom_view[a], inside].astype(np.int64)
            out.append(
                np.where(
                    early > 0, BEFORE_BASE + early, np.where(late > 0, AFTER_BASE + late, value)
                )
            )
        return (
            np.stack(out, axis=1).astype(np.int32) if out else np.zeros((len(token), 0), np.int32)
        )

    def keep_only(self, ids: NDArray[np.int32], start: TagWeights) -> None:
        """Let all features but those of `start` no longer fire."""
        for m, wanted in enumerate(start.atoms):
            column = ids[:, m]
            fires = np.flatnonzero(column >= 0)
            token = np.zeros(self.first[m + 1] - self.first[m], np.int64)
            token[column[fires] - self.first[m]] = fires
            lost = np.append(~np.isin(as_keys(self.atoms(m, token)), as_keys(wanted)), False)
            column[lost[np.where(column >= 0, column - self.first[m], -1)]] = -1

    def weights(self, design: Chain, x: NDArray[np.float64]) -> TagWeights:
        """The features with weights, template by template."""
        token = design.first_token
        atoms, weights = [], []
        for m in range(len(self.first) - 1):
            features, rows = design.rows(x, m)
            weights.append(rows)
            atoms.append(self.atoms(m, token[features]))
        edge, first = design.tail(x)
        return TagWeights(atoms, weights, edge.astype(np.float32), first.astype(np.float32))

    def point(self, design: Chain, found: TagWeights) -> NDArray[np.float64]:
        """The inverse of `weights`, with the same scores; what the design has no weight for is left out."""
        x = np.zeros(design.n_weights)
        label, ptr, unit, token = (
            design.weight_label,
            design.unit_ptr,
            design.feature_unit,
            design.first_token,
        )
        for m, (atoms, weights) in enumerate(zip(found.atoms, found.weights, strict=True)):
            features = np.arange(self.first[m], self.first[m + 1])
            features = features[token[features] < design.n_tokens]
            known = as_keys(self.atoms(m, token[features]))
            code = np.unique(np.concatenate([known, as_keys(atoms)]), return_inverse=True)[1]
            row_of = np.full(len(code), len(weights))
            row_of[code[len(known) :]] = np.arange(len(weights))
            table = np.concatenate([weights, np.zeros((1, weights.shape[1]), weights.dtype)])
            begin, n = ptr[unit[features]], np.diff(ptr)[unit[features]]
            at = ranges(begin, begin + n)
            np.add.at(x, at, table[np.repeat(row_of[code[: len(known)]], n), label[at]])
        x[: design.n_state] /= design.roots()
        edge, first = design.tail(x)
        edge[:] = found.edge
        first[:] = found.start
        return x


def as_keys(rows: NDArray[np.int32]) -> NDArray[np.void]:
    """Rows of numbers as single comparable items."""
    rows = np.ascontiguousarray(rows)
    if rows.shape[1] == 0:
        return np.zeros(len(rows), dtype="V4")
    return rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
