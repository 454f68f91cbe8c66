"""What a parser gives to a learner: encoded training data, and the kernel that learns from it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.core.report import Callback
from laconic.core.solvers.online import Examples, OnlineLearner
from laconic.parse.templates import PartTemplates
from laconic.parse.weights import (
    Candidates,
    ParseWeights,
    TreeShape,
    features_of,
    load_kernel,
    make_kernel,
)
from laconic.text.sequences import SequenceEncoder


class TreeData(NamedTuple):
    """Encoded training data: columns (n_views, n_tokens), sentence boundaries, a head a token, and the heads it may have."""

    columns: NDArray[np.int32]
    ptr: NDArray[np.int64]
    gold: NDArray[np.int32]
    candidates: Candidates = Candidates()

    def seen_by(self, kernel: Any) -> Any:
        """The sentences as a kernel parser learns from them."""
        return kernel.number(self.columns, self.ptr, *self.candidates)


class TreeTrainingData(NamedTuple):
    """Encoded sentences with trees, and the templates that make features of their parts.

    With `start`, only its features may get weights.
    """

    templates: PartTemplates
    encoder: SequenceEncoder
    data: TreeData
    shape: TreeShape
    callback: Callback | None = None
    start: ParseWeights | None = None

    @property
    def widths(self) -> NDArray[np.int64]:
        """A feature of a part has one weight."""
        return np.ones(len(self.templates), dtype=np.int64)

    def kernel(self) -> Any:
        """A kernel parser without weights; with `start`, with its features."""
        kernel = make_kernel(self.templates, self.encoder, self.shape)
        if self.start is None:
            return kernel
        return load_kernel(
            kernel,
            self.start._replace(weights=[np.zeros_like(part) for part in self.start.weights]),
        )

    def examples(self, kernel: Any) -> Examples:
        """The sentences, and about how many features each template has in them."""
        seen = self.data.seen_by(kernel)
        return Examples(seen, self.data.gold, kernel.count(seen))

    def weights(self, kernel: Any) -> ParseWeights:
        """Return the weights of a kernel parser, with the names of their features."""
        return features_of(kernel, self.data.seen_by(kernel), self.templates)


def as_tree_learner(given: Any) -> OnlineLearner:
    """What was given, if it learns sentence by sentence."""
    if not isinstance(given, OnlineLearner):
        raise ValueError(
            f"a parser learns by an online learner such as Mira(), KBestMira() or Sparseptron(), got {given!r}"
        )
    return given
