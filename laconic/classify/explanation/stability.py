"""How much a model owes to the sample: words over resamples, and accuracy by number of documents.

Each resample draws documents with replacement and fits the model again at its own setting, from the
solution on all documents. Percentiles of the weights cover what the penalised estimator aims at,
not true weights (see laconic.linear.bootstrap); the shares say how often a word is chosen.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from laconic.core.arrays import Ints
from laconic.core.report import Callback, Event
from laconic.linear.bootstrap import both_tails, quantiles
from laconic.text.documents import DocumentLike

if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier
    from laconic.classify.preparation import Prepared

CHOICES = np.dtype(
    [
        ("label", object),
        ("word", object),
        ("weight", np.float64),
        ("chosen", np.float64),
        ("low", np.float64),
        ("high", np.float64),
    ]
)
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
HELD_OUT = 5  # every fifth document of a label, where there are no others to score on
MOST_DRAWS = 100


class Stability(NamedTuple):
    """Words over resamples.

    words        structured (label, word, weight, chosen, low, high): weight on all documents,
                 share of resamples with a weight that is not zero, ends of the interval
    consistency  1 if all resamples choose the same words, 0 if they do so no better than by chance
                 (Nogueira, Sechidis and Brown 2018, equation 4)
    """

    words: NDArray[Any]
    consistency: float
    n_samples: int
    level: float


class LearningPoint(NamedTuple):
    """Number of documents learned from, and accuracy on documents that were not."""

    documents: int
    accuracy: float
    features: int


def stability(
    model: TextClassifier,
    documents: Sequence[DocumentLike],
    labels: Sequence[object],
    n_samples: int = 50,
    level: float = 0.9,
    random_state: int = 0,
    callback: Callback | None = None,
) -> Stability:
    """Return how often each word is chosen over resamples of documents, and intervals of weights.

    Parameters
    ----------
    model : TextClassifier
        Its parameters state what is fitted.
    documents, labels : sequence
        The training documents.
    n_samples : int, default=50
        Number of resamples.
    level : float, default=0.9
        Level of the intervals.
    random_state : int, default=0
        Seed of the resamples.
    callback : callable, optional
        Called with an Event per resample; True ends with those that are done.
    """
    if n_samples < 2 or not 0 < level < 1:
        raise ValueError(
            "n_samples must be at least 2 and level between 0 and 1, "
            f"got {n_samples!r} and {level!r}"
        )
    whole, prepared = _fitted(model, documents, labels)
    random = np.random.default_rng(random_state)
    began, rows = time.perf_counter(), []
    for done in range(1, n_samples + 1):
        drawn = rows_of(prepared, _drawn(prepared.labels, random))
        again = clone(whole).fit_prepared(drawn, whole.solution_)
        rows.append(sp.csr_matrix(again.coef_.reshape(1, -1)))
        seconds = time.perf_counter() - began
        event = Event("resample", done, n_samples, features=rows[-1].nnz, seconds=seconds)
        if callback is not None and callback(event) and done > 1:
            break
    samples = sp.vstack(rows, format="csr")
    return Stability(_choices(whole, samples, level), _consistency(samples), len(rows), level)


def _fitted(
    model: TextClassifier, documents: Sequence[DocumentLike], labels: Sequence[object]
) -> tuple[TextClassifier, Prepared]:
    fresh = settled(model)
    prepared = fresh.prepare(documents, labels)
    return fresh.fit_prepared(prepared), prepared


def settled(model: TextClassifier) -> TextClassifier:
    """Return an unfitted copy in which everything that a fit had chosen is stated.

    Among it the number of words: the model is that of its strength with no more words than these.
    """
    fresh: TextClassifier = clone(model)
    if model.tried_:
        fresh.set_params(max_features=max(1, int(np.any(model.coef_ != 0, axis=0).sum())))
    return fresh.set_params(**getattr(model, "settings_", {}))


def rows_of(prepared: Prepared, rows: Ints) -> Prepared:
    """Return prepared data with these documents alone, some of them perhaps several times."""
    return prepared._replace(
        X=prepared.X[rows],
        labels=prepared.labels[rows],
        beside=None if prepared.beside is None else prepared.beside[rows],
        weight=None if prepared.weight is None else prepared.weight[rows],
    )


def _drawn(labels: NDArray[Any], random: np.random.Generator) -> Ints:
    """Return numbers of documents, drawn with replacement, with every label in them."""
    codes = np.unique(labels, return_inverse=True)[1]
    for _ in range(MOST_DRAWS):
        rows = random.integers(len(labels), size=len(labels))
        if len(np.unique(codes[rows])) == codes.max() + 1:
            return np.sort(rows)
    # A label of few documents: one of each, the rest at random.
    first = np.array([random.choice(np.flatnonzero(codes == k)) for k in range(codes.max() + 1)])
    rest = random.integers(len(labels), size=max(0, len(labels) - len(first)))
    return np.sort(np.concatenate([first, rest]))


def _choices(whole: TextClassifier, samples: sp.csr_matrix, level: float) -> NDArray[Any]:
    """Return a row for each weight that some fit has, the surest first."""
    low, high = quantiles(samples, both_tails(level))
    share = samples.getnnz(axis=0) / samples.shape[0]
    weight = whole.coef_.ravel()
    alive = np.flatnonzero((share > 0) | (weight != 0))
    mean = np.asarray(samples.mean(axis=0)).ravel()[alive]
    output, feature = np.divmod(alive, whole.coef_.shape[1])
    labels, words = whole.classes_.tolist(), whole.encoder_.vocab.words
    sign = np.ones(len(alive))
    if whole.one_score:  # a word stands at the label that it speaks for
        output = (np.where(weight[alive] != 0, weight[alive], mean) > 0).astype(np.int64)
        sign = np.where(output == 1, 1.0, -1.0)
    table = np.empty(len(alive), dtype=CHOICES)
    table["label"] = np.array([labels[k] for k in output.tolist()], dtype=object)
    table["word"] = np.array([words[f] for f in feature.tolist()], dtype=object)
    table["weight"], table["chosen"] = sign * weight[alive] + 0.0, share[alive]
    ends = np.sort(np.stack([sign * low[alive], sign * high[alive]]), axis=0) + 0.0
    table["low"], table["high"] = ends
    return table[np.lexsort((-np.abs(table["weight"]), -table["chosen"]))]


def _consistency(samples: sp.csr_matrix) -> float:
    """Return 1 - mean_f M/(M-1) p_f (1 - p_f) / (k/d (1 - k/d)), k the mean number chosen of d."""
    n, d = samples.shape
    share = samples.getnnz(axis=0) / n
    mean = share.sum() / d
    if not 0 < mean < 1:
        return 1.0
    return float(1 - np.mean(n / (n - 1) * share * (1 - share)) / (mean * (1 - mean)))


def learning_curve(
    model: TextClassifier,
    train: tuple[Sequence[DocumentLike], Sequence[object]],
    test: tuple[Sequence[DocumentLike], Sequence[object]] | None = None,
    shares: Sequence[float] = SHARES,
    random_state: int = 0,
) -> list[LearningPoint]:
    """Return the accuracy of fits to growing shares of the training documents, at one setting.

    Every share has the documents of those before it, and the labels in about their proportions.
    Words, topics and clusters are numbered once, on all documents. Without `test`, every fifth
    document of a label is held out.
    """
    documents, labels = list(train[0]), list(train[1])
    random = np.random.default_rng(random_state)
    codes = np.unique(np.array([str(label) for label in labels]), return_inverse=True)[1]
    place = _places(codes, random)
    if test is None:
        out = place % HELD_OUT == HELD_OUT - 1
        if not out.any():
            raise ValueError(
                f"a learning curve needs {HELD_OUT} documents of some label, or other documents "
                "to score on"
            )
        test = [documents[k] for k in np.flatnonzero(out)], [labels[k] for k in np.flatnonzero(out)]
        inside = np.flatnonzero(~out).tolist()
        documents, labels = [documents[k] for k in inside], [labels[k] for k in inside]
        place = _places(codes[inside], random)
        codes = codes[inside]
    fresh = settled(model)
    prepared = fresh.prepare(documents, labels)
    gold = np.array([str(label) for label in test[1]], dtype=object)
    size = np.bincount(codes)[codes]
    points = []
    for share in sorted(shares):
        rows = np.flatnonzero(place < np.maximum(1, np.ceil(share * size)))
        fitted = clone(fresh).fit_prepared(rows_of(prepared, rows))
        guessed = [str(label) for label in fitted.predict(list(test[0])).tolist()]
        kept = int(np.count_nonzero(np.any(fitted.coef_ != 0, axis=0)))
        right = float(np.mean(np.array(guessed, dtype=object) == gold))
        points.append(LearningPoint(len(rows), right, kept))
    return points


def _places(codes: Ints, random: np.random.Generator) -> Ints:
    """Return the place of every document among those of its label, in a random order."""
    order = random.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    ends = np.cumsum(np.bincount(codes))
    place = np.empty(len(codes), np.int64)
    place[order] = np.arange(len(codes)) - np.repeat(ends - np.bincount(codes), np.bincount(codes))
    return place
