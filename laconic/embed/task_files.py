"""Files of evaluation tasks: pairs with human scores, analogies, sentences to complete."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from laconic.core.arrays import Array, Bools, Ints
from laconic.errors import InputError
from laconic.text.io import PathLike, name_of, open_text

SIMILARITY, ANALOGIES, COMPLETION, SENTIMENT = TASKS = (
    "similarity",
    "analogies",
    "completion",
    "sentiment",
)
HEADING = ":"
SYNTACTIC = "gram"  # prefix of the headings of syntactic sections
COMPLETION_COLUMNS = ["id", "left", "right"]
MOST_CHOICES = 26  # answers are letters


class Similarity(NamedTuple):
    """Pairs of words, and human scores of their similarity."""

    first: list[str]
    second: list[str]
    scores: Array


class Analogies(NamedTuple):
    """Questions a : b = c : d; section[i] is the number of the section of question i."""

    words: list[tuple[str, str, str, str]]
    sections: list[str]
    section: Ints

    def is_syntactic(self) -> Bools:
        """Return, per question, whether its section is syntactic."""
        return np.array([name.startswith(SYNTACTIC) for name in self.sections], bool)[self.section]


class Completion(NamedTuple):
    """A sentence without one word, the choices for it (one word or more), and the right one."""

    others: list[str]
    choices: list[list[str]]
    answer: int


def task_of(path: PathLike) -> str:
    """Return the task that a file is for, by the form of its first line."""
    with open_text(path) as lines:
        line = next((line for line in lines if line.strip()), "").rstrip("\n")
    fields = line.split()
    if line.lstrip().startswith("("):
        return SENTIMENT
    if fields[:1] == [HEADING] or len(fields) == 4:
        return ANALOGIES
    if len(fields) == 3 and _number(fields[2]) is not None:
        return SIMILARITY
    if line.split("\t")[:3] == COMPLETION_COLUMNS:
        return COMPLETION
    raise InputError(
        f"{name_of(path)}: none of the tasks has such a first line: {line[:60]!r}; expected word "
        "pairs with scores, analogies (`: section`, then four words per line), sentences to "
        "complete (id, left, right, the choices, answer), or trees."
    )


def read_similarity(path: PathLike) -> Similarity:
    """Read lines of two words and a score, separated by blanks."""
    first, second, scores = [], [], []
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            if not (fields := line.split()):
                continue
            score = _number(fields[2]) if len(fields) == 3 else None
            if score is None:
                raise InputError(
                    f"{name_of(path)}:{number}: expected two words and a score, "
                    f"found {line.strip()[:60]!r}."
                )
            first.append(fields[0])
            second.append(fields[1])
            scores.append(score)
    if not first:
        raise InputError(f"{name_of(path)}: expected two words and a score per line, found none.")
    return Similarity(first, second, np.array(scores))


def read_analogies(path: PathLike) -> Analogies:
    """Read lines of four words under headings `: section`; syntactic ones begin with "gram"."""
    words: list[tuple[str, str, str, str]] = []
    sections: list[str] = []
    section: list[int] = []
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            if not (fields := line.split()):
                continue
            if fields[0].startswith(HEADING):
                sections.append(line.strip().lstrip(HEADING).strip())
                continue
            if len(fields) != 4:
                raise InputError(
                    f"{name_of(path)}:{number}: expected four words or `: section`, "
                    f"found {line.strip()[:60]!r}."
                )
            sections = sections or ["all"]
            words.append((fields[0], fields[1], fields[2], fields[3]))
            section.append(len(sections) - 1)
    if not words:
        raise InputError(f"{name_of(path)}: expected four words per line, found none.")
    return Analogies(words, sections, np.array(section))


def read_completions(path: PathLike) -> list[Completion]:
    """Read tab-separated lines under a heading.

    The columns are id, the words before the gap, those after it, the choices, and the letter of the
    right one.
    """
    found: list[Completion] = []
    with open_text(path) as lines:
        columns = next(lines, "").rstrip("\n").split("\t")
        n_choices = len(columns) - 4
        if (
            columns[:3] != COMPLETION_COLUMNS
            or columns[-1] != "answer"
            or not 2 <= n_choices <= MOST_CHOICES
        ):
            raise InputError(
                f"{name_of(path)}:1: expected the columns id, left, right, two choices or more, "
                "answer."
            )
        letters = [chr(ord("a") + i) for i in range(n_choices)]
        for number, line in enumerate(lines, 2):
            if not line.strip():
                continue
            fields = line.rstrip("\n").split("\t")
            if len(fields) != len(columns) or fields[-1] not in letters:
                raise InputError(
                    f"{name_of(path)}:{number}: expected {len(columns)} columns, the last one of "
                    f"{', '.join(letters)}, found {len(fields)}, the last one {fields[-1][:20]!r}."
                )
            others = [*fields[1].split(), *fields[2].split()]
            found.append(
                Completion(
                    others, [choice.split() for choice in fields[3:-1]], letters.index(fields[-1])
                )
            )
    if not found:
        raise InputError(f"{name_of(path)}: holds no sentences to complete.")
    return found


def _number(text: str) -> float | None:
    return (
        float(text)
        if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,2})?", text, re.ASCII)
        else None
    )
