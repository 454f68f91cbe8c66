"""`laconic evaluate`: the scores of a model on labelled documents."""

from __future__ import annotations

from typing import Annotated

import typer

from laconic.cli.console import guard, print_result, progress
from laconic.cli.measure import Measured
from laconic.cli.options import INPUT_HELP, AsJson, LabelField, ModelPath, Quiet, TextField, read_labelled


@guard()
def evaluate(
    model_path: ModelPath,
    gold_path: Annotated[str, typer.Argument(metavar="GOLD", help=f"Labelled documents: {INPUT_HELP}")],
    text_field: TextField = "text",
    label_field: LabelField = "label",
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Score a model on labelled documents.

    Accuracy, and precision, recall and F1 of each label. A label that the model does not know counts as missed.
    """
    with Measured() as cost, progress("loading", quiet=quiet) as bar:
        from laconic import metrics
        from laconic.estimators.storage import load_model

        model = load_model(model_path)
        bar.describe("reading")
        documents, gold = read_labelled(gold_path, text_field, label_field)
        bar.describe("predicting")
        predicted = [str(label) for label in model.predict(documents).tolist()]
        scores = metrics.label_scores(gold, predicted)
    names = ("label", *scores._fields[1:])
    result = {
        "documents": len(documents),
        "accuracy": metrics.accuracy(gold, predicted),
        "macro_f1": float(scores.f1.mean()),
        **cost.report(),
        "labels": [dict(zip(names, row, strict=True)) for row in zip(*(column.tolist() for column in scores), strict=True)],
    }
    print_result(result, as_json)
