"""One learner on encoded sentences: online ones move a kernel tagger, batch ones solve a problem over numbered features."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from laconic.estimators.tag_batch import Solved
from laconic.estimators.tag_model import TagWeights, drain_kernel, load_kernel, make_kernel
from laconic.solvers.online import Epoch, Examples, OnlineLearner, Sentences
from laconic.text.sequences import SequenceEncoder
from laconic.text.templates import TemplateArrays, Templates

Callback = Callable[[Any], bool | None]


@runtime_checkable
class BatchLearner(Protocol):
    """What learns from all sentences at once."""

    def solve(
        self,
        templates: Templates,
        encoder: SequenceEncoder,
        data: Sentences,
        n_labels: int,
        threads: int,
        callback: Callback | None,
        start: TagWeights | None,
    ) -> Solved:
        """The weights. With `start`, only its features may get some."""


class Learned(NamedTuple):
    """Weights, distinct features seen in training, the passes, and how it ended."""

    weights: TagWeights
    n_features: int
    trace: list[Epoch]
    interrupted: bool = False
    objective: float = np.nan
    certificate: float = np.nan


def learn(
    learner: Any,
    templates: Templates,
    encoder: SequenceEncoder,
    data: Sentences,
    n_labels: int,
    threads: int,
    callback: Callback | None = None,
    start: TagWeights | None = None,
) -> Learned:
    """Run a learner from zero weights. With `start`, only its features may get weights."""
    if isinstance(learner, BatchLearner):
        solved = learner.solve(templates, encoder, data, n_labels, threads, callback, start)
        result = solved.result
        return Learned(solved.weights, solved.n_features, [], result.interrupted, solved.objective, result.error)
    if not isinstance(learner, OnlineLearner):
        raise ValueError(f"a learner such as Mira(), Sparseptron() or Crf() is needed, got {learner!r}")
    kernel = make_kernel(templates, encoder, n_labels)
    examples = Examples.of(kernel, data, threads)
    sizes = examples.seen.sizes
    if start is not None:
        load_kernel(
            kernel, start._replace(weights=[0 * part for part in start.weights], edge=0 * start.edge, start=0 * start.start)
        )
    arrays = templates.arrays(encoder.view_index)
    ready = learner.on(sizes * widths(arrays, n_labels), templates.order)
    run = ready.run(kernel, examples, callback, start is None)
    del examples
    return Learned(drain_kernel(kernel, templates, n_labels), int(sizes.sum()), run.trace, run.interrupted)


class Growing:
    """What an online learner has made of the sentences so far."""

    def __init__(self, templates: Templates, encoder: SequenceEncoder, n_labels: int) -> None:
        self.templates = templates
        self.encoder = encoder
        self.n_labels = n_labels
        self.order = cache(templates.order)
        self.kernel = make_kernel(templates, encoder, n_labels)
        self.n_passes = self.n_rounds = 0
        self.sizes = np.zeros(len(templates), dtype=np.int64)

    def learn(self, learner: OnlineLearner, data: Sentences, threads: int) -> Learned:
        """One pass more; the weights as they would be if learning ended here. The kernel goes on undisturbed.

        A template is as large as the largest batch has shown it: all its features are not known yet.
        """
        arrays = self.templates.arrays(self.encoder.view_index)
        examples = Examples.of(self.kernel, data, threads)
        self.sizes = np.maximum(self.sizes, examples.seen.sizes)
        ready = learner.on(self.sizes * widths(arrays, self.n_labels), self.order)
        ready.one_epoch(self.kernel, examples, self.n_passes, done=self.n_rounds)
        self.n_passes, self.n_rounds = self.n_passes + 1, self.n_rounds + len(data)
        twin = self.kernel.copy()
        ready.finish(twin)
        return Learned(drain_kernel(twin, self.templates, self.n_labels), int(self.kernel.sizes.sum()), [])


def widths(arrays: TemplateArrays, n_labels: int) -> NDArray[np.int64]:
    """How many weights a feature of each template may have."""
    return np.where(arrays.pairs == 1, n_labels**2, n_labels)
