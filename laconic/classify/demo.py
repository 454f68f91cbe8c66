"""`laconic demo classify`: which of NumPy, SciPy and scikit-learn does a docstring belong to?"""

from __future__ import annotations

import time
from io import BytesIO
from typing import TYPE_CHECKING, Any

from laconic.classify.explanation.views import marked_sentences
from laconic.classify.model import TextClassifier
from laconic.models.demonstration import Demonstration, stored_bytes
from laconic.models.discrete.values import quantize
from laconic.text.docstrings import docstring_corpus
from laconic.text.held_out import HeldOut, hold_out, split_sizes

if TYPE_CHECKING:
    from laconic.cli.console import Bar

# What `laconic train classify --penalty lasso` chooses on the training part, in one fit.
SETTINGS: dict[str, Any] = {
    "penalty": "lasso",
    "weighting": "log",
    "ngrams": 2,
    "contrast": 0.5,
    "strength": 0.08,
    "refit": 0.02,
}
VALUES = 8
SHOWN = range(150, 400)  # letters of a document that is explained


def demo(seed: int, bar: Bar) -> Demonstration:
    """Train a classifier of docstrings without names and imports, beside scikit-learn's."""
    split = hold_out(*docstring_corpus(), seed)
    bar.describe("training TF-IDF and a logistic regression of scikit-learn")
    rows = [_baseline(split)]
    bar.describe("training laconic's classifier")
    began = time.perf_counter()
    model = TextClassifier(**SETTINGS).fit(*split.train)
    rows.append(_row("laconic", model, split, time.perf_counter() - began))
    began = time.perf_counter()
    small = quantize(model, VALUES)
    rows.append(_row(f"laconic, {VALUES} weight values", small, split, time.perf_counter() - began))
    example = _example(small, split)
    label = small.predict([example])[0] if example else ""
    lines = [
        [(piece.text, piece.share) for piece in sentence.pieces]
        for sentence in (marked_sentences(small.explain(example)) if example else [])
    ]
    return Demonstration(
        "Which of NumPy, SciPy and scikit-learn is a docstring from? Names, imports and examples "
        "are removed; a model of scikit-learn beside two of laconic, on docstrings held out:",
        {**split_sizes("documents", split), "models": rows},
        small,
        example,
        "laconic train classify YOURS.csv -o model.laconic",
        [[(f"{label}:", 0.0)], *lines] if lines else [],
    )


def _baseline(split: HeldOut[str, str]) -> dict[str, Any]:
    import joblib
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    began = time.perf_counter()
    model = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000)).fit(*split.train)
    seconds = time.perf_counter() - began
    joblib.dump(model, file := BytesIO())
    return {
        "model": "scikit-learn: TF-IDF, logistic regression",
        "accuracy": float(model.score(*split.test)),
        "words": len(model[0].vocabulary_),
        "bytes": file.tell(),
        "seconds": seconds,
    }


def _row(
    name: str, model: TextClassifier, split: HeldOut[str, str], seconds: float
) -> dict[str, Any]:
    return {
        "model": name,
        "accuracy": model.score(*split.test),
        "words": int(model.alive().sum()),
        "bytes": stored_bytes(model),
        "seconds": seconds,
    }


def _example(model: TextClassifier, split: HeldOut[str, str]) -> str:
    """Return a document that was held out, short enough to be shown and labelled right."""
    documents, labels = split.test
    predicted = model.predict(documents).tolist()
    found = zip(documents, labels, predicted, strict=True)
    return next((d for d, gold, label in found if gold == label and len(d) in SHOWN), "")
