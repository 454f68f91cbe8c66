"""The commands for models of text over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from laconic.cli.console import Bar
from laconic.cli.options import TrainedTextField
from laconic.cli.training import fit_facts
from laconic.errors import InputError
from laconic.models.option import Option
from laconic.text.io import name_of
from laconic.text.jsonl import write_jsonl
from laconic.time.cli import Since
from laconic.time.dated import CATEGORY, NUMBER, Dated, read_dated
from laconic.time.sage.scores import n_words, scores
from laconic.time.sage.train import text_facts
from laconic.time.sage.train import train as train

if TYPE_CHECKING:
    import scipy.sparse as sp

    from laconic.time.sage.model import TemporalTextModel

Counted: TypeAlias = "tuple[sp.csr_matrix, sp.csr_matrix, list[str]]"
INPUT_HELP = "JSON lines with a text, a date and effects."


def predict(
    model: TemporalTextModel,
    input_path: Annotated[str, Option(INPUT_HELP)],
    output: str,
    bar: Bar,
    *,
    text_field: TrainedTextField = None,
) -> dict[str, Any]:
    """Write one JSON object per document: known words, their log-probability, and perplexity."""
    bar.describe("reading")
    X, effects, dates = _counted(model, input_path, text_field)
    bar.describe("scoring")
    log_p, words = model.log_likelihood(X, effects, dates), n_words(X)
    write_jsonl(
        output,
        [_row(count, value) for count, value in zip(words.tolist(), log_p.tolist(), strict=True)],
    )
    return {"documents": len(words), "words": int(words.sum())}


def evaluate(
    model: TemporalTextModel,
    gold: Annotated[str, Option(INPUT_HELP)],
    bar: Bar,
    *,
    text_field: TrainedTextField = None,
) -> dict[str, Any]:
    """Return the perplexity of a word, over all documents and by step."""
    bar.describe("reading")
    X, effects, dates = _counted(model, gold, text_field)
    bar.describe("scoring")
    return scores(model, X, effects, dates, name_of(gold))


def inspect(
    model: TemporalTextModel,
    n: int,
    as_json: bool,
    *,
    since: Since = None,
    effect: Annotated[
        str | None, Option("Show this effect: the constant, if not given.", metavar="NAME")
    ] = None,
) -> dict[str, Any]:
    """Show the words that each effect makes likelier, and those that rose and fell most for one."""
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
        **text_facts(model),
        **fit_facts(model),
        "effect": chosen,
        "top_words": top,
        named[0]: rising,
        named[1]: falling,
    }


def _counted(model: TemporalTextModel, path: str, text_field: str | None) -> Counted:
    """Return counts, effects and dates of the documents of a file."""
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


def _row(n_words: float, log_p: float) -> dict[str, Any]:
    return {
        "words": int(n_words),
        "log_probability": log_p,
        "perplexity": math.exp(-log_p / n_words) if n_words else None,
    }
