"""`Account`: what a learner tells of the model that it learned."""

from __future__ import annotations

from math import nan
from typing import NamedTuple


class Account(NamedTuple):
    """What there was to learn, and how well it was done.

    learner                  its name and parameters
    n_ngrams, n_contexts     of the text: how many weights there could be, and of how many contexts
    objective, certificate   what was minimised, and its relative duality gap; nan where nothing was
    passes                   over the text, of learners that take steps
    interrupted              whether it was ended before its time
    """

    learner: str
    n_ngrams: int
    n_contexts: int
    objective: float = nan
    certificate: float = nan
    passes: int = 0
    interrupted: bool = False


def in_one_line(learner: object) -> str:
    """Name and parameters of a learner."""
    return " ".join(repr(learner).split())
