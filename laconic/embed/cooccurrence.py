"""How often words occur near each other in running text: sparse counts of words by contexts.

A text is counted in blocks that fit into memory; the counts of a block are rows in order. If there
is more than one block, rows go to temporary files, and rows of the result are sums of those. What
takes memory is a block, a panel of rows, and the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import IO, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from laconic import _core
from laconic.core.arrays import Floats, Ints, Ints32
from laconic.core.ragged import pointers, spans
from laconic.core.threads import thread_count
from laconic.embed.word_counts import MEMORY, EncodedText, Subsampling, kept_share

# Bytes of memory per token of a block, and per entry of a panel, including temporary copies.
TOKEN_BYTES, ENTRY_BYTES = 32, 64
FEWEST = 2**12  # lower bound of tokens of a block and of entries of a panel, whatever the memory
WIDEST = 1000  # largest window: sums then fit into 64 bits for every text
# Lengths of rows, contexts, values: float32 counts, or uint64 sums that are added up later.
Panel: TypeAlias = tuple[Ints, Ints32, Floats]
Number = TypeVar("Number", bound=np.generic)


class Cooccurrences(NamedTuple):
    """How to count.

    window       number of words to the left and to the right that are contexts, within a sentence
    dynamic      whether a context at distance d counts (window - d + 1) / window, as windows of
                 random width do on average; otherwise it counts 1
    n_contexts   number of most frequent words that are contexts; None means all words
    subsample    rate t: occurrences of a word of frequency f count min(1, sqrt(t / f))
    seed         None multiplies counts by that; with a number words are left out at random
    """

    window: int = 5
    dynamic: bool = False
    n_contexts: int | None = None
    subsample: float | None = None
    seed: int | None = None

    def count(
        self, text: EncodedText, memory: int = MEMORY, n_jobs: int | None = None
    ) -> csr_matrix:
        """Return counts of words by contexts (n_words, n_contexts), float32.

        Row and column i are word i of the text. `memory` is the number of bytes to use besides the
        result; texts that need more go through temporary files.
        """
        self._check()
        n_contexts = len(text) if self.n_contexts is None else min(self.n_contexts, len(text))
        counting = _Counting(text, self, n_contexts, memory, thread_count(n_jobs))
        counts = _matrix(counting.panels(), (len(text), n_contexts))
        if self.subsample is not None and self.seed is None:
            share = kept_share(text.counts, text.n_tokens, self.subsample).astype(np.float32)
            counts.data *= np.repeat(share, np.diff(counts.indptr))
            counts.data *= share[counts.indices]
        return counts

    def weights(self) -> tuple[NDArray[np.uint32], float]:
        """Return integer weights of the distances 1 .. window, and the divisor of their sums."""
        if self.dynamic:
            return np.arange(self.window, 0, -1, dtype=np.uint32), float(self.window)
        return np.ones(self.window, np.uint32), 1.0

    def _check(self) -> None:
        """Raise a ValueError if a parameter cannot be used."""
        if not (isinstance(self.window, int | np.integer) and 1 <= self.window <= WIDEST):
            raise ValueError(
                f"window must be a whole number from 1 to {WIDEST}, got {self.window!r}"
            )
        if self.n_contexts is not None and not (
            isinstance(self.n_contexts, int | np.integer) and self.n_contexts >= 1
        ):
            raise ValueError(
                f"n_contexts must be a whole number of at least 1, got {self.n_contexts!r}"
            )
        if self.subsample is not None and not self.subsample > 0:
            raise ValueError(f"subsample must be above 0, got {self.subsample!r}")


class _BlockFiles(NamedTuple):
    """Rows of a block in files: row r is the entries [ptr[r], ptr[r + 1])."""

    ptr: Ints
    contexts: IO[bytes]
    sums: IO[bytes]


class _Counting:
    """One pass over a text: its blocks, and the rows of counts that they give."""

    def __init__(
        self, text: EncodedText, how: Cooccurrences, n_contexts: int, memory: int, threads: int
    ) -> None:
        self.text, self.how, self.n_contexts, self.threads = text, how, n_contexts, threads
        self.weights, self.divisor = how.weights()
        self.block_size = min(max(FEWEST, memory // TOKEN_BYTES), 2**30)
        self.panel_size = max(FEWEST, memory // ENTRY_BYTES)

    def panels(self) -> Iterator[Panel]:
        """Yield the result, some rows at a time."""
        blocks = self._blocks()
        first = next(blocks)
        second = next(blocks, None)
        if second is None:
            yield from self._panels_of(first)
            return
        with ExitStack() as stack:
            runs = [self._run(first, stack)]
            del first
            while second is not None:
                runs.append(self._run(second, stack))
                second = next(blocks, None)
            yield from self._added(runs)

    def _blocks(self) -> Iterator[_core.PlacesOfWords]:
        """Yield blocks of the text, as places of words, with a window of tokens around each."""
        window = self.how.window
        before, block = np.empty(0, np.int32), np.empty(0, np.int32)
        for following in self._pieces():
            if len(block):
                yield self._places(before, block, following[:window])
            before, block = np.concatenate([before[-window:], block[-window:]])[-window:], following
        yield self._places(before, block, np.empty(0, np.int32))

    def _pieces(self) -> Iterator[Ints32]:
        """Yield the text in pieces of at least a window, except the last."""
        rate, seed = self.how.subsample, self.how.seed
        subsampling = None if rate is None or seed is None else Subsampling(rate, seed)
        piece = nothing = np.empty(0, np.int32)
        for ids in self.text.ids(self.block_size, subsampling):
            piece = np.concatenate([piece, ids]) if len(piece) else ids
            if len(piece) >= self.how.window:
                yield piece
                piece = nothing
        if len(piece):
            yield piece

    def _places(self, before: Ints32, block: Ints32, after: Ints32) -> _core.PlacesOfWords:
        tokens = np.concatenate([before, block, after]) if len(before) or len(after) else block
        return _core.PlacesOfWords(tokens, len(before), len(before) + len(block), len(self.text))

    def _spans_of(self, places: _core.PlacesOfWords) -> Iterator[tuple[int, int]]:
        """Yield spans of words whose rows fit into a panel."""
        most = np.minimum(places.counts() * (2 * self.how.window), self.n_contexts)
        yield from spans(pointers(most), self.panel_size)

    def _panels_of(self, places: _core.PlacesOfWords) -> Iterator[Panel]:
        """Yield rows of counts of a text of one block."""
        for first, last in self._spans_of(places):
            yield places.rows(
                first, last, self.weights, self.n_contexts, self.divisor, self.threads
            )

    def _run(self, places: _core.PlacesOfWords, stack: ExitStack) -> _BlockFiles:
        contexts_file = stack.enter_context(TemporaryFile())  # noqa: SIM115
        sums_file = stack.enter_context(TemporaryFile())  # noqa: SIM115
        lengths = []
        for first, last in self._spans_of(places):
            length, contexts, sums = places.sums(
                first, last, self.weights, self.n_contexts, self.threads
            )
            lengths.append(length)
            contexts_file.write(contexts.data)
            sums_file.write(sums.data)
        return _BlockFiles(pointers(np.concatenate(lengths)), contexts_file, sums_file)

    def _added(self, runs: list[_BlockFiles]) -> Iterator[Panel]:
        ends = np.sum([run.ptr for run in runs], axis=0)
        for first, last in spans(ends, self.panel_size):
            slices = [run.ptr[first : last + 1] for run in runs]
            starts = pointers([int(part[-1] - part[0]) for part in slices])
            bounds = np.concatenate(
                [part - part[0] + start for part, start in zip(slices, starts, strict=False)]
            )
            contexts = np.concatenate(
                [
                    _read(run.contexts, part, np.int32)
                    for run, part in zip(runs, slices, strict=True)
                ]
            )
            sums = np.concatenate(
                [_read(run.sums, part, np.uint64) for run, part in zip(runs, slices, strict=True)]
            )
            yield _core.added_rows(
                bounds, last - first, contexts, sums, self.n_contexts, self.divisor, self.threads
            )


def _read(stream: IO[bytes], ptr: Ints, dtype: type[Number]) -> NDArray[Number]:
    """Read the entries [ptr[0], ptr[-1]) of a file of numbers."""
    size = np.dtype(dtype).itemsize
    stream.seek(int(ptr[0]) * size)
    return np.frombuffer(stream.read(int(ptr[-1] - ptr[0]) * size), dtype)


def _matrix(panels: Iterator[Panel], shape: tuple[int, int]) -> csr_matrix:
    """Return the matrix of all panels; their memory is freed as they are copied."""
    parts = list(panels)
    ptr = pointers(np.concatenate([lengths for lengths, _, _ in parts]))
    contexts, values = np.empty(int(ptr[-1]), np.int32), np.empty(int(ptr[-1]), np.float32)
    at = len(contexts)
    while parts:
        _, its_contexts, its_values = parts.pop()
        contexts[at - len(its_contexts) : at], values[at - len(its_contexts) : at] = (
            its_contexts,
            its_values,
        )
        at -= len(its_contexts)
        del its_contexts, its_values
    counts = csr_matrix(shape, dtype=np.float32)
    counts.data, counts.indices = values, contexts
    counts.indptr = ptr.astype(np.int32) if ptr[-1] < 2**31 else ptr
    counts.has_canonical_format = True
    return counts
