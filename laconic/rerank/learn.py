"""The features of a reranker: searched where a model of single arcs is wrong, weighed by passes."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from laconic import _core
from laconic.core.report import Callback
from laconic.mine.gradient import GradientMining
from laconic.mine.narrowing import Narrowed
from laconic.mine.outputs import Outputs
from laconic.mine.ranking import ListFeatures, RankedWeights, decayed, orders, rank
from laconic.mine.rounds import Round

TreeStructures: TypeAlias = _core.TreeStructures | _core.SetStructures


class FeatureSearch(NamedTuple):
    """A search of the space of features; the parameters are those of Reranker.

    Parameters
    ----------
    most_order : int
        The largest order of a feature.
    rounds : int
        Number of rounds.
    memory : float
        Number of bytes that the search may use.
    pretrain_epochs : int
        Number of passes of the model of single arcs.
    decay : float
        Factor of the step size per order of a feature.
    random_state : int or None
        Seed of the order of sentences.
    """

    most_order: int
    rounds: int
    memory: float
    pretrain_epochs: int
    decay: float
    random_state: int | None

    def run(
        self, threshold: int, structures: TreeStructures, outputs: Outputs, callback: Callback
    ) -> tuple[_core.Miner, list[Round]]:
        """Search features of order 1, learn a model of them, and search more where it is wrong."""
        first = GradientMining(threshold, 1, 1, memory=self.memory).run(structures, outputs, 1)
        if self.most_order == 1:
            return first.miner, first.rounds
        weights = np.zeros(len(first.miner))
        if self.pretrain_epochs > 0:
            features = ListFeatures.of(first.miner, structures, outputs.ptr)
            weights = self.rank(first.miner, features, outputs, self.pretrain_epochs).weights
        single = np.arange(1, len(first.miner))
        search = GradientMining(
            threshold,
            self.most_order,
            self.rounds,
            decreasing=True,
            memory=self.memory,
            proximal=threshold > 0,
        )
        found = search.run(
            structures,
            outputs,
            1,
            first.miner,
            weights[:, None],
            callback=callback,
            on_order=callback,
        )
        miner: _core.Miner = Narrowed.of(found.miner, np.union1d(found.features, single)).miner()
        return miner, [*first.rounds, *found.rounds]

    def rank(
        self, miner: _core.Miner, features: ListFeatures, outputs: Outputs, epochs: int
    ) -> RankedWeights:
        """Weigh features by an averaged perceptron."""
        step = decayed(orders(miner), self.decay)
        return rank(features, outputs, step, epochs, self.random_state)
