"""One learner on encoded sentences: online ones move a kernel tagger, batch ones solve a problem over numbered features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from laconic.estimators.tag_batch import Crf
from laconic.estimators.tag_model import TagWeights, drain_kernel, load_kernel, make_kernel
from laconic.solvers.online import Epoch, Examples, OnlineLearner, Sentences
from laconic.solvers.online_sparse import Sparseptron
from laconic.text.sequences import SequenceEncoder
from laconic.text.templates import Templates


class Learned(NamedTuple):
    """Weights, distinct features seen in training, the passes, and how it ended."""

    weights: TagWeights
    n_features: int
    trace: list[Epoch]
    interrupted: bool = False
    objective: float = np.nan
    certificate: float = np.nan

    @classmethod
    def from_kernel(cls, learner: OnlineLearner, kernel: Any, templates: Templates, n_labels: int) -> Learned:
        """The final weights as they would be if learning ended here; the kernel goes on undisturbed."""
        twin = kernel.copy()
        learner.finish(twin)
        return cls(drain_kernel(twin, templates, n_labels), int(kernel.sizes.sum()), [])


def learn(
    learner: Any,
    templates: Templates,
    encoder: SequenceEncoder,
    data: Sentences,
    n_labels: int,
    threads: int,
    callback: Callable[[Any], bool | None] | None = None,
    start: TagWeights | None = None,
) -> Learned:
    """Run a learner from zero weights. With `start`, only its features may get weights."""
    arrays = templates.arrays(encoder.view_index)
    if isinstance(learner, Crf):
        solved = learner.solve(templates, arrays, data, n_labels, threads, callback, start)
        result = solved.result
        return Learned(solved.weights, solved.n_features, [], result.interrupted, solved.objective, result.error)
    if not isinstance(learner, OnlineLearner):
        raise ValueError(f"a learner such as Mira(), Sparseptron() or Crf() is needed, got {learner!r}")
    kernel = make_kernel(templates, encoder, n_labels)
    examples = Examples.of(kernel, data, threads)
    sizes = examples.seen.sizes
    options: dict[str, Any] = {}
    if isinstance(learner, Sparseptron):
        widths = np.where(arrays.pairs == 1, n_labels**2, n_labels)
        options["gravity"] = learner.gravity(sizes * widths, templates.order())
    if start is not None:
        load_kernel(
            kernel, start._replace(weights=[0 * part for part in start.weights], edge=0 * start.edge, start=0 * start.start)
        )
    run = learner.run(kernel, examples, callback, start is None, **options)
    del examples
    return Learned(drain_kernel(kernel, templates, n_labels), int(sizes.sum()), run.trace, run.interrupted)
