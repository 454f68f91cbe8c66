"""Codes under any penalty that has a prox, by accelerated proximal gradient over batches of words.

    min_A 1/2 |X - A D|^2 + sum_v Omega(A_v),    A <- prox(Z - (Z G - X D') / L, 1 / L),  G = D D'

All words of a batch take a step together: their penalty is that of one vector of words x
dimensions, whose groups are repeated for every word. Penalties that cannot be stated so, such as
SLOPE, take the prox word by word.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.core.arrays import Array, Floats, Ints
from laconic.core.groups import Groups
from laconic.core.groups_like import as_groups
from laconic.core.penalties import L0, Concave, Penalty, Separable
from laconic.core.penalties.grouped import OverGroups
from laconic.embed.codes import Coder, EncodedWords, WordRows
from laconic.embed.forest import code_forest

STILL = 1e-2  # relative change of codes per step, in units of the tolerance, that ends the steps


class RowPenalty:
    """sum_v Omega(A_v) over the rows of a matrix, for rows of `size` entries.

    Parameters
    ----------
    penalty : Penalty
        Omega.
    size : int
        Number of entries per row.
    """

    def __init__(self, penalty: Penalty, size: int) -> None:
        self.penalty = penalty
        self.size = size
        self._made: dict[int, Penalty | None] = {}

    def _whole(self, n_rows: int) -> Penalty | None:
        if n_rows not in self._made:
            self._made = {n_rows: repeated(self.penalty, self.size, n_rows)}
        return self._made[n_rows]

    def value(self, rows: Array) -> float:
        """Return the sum over rows."""
        whole = self._whole(len(rows))
        if whole is not None:
            return whole.value(rows.ravel())
        return float(sum(self.penalty.value(row) for row in rows))

    def prox(self, rows: Array, step: float) -> Array:
        """Return the prox of every row."""
        whole = self._whole(len(rows))
        if whole is not None:
            return whole.prox(rows.ravel(), step).reshape(rows.shape)
        return np.array([self.penalty.prox(row, step) for row in rows]).reshape(rows.shape)

    def gauge(self, rows: Array) -> float:
        """Return the largest gauge of a row."""
        return max((self.penalty.gauge(row) for row in rows if row.any()), default=0.0)

    def conjugate(self, rows: Array) -> float:
        """Return the sum of conjugates over rows."""
        return float(sum(self.penalty.conjugate(row) for row in rows))


def repeated(penalty: Penalty, size: int, n: int) -> Penalty | None:
    """Return sum_v Omega(A_v) as one penalty of n x size weights; None if there is none such."""
    given = penalty.get_params(deep=False)
    changed: dict[str, Any] = {}
    if "terms" in given:
        terms = [repeated(term, size, n) for term in given["terms"]]
        if any(term is None for term in terms):
            return None
        changed["terms"] = terms
    elif isinstance(penalty, OverGroups) and "groups" in given:
        changed["groups"] = _repeated_groups(as_groups(given["groups"], size, penalty.nested), n)
    elif not isinstance(penalty, Separable | L0 | Concave):
        return None
    if given.get("factors") is not None:
        changed["factors"] = np.tile(np.ravel(given["factors"]), n)
    return penalty.replace(**changed) if changed else penalty


def _repeated_groups(groups: Groups, n: int) -> Groups:
    shift = np.arange(n)[:, None]
    n_groups, entries = len(groups), len(groups.index)
    ptr = np.append((groups.ptr[:-1] + shift * entries).ravel(), n * entries)
    parent = None
    if groups.parent is not None:
        moved = groups.parent + shift * n_groups
        parent = np.where(groups.parent < 0, -1, moved).ravel()
    return Groups(
        (groups.index + shift * groups.n_features).ravel(),
        ptr,
        np.tile(groups.weight, n),
        n * groups.n_features,
        parent,
    )


class ProxCoder(Coder):
    """Solves for codes under any penalty with a prox; the gap is that of all words of a batch."""

    def __init__(
        self, penalty: Penalty, size: int, tolerance: float = 1e-4, most_sweeps: int = 1000
    ) -> None:
        super().__init__(code_forest(size, ()), penalty.strength, False, tolerance, most_sweeps)
        self.penalty = RowPenalty(penalty, size)
        self.convex = penalty.convex

    def curvature(self, gram_matrix: Array) -> Array:
        """Return the largest eigenvalue of the Gram matrix."""
        largest = np.asarray(np.linalg.eigvalsh(gram_matrix)[-1:], np.float64)
        return np.maximum(largest, 1e-12) * (1 + 1e-9)

    def encode(
        self,
        rows: WordRows,
        words: Ints,
        table: Floats,
        grams: tuple[Array, Array],
        start: Floats,
        n_jobs: int,
    ) -> EncodedWords:
        """See Coder; objective and gap are those of the batch, in one entry each."""
        gram, largest = grams[0], float(grams[1][0])
        pulled = rows.products(words, table, n_jobs)[:, : self.size].astype(np.float64)
        squares = float(rows.squares[words].sum())
        codes = start[:, : self.size].astype(np.float64)
        ahead, momentum = codes, 1.0
        value = gap = np.inf
        for sweep in range(self.most_sweeps):
            moved = self.penalty.prox(ahead - (ahead @ gram - pulled) / largest, 1 / largest)
            turned = float(np.vdot(ahead - moved, moved - codes)) > 0 or not self.convex
            following = 1.0 if turned else 0.5 * (1 + np.sqrt(1 + 4 * momentum**2))
            ahead = moved if turned else moved + (momentum - 1) / following * (moved - codes)
            change, codes, momentum = np.abs(moved - codes).max(initial=0.0), moved, following
            # The bounds of some penalties are loose: codes that stand still are not solved again.
            still = change <= STILL * self.tolerance * np.abs(codes).max(initial=0.0)
            if sweep % 10 == 9 or still:
                value, gap = self._judge(codes, gram, pulled, squares)
                if still or gap <= self.tolerance * value:
                    break
        if not np.isfinite(value):
            value, gap = self._judge(codes, gram, pulled, squares)
        out = start.copy()
        out[:, : self.size] = codes
        return EncodedWords(out, np.array([value]), np.array([gap]))

    def _judge(
        self, codes: Array, gram: Array, pulled: Array, squares: float
    ) -> tuple[float, float]:
        """Return objective and duality gap, or the residual of the prox where there is none."""
        fitted = codes @ gram
        along, square = float(np.vdot(codes, pulled)), float(np.vdot(codes, fitted))
        value = 0.5 * (squares - 2 * along + square) + self.penalty.value(codes)
        slope = pulled - fitted
        if not self.convex:
            moved = self.penalty.prox(codes + slope, 1.0)
            size = max(float(np.abs(pulled).max(initial=0.0)), 1e-300)
            return value, value * float(np.abs(moved - codes).max(initial=0.0)) / size
        # The dual at t times the residuals r: <t r, x> - |t r|^2 / 2 - conjugate(t slope).
        conjugate, scale = self.penalty.conjugate(slope), 1.0
        if not np.isfinite(conjugate):
            scale = 1.0 / max(1.0, self.penalty.gauge(-slope))
            conjugate = self.penalty.conjugate(scale * slope)
        residual = squares - 2 * along + square
        dual = scale * (squares - along) - 0.5 * scale**2 * residual - conjugate
        return value, max(value - dual, 0.0)
