"""What `laconic demo` shows of a task: figures, one answer in colours, and a model for a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Demonstration(NamedTuple):
    """What the function `demo` of a kind returns.

    Parameters
    ----------
    opening : str
        One sentence: what is learned from what, and what is compared.
    facts : dict
        Figures, `models` among them: one row per model.
    model : estimator
        The model that the page gets.
    example : str
        What stands in the page at first.
    next : str
        The command to type next, for data of one's own.
    marked : sequence of sequences of (str, float)
        An answer as lines of pieces, each with its share of a colour, from -1 (against) to 1.
    """

    opening: str
    facts: dict[str, Any]
    model: Any
    example: str
    next: str
    marked: Sequence[Sequence[tuple[str, float]]] = ()


def stored_bytes(model: Any, compact: bool = True) -> int:
    """Return the size of a model's file, a compact one without names of features."""
    from laconic.models.file import content_of
    from laconic.models.kind import Form
    from laconic.models.save import storable_form

    form = Form(storable_form(model).kind, compact)
    packed = form.storage().pack(model, False) if compact else form.storage().pack(model)
    return sum(map(len, content_of(form.name, *packed)))
