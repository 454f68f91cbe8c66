"""The verbs for models of text that moves over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from laconic.cli.console import Bar
from laconic.errors import InputError
from laconic.text.io import name_of
from laconic.text.jsonl import write_jsonl
from laconic.time.dated import CATEGORY, NUMBER, Dated, read_dated

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sp

    from laconic.time.sage.model import TemporalTextModel


def predict(
    model: TemporalTextModel,
    input_path: str,
    output: str,
    bar: Bar,
    *,
    text_field: str | None = None,
) -> dict[str, Any]:
    """Write a JSON object a document: its words that the model knows, the logarithm of their probability, and the perplexity of a word."""
    bar.describe("reading")
    X, effects, dates = _counted(model, input_path, text_field)
    bar.describe("scoring")
    log_p, words = model.log_likelihood(X, effects, dates), _n_words(X)
    write_jsonl(
        output,
        [
            _row(n_words, value)
            for n_words, value in zip(words.tolist(), log_p.tolist(), strict=True)
        ],
    )
    return {"documents": len(words), "words": int(words.sum())}


def evaluate(
    model: TemporalTextModel, gold_path: str, bar: Bar, *, text_field: str | None = None
) -> dict[str, Any]:
    """Negative log-likelihood and perplexity of a word, over all documents and by step; documents after the last step have its weights."""
    bar.describe("reading")
    X, effects, dates = _counted(model, gold_path, text_field)
    bar.describe("scoring")
    return scores(model, X, effects, dates, name_of(gold_path))


def scores(
    model: TemporalTextModel, X: sp.csr_matrix, effects: sp.csr_matrix, dates: list[str], name: str
) -> dict[str, Any]:
    """What `evaluate` tells."""
    import numpy as np

    log_p, words = model.log_likelihood(X, effects, dates), _n_words(X)
    if not words.sum():
        raise InputError(f"{name}: the documents have none of the model's words.")
    alone = float(np.asarray(X.sum(axis=0)).ravel() @ model.background_[-1])
    steps = model.clock_.steps(dates)
    by_step = []
    for step in np.unique(steps).tolist():
        here = steps == step
        told = {
            "step": model.clock_.label(step),
            "documents": int(here.sum()),
            "words": int(words[here].sum()),
        }
        by_step.append({**told, **_per_word(float(log_p[here].sum()), float(words[here].sum()))})
    total = float(words.sum())
    return {
        "documents": len(words),
        "words": int(total),
        "negative_log_likelihood": -float(log_p.sum()),
        **_per_word(float(log_p.sum()), total),
        "background_alone": _per_word(alone, total),
        "steps": by_step,
    }


def inspect(
    model: TemporalTextModel,
    n: int,
    as_json: bool,
    *,
    since: str | None = None,
    effect: str | None = None,
) -> dict[str, Any]:
    """What the model is, the words that each effect makes likelier at the last step, and those that rose and fell most for one effect."""
    from laconic.time.sage.explain import effect_movers

    chosen = effect if effect is not None else model.effect_names[-1]
    found = effect_movers(model, chosen, n, since)
    tops = {
        name: model.top_words(name, n)
        for name in (model.effect_names if effect is None else [effect])
    }
    if as_json:
        top: list[dict[str, Any]] = [
            {"effect": name, "words": [word._asdict() for word in some]}
            for name, some in tops.items()
        ]
    else:
        lines = {
            name: "  ".join(f"{word.word} {word.factor:.2f}" for word in some)
            for name, some in tops.items()
        }
        top = [
            {"effect": name, "words, and how many times likelier they are": line}
            for name, line in lines.items()
        ]
    rising, falling = ([one._asdict() for one in some] for some in found)
    named = (
        (f"rising for {chosen}", f"falling for {chosen}") if not as_json else ("rising", "falling")
    )
    return {
        **account(model),
        "effect": chosen,
        "top_words": top,
        named[0]: rising,
        named[1]: falling,
    }


def account(model: TemporalTextModel) -> dict[str, Any]:
    """What was learned and how well solved it is."""
    return {
        "steps": len(model.steps_),
        "first_step": model.steps_[0],
        "last_step": model.steps_[-1],
        "vocabulary": model.n_features_in_,
        "effects": model.effect_names,
        "mode": model.mode,
        "penalty": " ".join(repr(model.penalty_).split()),
        "objective": model.objective_,
        "certificate": model.certificate_,
        "converged": model.converged_,
        "interrupted": model.interrupted_,
        "iterations": model.n_iter_,
        "trajectories_total": len(model.effect_names) * model.n_features_in_,
        "trajectories_nonzero": model.n_selected_,
    }


def _counted(model: TemporalTextModel, path: str, text_field: str | None) -> Any:
    """Counts, effects and dates of the documents of a file."""
    reader = model.reader
    if reader is None:
        raise InputError(
            "the model was learned from counts: without names of words it cannot read documents."
        )
    kinds = {
        field.name: CATEGORY if hasattr(field, "categories") else NUMBER for field in reader.fields
    }
    read: Dated = read_dated(path, kinds, text_field or reader.text_field, reader.date_field)
    return reader.count(read.documents), reader.describe(read.fields), read.dates


def _n_words(X: sp.csr_matrix) -> np.ndarray[Any, Any]:
    import numpy as np

    return np.asarray(X.sum(axis=1)).ravel()


def _row(n_words: float, log_p: float) -> dict[str, Any]:
    return {
        "words": int(n_words),
        "log_probability": log_p,
        "perplexity": math.exp(-log_p / n_words) if n_words else None,
    }


def _per_word(log_p: float, n_words: float) -> dict[str, float]:
    per_word = -log_p / n_words if n_words else math.nan
    return {"nats_per_word": per_word, "perplexity": math.exp(per_word)}
