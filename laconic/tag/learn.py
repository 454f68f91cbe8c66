"""What a tagger gives to a learner: encoded training data, and the kernel that learns from it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from laconic.core.report import Callback, FitReport, in_one_line
from laconic.core.solvers.online import Examples, KBestMira, OnlineLearner, Sentences, run_report
from laconic.tag.weights import TagWeights, drain_kernel, load_kernel, make_kernel
from laconic.text.sequences import SequenceEncoder
from laconic.text.templates import TemplateArrays, Templates


class TrainingData(NamedTuple):
    """Encoded sentences, and the templates that make features of them.

    With `start`, only its features may get weights. The learner calls `callback` after every step
    or pass; it may stop the learner.
    """

    templates: Templates
    encoder: SequenceEncoder
    data: Sentences
    n_labels: int
    threads: int = 1
    callback: Callback | None = None
    start: TagWeights | None = None

    @property
    def arrays(self) -> TemplateArrays:
        """The templates over the rows of the encoded columns."""
        return self.templates.arrays(self.encoder.view_index)

    @property
    def widths(self) -> NDArray[np.int64]:
        """How many weights a feature of each template may have."""
        return widths(self.arrays, self.n_labels)

    def examples(self, kernel: Any) -> Examples:
        """The sentences with their features numbered."""
        return Examples.of(kernel, self.data, self.threads)

    def kernel(self) -> Any:
        """A kernel tagger without weights; with `start`, with its features."""
        kernel = make_kernel(self.templates, self.encoder, self.n_labels)
        if self.start is None:
            return kernel
        found = self.start
        zeros = [np.zeros_like(part) for part in found.weights]
        return load_kernel(
            kernel,
            TagWeights(found.atoms, zeros, np.zeros_like(found.edge), np.zeros_like(found.start)),
        )

    def weights(self, kernel: Any) -> TagWeights:
        """Return the weights of a kernel tagger, which loses its features."""
        return drain_kernel(kernel, self.templates, self.n_labels)


class Learner(Protocol):
    """Learns weights from training data, sentence by sentence or from all sentences at once."""

    def learn(self, data: TrainingData, /) -> tuple[TagWeights, FitReport]:
        """Return the weights, learned from zero or, where a learner can, from `data.start`.

        `features_total` of the report is the number of different features of the data.
        """


def as_learner(given: Any) -> Learner:
    """What was given, if it learns."""
    if not hasattr(given, "learn"):
        raise ValueError(
            f"a learner such as Mira(), Sparseptron() or Crf() is needed, got {given!r}"
        )
    if isinstance(given, KBestMira):
        raise ValueError(
            "KBestMira learns parsers; a tagger takes Mira(), its step from the one best path"
        )
    return given


class OnlineState:
    """Where an online learner stands between calls of `partial_fit`."""

    def __init__(self, templates: Templates, encoder: SequenceEncoder, n_labels: int) -> None:
        self.templates = templates
        self.encoder = encoder
        self.n_labels = n_labels
        self.order = cache(templates.order)
        self.kernel = make_kernel(templates, encoder, n_labels)
        self.n_passes = self.n_rounds = 0
        self.sizes = np.zeros(len(templates), dtype=np.int64)

    def learn(
        self, learner: OnlineLearner, data: Sentences, threads: int
    ) -> tuple[TagWeights, FitReport]:
        """One pass more; the weights as they would be if learning ended here. The kernel goes on undisturbed.

        A template is as large as the largest batch has shown it: all its features are not known yet.
        """
        arrays = self.templates.arrays(self.encoder.view_index)
        examples = Examples.of(self.kernel, data, threads)
        self.sizes = np.maximum(self.sizes, examples.sizes)
        ready = learner.on(self.sizes * widths(arrays, self.n_labels), self.order)
        last = ready.one_epoch(self.kernel, examples, self.n_passes, done=self.n_rounds)
        self.n_passes, self.n_rounds = self.n_passes + 1, self.n_rounds + len(data)
        twin = self.kernel.copy()
        ready.finish(twin)
        return drain_kernel(twin, self.templates, self.n_labels), replace(
            run_report([last], interrupted=False),
            learner=in_one_line(learner),
            n_iter=self.n_passes,
            features_total=int(self.kernel.sizes.sum()),
        )


def widths(arrays: TemplateArrays, n_labels: int) -> NDArray[np.int64]:
    """How many weights a feature of each template may have."""
    return np.where(arrays.pairs == 1, n_labels**2, n_labels)
