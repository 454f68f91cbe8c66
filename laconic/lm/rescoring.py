"""Lists of the best hypotheses of a recogniser or a translator, put in order with a language model.

One line per hypothesis, those of one input one after another, as Moses writes them:

    number ||| words ||| features ||| score

Fields between the words and the score are kept as they are; a line of two fields has score 0. The
new score is score + weight * log p(words), in natural logarithms.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from laconic.errors import InputError
from laconic.lm.model import LanguageModel
from laconic.lm.running import END, START
from laconic.text.io import PathLike, name_of, open_text

FIELDS = " ||| "


class Hypothesis(NamedTuple):
    """One line of a list: the number of its input, its words, what is kept as is, its score."""

    number: str
    words: str
    features: tuple[str, ...]
    score: float

    def line(self, score: float) -> str:
        """Return the line with another score."""
        return FIELDS.join([self.number, self.words, *self.features, f"{score:.6f}"])


def read_lists(path: PathLike, encoding: str = "utf-8") -> Iterator[list[Hypothesis]]:
    """Yield the hypotheses of one input after the other; an InputError names the line."""
    with open_text(path, encoding) as stream:
        rows = (_hypothesis(line, path, n) for n, line in enumerate(stream, 1) if line.strip())
        for _, hypotheses in groupby(rows, lambda row: row.number):
            yield list(hypotheses)


def _hypothesis(line: str, path: PathLike, number: int) -> Hypothesis:
    fields = [field.strip() for field in line.rstrip("\n").split("|||")]
    if len(fields) < 2 or {START, END} & set(fields[1].split()):
        raise InputError(
            f"{name_of(path)}:{number}: expected 'number ||| words ||| .. ||| score', without "
            f"{START} and {END} among the words."
        )
    if len(fields) == 2:
        return Hypothesis(fields[0], fields[1], (), 0.0)
    try:
        score = float(fields[-1])
    except ValueError:
        score = float("nan")
    if not -1e300 < score < 1e300:
        raise InputError(
            f"{name_of(path)}:{number}: expected a number as the last field, found {fields[-1]!r}."
        )
    return Hypothesis(fields[0], fields[1], tuple(fields[2:-1]), score)


def rescored(
    model: LanguageModel, hypotheses: list[Hypothesis], weight: float = 1.0
) -> list[tuple[Hypothesis, float]]:
    """Return hypotheses with their new scores, the best first; equal ones keep their order."""
    log_probs = model.log_probs([each.words for each in hypotheses])
    totals = [
        each.score + weight * float(log_prob.sum())
        for each, log_prob in zip(hypotheses, log_probs, strict=True)
    ]
    order = sorted(range(len(totals)), key=lambda i: -totals[i])
    return [(hypotheses[i], totals[i]) for i in order]
