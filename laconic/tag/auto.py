"""The default learner: a budget of templates and the weight of its groups, chosen on held-out data.

    Sparseptron(budget, group_weight=d)  then  Mira() on all features of the templates that it keeps

for each budget and each d, on the training part of up to three folds of a sample of the sentences.
The pair with the fewest mistakes on held-out sentences learns from all. A budget "auto" is the
smallest whose mistakes are within a standard error of the fewest (of paired differences, sentence
by sentence): a smaller model, which is not always as good.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.core.arrays import Array, Ints, Ints32
from laconic.core.parameters import HasParameters
from laconic.core.ragged import pointers, ranges
from laconic.core.report import Event, FitReport
from laconic.core.solvers.online import Mira, Sentences, Weighting
from laconic.core.solvers.online_sparse import Sparseptron
from laconic.models.features import kept_templates
from laconic.tag.learn import TrainingData
from laconic.tag.refit import joined_reports
from laconic.tag.weights import TagWeights, load_kernel, make_kernel
from laconic.text.labels import is_chunk_label, spans

AUTO = "auto"
SHARES = (1 / 2, 3 / 4)  # budgets that are tried, as shares of the templates
SMALL_SHARES = (1 / 5, 1 / 3, *SHARES)
GROUP_WEIGHTS = ("one", "log")
SEARCH_EPOCHS = 5  # of Mira while searching
MOST_TOKENS = 60_000  # of the sample that is searched
HELD_OUT_TOKENS = 2_500  # as many as this, if three folds have them
N_PARTS, MOST_FOLDS = 5, 3
SHRINKINGS = 8  # in one pass over the sentences
MOST_BETWEEN = 1000  # sentences from one shrinking to the next, as in the article


class BudgetChoice(NamedTuple):
    """A budget of templates (None: all of them) and the weight of their groups."""

    budget: int | None
    group_weight: str


class AutoLearner(HasParameters):
    """Sparseptron and Mira, with the budget and group weight of fewest mistakes on held-out data.

    Parameters
    ----------
    budget : int, "auto" or None, default=None
        Number of templates that keep weights, at most. None is that of fewest mistakes on sentences
        held out of the training data, "auto" the smallest within a standard error of it.
    group_weight : {"auto", "one", "log", "sqrt log"}, default="auto"
        Weight of a template's penalty by its number of weights; "auto" is chosen likewise.
    epochs : int, default=10
        Number of passes of Mira over the sentences.
    random_state : int, default=0
        Seed of the order of sentences, and of what is held out.

    Examples
    --------
    >>> from laconic import Tagger
    >>> X, y = [["the", "cat"], ["a", "dog"]] * 9, [["D", "N"], ["D", "N"]] * 9
    >>> tagger = Tagger().fit(X, y)
    >>> tagger.report_.learner
    'Sparseptron(budget=16, every=2), refitted by Mira()'
    """

    def __init__(
        self,
        budget: int | str | None = None,
        group_weight: str = AUTO,
        epochs: int = 10,
        random_state: int = 0,
    ):
        self.budget = budget
        self.group_weight = group_weight
        self.epochs = epochs
        self.random_state = random_state

    def check(self) -> AutoLearner:
        """Raise a ValueError on parameters that make no sense, or return the learner itself."""
        if self.budget not in (None, AUTO) and not (
            isinstance(self.budget, int) and self.budget >= 1
        ):
            raise ValueError(f"budget must be at least 1, 'auto' or None, got {self.budget!r}")
        Mira(self.epochs).check()
        weight = "one" if self.group_weight == AUTO else self.group_weight
        Sparseptron(group_weight=weight).check()
        return self

    def learn(self, data: TrainingData, /) -> tuple[TagWeights, FitReport]:
        """Choose on held-out sentences, learn from all, and return the weights and the report."""
        began = time.perf_counter()
        self.check()
        choices = self._choices(len(data.templates))
        trials: list[Event] = []
        best = choices[-1]
        if len(choices) > 1 and len(data.data) >= N_PARTS:
            best, trials = self._best(data, choices)
        weights, report = self._fit(data, best, self.epochs)
        trace = (*trials, *report.trace)
        return weights, replace(report, trace=trace, seconds=time.perf_counter() - began)

    def _choices(self, n_templates: int) -> list[BudgetChoice]:
        """Return what is tried, all templates last."""
        kinds = GROUP_WEIGHTS if self.group_weight == AUTO else (self.group_weight,)
        if isinstance(self.budget, int):
            return [BudgetChoice(self.budget, kind) for kind in kinds]
        shares = SMALL_SHARES if self.budget == AUTO else SHARES
        budgets = sorted({int(np.ceil(share * n_templates)) for share in shares} - {n_templates})
        found = [BudgetChoice(*pair) for pair in product(budgets, kinds)]
        return [*found, BudgetChoice(None, kinds[0])]

    def _fit(
        self, data: TrainingData, choice: BudgetChoice, epochs: int
    ) -> tuple[TagWeights, FitReport]:
        """Return the weights of all templates, zeros for those that are not kept."""
        mira = Mira(epochs, random_state=self.random_state)
        if choice.budget is None or choice.budget >= len(data.templates):
            return mira.learn(data)
        first = Sparseptron(
            choice.budget,
            every=max(1, min(MOST_BETWEEN, len(data.data) // SHRINKINGS)),
            group_weight=choice.group_weight,
            random_state=self.random_state,
        )
        weights, report = first.learn(data)
        if report.interrupted:
            return weights, report
        kept, _ = kept_templates(data.templates, weights)
        narrow = data._replace(templates=kept)
        found, again = mira.learn(narrow)
        return _among(data, kept.names, found), joined_reports(report, again)

    def _best(
        self, data: TrainingData, choices: list[BudgetChoice]
    ) -> tuple[BudgetChoice, list[Event]]:
        """Return the choice of fewest mistakes on held-out sentences, and the trials."""
        mistakes: list[Array] = []
        trials: list[Event] = []
        folds = list(self._folds(data.data))
        quiet = data._replace(callback=None)
        for choice in choices:
            parts = []
            for train, held_out in folds:
                fitted = quiet._replace(data=_some(data.data, train))
                weights, report = self._fit(fitted, choice, SEARCH_EPOCHS)
                parts.append(_mistakes(data, weights, _some(data.data, held_out)))
                if report.interrupted:
                    return choices[-1], trials
            mistakes.append(np.concatenate(parts))
            event = Event("trial", len(trials) + 1, len(choices), float(mistakes[-1].mean()))
            trials.append(event)
            if data.callback is not None and data.callback(event):
                break
        best = int(np.argmin([part.mean() for part in mistakes]))
        if self.budget != AUTO:
            return choices[best], trials
        fewest = mistakes[best]
        within = [
            (choice.budget or len(data.templates), float(part.mean()), k)
            for k, (choice, part) in enumerate(zip(choices, mistakes, strict=False))
            if (part - fewest).mean() <= (part - fewest).std() / np.sqrt(len(part))
        ]
        return choices[min(within)[2]], trials

    def _folds(self, data: Sentences) -> Iterator[tuple[Ints, Ints]]:
        """Yield the sentences to learn from and to hold out, of a sample of all."""
        lengths = np.diff(data.ptr)
        order = np.random.default_rng(self.random_state).permutation(len(data))
        sample = order[
            np.cumsum(lengths[order]) <= max(MOST_TOKENS, lengths[order[:N_PARTS]].sum())
        ]
        wanted = HELD_OUT_TOKENS * N_PARTS / max(1, int(lengths[sample].sum()))
        for fold in range(min(MOST_FOLDS, int(np.ceil(wanted)))):
            held_out = np.arange(len(sample)) % N_PARTS == fold
            yield sample[~held_out], sample[held_out]


def _some(data: Sentences, chosen: Ints) -> Sentences:
    """Return the sentences of these numbers."""
    begins, ends = data.ptr[:-1][chosen], data.ptr[1:][chosen]
    tokens = ranges(begins, ends)
    weighting = None
    if data.weighting is not None:
        weighting = Weighting(data.weighting.weight[chosen], data.weighting.cost[tokens])
    ptr = pointers(ends - begins)
    return Sentences(data.columns[:, tokens].copy(), ptr, data.gold[tokens], weighting)


def _among(data: TrainingData, kept: list[str], found: TagWeights) -> TagWeights:
    """Return weights of some templates as those of all of them, which have no features then."""
    place = {name: k for k, name in enumerate(kept)}
    atoms: list[Ints32] = []
    weights = []
    for template, width in zip(data.templates, data.widths.tolist(), strict=True):
        k = place.get(template.name)
        empty = np.zeros((0, len(template.atoms)), np.int32)
        atoms.append(empty if k is None else found.atoms[k])
        weights.append(np.zeros((0, width), np.float32) if k is None else found.weights[k])
    return found._replace(atoms=atoms, weights=weights)


def _mistakes(data: TrainingData, found: TagWeights, held_out: Sentences) -> Array:
    """Return the number of mistakes in each sentence: chunks missed or made up, or wrong labels."""
    kernel = load_kernel(make_kernel(data.templates, data.encoder, data.n_labels), found)
    labels = kernel.tag(held_out.columns, held_out.ptr, data.threads)
    if not data.labels or not all(map(is_chunk_label, data.labels)):
        return _per_sentence(np.flatnonzero(labels != held_out.gold), held_out.ptr)
    found_chunks, gold_chunks = (
        _chunks(ids, held_out.ptr, data.labels) for ids in (labels, held_out.gold)
    )
    different = np.setxor1d(found_chunks, gold_chunks, assume_unique=True)
    return _per_sentence(different // len(data.labels) // (len(labels) + 1), held_out.ptr)


def _chunks(ids: Ints32, ptr: Ints, labels: tuple[str, ...]) -> Ints:
    """Return one number for each chunk, of its start, its end and its type."""
    found = spans(ids, ptr, labels)
    return (found.start * (len(ids) + 1) + found.end) * len(labels) + found.kind


def _per_sentence(tokens: NDArray[Any], ptr: Ints) -> Array:
    """Return how many of the tokens are in each sentence."""
    sentence = np.searchsorted(ptr, tokens, side="right") - 1
    return np.bincount(sentence, minlength=len(ptr) - 1).astype(np.float64)
