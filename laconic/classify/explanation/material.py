"""Everything that explains a model as a whole, gathered once: for the page, JSON and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laconic.classify.explanation.comparison import Comparison, compare
from laconic.classify.explanation.quality import Quality, assess
from laconic.classify.explanation.stability import (
    LearningPoint,
    Stability,
    learning_curve,
    stability,
)
from laconic.classify.explanation.words import Context, contexts, word_statistics, word_table
from laconic.core.report import Callback
from laconic.text.documents import DocumentLike

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier
    from laconic.classify.predict import TextPredictor

N_CONTEXTS = 3


class LabelledDocuments(NamedTuple):
    """Documents and their labels."""

    documents: Sequence[DocumentLike]
    labels: Sequence[Any]


class Request(NamedTuple):
    """What to explain a model by.

    n          words per label
    data       documents for counts and contexts, and for refits: best those of the training
    test       documents that the model has not seen, for its quality and the comparison
    resamples  number of refits for the stability of words; 0 for none
    curve      whether to fit to growing shares of `data`
    other      a model to compare with
    """

    n: int = 20
    data: LabelledDocuments | None = None
    test: LabelledDocuments | None = None
    resamples: int = 0
    curve: bool = False
    other: TextPredictor | None = None


class Material(NamedTuple):
    """What explains a model; what was not asked for, or not known, is None or empty."""

    words: NDArray[Any]
    contexts: Mapping[tuple[Any, str], list[Context]]
    class_sizes: Mapping[str, int]
    stability: Stability | None
    quality: Quality | None
    curve: list[LearningPoint]
    comparison: Comparison | None
    tried: list[dict[str, Any]]

    def as_dict(self, n: int) -> dict[str, Any]:
        """Return what there is as plain values."""
        found: dict[str, Any] = {"words": records(self.words)}
        if self.class_sizes:
            found["class_sizes"] = dict(self.class_sizes)
            for row in found["words"]:
                rows = self.contexts.get((row["label"], row["word"]), [])
                row["contexts"] = [f"{c.left}{c.keyword}{c.right}" for c in rows]
        if self.stability is not None:
            found["stability"] = {
                "resamples": self.stability.n_samples,
                "level": self.stability.level,
                "consistency": self.stability.consistency,
                "words": records(strongest_choices(self.stability, n)),
            }
        if self.quality is not None:
            found["quality"] = self.quality.as_dict()
        if self.curve:
            found["learning_curve"] = [point._asdict() for point in self.curve]
        if self.comparison is not None:
            found["comparison"] = self.comparison.as_dict()
        if self.tried:
            found["tried"] = self.tried
        return found


def records(table: NDArray[Any]) -> list[dict[str, Any]]:
    """Return the rows of a structured array as dicts."""
    names = table.dtype.names or ()
    return [dict(zip(names, row, strict=True)) for row in table.tolist()]


def strongest_choices(found: Stability, n: int) -> NDArray[Any]:
    """Return the `n` surest words per label."""
    labels = found.words["label"]
    first = [np.flatnonzero(labels == label)[:n] for label in dict.fromkeys(labels.tolist())]
    return found.words[np.sort(np.concatenate(first))] if first else found.words


def gather(model: TextClassifier, request: Request, callback: Callback | None = None) -> Material:
    """Return everything that was asked for."""
    statistics, shown, sizes = None, {}, {}
    if request.data is not None:
        statistics = word_statistics(model, *request.data)
        own = [label for labels in _sets(request.data.labels) for label in sorted(labels)]
        sizes = dict(Counter(own).most_common())
    table = word_table(model, statistics, request.n)
    if request.data is not None:
        shown = _contexts(model, table, request.data)
    stable, curve = None, []
    if request.resamples:
        data = _needed(request.data, "resamples")
        stable = stability(model, *data, n_samples=request.resamples, callback=callback)
    if request.curve:
        curve = learning_curve(model, _needed(request.data, "a learning curve"), request.test)
    compared = None
    if request.other is not None:
        compared = compare(model, request.other, *_needed(request.test or request.data, "compare"))
    return Material(
        table,
        shown,
        sizes,
        stable,
        None if request.test is None else assess(model, *request.test),
        curve,
        compared,
        tried_settings(model),
    )


def _needed(data: LabelledDocuments | None, what: str) -> LabelledDocuments:
    if data is None:
        raise ValueError(f"{what}: labelled documents are needed")
    return data


def _sets(labels: Sequence[Any]) -> list[set[str]]:
    """Return the labels of each document as text."""
    several = (list, tuple, set, frozenset)
    return [set(map(str, one if isinstance(one, several) else [one])) for one in labels]


def _contexts(
    model: TextPredictor, table: NDArray[Any], data: LabelledDocuments
) -> dict[tuple[Any, str], list[Context]]:
    """Return contexts of the words of each label, from documents of that label if there are any."""
    gold = _sets(data.labels)
    found: dict[tuple[Any, str], list[Context]] = {}
    for label in dict.fromkeys(table["label"].tolist()):
        own = [k for k, labels in enumerate(gold) if str(label) in labels]
        rows = own or range(len(gold))
        words = table["word"][table["label"] == label].tolist()
        inside = [data.documents[k] for k in rows]
        shown = contexts(model, words, inside, [data.labels[k] for k in rows], N_CONTEXTS)
        found |= {(label, word): rows_of_word for word, rows_of_word in shown.items()}
    return found


def tried_settings(model: TextPredictor) -> list[dict[str, Any]]:
    """Return the settings that were tried when the model was tuned, where it kept them."""
    tried = getattr(model, "tried_", None) or ()
    return [row if isinstance(row, dict) else row._asdict() for row in tried]
