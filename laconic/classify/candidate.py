"""A candidate of a race: settings of a TextClassifier, and how they did on held-out documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.base import clone

from laconic.classify.folds import Guide, Setting, SettingScore
from laconic.classify.preparation import Prepared
from laconic.classify.settings import CHOSEN, FIRST, Settings, Tried, penalty_text
from laconic.core.arrays import Array

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier


class Choice(NamedTuple):
    """What was chosen, and what the last fit needs: all documents, and a point near its optimum."""

    settings: Settings
    prepared: Prepared
    start: Array
    tried: tuple[Tried, ...]
    most: float
    thresholds: Array | None = None


class Candidate:
    """One way to read words and penalise weights, with what each setting scored on each fold."""

    def __init__(self, settings: Settings, model: TextClassifier) -> None:
        self.settings = settings
        self.model: TextClassifier = clone(model).set_params(
            **{name: value for name, value in settings.items() if name in CHOSEN}
        )
        self.scores: list[dict[Setting, SettingScore]] = []
        self.guide: Guide | None = None

    def table(self) -> dict[Setting, SettingScore]:
        """Return the settings that all folds have: mean words, and the scores of all documents."""
        common = [s for s in self.scores[0] if all(s in one for one in self.scores)]
        return {
            setting: SettingScore(
                round(np.mean([one[setting].words for one in self.scores])),
                np.concatenate([one[setting].loss for one in self.scores]),
                np.concatenate([one[setting].right for one in self.scores]),
            )
            for setting in common
        }

    def best(self) -> tuple[Setting, SettingScore] | None:
        """Return the setting with the lowest mean log-loss; None if no setting keeps a word."""
        table = self.table() if self.scores else {}
        return min(table.items(), key=lambda pair: float(pair[1].loss.mean()), default=None)

    def loss(self) -> float:
        """Return the lowest mean log-loss."""
        best = self.best()
        return np.inf if best is None else float(best[1].loss.mean())

    def changes(self, first: Candidate) -> Settings:
        """Return the settings that are not those of the first candidate."""
        return {name: v for name, v in self.settings.items() if v != first.settings[name]}

    def row(self, setting: Setting, score: SettingScore, chosen: bool = False) -> Tried:
        """Return one line of the table of what was tried."""
        words = {name: self.settings[name] for name in FIRST}
        words["penalty"] = penalty_text(self.settings)
        mean = float(score.loss.mean()), float(score.right.mean())
        return Tried(
            **words,
            **setting._asdict(),
            words=score.words,
            log_loss=mean[0],
            accuracy=mean[1],
            folds=len(self.scores),
            chosen=chosen,
        )
