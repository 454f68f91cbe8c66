"""score(x, y) = sum_j a_jy K(x_j, x): a perceptron in dual form that reranks outputs by a kernel.

Where the output of an example with the best score is not the gold one, both become support
structures j, the gold one with +1 under its label and the other with -1; the a of all steps are
averaged (Freund and Schapire 1999). As every step compares an example with all support structures,
time grows with the square of the examples: they are cut into separate chunks, and the perceptrons
of the chunks vote (Collins and Duffy 2002).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from laconic.core.arrays import Array, Ints
from laconic.core.report import Callback, Event, FitReport, Reported, in_one_line
from laconic.mine.gradient import Structures
from laconic.mine.kernels import Comparable, StructureKernel
from laconic.mine.outputs import Outputs

ROWS = 512  # structures that are compared with all support structures at once
ROUNDING = 1e-13  # of a sum, relative to the sum of its terms' sizes


@dataclass(frozen=True)
class ChunkPass(Event):
    """One pass over the examples of a chunk; `done` counts the passes over this chunk.

    Parameters
    ----------
    chunk : int
        Number of the chunk, from 0.
    wrong : int
        Number of examples predicted wrong.
    supports : int
        Number of support structures of the chunk so far.
    evaluations : int
        Number of kernel evaluations for the chunk so far.
    """

    chunk: int = 0
    wrong: int = 0
    supports: int = 0
    evaluations: int = 0

    def __str__(self) -> str:
        """Return the pass as a progress bar shows it."""
        return (
            f"chunk {self.chunk + 1}, pass {self.done}: {self.wrong:,} wrong, "
            f"{self.supports:,} support structures"
        )


class Supports(NamedTuple):
    """What a chunk has learned: numbers of structures, and averaged weights (n, n_labels)."""

    structure: Ints
    weights: Array


class KernelPerceptron(Reported, BaseEstimator):
    """Perceptrons in the space of a kernel, one per chunk of examples.

    A value of the kernel is computed once and kept while its chunk is learned: 8 bytes for each
    structure of the chunk times each support structure.

    Parameters
    ----------
    kernel : TreeKernel or PolynomialKernel
        Kernel for structures that are trees or sets.
    chunks : int, default=10
        Number of parts that the examples are cut into at random.
    epochs : int, default=5
        Number of passes over a chunk, at most; one without a mistake is the last.
    random_state : int, default=0
        Seed of chunks and of the order of examples.

    Attributes
    ----------
    supports_ : list of Supports
        Support structures of every chunk.
    evaluations_ : int
        Number of kernel evaluations, without those that normalize the kernel.
    report_ : FitReport
        Report of the fit; its trace has every ChunkPass.
    """

    def __init__(
        self, kernel: StructureKernel[Any], chunks: int = 10, epochs: int = 5, random_state: int = 0
    ):
        self.kernel = kernel
        self.chunks = chunks
        self.epochs = epochs
        self.random_state = random_state

    def fit(
        self, structures: Structures, outputs: Outputs, callback: Callback | None = None
    ) -> KernelPerceptron:
        """Learn which outputs are gold; a callback sees every `ChunkPass`, and True stops."""
        began = time.perf_counter()
        self._check(len(outputs.gold))
        self.structures_: Comparable = self.kernel.prepare(structures)
        self.n_labels_ = int(outputs.label.max()) + 1
        self.supports_: list[Supports] = []
        self.evaluations_ = 0
        trace: list[ChunkPass] = []
        stopped = False
        for chunk, orders in enumerate(
            schedule(len(outputs.gold), self.chunks, self.epochs, self.random_state)
        ):
            learner = DualPerceptron(self.kernel, self.structures_, outputs, self.n_labels_)
            stopped = self._learn(learner, chunk, orders, trace, callback)
            self.supports_.append(learner.averaged())
            self.evaluations_ += learner.evaluations
            if stopped:
                break
        self.report_ = FitReport(
            in_one_line(self),
            n_iter=len(trace),
            converged=not stopped,
            interrupted=stopped,
            trace=tuple(trace),
            seconds=time.perf_counter() - began,
        )
        return self

    def scores(self, structures: Structures, outputs: Outputs) -> Array:
        """Return the mean vote for each output.

        The vote of a perceptron is its scores of the outputs of an example, less their mean and
        divided by their standard deviation: chunks count the same in every example, however large
        their scores are there, and what they agree on has a high score.
        """
        return np.asarray(
            standardized(self.chunk_scores(structures, outputs), outputs.ptr).mean(axis=0)
        )

    def chunk_scores(self, structures: Structures, outputs: Outputs) -> Array:
        """Return the score of each output by the perceptron of each chunk, (chunks, outputs)."""
        if outputs.label.max() >= self.n_labels_:
            raise ValueError(
                f"outputs have label {outputs.label.max()}; {self.n_labels_} labels were learned"
            )
        compared = self.kernel.prepare(structures)
        rows, place = np.unique(outputs.structure, return_inverse=True)
        found = np.zeros((len(self.supports_), len(rows), self.n_labels_))
        for begin in range(0, len(rows), ROWS):
            for chunk, (support, weights) in enumerate(self.supports_):
                values = self.kernel.between(
                    compared, rows[begin : begin + ROWS], self.structures_, support
                )
                score, size = values @ weights, np.abs(values) @ np.abs(weights)
                # Sums that cancel but for rounding are zero: votes would make them large.
                found[chunk, begin : begin + ROWS] = np.where(
                    np.abs(score) > ROUNDING * size, score, 0.0
                )
        return np.asarray(found[:, place, outputs.label])

    def _learn(
        self,
        learner: DualPerceptron,
        chunk: int,
        orders: list[Ints],
        trace: list[ChunkPass],
        callback: Callback | None,
    ) -> bool:
        """Pass over a chunk until nothing is wrong; return whether the callback stopped it."""
        for epoch, order in enumerate(orders, 1):
            wrong = sum(learner.step(int(example)) for example in order)
            trace.append(
                ChunkPass(
                    "pass",
                    epoch,
                    self.epochs,
                    chunk=chunk,
                    wrong=wrong,
                    supports=learner.n_supports,
                    evaluations=learner.evaluations,
                )
            )
            if callback is not None and callback(trace[-1]):
                return True
            if wrong == 0:
                break
        return False

    def _check(self, n_examples: int) -> None:
        if not 1 <= self.chunks <= n_examples:
            raise ValueError(
                f"chunks must be from 1 to the number of examples, {n_examples}, "
                f"not {self.chunks!r}"
            )
        if self.epochs < 1:
            raise ValueError(f"epochs must be at least 1, not {self.epochs!r}")


class DualPerceptron:
    """The perceptron of one chunk while it learns; support structures are numbered as they come."""

    def __init__(
        self, kernel: StructureKernel[Any], structures: Comparable, outputs: Outputs, n_labels: int
    ):
        self.kernel = kernel
        self.structures = structures
        self.outputs = outputs
        self.number: dict[int, int] = {}  # of support structures
        self.weights = np.zeros((16, n_labels))
        # Every change times the number of steps before it.
        self.missed = np.zeros((16, n_labels))
        # Structures of an example, and which of them its outputs are.
        self.rows: dict[int, tuple[Ints, NDArray[np.intp]]] = {}
        # Kernel values of the structures of an example with support structures.
        self.values: dict[int, Array] = {}
        self.steps = 0
        self.evaluations = 0

    @property
    def n_supports(self) -> int:
        return len(self.number)

    def step(self, example: int) -> bool:
        """Take a step; return whether the example was predicted wrong and changed the weights."""
        begin, end = self.outputs.ptr[example : example + 2]
        rows, place = self._rows(example)
        scores = (self._values(example, rows) @ self.weights[: self.n_supports])[
            place, self.outputs.label[begin:end]
        ]
        gold, best = int(self.outputs.gold[example]), int(begin + scores.argmax())
        if best != gold:
            self._change(gold, 1.0)
            self._change(best, -1.0)
        self.steps += 1
        return best != gold

    def averaged(self) -> Supports:
        """Return the mean of the weights after each step."""
        weights = (self.weights - self.missed / max(1, self.steps))[: self.n_supports]
        kept = weights.any(axis=1)
        return Supports(np.fromiter(self.number, np.int64, self.n_supports)[kept], weights[kept])

    def _rows(self, example: int) -> tuple[Ints, NDArray[np.intp]]:
        if example not in self.rows:
            begin, end = self.outputs.ptr[example : example + 2]
            self.rows[example] = np.unique(self.outputs.structure[begin:end], return_inverse=True)
        return self.rows[example]

    def _values(self, example: int, rows: Ints) -> Array:
        """Return kernel values with all support structures; only those of new ones are computed."""
        known = self.values.get(example, np.zeros((len(rows), 0)))
        new = np.fromiter(self.number, np.int64, self.n_supports)[known.shape[1] :]
        if len(new):
            known = np.hstack(
                [known, self.kernel.between(self.structures, rows, self.structures, new)]
            )
            self.evaluations += len(rows) * len(new)
        self.values[example] = known
        return known

    def _change(self, output: int, by: float) -> None:
        row = self.number.setdefault(int(self.outputs.structure[output]), self.n_supports)
        if row == len(self.weights):
            self.weights, self.missed = (
                np.vstack([each, np.zeros_like(each)]) for each in (self.weights, self.missed)
            )
        self.weights[row, self.outputs.label[output]] += by
        self.missed[row, self.outputs.label[output]] += by * self.steps


def schedule(n_examples: int, chunks: int, epochs: int, random_state: int) -> Iterator[list[Ints]]:
    """Yield for each chunk the orders in which its examples are seen, one per epoch."""
    for chunk, examples in enumerate(
        np.array_split(np.random.default_rng(random_state).permutation(n_examples), chunks)
    ):
        yield [
            np.random.default_rng((random_state, chunk, epoch)).permutation(examples)
            for epoch in range(epochs)
        ]


def standardized(scores: Array, ptr: Ints) -> Array:
    """Return rows of scores with mean 0 and standard deviation 1 between any two of ptr.

    They are 0 where scores are the same but for rounding.
    """
    lengths = np.diff(ptr)
    example = np.repeat(np.arange(len(lengths)), lengths)
    largest = np.maximum.reduceat(np.abs(scores), ptr[:-1], axis=1)
    # Squares of large scores would overflow.
    relative = scores / np.where(largest > 0, largest, 1.0)[:, example]
    centred = relative - (np.add.reduceat(relative, ptr[:-1], axis=1) / lengths)[:, example]
    spread = np.sqrt(np.add.reduceat(centred**2, ptr[:-1], axis=1) / lengths)[:, example]
    return np.where(spread > 1e-12, centred / np.where(spread > 1e-12, spread, 1.0), 0.0)
