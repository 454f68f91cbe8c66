"""`laconic train classify`: labelled documents to a model file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from laconic.cli.options import (
    ANY_FILE,
    DOCUMENTS_HELP,
    LABEL_FIELD,
    TEXT_FIELD,
    LabelField,
    TextField,
    read_labelled,
)
from laconic.cli.training import Run, Trained
from laconic.errors import InputError
from laconic.models.option import (
    STRENGTH_HELP,
    Option,
    OptionValues,
    Parameters,
    read_strength,
)
from laconic.text.io import name_of
from laconic.text.jsonl import Document

# Numerics are imported when the work begins, so that `--help` and wrong options answer at once.
if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier
    from laconic.classify.preparation import Prepared
    from laconic.classify.tuning import StrengthTrial
    from laconic.text.tokens import Boundary

CRITERIA = ("accuracy", "log_loss")
MODEL = Parameters(
    "laconic.classify.model:TextClassifier",
    {
        "": ("penalty", "strength", "lasso", "ridge", "refit", "contrast"),
        "Features": ("weighting", "ngrams", "prefixes", "min_count"),
        "Structure": (
            "boundary",
            "neutral_label",
            "constituents",
            "n_topics",
            "n_top",
            "n_clusters",
            "clusters",
        ),
        "Solver": ("tol", "max_iter", "random_state", "n_jobs"),
    },
    {
        "penalty": Option(
            "sentence, tree, topics, brown, lasso, ridge, elastic or another name of a penalty, or "
            "a sum such as sentence+topics.",
            metavar="NAME",
        ),
        "strength": Option(
            f"{STRENGTH_HELP} Without it, tuned on DEV if that is given.", parse=read_strength
        ),
        "refit": Option(flag="--refit-ridge", above=0),
        "contrast": Option(minimum=0),
        "constituents": Option(minimum=0),
        "clusters": Option(metavar="FILE"),
    },
)


class Tuning(NamedTuple):
    """Options of how strengths are chosen on development data."""

    tune: Annotated[
        bool, Option("Tune on DEV whichever of --strength and --lasso is not given.")
    ] = False
    criterion: Annotated[str, Option("Score on DEV to tune by.", choices=CRITERIA)] = CRITERIA[0]


class Labelled(NamedTuple):
    """Documents of one file, with their labels."""

    documents: Sequence[Any]
    labels: Sequence[str]


def train(
    path: Annotated[
        str, Option(f"Labelled documents: {DOCUMENTS_HELP} {ANY_FILE}", metavar="TRAIN")
    ],
    run: Run,
    *,
    dev: Annotated[
        str | None,
        Option("Labelled documents to tune strengths on, and to report scores on.", metavar="DEV"),
    ] = None,
    model: Annotated[OptionValues, MODEL],
    tuning: Tuning,
    parser: Annotated[
        str | None,
        Option(
            "tree: a model of `laconic train parse --own-tags` that parses the documents.",
            panel="Structure",
            metavar="MODEL",
        ),
    ] = None,
    text_field: TextField = TEXT_FIELD,
    label_field: LabelField = LABEL_FIELD,
) -> Trained:
    """Train a text classifier.

    Ctrl-C stops the training and keeps the best model so far.
    """
    penalty = model.get("penalty", "lasso")
    if parser is not None and "tree" not in penalty:
        raise InputError("--parser makes trees for the penalty tree: give it with --penalty tree.")
    if tuning.tune and dev is None:
        raise InputError("--tune chooses strengths on development data: give it with --dev.")
    data = _training_data(path, text_field, label_field)
    dev_data = None if dev is None else _dev_data(dev, text_field, label_field, data)
    run.bar.describe("importing")
    from laconic.classify.model import TextClassifier

    classifier = TextClassifier(**model)
    classifier.parts()
    if parser is not None:
        run.bar.describe("parsing the documents")
        trees = _dependency_trees(data.documents, parser, classifier.boundary)
        data = data._replace(documents=trees)
    prepared = _prepared(classifier, data, run)
    facts: dict[str, Any] = {"documents": len(data.documents)}
    if dev_data is not None and (tuning.tune or "strength" not in model):
        chosen = model.get("strength"), model.get("lasso")
        classifier, trials = _tuned(
            classifier, prepared, (data, dev_data), chosen, tuning.criterion, run
        )
        facts["trials"] = [trial.as_dict() for trial in trials] if run.as_json else len(trials)
    else:
        run.bar.describe("fitting")
        run.fit(lambda callback: classifier.fit_prepared(prepared, callback=callback))
        classifier.describe_groups(prepared)
    if classifier.report_.features_kept == 0:
        run.notes.append("no word was kept; try a lower --strength, or --dev to tune it.")
    scores = None if dev_data is None else lambda: _scores(classifier, dev_data)
    return Trained(classifier, {**facts, **_facts(classifier)}, scores)


def _prepared(classifier: TextClassifier, data: Labelled, run: Run) -> Prepared:
    """Encode the documents; a model that could not be written is refused before it is fitted."""
    from laconic.models.checks import check_storable

    run.bar.describe(f"encoding the documents for the penalty {classifier.penalty}")
    prepared = classifier.prepare(*data)
    if run.output is not None:
        check_storable([*prepared.encoder.vocab.words, *data.labels])
    return prepared


def _dependency_trees(
    documents: Sequence[Document], parser_path: str, boundary: Boundary
) -> Sequence[Document]:
    """Return training documents as trees, by the parser of a file.

    Others stay texts, since words are all that a model looks up in them.
    """
    from laconic.models.kind import form_of
    from laconic.models.save import load

    texts = [document for document in documents if isinstance(document, str)]
    if len(texts) < len(documents):
        raise InputError("--parser is for documents that are strings.")
    parser = load(parser_path)
    form = form_of(parser)
    if form is None or form.kind.name != "parse" or parser.tagger_ is None:
        raise InputError(
            f"{parser_path}: expected a parser trained with `laconic train parse --own-tags`."
        )
    return list(parser.text_trees(texts, boundary))


def _training_data(path: str, text_field: str, label_field: str) -> Labelled:
    data = Labelled(*read_labelled(path, text_field, label_field))
    if len(set(data.labels)) == 1:
        raise InputError(
            f"{name_of(path)}: all documents have the label {data.labels[0]!r}; expected at least "
            "two labels."
        )
    return data


def _dev_data(path: str, text_field: str, label_field: str, train: Labelled) -> Labelled:
    data = Labelled(*read_labelled(path, text_field, label_field))
    unknown = sorted(set(data.labels) - set(train.labels))
    if unknown:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        raise InputError(
            f"{name_of(path)}: the label {', '.join(map(repr, unknown[:3]))}{more} is not in the "
            "training data."
        )
    return data


def _tuned(
    model: TextClassifier,
    prepared: Prepared,
    data: tuple[Labelled, Labelled],
    given: tuple[float | None, float | None],
    criterion: str,
    run: Run,
) -> tuple[TextClassifier, list[StrengthTrial]]:
    """Return the best of a grid of strengths on development data; what was given is fixed."""
    from laconic.classify.tuning import grid, tune

    strengths, lassos = grid(model, *(None if value is None else (value,) for value in given))
    run.bar.describe("tuning")
    return run.fit(
        lambda callback: tune(model, *data, strengths, lassos, callback, prepared, criterion)
    )


def _scores(model: TextClassifier, data: Labelled) -> dict[str, Any]:
    from laconic.text import metrics

    predicted = model.predict(data.documents)
    return {
        "documents": len(data.documents),
        "accuracy": metrics.accuracy(data.labels, predicted),
        "macro_f1": metrics.macro_f1(data.labels, predicted),
    }


def _facts(model: TextClassifier) -> dict[str, Any]:
    """Return the settings that were used, and groups by penalty if it is a sum."""
    facts: dict[str, Any] = {
        "labels": len(model.classes_),
        "penalty": model.penalty,
        "strength": model.strength,
        "lasso": model.lasso,
    }
    if len(model.groups_) > 1:
        facts["groups"] = {
            name: {"total": s.total, "selected": s.selected} for name, s in model.groups_.items()
        }
    return facts
