"""Which structures of the text a penalty adds up, chosen by Bayesian optimization.

    next = argmax_s E[max(0, best - loss(s))]     loss(s) ~ Gaussian process over what was tried

A point s says for each of sentences, phrases, topics and clusters whether it is a term of the sum
and with which strength beside the elastic net, how many topics and clusters there are, and the
contrast and frequency of words (chapter 6 of Yogatama, 2015). loss(s) is the least log-loss on
held-out documents along a short path of strengths, which starts from the best weights so far.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from laconic.classify.candidate import Candidate
from laconic.classify.folds import Guide
from laconic.classify.lexicon import WordText, learn_lexicon
from laconic.classify.penalty import structures_of
from laconic.classify.preparation import Prepared, families_of
from laconic.classify.settings import FIRST, PLAIN, Settings
from laconic.classify.structure import Family
from laconic.core.arrays import Array, Ints
from laconic.text.documents import sentences_of
from laconic.text.trees import Tree

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier
    from laconic.classify.tuning import Race

MOST_TRIALS = 30
SEARCH_SHARE = 0.3  # of `seconds`: the rest is for the other folds and the last fit
POOL = 500  # random points among which the next one is chosen
STRENGTHS = (1e-3, 1.0)  # of a structure, over that of the elastic net
FACTORS = (0.5, 1.0, 2.0)  # of the numbers of topics and clusters that suit the text
FIRST_STRENGTH = 1 / 3  # of the logarithmic range: 0.01
CONTRASTS, FREQUENCIES = (0.0, 0.5, 1.0), (0.0, 0.5)
OFF = 0.5  # coordinate of what a point does not use


class Space(NamedTuple):
    """Points of the unit cube: (term, strength) of each structure, numbers, costs of words."""

    structures: tuple[str, ...]
    numbers: dict[str, int]  # of topics and clusters, at the factor 1
    base: Settings
    fixed: tuple[str, ...]  # what the user states

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return 2 * len(self.structures) + 4

    def tidy(self, points: Array) -> Array:
        """Round coordinates to what they mean, so that equal settings are equal points."""
        points = points.copy()
        n = 2 * len(self.structures)
        points[:, :n:2] = points[:, :n:2] > 0.5
        points[:, 1:n:2] = np.where(points[:, :n:2] > 0, points[:, 1:n:2].round(1), OFF)
        for column, (name, levels) in enumerate(
            [("topics", 3), ("brown", 3), ("contrast", 3), ("frequency", 2)], start=n
        ):
            used = name not in self.fixed
            if name in ("topics", "brown"):
                used &= name in self.structures
                on = points[:, 2 * self.structures.index(name)] > 0 if used else np.zeros(1, bool)
            else:
                on = np.full(len(points), used)
            level = np.minimum(points[:, column] * levels, levels - 1).astype(int) / (levels - 1)
            points[:, column] = np.where(on, level, OFF)
        return points

    def base_point(self) -> Array:
        """Return the point of the base: no structure."""
        point = np.full(self.size, OFF)
        point[: 2 * len(self.structures) : 2] = 0.0
        if "contrast" not in self.fixed:
            point[-2] = _place(CONTRASTS, self.base["contrast"])
        if "frequency" not in self.fixed:
            point[-1] = _place(FREQUENCIES, self.base["frequency"])
        return point

    def first_points(self) -> Array:
        """Return the first points to try: each structure alone, and all of them."""
        points = [self.base_point() for _ in range(len(self.structures) + 1)]
        for k in range(len(self.structures)):
            for point in (points[k], points[-1]):
                point[2 * k : 2 * k + 2] = 1.0, FIRST_STRENGTH
        return np.array(points if len(self.structures) > 1 else points[:1])

    def settings(self, point: Array) -> Settings:
        """Return the settings of a point."""
        plain = self.base["penalty"]
        strength = {plain: 1.0}
        low, high = np.log(STRENGTHS)
        for k, name in enumerate(self.structures):
            if point[2 * k] > 0.5:
                value = np.exp(low + point[2 * k + 1] * (high - low))
                strength[name] = float(f"{value:.2g}")
        found = {**self.base, "penalty": "+".join(strength), "strength": strength}
        for name, number, column in (("topics", "n_topics", -4), ("brown", "n_clusters", -3)):
            if name in strength and name in self.numbers:
                factor = 1.0 if name in self.fixed else FACTORS[round(2 * point[column])]
                found[number] = max(2, round(factor * self.numbers[name]))
        if "contrast" not in self.fixed:
            found["contrast"] = CONTRASTS[round(2 * point[-2])]
        if "frequency" not in self.fixed:
            found["frequency"] = FREQUENCIES[round(point[-1])]
        return found


def _place(values: tuple[float, ...], value: float) -> float:
    """Return the coordinate of the nearest of a few values."""
    return float(np.argmin(np.abs(np.array(values) - value))) / (len(values) - 1)


class FamilyCache:
    """The groups of each structure of the documents of a race; each is made once."""

    def __init__(self, race: Race) -> None:
        self.race = race
        self.families: dict[tuple[object, ...], Family] = {}
        self._text: WordText | None = None

    def text(self, model: TextClassifier) -> WordText:
        """Return the text that topics and clusters are learned from."""
        if self._text is None:
            base = self.race.source(self.plain(model))
            self._text = WordText.read(model, base.training, self.race.data.unlabelled)
        return self._text

    def plain(self, model: TextClassifier) -> TextClassifier:
        """Return a model that reads the same words, without structures."""
        plain: TextClassifier = clone(model).set_params(penalty="lasso", strength=None)
        return plain

    def prepared(self, model: TextClassifier) -> Prepared:
        """Return all documents as a model reads them, with the groups of its penalty."""
        base = self.race.source(self.plain(model))
        families = tuple(self.family(name, model, base) for name in structures_of(model.penalty))
        return base._replace(families=families)

    def family(self, name: str, model: TextClassifier, base: Prepared) -> Family:
        """Return the groups of one structure over the words of prepared data."""
        number = {"topics": model.n_topics, "brown": model.n_clusters}.get(name)
        key = (name, number, id(base.training.vocab))
        if key not in self.families:
            lexicon = learn_lexicon(model, {name}, base.training, self.text(model))
            self.families[key] = families_of([name], base.training, lexicon, model.neutral_label)[0]
        return self.families[key]

    def space(self, base: Candidate) -> Space:
        """Return what can be tried for these documents."""
        model = self.race.model
        documents = [d for d in self.race.data.documents if not isinstance(d, str)]
        trees = any(isinstance(s, Tree) for d in documents[:100] for s in sentences_of(d))
        structures = ("sentence", "topics", "brown", *(["tree"] if trees else []))
        stated = {"topics": model.n_topics, "brown": model.n_clusters}
        text = self.text(base.model)
        numbers = {name: value or text.scaled(name) for name, value in stated.items()}
        if model.clusters is not None:
            del numbers["brown"]
        fixed = [name for name, value in stated.items() if value or name not in numbers]
        fixed += [n for n in ("contrast", "frequency") if getattr(model, n) is not None]
        return Space(structures, numbers, base.settings, tuple(fixed))


def search(race: Race, base: Candidate, folds: Sequence[tuple[Ints, Ints]]) -> list[Candidate]:
    """Return candidates with structures, scored on some folds, from the best plain one."""
    best = base.best()
    if best is None:
        return []
    space, rng = race.structures.space(base), np.random.default_rng(race.model.random_state)
    points, losses = space.base_point()[None], np.array([base.loss()])
    queue = list(space.tidy(space.first_points()))
    guide = Guide(best[0].share)
    found: list[Candidate] = []
    while len(found) < MOST_TRIALS and race.used() < SEARCH_SHARE * race.model.seconds:
        if race.expired():
            break
        point = queue.pop(0) if queue else propose(points, losses, space, rng)
        one = Candidate(space.settings(point), race.model)
        one.guide = Guide(guide.best_share, guide.point)
        for train, held in folds:
            race.lap([one], train, held)
        if not np.isfinite(one.loss()):
            break
        found.append(one)
        points, losses = np.vstack([points, point]), np.append(losses, one.loss())
        if losses[-1] == losses[1:].min():
            guide = one.guide
    return found


def propose(points: Array, losses: Array, space: Space, rng: np.random.Generator) -> Array:
    """Return the point of a random pool with the largest expected improvement."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import Matern, WhiteKernel

    kernel = Matern(1.0, (0.1, 10.0), nu=2.5) + WhiteKernel(1e-2, (1e-4, 1.0))
    process = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of its own parameters, at a bound
        process.fit(points, losses)
    best = points[losses.argmin()]
    pool = rng.random((POOL, space.size))
    # Half of the pool differs from the best point in a few coordinates.
    same = rng.random((POOL // 2, space.size)) > 2 / space.size
    pool[: POOL // 2] = np.where(same, best, pool[: POOL // 2])
    pool = space.tidy(pool)
    known = (pool[:, None] == points[None]).all(axis=2).any(axis=1)
    plain = ~(pool[:, : 2 * len(space.structures) : 2] > 0).any(axis=1)
    mean, deviation = process.predict(pool, return_std=True)
    z = (losses.min() - mean) / np.maximum(deviation, 1e-12)
    expected = deviation * (z * norm.cdf(z) + norm.pdf(z))
    chosen: Array = pool[np.argmax(np.where(known | plain, -np.inf, expected))]
    return chosen


def check_structure(model: TextClassifier) -> None:
    """Raise a ValueError unless the parameter `structure` can be followed."""
    if model.structure not in (None, "auto"):
        raise ValueError(f"structure is 'auto' or None, got {model.structure!r}")
    if model.structure == "auto" and (
        model.penalty not in (None, PLAIN["penalty"], FIRST["penalty"])
        or model.strength is not None
        or model.lasso is not None
        or model.values is not None
    ):
        raise ValueError(
            "structure='auto' chooses penalty and strengths: leave them out (or give the penalty "
            "lasso or elastic, to which structures are added)"
        )
