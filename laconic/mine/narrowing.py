"""Some features of a miner and those they extend, as arrays: what a model keeps of a search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic import _core
from laconic.core.arrays import Integers, Ints
from laconic.mine.gradient import GradientMining


class Narrowed(NamedTuple):
    """Feature f > 0 extends part[f] < f by extension[f]; feature 0 is the root.

    number[f] is the number of the feature in the search.
    """

    part: NDArray[np.uint32]
    extension: NDArray[np.uint32]
    number: Ints

    @classmethod
    def of(cls, miner: _core.Miner, features: Integers) -> Narrowed:
        """Return these features and all that they extend, in their order."""
        part, extension = miner.features()
        needed = np.zeros(len(part), dtype=bool)
        needed[0] = True
        while len(features) > 0:  # parts of what is needed, until the root
            needed[features] = True
            features = np.unique(part[features])
            features = features[features != 0]
        place = np.cumsum(needed) - 1
        return cls(place[part[needed]].astype(np.uint32), extension[needed], np.flatnonzero(needed))

    def miner(self) -> _core.Miner:
        """Return a kernel with these features under these numbers."""
        found = GradientMining().new_miner()
        found.add(self.part[1:], self.extension[1:])
        return found
