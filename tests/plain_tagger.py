"""A slow tagger in plain Python: weights in dictionaries, paths by enumeration, as an oracle."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from laconic import _core

Row = tuple[int, tuple[int, ...]]  # template, values of its atoms
Part = tuple[Any, int]  # a row, or "edge" or "start", and the place in it


class Task(NamedTuple):
    """Templates (atoms: view and offset), which of them are for pairs of labels, and sentences."""

    templates: list[tuple[tuple[int, int], ...]]
    pairs: list[bool]
    n_labels: int
    columns: np.ndarray
    ptr: np.ndarray
    gold: np.ndarray

    @classmethod
    def random(cls, seed: int, pairs: bool = False) -> Task:
        """Draw words of a small vocabulary, so that features repeat; one sentence is empty."""
        rng = np.random.default_rng(seed)
        ptr = np.cumsum([0, *rng.permutation([0, 1, 3, 4, 5, 5, 4, 3])]).astype(np.int64)
        columns = rng.integers(-1, 3, (2, ptr[-1]), dtype=np.int32)
        templates = [((0, 0),), ((0, -1), (1, 0)), (), ((1, 1),)]
        return cls(
            templates,
            [False, False, False, pairs],
            3,
            columns,
            ptr,
            rng.integers(0, 3, ptr[-1], dtype=np.int32),
        )

    def kernel(self) -> Any:
        """The same templates in a kernel, without weights."""
        flat = [atom for atoms in self.templates for atom in atoms]
        ptr = np.cumsum([0, *map(len, self.templates)], dtype=np.int64)
        expander = _core.Expander(
            ptr, *(np.array([atom[k] for atom in flat], np.int32) for k in (0, 1))
        )
        return _core.Tagger(expander, np.array(self.pairs, np.uint8), self.n_labels)

    def width(self, m: int) -> int:
        return self.n_labels ** (1 + self.pairs[m])

    def features(self, s: int) -> list[list[Row]]:
        """The features that fire at each token of sentence s."""
        begin, end = int(self.ptr[s]), int(self.ptr[s + 1])
        found: list[list[Row]] = []
        for t in range(begin, end):
            here: list[Row] = []
            for m, atoms in enumerate(self.templates):
                values = []
                for view, offset in atoms:
                    at = t + offset
                    outside = (
                        -(2**31) + begin - at if at < begin else -(2**31) + 4096 + at - end + 1
                    )
                    values.append(int(self.columns[view, at]) if begin <= at < end else outside)
                if -1 not in values:
                    here.append((m, tuple(values)))
            found.append(here)
        return found


class PlainTagger:
    """See the module. `rows` are the features that have weights."""

    def __init__(self, task: Task, seed: int | None = None) -> None:
        """With a seed, random weights for about half of the features: no two paths tie."""
        self.task = task
        self.w: dict[Part, float] = defaultdict(float)
        self.rows: set[Row] = set()
        self.total: dict[Part, float] = defaultdict(float)
        self.sums: dict[Part, float] = defaultdict(float)
        self.counted: dict[
            int, dict[tuple[int, ...], dict[Part, float]]
        ] = {}  # by sentence and path
        self.rounds = 0
        if seed is None:
            return
        rng = np.random.default_rng(seed)
        seen = {row for s in range(len(task.ptr) - 1) for here in task.features(s) for row in here}
        for row in sorted(seen):
            if rng.random() < 0.5:
                self.rows.add(row)
                for k in range(task.width(row[0])):
                    self.w[row, k] = float(np.float32(rng.normal()))
        for k in range(task.n_labels**2):
            self.w["edge", k] = float(np.float32(rng.normal()))
        for k in range(task.n_labels):
            self.w["start", k] = float(np.float32(rng.normal()))

    def load(self, kernel: Any) -> Any:
        """Put the weights into a kernel."""
        for m, atoms in enumerate(self.task.templates):
            rows = sorted(row for row in self.rows if row[0] == m)
            values = np.array([row[1] for row in rows], np.int32).reshape(len(rows), len(atoms))
            weights = [[self.w[row, k] for k in range(self.task.width(m))] for row in rows]
            kernel.add_features(
                m, values, np.array(weights, np.float32).reshape(len(rows), self.task.width(m))
            )
        edge, start = (
            [self.w[name, k] for k in range(n)]
            for name, n in (("edge", self.task.n_labels**2), ("start", self.task.n_labels))
        )
        kernel.set_transitions(np.array(edge, np.float32), np.array(start, np.float32))
        return kernel

    def parts(self, features: list[list[Row]], y: tuple[int, ...]) -> dict[Part, float]:
        """How often each weight counts in the score of labels y."""
        found: dict[Part, float] = defaultdict(float)
        for t, here in enumerate(features):
            pair = y[t - 1] * self.task.n_labels + y[t]
            found[("start", y[0]) if t == 0 else ("edge", pair)] += 1
            for row in here:
                if not self.task.pairs[row[0]]:
                    found[row, y[t]] += 1
                elif t > 0:
                    found[row, pair] += 1
        return found

    def learn(self, s: int, loss: str, step: float, **rule: Any) -> float:
        """One round; the loss before it."""
        gold = tuple(self.task.gold[self.task.ptr[s] : self.task.ptr[s + 1]].tolist())
        dual, lasso, grow = rule.get("dual", False), rule.get("lasso", 0.0), rule.get("grow", True)
        if rule.get("ridge"):
            for part in self.w:
                self.w[part] *= 1 - step * rule["ridge"]
        value, gradient = self._gradient(s, gold, loss)
        if not grow:
            gradient = {
                part: g
                for part, g in gradient.items()
                if part[0] in self.rows or isinstance(part[0], str)
            }
        if rule.get("aggressive"):
            length = sum(g * g for g in gradient.values())
            step = min(step, value / length) if length else 0.0
        for part, g in gradient.items():
            (self.sums if dual else self.w)[part] -= (1.0 if dual else step) * g
        self.rounds += 1
        if dual:
            for part, total in self.sums.items():
                free = isinstance(part[0], str)
                size = max(0.0, abs(total) - (0.0 if free else lasso * self.rounds))
                self.w[part] = float(step / np.sqrt(self.rounds) * np.sign(total) * size)
        elif lasso and self.rounds % rule.get("every", 1) == 0:
            self.threshold(step * lasso * rule.get("every", 1), rule.get("by_row", False))
        for part, weight in self.w.items():
            self.total[part] += weight
        return value

    def threshold(self, amount: float, by_row: bool) -> None:
        """The proximal step of the lasso, or of the sum of the rows' lengths."""
        length: dict[Any, float] = defaultdict(float)
        for part, weight in self.w.items():
            length[part[0]] += weight**2
        for part, weight in self.w.items():
            if not isinstance(part[0], str):
                size = np.sqrt(length[part[0]]) if by_row else abs(weight)
                self.w[part] = weight * max(0.0, 1 - amount / size) if size else 0.0

    def _gradient(
        self, s: int, gold: tuple[int, ...], loss: str
    ) -> tuple[float, dict[Part, float]]:
        paths = list(product(range(self.task.n_labels), repeat=len(gold)))
        if s not in self.counted:
            features = self.task.features(s)
            self.counted[s] = {y: self.parts(features, y) for y in paths}
        counted = self.counted[s]
        score = {y: sum(self.w.get(part, 0.0) * n for part, n in counted[y].items()) for y in paths}
        right = score[gold]
        if loss == "hinge":
            score = {
                y: value + sum(a != b for a, b in zip(y, gold, strict=True))
                for y, value in score.items()
            }
        gradient: dict[Part, float] = defaultdict(float)
        if loss == "log":
            top = max(score.values())
            log_z = top + np.log(sum(np.exp(value - top) for value in score.values()))
            share = {y: float(np.exp(value - log_z)) for y, value in score.items()}
            value = float(log_z - right)
        else:
            # Ties go to the smaller label, the last token's first.
            best = min(paths, key=lambda y: (-score[y], y[::-1]))
            share, value = {best: 1.0}, score[best] - right
        for y, p in share.items():
            for part, n in counted[y].items():
                gradient[part] += p * n
        for part, n in counted[gold].items():
            gradient[part] -= n
        return value, {part: g for part, g in gradient.items() if g}

    def agrees(
        self, kernel: Any, weights: dict[Part, float] | None = None, tol: float = 2e-4
    ) -> None:
        """The kernel has these weights, and no others."""
        expected = dict(self.w if weights is None else weights)
        found: dict[Part, float] = {}
        for m, atoms in enumerate(self.task.templates):
            values, rows = kernel.features(m)
            rows = rows.reshape(-1, self.task.width(m))
            for value, row in zip(
                values.reshape(len(rows), len(atoms)).tolist(), rows.tolist(), strict=True
            ):
                found.update({((m, tuple(value)), k): weight for k, weight in enumerate(row)})
            norm = np.linalg.norm([weight for part, weight in found.items() if part[0][0] == m])
            np.testing.assert_allclose(
                kernel.norms[m], norm, atol=tol, err_msg="the norm is that of the weights"
            )
        edge, start = kernel.transitions()
        found |= {("edge", k): weight for k, weight in enumerate(edge.tolist())}
        found |= {("start", k): weight for k, weight in enumerate(start.tolist())}
        parts = sorted(expected.keys() | found.keys(), key=str)
        pairs = np.array([(expected.get(part, 0.0), found.get(part, 0.0)) for part in parts])
        np.testing.assert_allclose(pairs[:, 1], pairs[:, 0], atol=tol, rtol=tol)
