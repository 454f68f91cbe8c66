"""`laconic explain` for classifiers: a document, a file of documents, or the model itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from laconic.classify.fields import fields_of
from laconic.cli.coloured import Marked, print_marked
from laconic.cli.console import progress
from laconic.cli.options import (
    DOCUMENTS_HELP,
    LABEL_FIELD,
    TEXT_FIELD,
    LabelField,
    TextField,
    check_output,
    read_columns,
    read_labelled,
    with_columns,
)
from laconic.errors import InputError
from laconic.models.option import Option
from laconic.text.columns import Columns
from laconic.text.io import STANDARD_STREAM
from laconic.text.jsonl import Document

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from laconic.classify.explanation.contributions import Explanation
    from laconic.classify.explanation.material import LabelledDocuments, Material
    from laconic.classify.model import TextClassifier
    from laconic.classify.predict import TextPredictor

FILES = (
    ".parquet",
    ".jsonl",
    ".json",
    ".tsv",
    ".csv",
    ".txt",
    ".mrg",
    ".gz",
    ".bz2",
    ".xz",
    ".zst",
)


class Sources(NamedTuple):
    """Options of the explanation of a model as a whole."""

    data: Annotated[
        str | None,
        Option(
            "Labelled documents, best those of the training: for effects, counts and contexts of "
            f"words. {DOCUMENTS_HELP}",
            panel="The model itself",
            metavar="FILE",
        ),
    ] = None
    test: Annotated[
        str | None,
        Option(
            "Labelled documents that the model has not seen: confusion, scores by label, "
            "calibration.",
            panel="The model itself",
            metavar="FILE",
        ),
    ] = None
    resamples: Annotated[
        int,
        Option(
            "Fit again to this number of resamples of DATA: how often each word is chosen.",
            panel="The model itself",
            minimum=2,
        ),
    ] = 0
    curve: Annotated[
        bool,
        Option(
            "Fit again to growing shares of DATA: accuracy on TEST, or on a fifth of DATA.",
            panel="The model itself",
        ),
    ] = False
    other: Annotated[
        str | None,
        Option(
            "Another classifier: words of one alone, agreement, McNemar's test on TEST or DATA.",
            panel="The model itself",
            metavar="MODEL",
        ),
    ] = None
    table: Annotated[
        str | None,
        Option(
            "Write all words with a weight to a table: .csv or .tex.",
            panel="The model itself",
            metavar="FILE",
        ),
    ] = None


def explain(
    model: TextClassifier,
    document: str | None,
    output: str | None,
    n: int,
    as_json: bool,
    *,
    label: Annotated[
        str | None,
        Option(
            "The label to explain; the predicted one if not given.",
            flag="--about",
            metavar="LABEL",
        ),
    ] = None,
    sources: Sources,
    text_field: TextField = TEXT_FIELD,
    label_field: LabelField = LABEL_FIELD,
    whole: Annotated[bool, Option("Plain text is one document, not one per line.")] = False,
) -> dict[str, Any]:
    """Show what words, phrases and sentences add to the scores; or the words of the model."""
    if document is None:
        if label is not None:
            raise InputError("--about goes with a document, a file of documents, or -.")
        return _explain_model(model, output, n, as_json, sources, (text_field, label_field))
    for name, value in zip(Sources._fields, sources, strict=True):
        if value:
            raise InputError(f"--{name} explains the model as a whole: leave the document out.")
    wanted = None if label is None else _label_named(model, label)
    documents = _documents(model, document, text_field, whole)
    explanations = list(model.explanations(documents))
    if output is not None:
        from laconic.classify.explanation.page import write_explanations

        write_explanations(explanations, output, wanted)
    if as_json:
        rows = [one.as_dict(wanted) for one in explanations]
        return {"page": output, "documents": rows} if output else {"documents": rows}
    if output is not None:
        return {"page": output, "documents": len(explanations)}
    for number, explanation in enumerate(explanations):
        if number:
            print()
        print_marked(_lines(explanation, wanted, n))
    return {}


def _label_named(model: TextPredictor, name: str) -> object:
    """Return the label that is written like this; on the command line all labels are text."""
    for label in model.classes_.tolist():
        if str(label) == name:
            return label
    known = ", ".join(map(str, model.classes_.tolist()))
    raise InputError(f"--about: the model knows the labels {known}; got {name!r}.")


def _documents(model: TextPredictor, given: str, text_field: str, whole: bool) -> list[Document]:
    """Return the documents of a file or of standard input, or a text as it is."""
    name = given.lower()
    if given == STANDARD_STREAM or os.path.exists(given):
        return with_columns(read_columns(given, fields_of(model, text_field, None), whole))
    if name.endswith(FILES) and not any(character.isspace() for character in given):
        raise InputError(f"{given}: there is no such file.")
    if not given.strip():
        raise InputError("the document is empty: give a text, a file of documents, or -.")
    if model.numbers or model.categories:
        named = ", ".join([*model.numbers, *model.categories])
        raise InputError(
            f"the model reads columns beside the text ({named}): give a file that has them."
        )
    return [given]


def _lines(explanation: Explanation, label: object, n: int) -> list[list[Marked]]:
    """Return what the terminal shows of one document."""
    from laconic.classify.explanation.views import marked_sentences, score_line, signed

    k = explanation.place(label)
    name = explanation.labels.tolist()[k]
    lines = [
        [Marked(f"{name}  probability {explanation.probabilities[k]:.3f}")],
        [Marked(score_line(explanation, label))],
        [],
    ]
    for sentence in marked_sentences(explanation, name):
        pieces = [Marked(piece.text, piece.share) for piece in sentence.pieces]
        lines.append([Marked(f"{signed(sentence.contribution):>8}  "), *pieces])
    shares = explanation.features(name)
    if shares:
        lines += [[], [Marked(f"{'adds':>8}  {'times':>5}  feature")]]
    lines += [
        [Marked(f"{signed(share.contribution):>8}  {share.times:>5}  {share.feature}")]
        for share in shares[:n]
    ]
    if len(shares) > n:
        lines.append([Marked(f"{'':>8}  {'':>5}  and {len(shares) - n} more")])
    return lines


def _explain_model(
    model: TextClassifier,
    output: str | None,
    n: int,
    as_json: bool,
    sources: Sources,
    fields: tuple[str, str],
) -> dict[str, Any]:
    from laconic.classify.explanation.material import Request, gather
    from laconic.classify.explanation.tables import check_table_name, write_table

    _check(sources)
    if sources.table is not None:
        check_table_name(sources.table)
        check_output(sources.table)
    own = fields_of(model, *fields)
    data, test = (_labelled(path, own) for path in (sources.data, sources.test))
    other = None if sources.other is None else _other(sources.other)
    with progress("explaining") as bar:
        request = Request(n, data, test, sources.resamples, sources.curve, other)
        material = gather(model, request, bar.show)
    if sources.table is not None:
        write_table(sources.table, all_words(model, data))
    if output is not None:
        from laconic.classify.explanation.page import write_material

        write_material(model, material, output)
    written = {"page": output, "table": sources.table}
    facts = {name: path for name, path in written.items() if path is not None}
    shown = material.as_dict(n)
    return facts | (shown if as_json else _for_people(shown, material))


def all_words(model: TextPredictor, data: LabelledDocuments | None) -> NDArray[Any]:
    """Return the table of all words with a weight."""
    from laconic.classify.explanation.words import word_statistics, word_table

    return word_table(model, None if data is None else word_statistics(model, *data))


def _check(sources: Sources) -> None:
    if sources.data is None:
        for name in ("resamples", "curve"):
            if getattr(sources, name):
                raise InputError(f"--{name} fits again: give the training documents with --data.")
        if sources.other is not None and sources.test is None:
            raise InputError("--other compares on labelled documents: give them with --data.")


def _labelled(path: str | None, fields: Columns) -> LabelledDocuments | None:
    from laconic.classify.explanation.material import LabelledDocuments

    return None if path is None else LabelledDocuments(*read_labelled(path, fields))


def _other(path: str) -> TextPredictor:
    from laconic.models.kind import form_of
    from laconic.models.save import load

    model = load(path)
    form = form_of(model)
    if form is None or form.kind.name != "classify":
        raise InputError(f"{path}: expected another text classifier.")
    found: TextPredictor = model
    return found


def _for_people(shown: dict[str, Any], material: Material) -> dict[str, Any]:
    """Return the tables as the terminal shows them."""
    from laconic.classify.explanation.words import UNKNOWN

    for row in shown["words"]:
        row.pop("contexts", None)
    if not material.class_sizes:
        shown["words"] = [
            {name: value for name, value in row.items() if value == value and value != UNKNOWN}
            for row in shown["words"]
        ]
    if "quality" in shown:
        quality = shown["quality"]
        shown["quality"] = {k: v for k, v in quality.items() if k not in ("confusion",)}
        shown["quality"]["calibration"] = [r for r in quality["calibration"] if r["documents"]]
        names = [str(label) for label in material.quality.labels] if material.quality else []
        shown["confusion (rows: gold)"] = [
            {"gold": name, **dict(zip(names, row, strict=True))}
            for name, row in zip(names, quality["confusion"], strict=True)
        ]
    if "comparison" in shown:
        for name in ("only_first", "only_second"):
            words = shown["comparison"][name]
            shown["comparison"][name] = f"{len(words)}: {' '.join(words[:12])}"
    return shown
