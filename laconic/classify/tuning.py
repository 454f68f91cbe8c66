"""What a TextClassifier leaves open, chosen on held-out documents, and then fitted on all of them.

    min over settings of the mean log-loss over K folds; of the settings whose loss is above it by
    at most TOLERANCE standard errors of the difference, the one with the fewest words

A race: the first fold is for all candidates, each further one for the better half, the last folds
for two. `seconds` of computing end it early, with what has been tried until then.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.class_weight import compute_sample_weight
from threadpoolctl import threadpool_limits

from laconic.classify import preparation
from laconic.classify.automatic import FamilyCache, search
from laconic.classify.candidate import Candidate, Choice
from laconic.classify.derived import derive
from laconic.classify.folds import (
    Guide,
    HeldOutFold,
    Limits,
    Setting,
    SettingScore,
    StrengthPath,
    explore,
    held_out_scores,
)
from laconic.classify.held_out import FoldedDocuments, folded
from laconic.classify.multilabel import (
    best_thresholds,
    indicator,
    is_multilabel,
    known_to,
    names_of,
)
from laconic.classify.preparation import DocumentLabels, Prepared
from laconic.classify.reading import encoder_for
from laconic.classify.settings import CHOSEN, Tried, candidates, has_structure, multiplied
from laconic.classify.weighting import lengths_of
from laconic.core.arrays import AnyArray, Array, Ints
from laconic.core.report import Callback, Event
from laconic.text.documents import DocumentLike

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier

TOLERANCE = 0.5  # standard errors that a sparser model may lose
SHARE = 0.1  # of the words of the training documents, at most, unless max_features says
LEAST = 200  # words that a model may always keep
WIDER = (2, 4)  # times as many words, where they are better
BETTER = 1.0  # standard errors of the difference by which the log-loss of more words is lower
LARGE = 8_000_000  # values in the data times classes above which candidates race on a sample
SAMPLED_FREQUENCY = 0.5  # of candidates that race on a sample
SEARCHED = 2  # folds on which structures are searched
SUMS = 2  # changes that are tried together with the best one
SURVIVORS = (None, 5, 3)  # candidates on the first, second and further folds
# Shares of `seconds`: for choosing, what is left being for the fit on all documents; for choosing
# on a sample; until the first path of the only candidate has to end.
SEARCH_SHARE, HEAT_SHARE, FIRST_SHARE = 0.5, 0.35, 0.8
FALLBACK = Setting(0.1, 0.02)  # where no fold can be held out, as with one document per class


def chosen(
    model: TextClassifier,
    documents: Sequence[DocumentLike],
    labels: AnyArray,
    dev: tuple[Any, DocumentLabels] | None = None,
    callback: Callback | None = None,
    weight: Array | None = None,
    unlabelled: Sequence[DocumentLike] = (),
) -> Choice:
    """Return the choice of what a model leaves open, by folds of the documents or by `dev`."""
    data = folded(model, documents, labels, dev, weight)._replace(unlabelled=unlabelled)
    return Race(model, data, callback).run()


class Found(NamedTuple):
    """A candidate at one of its settings, and what it scored on all folds."""

    candidate: Candidate
    setting: Setting
    score: SettingScore


class Race:
    """Candidates for what a model leaves open, on folds of its documents."""

    def __init__(
        self, model: TextClassifier, data: FoldedDocuments, callback: Callback | None = None
    ) -> None:
        self.model, self.data, self.callback = model, data, callback
        self.began, self.stopped, self.done = time.process_time(), False, 0
        self.share = SEARCH_SHARE
        self.sources: dict[tuple[int, tuple[int, ...]], Prepared] = {}
        self.runners = [Candidate(settings, model) for settings in candidates(model)]
        self.lost: list[Tried] = []
        self.on_sample: Candidate | None = None  # the winner of a race on a sample, as scored there
        self.structures = FamilyCache(self)
        counts = self.source(self.runners[0].model).training.counts
        most = max(LEAST, SHARE * counts.shape[1])
        share = most if model.max_features is None else float(model.max_features)
        # What a model may keep, and what its paths reach: more words than a share are tried.
        self.most = share
        self.reach = share * (WIDER[-1] if model.max_features is None else 1)
        n_classes = len(names_of(data.labels))
        one_score = n_classes == 2 and not is_multilabel(data.labels)
        size = counts.nnz * (1 if one_score else n_classes)
        self.sampled = min(1.0, LARGE / max(size, 1))

    def expired(self) -> bool:
        """Return whether the callback or the clock asks for an end."""
        return self.stopped or self.used() > self.share * self.model.seconds

    def used(self) -> float:
        """Return the seconds of computing since the race began."""
        return time.process_time() - self.began

    def run(self) -> Choice:
        """Let the candidates race, and return the choice."""
        # Many small factorisations: threads would cost more than they give, and change digits.
        with threadpool_limits(1, "blas"):
            return self.raced()

    def raced(self) -> Choice:
        """Return the choice, after all laps."""
        if self.sampled < 1 and len(self.runners) > 1 and self.data.folds:
            self.runners = self.qualified()
        running = list(self.runners)
        for number, (train, held) in enumerate(self.data.folds):
            if number == 1 and len(running) > 1:
                running = self.with_sums(running, *self.data.folds[0])
            if number == SEARCHED and self.sampled == 1:
                running = self.with_structure(running, self.data.folds[:SEARCHED])
            if number:
                if self.expired():
                    break
                # Sorting is stable: of equals, the first.
                most = SURVIVORS[min(number, len(SURVIVORS) - 1)]
                level = [one for one in running if len(one.scores) == number]
                level.sort(key=Candidate.loss)
                # The best without structures stays, for a comparison on all folds.
                plain = [one for one in level[most:] if one.guide is None][:1]
                running = level[:most]
                if all(one.guide is not None for one in running):
                    running += plain
            # A path that ends too early is worth nothing: the only one has more time.
            self.share = FIRST_SHARE if number == 0 and len(running) == 1 else SEARCH_SHARE
            self.lap(running, train, held)
            if number == 0 and self.on_sample is not None and self.expired():
                # The path on all documents was cut short, at models of few words.
                self.runners = [self.on_sample]
                break
        if len(self.data.folds) <= SEARCHED and self.sampled == 1:
            self.with_structure(running, self.data.folds)
        return self.choice()

    def qualified(self) -> list[Candidate]:
        """Return the winner of a race on a sample of the documents.

        A cost by frequency is worth more the more documents there are, and makes fits faster: on a
        sample it would lose, so that all candidates have it.
        """
        train, held = (self.sample(rows) for rows in self.data.folds[0])
        rows, n = np.concatenate([train, held]), len(train)
        sample = FoldedDocuments(
            [self.data.documents[row] for row in rows.tolist()],
            self.data.labels[rows],
            [(np.arange(n), np.arange(n, len(rows)))],
            None if self.data.weight is None else self.data.weight[rows],
            self.data.unlabelled,
        )
        heat = Race(self.model, sample, self.callback)
        if self.model.frequency is None:
            settings = candidates(clone(self.model).set_params(frequency=SAMPLED_FREQUENCY))
            heat.runners = [Candidate(one, self.model) for one in settings]
        heat.share = HEAT_SHARE
        heat.lap(heat.runners, *sample.folds[0])
        running = [one for one in heat.runners if one.scores]
        heat.with_structure(heat.with_sums(running, *sample.folds[0]), sample.folds)
        self.lost = [one.row(*best) for one in heat.runners if (best := one.best())]
        self.done, self.stopped = heat.done, heat.stopped
        winner = self.on_sample = min(heat.runners, key=Candidate.loss)
        one = Candidate(winner.settings, self.model)
        one.guide = None if winner.guide is None else Guide(winner.guide.best_share)
        return [one]

    def with_structure(
        self, running: list[Candidate], folds: Sequence[tuple[Ints, Ints]]
    ) -> list[Candidate]:
        """Return the candidates and, scored, those with structures if these are to be chosen."""
        level = [one for one in running if len(one.scores) == len(folds)]
        if self.model.structure != "auto" or not level:
            return running
        found = search(self, min(level, key=Candidate.loss), folds)
        self.runners.extend(found)
        return [*running, *found]

    def with_sums(self, running: list[Candidate], train: Ints, held: Ints) -> list[Candidate]:
        """Return the candidates and, scored, sums of the best change and each of the next SUMS.

        One sum alone would hang on which of two changes that are level comes second.
        """
        first = running[0]
        better = sorted(
            (one for one in running[1:] if one.loss() < first.loss()), key=Candidate.loss
        )
        added: list[Candidate] = []
        for other in better[1 : 1 + SUMS]:
            settings = first.settings | other.changes(first) | better[0].changes(first)
            known = [one.settings for one in (*running, *added)]
            if settings not in known and not self.expired():
                added.append(Candidate(settings, self.model))
        self.runners.extend(added)
        if added:
            self.lap(added, train, held)
        return [*running, *(one for one in added if one.scores)]

    def sample(self, rows: Ints) -> Ints:
        """Return an even part of rows whose labels are in turn, as large as the race can bear."""
        ordered = rows[np.argsort(self.data.labels[rows], kind="stable")]
        n = max(2, round(self.sampled * len(rows)))
        return np.sort(ordered[np.linspace(0, len(rows) - 1, n).astype(np.int64)])

    def lap(self, running: Sequence[Candidate], train: Ints, held: Ints) -> None:
        """Score the candidates on one fold; those that time does not allow have no scores."""
        for number, one in enumerate(running):
            if number and self.expired():
                break
            known = one.scores[0].keys() if one.scores else ()
            limits = Limits(self.reach, self.expired)
            found = explore(one.model, self.fold(one.model, train, held), limits, known, one.guide)
            if known and self.expired() and len(found) < len(known):
                break  # a path that was cut short would leave only models of few words to choose
            one.scores.append(found)
            self.done += 1
            best = one.best()
            if self.callback is not None:
                event = Event(
                    "trial",
                    self.done,
                    None,
                    one.loss(),
                    features=best and best[1].words,
                    seconds=self.used(),
                )
                self.stopped = self.stopped or bool(self.callback(event))

    def source(self, model: TextClassifier) -> Prepared:
        """Return all documents, read as a candidate reads them; once for all that read alike."""
        if self.model.structure == "auto" and has_structure(model):
            return self.structures.prepared(model)
        key = (model.ngrams or 1, model.prefixes or ())
        if key not in self.sources:
            self.sources[key] = self._read(model, key)
        return self.sources[key]

    def _read(self, model: TextClassifier, key: tuple[int, tuple[int, ...]]) -> Prepared:
        words = self.sources.get((1, ()))
        own = has_structure(model) or model.features or model.constituents
        few = model.min_count > 1 or model.min_df != 1 or model.max_df != 1
        if own or few or words is None:
            data = self.data
            every = (data.documents, data.labels, data.weight, data.unlabelled)
            return preparation.prepare(model, *every)
        encoder = encoder_for(clone(model).set_params(ngrams=key[0], prefixes=key[1]))
        training, encoder = derive(words.training, encoder)
        return words._replace(training=training, encoder=encoder)

    def fold(self, model: TextClassifier, train: Ints, held: Ints) -> HeldOutFold:
        """Return training and held-out documents as a candidate reads them."""
        whole, labels = self.source(model), self.data.labels
        held = held[known_to(labels[held], labels[train])]
        if model.constituents:  # phrases of held-out trees would tell their labels
            part = model.prepare(
                [self.data.documents[row] for row in train.tolist()],
                labels[train],
                unlabelled=self.data.unlabelled,
            )
            encoded = part.encoder.encode([self.data.documents[row] for row in held.tolist()])
            training = part.training._replace(
                counts=encoded.counts(len(part.encoder.vocab)), lengths=lengths_of(encoded)
            )
            rows = preparation.held_out_rows(
                model, part, part._replace(training=training), np.arange(len(held))
            )
        else:
            part = preparation.part_of(model, whole, train)
            rows = preparation.held_out_rows(model, part, whole, held)
        return HeldOutFold(part, rows, labels[held], self.weight_of(held))

    def weight_of(self, held: Ints) -> Array | None:
        """Return how much held-out documents count, by their weights and those of their classes."""
        weight, given = self.data.weight, self.model.class_weight
        found = None if weight is None else weight[held]
        if given is not None:
            own = compute_sample_weight(given, self.data.labels)[held]
            found = own if found is None else own * found
        total = 0.0 if found is None else float(found.sum())
        return None if found is None or total <= 0 else found * (len(found) / total)

    def choice(self) -> Choice:
        """Return the best setting, or of those that are as good the one with the fewest words."""
        folds = max((len(one.scores) for one in self.runners), default=0)
        level = [one for one in self.runners if len(one.scores) == folds and folds]
        # Of a penalty that makes no weight zero all settings keep more words.
        found = _sparsest(level, self.most) or _sparsest(level)
        if found is None:
            return self.last(self.runners[0], FALLBACK, tuple(self.lost))
        if self.model.max_features is None:
            found = self.widened(found, level)
        one, setting, score = found
        rows = [other.row(*best) for other in self.runners if (best := other.best())]
        curve = {s.share: s for s in sorted(one.table(), key=lambda s: -one.table()[s].loss.mean())}
        rows += [one.row(s, one.table()[s]) for s in sorted(curve.values(), reverse=True)]
        return self.last(one, setting, (*self.lost, *rows, one.row(setting, score, True)))

    def widened(self, found: Found, level: Sequence[Candidate]) -> Found:
        """Return the setting with twice or four times as many words where that is better."""
        share = self.most
        for times in WIDER:
            more = _sparsest(level, share * times)
            if more is not None and _is_better(more.score.loss, found.score.loss):
                found, self.most = more, share * times
        return found

    def last(self, one: Candidate, setting: Setting, tried: tuple[Tried, ...]) -> Choice:
        """Return what the last fit needs, with a point near its optimum."""
        prepared = preparation.adapt(one.model, self.source(one.model))
        path = StrengthPath(one.model, prepared)
        most = np.inf if path.smooth else self.most
        point = path.start.x
        shares = [share for share in path.shares() if share > setting.share][1::2]
        for _, _, _, found in path.walk(iter([*shares, setting.share])):
            point = found.copy()
        multiple = path.multiple(setting.share)
        settings = {name: one.settings.get(name) for name in CHOSEN}
        settings["strength"] = multiplied(one.settings["strength"], multiple)
        if settings["lasso"] is not None:
            settings["lasso"] *= multiple
        thresholds = self.thresholds(one, setting) if is_multilabel(self.data.labels) else None
        settings["refit"] = setting.refit
        return Choice(settings, prepared, point, tried, most, thresholds)

    def thresholds(self, one: Candidate, setting: Setting) -> Array:
        """Return the threshold of each label that is best on the held-out documents of the folds.

        A fold that lacks a label in its training part says nothing about that label.
        """
        names = names_of(self.data.labels)
        scores, gold = [np.zeros((0, len(names)))], [np.zeros((0, len(names)))]
        for train, held in self.data.folds:
            fold = self.fold(one.model, train, held)
            scores.append(
                held_out_scores(one.model, fold, setting, Limits(self.most, self.expired), names)
            )
            gold.append(indicator(fold.labels, names))
        return best_thresholds(np.concatenate(scores), np.concatenate(gold))


def _sparsest(level: Sequence[Candidate], most: float = np.inf) -> Found | None:
    """Return, of the settings as good as the best one, that with the fewest words."""
    pool = [
        Found(one, setting, score)
        for one in level
        for setting, score in one.table().items()
        if score.words <= most
    ]
    if not pool:
        return None
    best = min(pool, key=lambda found: float(found.score.loss.mean())).score.loss
    equals = [found for found in pool if _as_good(found.score.loss, best)]
    return min(equals, key=lambda found: (found.score.words, found.score.loss.mean()))


def _is_better(loss: Array, other: Array) -> bool:
    """Return whether a mean loss is lower by more than a standard error of the difference."""
    gain = other - loss
    return bool(gain.mean() > BETTER * gain.std() / np.sqrt(len(gain)))


def _as_good(loss: Array, best: Array) -> bool:
    """Return whether a mean loss is within the tolerance of the best one."""
    above = loss - best
    return bool(above.mean() <= TOLERANCE * above.std() / np.sqrt(len(above)) + 1e-12)
