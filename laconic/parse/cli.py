"""The commands for dependency parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from laconic.cli.compression import Compression, LabelledData, compress_model
from laconic.cli.console import Bar
from laconic.cli.options import TREEBANK_HELP, UTF8, Encoding
from laconic.cli.training import fit_facts
from laconic.models.option import Option
from laconic.parse.scores import scores
from laconic.parse.train import parser_facts
from laconic.parse.train import train as train
from laconic.text.token_columns import token_list
from laconic.text.treebanks import Treebank, iterate_treebank, read_treebank, treebank_writer

if TYPE_CHECKING:
    from laconic.parse.model import Parser
    from laconic.parse.trees import TreePredictor


def predict(
    model: TreePredictor,
    input_path: Annotated[str, Option(TREEBANK_HELP)],
    output: str,
    bar: Bar,
    *,
    k_best: Annotated[
        int | None,
        Option(
            "Number of best trees of each sentence, which is written once per tree, with a line "
            "`# score`.",
            metavar="K",
            minimum=1,
        ),
    ] = None,
    encoding: Encoding = UTF8,
) -> dict[str, Any]:
    """Write the lines of the input with the predicted heads and labels filled in.

    Tags are filled in too where the model has a tagger of its own.
    """
    n_sentences = n_tokens = 0
    with treebank_writer(output) as writer:
        for bank in iterate_treebank(input_path, encoding):
            if not len(bank):
                writer.write(bank, bank.heads)
            elif k_best is None:
                writer.write(bank, *model.parse(bank), model.tagged(bank))
            else:
                ranked = model.predict_k_best(bank, k_best)
                writer.write_ranked(bank, ranked, model.tagged(bank))
            n_sentences, n_tokens = n_sentences + len(bank), n_tokens + len(bank.heads)
            bar.describe(f"parsing: {n_sentences:,} sentences, {n_tokens:,} tokens")
    return {"sentences": n_sentences, "tokens": n_tokens}


def evaluate(
    model: Parser,
    gold: Annotated[str, Option(f"Sentences with trees. {TREEBANK_HELP}")],
    bar: Bar,
    *,
    encoding: Encoding = UTF8,
) -> dict[str, Any]:
    """Return the share of right heads (uas), with right labels (las), and of complete trees.

    Scores are those of the CoNLL tasks, with and without punctuation.
    """
    bar.describe("reading")
    bank = read_treebank(gold, encoding)
    bar.describe("parsing")
    size = {
        "features_kept": model.n_features_selected_,
        "degrees_of_freedom": model.weights_.n_distinct,
    }
    return {**scores(model, bank), **size}


def compress(
    model: Parser, output: str, settings: Compression, bar: Bar, *, encoding: Encoding = UTF8
) -> dict[str, Any]:
    """Choose the values on a treebank; the pruner and the labeler are rounded first."""
    from laconic.parse.discrete import round_parts

    def read(path: str) -> tuple[Treebank, None]:
        return read_treebank(path, encoding), None

    def prepare(found: Parser, data: LabelledData | None) -> Parser:
        return round_parts(found, settings.n_values, None if data is None else data[0])

    return compress_model(model, output, settings, read, bar, prepare=prepare)


def inspect(model: Parser, n: int, as_json: bool) -> dict[str, Any]:
    """Show templates kept and dropped, and the strongest features of each kind of part."""
    from laconic.parse.explain import (
        dropped_templates,
        families,
        kept_templates,
        parts,
        top_features,
    )

    facts = {"columns": list(model.columns), **parser_facts(model), **fit_facts(model)}
    facts["labels"] = [] if model.labeler_ is None else model.labeler_.tagger_.classes_.tolist()
    kept, dropped = [row._asdict() for row in kept_templates(model)], dropped_templates(model)
    by_family, by_kind = (
        [row._asdict() for row in rows] for rows in (families(model), parts(model))
    )
    features = {
        kind: [row._asdict() for row in rows] for kind, rows in top_features(model, n).items()
    }
    if as_json:
        templates = {"kept": kept, "dropped": dropped}
        return {
            **facts,
            "kinds": by_kind,
            "families": by_family,
            "templates": templates,
            "features": features,
        }
    more = [f"and {len(dropped) - n} more"] if len(dropped) > n else []
    return {
        **facts,
        "templates dropped": ", ".join([*dropped[:n], *more]),
        "kinds of parts": by_kind,
        "families of templates": by_family,
        "templates kept, longest vectors of weights first": kept[:n],
        **{
            f"strongest features of the kind {kind}": rows
            for kind, rows in features.items()
            if rows
        },
    }


def answer(model: Parser, given: Any) -> dict[str, Any]:
    """Return the heads and labels of a sentence: a list of words, or of lists of columns."""
    n_columns = len(model.columns) if model.tagger_ is None else 1
    tree = model.predict([token_list(given, n_columns)])[0]
    return {"heads": list(map(int, tree.heads)), "labels": tree.labels}
