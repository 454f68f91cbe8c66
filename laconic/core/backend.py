"""Where sums over rows are computed: here, or by what `using` has put in place for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from laconic.core.problem.row_sum import RowSum


class Backend(Protocol):
    """Another place for rows, such as the workers of a cluster."""

    def pose(self, model: Any, X: Any, y: Any, sample_weight: Any, offset: Any) -> RowSum:
        """Return the problem that `model.fit(X, y)` solves, and set what the data's form tells."""


_active: ContextVar[Backend | None] = ContextVar("laconic_backend", default=None)


def active_backend() -> Backend | None:
    """Return the backend of now, or None: rows are here."""
    return _active.get()


@contextmanager
def using(backend: Backend) -> Iterator[None]:
    """Use a backend inside a with statement."""
    token = _active.set(backend)
    try:
        yield
    finally:
        _active.reset(token)
