"""What a tagger gives to a learner: encoded training data, and the kernel that learns from it."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from laconic import _core
from laconic.core.arrays import Ints
from laconic.core.report import Callback, FitReport, in_one_line
from laconic.core.solvers.online import Examples, KBestMira, Mira, OnlineLearner, Sentences
from laconic.tag.weights import TagWeights, drain_kernel, load_kernel, make_kernel
from laconic.text.sequences import SequenceEncoder
from laconic.text.templates import TemplateArrays, Templates


class TrainingData(NamedTuple):
    """Encoded sentences, and the templates that make features of them.

    Parameters
    ----------
    templates : Templates
        The templates.
    encoder : SequenceEncoder
        The encoder that made the columns of `data`.
    data : Sentences
        Encoded columns, sentence boundaries and one label per token.
    n_labels : int
        Number of different labels.
    threads : int, default=1
        Number of threads.
    callback : callable, optional
        Called with an Event after every step or pass; True stops the learner.
    start : TagWeights, optional
        If given, only features of it may get weights.
    labels : tuple of str, default=()
        The labels, where a learner scores predictions; without them, token by token.
    """

    templates: Templates
    encoder: SequenceEncoder
    data: Sentences
    n_labels: int
    threads: int = 1
    callback: Callback | None = None
    start: TagWeights | None = None
    labels: tuple[str, ...] = ()

    @property
    def arrays(self) -> TemplateArrays:
        """The templates over the rows of the encoded columns."""
        return self.templates.arrays(self.encoder.view_index)

    @property
    def widths(self) -> Ints:
        """Number of weights that a feature of each template may have."""
        return widths(self.arrays, self.n_labels)

    def examples(self, kernel: _core.Tagger) -> Examples:
        """Return the sentences with their features numbered."""
        return Examples.of(kernel, self.data, self.threads)

    def kernel(self) -> _core.Tagger:
        """Return a kernel tagger without weights; if `start` is given, with its features."""
        kernel = make_kernel(self.templates, self.encoder, self.n_labels)
        if self.start is None:
            return kernel
        found = self.start
        zeros = [np.zeros_like(part) for part in found.weights]
        return load_kernel(
            kernel,
            TagWeights(found.atoms, zeros, np.zeros_like(found.edge), np.zeros_like(found.start)),
        )

    def weights(self, kernel: _core.Tagger) -> TagWeights:
        """Return the weights of a kernel tagger, which loses its features."""
        return drain_kernel(kernel, self.templates, self.n_labels)


@runtime_checkable
class Learner(Protocol):
    """Learns weights from training data, sentence by sentence or from all sentences at once."""

    def learn(self, data: TrainingData, /) -> tuple[TagWeights, FitReport]:
        """Return the weights, learned from zero or, where a learner can, from `data.start`.

        `features_total` of the report is the number of different features of the data.
        """
        ...


def as_learner(given: object) -> Learner:
    """Return what was given, or raise a ValueError if it is not a learner of taggers."""
    if not isinstance(given, Learner):
        raise ValueError(
            f"a learner such as Mira(), Sparseptron() or Crf() is needed, got {given!r}"
        )
    if isinstance(given, KBestMira):
        raise ValueError(
            "KBestMira learns parsers; a tagger takes Mira(), its step from the one best path"
        )
    return given


def online_learner(given: object) -> OnlineLearner:
    """Return the learner for `partial_fit`: Mira() for None, and for the text of a model file."""
    if given is None or isinstance(given, str):
        return Mira()
    if not isinstance(given, OnlineLearner):
        raise ValueError(f"partial_fit needs an online learner, got {type(given).__name__}")
    return given.check()


class OnlineState:
    """Where an online learner stands between calls of `partial_fit`."""

    def __init__(
        self, learner: OnlineLearner, templates: Templates, encoder: SequenceEncoder, n_labels: int
    ) -> None:
        self.learner = learner
        self.templates = self.given = templates
        self.encoder = encoder
        self.n_labels = n_labels
        self.order = cache(templates.order)
        self.kernel = make_kernel(templates, encoder, n_labels)
        self.n_passes = self.n_rounds = 0
        self.sizes = np.zeros(len(templates), dtype=np.int64)

    @classmethod
    def of(
        cls,
        learner: OnlineLearner,
        templates: Templates,
        encoder: SequenceEncoder,
        found: TagWeights,
    ) -> OnlineState:
        """Return the state of learning that goes on from weights."""
        state = cls(learner, templates, encoder, len(found.start))
        load_kernel(state.kernel, found)
        return state

    def learn(self, data: Sentences, threads: int) -> tuple[TagWeights, FitReport]:
        """Make one more pass, and return the weights as they would be if learning ended here.

        The kernel itself is left as the pass left it. The size of a template is that in the largest
        batch so far, because not all of its features are known yet.
        """
        arrays = self.templates.arrays(self.encoder.view_index)
        examples = Examples.of(self.kernel, data, threads)
        self.sizes = np.maximum(self.sizes, examples.sizes)
        ready = self.learner.on(self.sizes * widths(arrays, self.n_labels), self.order)
        ready.one_epoch(self.kernel, examples, self.n_passes, done=self.n_rounds)
        self.n_passes, self.n_rounds = self.n_passes + 1, self.n_rounds + len(data)
        twin = self.kernel.copy()
        ready.finish(twin)
        return drain_kernel(twin, self.templates, self.n_labels), FitReport(
            in_one_line(self.learner),
            n_iter=self.n_passes,
            converged=True,
            features_total=int(self.kernel.sizes.sum()),
        )


def widths(arrays: TemplateArrays, n_labels: int) -> Ints:
    """Return the number of weights that a feature of each template may have."""
    return np.where(arrays.pairs == 1, n_labels**2, n_labels)
