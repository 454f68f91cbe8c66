"""`laconic train classify`: labelled documents to a model file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from laconic.classify.taxonomy import read_taxonomy
from laconic.cli.options import (
    ANY_FILE,
    DOCUMENTS_HELP,
    LABEL_FIELD,
    TEXT_FIELD,
    LabelField,
    TextField,
    read_columns,
    read_labelled,
)
from laconic.cli.slots import numbers
from laconic.cli.training import Run, Trained
from laconic.errors import InputError
from laconic.models.option import (
    STRENGTH_HELP,
    Option,
    OptionValues,
    Parameters,
    read_class_weight,
    read_strength,
)
from laconic.text.columns import Columns
from laconic.text.io import name_of
from laconic.text.jsonl import Document
from laconic.text.stop_words import read_stop_words


def read_documents(text: str) -> float:
    """Return a number of documents, or a share of them if it has a point."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise InputError(f"takes a number of documents or a share, not {text!r}.") from None


def read_lengths(text: str) -> tuple[int, ...]:
    """Return numbers that are separated by commas, or no number of "none"."""
    return () if text == "none" else numbers(text)


def read_names(text: str) -> tuple[str, ...]:
    """Return names that are separated by commas."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names) or len(set(names)) != len(names):
        raise InputError(f"takes different names with commas between them, not {text!r}.")
    return names


# Numerics are imported when the work begins, so that `--help` and wrong options answer at once.
if TYPE_CHECKING:
    from laconic.classify.model import TextClassifier
    from laconic.text.tokens import Boundary

MODEL = Parameters(
    "laconic.classify.model:TextClassifier",
    {
        "": (
            "penalty",
            "strength",
            "lasso",
            "ridge",
            "refit",
            "contrast",
            "frequency",
            "loss",
            "max_features",
            "seconds",
            "folds",
        ),
        "Features": (
            "weighting",
            "ngrams",
            "prefixes",
            "min_count",
            "min_df",
            "max_df",
            "stop_words",
            "tokenizer",
            "numbers",
            "categories",
            "free_columns",
        ),
        "Structure": (
            "structure",
            "boundary",
            "neutral_label",
            "constituents",
            "n_topics",
            "n_top",
            "n_clusters",
            "clusters",
            "label_tree",
        ),
        "Solver": ("tol", "max_iter", "class_weight", "random_state", "n_jobs"),
    },
    {
        "penalty": Option(
            "sentence, tree, topics, brown, lasso, ridge, elastic or another name of a penalty, or "
            "a sum such as sentence+topics; latent-sentence keeps the words of few sentences.",
            metavar="NAME",
        ),
        "strength": Option(
            f"{STRENGTH_HELP} Without it, chosen with all that is not stated.", parse=read_strength
        ),
        "refit": Option(flag="--refit-ridge", minimum=0),
        "contrast": Option(minimum=0),
        "frequency": Option(minimum=0),
        "loss": Option(
            "log-loss unless stated: logistic, multinomial or squared_hinge.", metavar="NAME"
        ),
        "max_features": Option(
            "The best model with at most N words.", flag="--small", minimum=1, metavar="N"
        ),
        "seconds": Option(above=0),
        "folds": Option(minimum=2),
        "structure": Option("auto: structures and their strengths are chosen.", choices=("auto",)),
        "constituents": Option(minimum=0),
        "prefixes": Option(
            "Lengths of word prefixes that are features too, such as 3,6, or none.",
            metavar="LENGTHS",
            parse=read_lengths,
        ),
        "min_df": Option(
            "Drop words in fewer documents: a number of them, or a share such as 0.01.",
            parse=read_documents,
        ),
        "max_df": Option(
            "Drop words in more documents: a number of them, or a share such as 0.5.",
            parse=read_documents,
        ),
        "stop_words": Option(
            "Words to leave out: english, or a file with one per line.",
            metavar="FILE",
            parse=read_stop_words,
        ),
        "tokenizer": Option("A regular expression that matches words.", metavar="REGEX"),
        "numbers": Option(
            "A column of numbers beside the text, or several with commas between them.",
            flag="--number",
            metavar="COLUMN",
            parse=read_names,
        ),
        "categories": Option(
            "A column of categories beside the text, or several with commas between them.",
            flag="--category",
            metavar="COLUMN",
            parse=read_names,
        ),
        "free_columns": Option(
            "Whether weights of columns beside the text are not penalised.",
            flag="--free-columns/--penalise-columns",
        ),
        "label_tree": Option(
            "A tree over the labels, whose sisters share words: dots (comp.sys.mac), confusion, or "
            "a file with a label, a tab and its parent per line.",
            metavar="TREE",
            parse=read_taxonomy,
        ),
        "class_weight": Option(
            "Weights of the labels: balanced, or one per label such as spam=5,ham=1.",
            parse=read_class_weight,
        ),
        "clusters": Option(metavar="FILE"),
    },
)


class Labelled(NamedTuple):
    """Documents of one file, with their labels."""

    documents: Sequence[Any]
    labels: Sequence[Any]


def train(
    path: Annotated[
        str, Option(f"Labelled documents: {DOCUMENTS_HELP} {ANY_FILE}", metavar="TRAIN")
    ],
    run: Run,
    *,
    dev: Annotated[
        str | None,
        Option(
            "Labelled documents to choose by instead of folds, and then to learn from too.",
            metavar="DEV",
        ),
    ] = None,
    unlabelled: Annotated[
        str | None,
        Option(
            "Documents without labels, from which topics and clusters are learned too.",
            panel="Structure",
            metavar="FILE",
        ),
    ] = None,
    model: Annotated[OptionValues, MODEL],
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
    if parser is not None and "tree" not in model.get("penalty", ""):
        raise InputError("--parser makes trees for the penalty tree: give it with --penalty tree.")
    fields = _fields(model, text_field, label_field)
    data = _training_data(path, fields)
    dev_data = None if dev is None else _dev_data(dev, fields, data)
    more = _unlabelled(unlabelled, text_field)
    run.bar.describe("importing")
    from laconic.classify.settings import is_open
    from laconic.models.checks import check_storable

    classifier = _classifier(model, unlabelled is not None)
    if parser is not None:
        data = _parsed(data, parser, classifier, run)
    if run.output is not None:  # a model that could not be written is refused at once
        check_storable(all_labels(data.labels))
    run.bar.describe("choosing on held-out documents" if is_open(classifier) else "fitting")
    run.fit(lambda callback: classifier.fit(*data, callback, dev_data, unlabelled=more))
    _check_kept(classifier, path)
    facts = {"documents": len(data.documents)} | _facts(classifier, run.as_json)
    scores = (
        None if dev_data is None or is_open(classifier) else lambda: _scores(classifier, dev_data)
    )
    return Trained(classifier, facts, scores)


def _parsed(data: Labelled, parser: str, classifier: TextClassifier, run: Run) -> Labelled:
    """Return training data whose documents are dependency trees."""
    run.bar.describe("parsing the documents")
    trees = _dependency_trees(data.documents, parser, classifier.boundary)
    return data._replace(documents=trees)


def _fields(model: OptionValues, text_field: str, label_field: str) -> Columns:
    """Return which columns to read: text, labels or lists of them, numbers and categories."""
    beside = {name: tuple(model.get(name, ())) for name in ("numbers", "categories")}
    return Columns(text_field, label_field, lists=True, **beside)


def _unlabelled(path: str | None, text_field: str) -> Sequence[Document]:
    return [] if path is None else read_columns(path, Columns(text_field, None)).documents


def _check_kept(classifier: TextClassifier, path: str) -> None:
    from laconic.classify.model import EMPTY

    if classifier.report_.features_kept == 0 and not classifier.interrupted_:
        raise InputError(f"{name_of(path)}: {EMPTY}.")


def _classifier(model: OptionValues, unlabelled: bool) -> TextClassifier:
    """Return an unfitted classifier, its penalty checked, and that it reads unlabelled text."""
    from laconic.classify.losses import checked_loss
    from laconic.classify.model import TextClassifier
    from laconic.classify.settings import UNLABELLED, reads_unlabelled

    classifier = TextClassifier(**model)
    classifier.parts()
    checked_loss(classifier.loss)
    if unlabelled and not reads_unlabelled(classifier):
        raise InputError(f"--unlabelled: {UNLABELLED}.")
    return classifier


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


def all_labels(labels: Sequence[Any]) -> list[str]:
    """Return the different labels of documents that have one or several."""
    listed = (one if isinstance(one, list) else [one] for one in labels)
    return sorted({label for own in listed for label in own})


def _training_data(path: str, fields: Columns) -> Labelled:
    data = Labelled(*read_labelled(path, fields))
    labels = all_labels(data.labels)
    if len(labels) < 2:
        found = f"all documents have the label {labels[0]!r}" if labels else "there are no labels"
        raise InputError(f"{name_of(path)}: {found}; expected at least two labels.")
    return data


def _dev_data(path: str, fields: Columns, train: Labelled) -> Labelled:
    data = Labelled(*read_labelled(path, fields))
    unknown = sorted(set(all_labels(data.labels)) - set(all_labels(train.labels)))
    if unknown:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        raise InputError(
            f"{name_of(path)}: the label {', '.join(map(repr, unknown[:3]))}{more} is not in the "
            "training data."
        )
    return data


def _scores(model: TextClassifier, data: Labelled) -> dict[str, Any]:
    from laconic.classify.scores import scores

    found = scores(model, data.labels, model.predict(data.documents))
    return {"documents": len(data.documents), **found.overall}


def _facts(model: TextClassifier, as_json: bool) -> dict[str, Any]:
    """Return the settings that were used, what was tried, and groups by penalty if it is a sum."""
    from laconic.classify.selection import settings_facts, tried_facts

    facts: dict[str, Any] = {
        "labels": len(model.classes_),
        **settings_facts(model),
        **tried_facts(model, as_json),
    }
    if len(model.groups_) > 1:
        facts["groups"] = {
            name: {"total": s.total, "selected": s.selected} for name, s in model.groups_.items()
        }
    return facts
