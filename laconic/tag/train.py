"""`laconic train tag`: labelled sentences in columns to a model file."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from laconic.cli.options import ANY_FILE, COLUMNS_HELP, UTF8, Encoding
from laconic.cli.training import Run, Trained
from laconic.errors import InputError
from laconic.models.option import Option, OptionValues, Parameters, read_class_weight
from laconic.tag.conll import read_columns
from laconic.tag.learners import (
    LEARNERS,
    LEARNING,
    REFIT,
    LearningOptions,
    make_learners,
    penalties_help,
)
from laconic.tag.scores import most_held, refit_text, scores
from laconic.text.token_columns import TokenColumns

# Numerics are imported when the work begins, so that `--help` and wrong options answer at once.
if TYPE_CHECKING:
    from laconic.tag.model import Tagger

CONSTRAINED_HELP = "Predict only label sequences that the labelling scheme allows."
SCHEMES = ("IOB1", "IOB2", "BIOES")
MODEL = Parameters(
    "laconic.tag.model:Tagger",
    {
        "Features": ("templates", "clusters"),
        "Labels": ("scheme", "constrained", "class_weight"),
        REFIT: ("refit_features",),
        "": ("n_jobs",),
    },
    {
        "templates": Option(
            "auto (by the columns), tagging, chunking, chunking72, ner, ner_clusters, or a file "
            "(laconic's, CRF++'s or Wapiti's).",
            metavar="NAME|FILE",
        ),
        "clusters": Option(
            "Brown clusters for cluster views, one per line: bits, tab, word.", metavar="FILE"
        ),
        "scheme": Option(choices=SCHEMES),
        "class_weight": Option(
            "balanced, or weights of labels: O=0.5,B-PER=2.",
            parse=read_class_weight,
            metavar="balanced|LABEL=W,..",
        ),
        "constrained": Option(CONSTRAINED_HELP),
    },
)


def train(
    path: Annotated[str, Option(f"Labelled sentences. {COLUMNS_HELP} {ANY_FILE}", metavar="TRAIN")],
    run: Run,
    *,
    dev: Annotated[
        str | None, Option("Labelled sentences to report scores on.", metavar="DEV")
    ] = None,
    columns: Annotated[
        str | None,
        Option(
            "Names of the columns, the last one that of the labels; of CoNLL-U, those to use. "
            "Without it all columns (word, pos, .., label); of CoNLL-U, word.",
            metavar="NAMES",
        ),
    ] = None,
    label: Annotated[
        str | None,
        Option(
            "The column of CoNLL-U with the labels, such as upos, xpos or feats. "
            "Without it the last one of --columns, or upos.",
            metavar="NAME",
        ),
    ] = None,
    model: Annotated[OptionValues, MODEL],
    learner: Annotated[str, Option(f"{', '.join(LEARNERS)}.", panel=LEARNING)] = "auto",
    penalty: Annotated[str | None, Option(penalties_help(LEARNERS), panel=LEARNING)] = None,
    options: LearningOptions,
    encoding: Encoding = UTF8,
) -> Trained:
    """Train a tagger of tokens.

    Ctrl-C stops the training after the current pass and keeps what was learned.
    """
    names = _column_names(columns, label)
    first, second = make_learners(LEARNERS, learner, penalty, options)
    data = read_columns(path, names, encoding=encoding, label=label)
    dev_data = None if dev is None else read_columns(dev, data.names, encoding=encoding)
    run.bar.describe("importing")
    from laconic.tag.model import Tagger

    tagger = Tagger(
        learner=first, refit=second, columns=data.names[:-1], label=data.names[-1], **model
    )
    run.bar.describe("encoding")
    tokens, labels = labelled(data)
    run.fit(lambda callback: tagger.fit(tokens, labels, callback))
    facts: dict[str, Any] = {"sentences": len(data), "tokens": len(data.values[-1])}
    facts |= {"labels": len(tagger.classes_), **tagger_facts(tagger)}
    if run.as_json:
        facts["trace"] = [asdict(event) for event in tagger.report_.trace]
    if dev is None or dev_data is None:
        return Trained(tagger, facts)
    return Trained(tagger, facts, lambda: scores(tagger, dev_data, dev))


def labelled(data: TokenColumns) -> tuple[TokenColumns, list[list[str]]]:
    """Return the columns without the last, and that one by sentence."""
    labels = data.values[-1]
    by_sentence = [list(labels[a:b]) for a, b in pairwise(data.ptr.tolist())]
    return TokenColumns(data.names[:-1], data.values[:-1], data.ptr), by_sentence


def tagger_facts(model: Tagger) -> dict[str, Any]:
    """Return what is known of a tagger besides its fit report."""
    return {
        "refit": refit_text(model.refit),
        "scheme": model.scheme_,
        "degrees_of_freedom": model.weights_.n_distinct,
        "features_held_most": most_held(model.report_.trace),
    }


def _column_names(columns: str | None, label: str | None) -> tuple[str, ...] | None:
    """Return the names of the columns, that of the labels last; None if they are not given."""
    if columns is None:
        return None
    names = tuple(name.strip() for name in columns.split(","))
    if label is not None and label not in names:
        names = (*names, label)
    if label is not None and names[-1] != label:
        raise InputError(
            f"--label {label} must be the last one of --columns, or none of them, not {columns!r}."
        )
    if len(names) < 2 or len(set(names)) != len(names) or not all(names):
        raise InputError(
            "--columns needs two or more different names, the last for the labels, not "
            f"{columns!r}."
        )
    return names
