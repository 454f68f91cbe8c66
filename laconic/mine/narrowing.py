"""Some features of a miner and what they extend, as arrays: what a model keeps of a search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.mine.gradient import GradientMining


class Narrowed(NamedTuple):
    """Feature f, f > 0, extends part[f] < f by extension[f]; feature 0 is the root; number[f]: of each in the search."""

    part: NDArray[np.uint32]
    extension: NDArray[np.uint32]
    number: NDArray[np.int64]

    @classmethod
    def of(cls, miner: Any, features: NDArray[np.integer[Any]]) -> Narrowed:
        """These features and all that they extend, in the order that they have."""
        part, extension = miner.features()
        needed = np.zeros(len(part), dtype=bool)
        needed[0] = True
        while len(features) > 0:  # parts of what is needed, until the root
            needed[features] = True
            features = np.unique(part[features])
            features = features[features != 0]
        place = np.cumsum(needed) - 1
        return cls(place[part[needed]].astype(np.uint32), extension[needed], np.flatnonzero(needed))

    def miner(self) -> Any:
        """A kernel with these features in these numbers."""
        found = GradientMining().new_miner()
        found.add(self.part[1:], self.extension[1:])
        return found
