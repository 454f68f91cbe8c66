"""The verbs for parsers of sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.cli.compression import Compression, compress_model
from laconic.cli.console import Bar
from laconic.cli.training import learned, learner_text
from laconic.text.treebanks import Treebank, iterate_treebank, read_treebank, treebank_writer

if TYPE_CHECKING:
    from laconic.parse.model import Parser
    from laconic.parse.trees import TreePredictor

UTF8 = "utf-8"
ETAS, ETAS_LEARNED = 7, 3  # to learn again takes some passes over the treebank for each


def predict(
    model: TreePredictor,
    input_path: str,
    output: str,
    bar: Bar,
    *,
    k_best: int | None = None,
    encoding: str = UTF8,
) -> dict[str, Any]:
    """Write the lines of the input with the heads and labels that are predicted; all other columns as they were.

    With k_best each sentence is written once for each of its best trees, with a line `# score = ..` before the words.
    """
    n_sentences = n_tokens = 0
    with treebank_writer(output) as writer:
        for bank in iterate_treebank(input_path, encoding):
            if not len(bank):
                writer.write(bank, bank.heads)
            elif k_best is None:
                writer.write(bank, *model.parse(bank))
            else:
                writer.write_ranked(bank, model.predict_k_best(bank, k_best))
            n_sentences, n_tokens = n_sentences + len(bank), n_tokens + len(bank.heads)
            bar.describe(f"parsing: {n_sentences:,} sentences, {n_tokens:,} tokens")
    return {"sentences": n_sentences, "tokens": n_tokens}


def evaluate(model: Parser, gold_path: str, bar: Bar, *, encoding: str = UTF8) -> dict[str, Any]:
    """Scores as the CoNLL tasks count them, with and without punctuation, and the size of the model."""
    bar.describe("reading")
    gold = read_treebank(gold_path, encoding)
    bar.describe("parsing")
    size = {
        "features_nonzero": model.n_features_selected_,
        "degrees_of_freedom": model.weights_.n_distinct,
    }
    return {**scores(model, gold), **size}


def scores(model: TreePredictor, gold: Treebank) -> dict[str, Any]:
    """UAS, LAS and complete trees, of all tokens and of those that are no punctuation; of labels None where there are none."""
    from laconic.parse.metrics import punctuation_of, tree_scores

    heads, labels = model.parse(gold)
    known = bool(gold.labels) and labels is not None
    gold_labels = gold.labels if known else None
    found = tree_scores(
        gold.heads,
        heads,
        gold.ptr,
        gold_labels,
        labels if known else None,
        punctuation_of(gold.tokens),
    )
    return {
        "sentences": len(gold),
        "tokens": found.n_tokens,
        "uas": found.uas,
        "las": found.las,
        "complete": found.complete,
        "labelled_complete": found.labelled_complete,
        "without_punctuation": {
            "tokens": found.n_words,
            "uas": found.uas_words,
            "las": found.las_words,
            "complete": found.complete_words,
        },
    }


def account(model: Parser) -> dict[str, Any]:
    """What was learned: by whom, which trees, and how much of what there was."""
    return {
        "parts": model.model,
        "learner": learner_text(model.learner),
        "refit": learner_text(model.refit),
        "crossing": model.crossing,
        "single_root": model.shape_.single_root,
        **learned(model),
        "groups_selected": len(model.scorer_.templates),
        "tag_weights": 0 if model.tagger_ is None else model.tagger_.tagger_.n_features_selected_,
        "labels": 0 if model.labeler_ is None else len(model.labeler_.tagger_.classes_),
        "label_weights": 0
        if model.labeler_ is None
        else model.labeler_.tagger_.n_features_selected_,
    }


def compress(
    model: Parser, wishes: Compression, bar: Bar, *, encoding: str = UTF8
) -> dict[str, Any]:
    """Write the model with few weight values, those of its pruner and its labeler rounded too, and account for it."""
    from laconic.parse.discrete import round_parts

    def read(path: str) -> tuple[Treebank, None]:
        return read_treebank(path, encoding), None

    def finish(found: Parser, data: Any) -> Parser:
        bar.describe("rounding the pruner and the labels")
        return round_parts(found, wishes.zeta, None if data is None else data[0])

    return compress_model(
        model, wishes, read, bar, ETAS if wishes.data is None else ETAS_LEARNED, finish
    )


def inspect(model: Parser, n: int, as_json: bool) -> dict[str, Any]:
    """Templates kept and dropped, by family and kind of part too, and the strongest features of each kind of part."""
    from laconic.parse.explain import (
        dropped_templates,
        families,
        kept_templates,
        parts,
        top_features,
    )

    facts = {"columns": list(model.columns), **account(model)}
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


def report(model: Parser, output: str) -> dict[str, Any]:
    """Write the page."""
    from laconic.parse.page import write_parse_report

    write_parse_report(model, output)
    return {}
