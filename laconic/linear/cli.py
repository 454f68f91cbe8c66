"""Commands for linear models of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from laconic.cli.console import Bar
from laconic.cli.training import fit_facts
from laconic.models.option import Option

if TYPE_CHECKING:
    from laconic.core.arrays import MatrixLike
    from laconic.linear.base import SparseLinear
    from laconic.linear.search import StrengthSearch
    from laconic.linear.tables import Shape

MATRIX_HELP = (
    "A matrix: .npz of SciPy or NumPy (X and y), .npy, .csv or .tsv (a header names the columns), "
    "or svmlight."
)


def predict(
    model: SparseLinear | StrengthSearch,
    input_path: Annotated[str, Option(MATRIX_HELP)],
    output: str,
    bar: Bar,
    *,
    proba: Annotated[bool, Option("Add the probability of every label.")] = False,
) -> dict[str, Any]:
    """Write one JSON object per row: its label, its labels, or its value."""
    from laconic.errors import InputError
    from laconic.linear.tables import read_table
    from laconic.text.jsonl import write_jsonl

    best, shape = _fitted(model)
    if proba and not hasattr(best, "predict_proba"):
        raise InputError("--proba is for classifiers whose loss has probabilities.")
    bar.describe("reading")
    rows = read_table(input_path, shape, several=getattr(best, "labels_", None) is not None)
    bar.describe("predicting")
    found = list(_answers(best, rows.X))
    if proba:
        names = [str(label) for label in best.classes_.tolist()]
        for row, chances in zip(found, best.predict_proba(rows.X).tolist(), strict=True):
            row["probabilities"] = dict(zip(names, chances, strict=True))
    write_jsonl(output, found)
    return {"rows": len(found)}


def _answers(best: Any, X: MatrixLike) -> Iterator[dict[str, Any]]:
    """Yield what the model says of every row."""
    if getattr(best, "labels_", None) is not None:
        for row in best.decision_function(X) > 0:
            yield {"labels": best.classes_[row].tolist()}
        return
    found = best.predict(X)
    name = "label" if hasattr(best, "classes_") else "value" if found.ndim == 1 else "values"
    yield from ({name: answer} for answer in found.tolist())


def evaluate(
    model: SparseLinear | StrengthSearch,
    gold: Annotated[str, Option(MATRIX_HELP)],
    bar: Bar,
    *,
    target: Annotated[
        str,
        Option(
            "Columns of a table that hold the targets, with commas between them; or a file with "
            "the targets, .npy or one per line.",
            metavar="NAME",
        ),
    ] = "target",
) -> dict[str, Any]:
    """Return the accuracy and scores of each label, or the errors of numbers.

    Targets are those of svmlight, the array y of a .npz file, or what --target names.
    """
    from laconic.linear.scores import scores
    from laconic.linear.tables import read_table

    best, shape = _fitted(model)
    bar.describe("reading")
    several = getattr(best, "labels_", None) is not None
    rows = read_table(gold, shape, target, several)
    bar.describe("predicting")
    return scores(best, rows, gold, target)


def _fitted(model: SparseLinear | StrengthSearch) -> tuple[Any, Shape]:
    """Return the fitted model, and what it expects of a matrix."""
    from copy import copy

    from laconic.linear.explain import fitted_model
    from laconic.linear.tables import Shape

    best = copy(fitted_model(model))
    names = getattr(best, "feature_names_in_", None)
    if names is None:
        return best, Shape(best.n_features_in_)
    del best.feature_names_in_  # columns are put in its order, without their names
    return best, Shape(best.n_features_in_, tuple(map(str, names)))


def inspect(model: SparseLinear | StrengthSearch, n: int, as_json: bool) -> dict[str, Any]:
    """Show the features with the largest weights per output."""
    from laconic.core.report import in_one_line
    from laconic.linear.explain import fitted_model, strongest

    best = fitted_model(model)
    facts = {
        "penalty": in_one_line(best.penalty) if best.penalty is not None else "l1",
        "loss": in_one_line(best.loss_),
        **fit_facts(model),
    }
    if best is not model:
        facts |= {"best_params": model.best_params_, "best_score": model.best_score_}
    weights = {
        output: [{"feature": name, "weight": weight} for name, weight in rows]
        for output, rows in strongest(best, n).items()
    }
    return {**facts, "weights": weights if as_json else _lines(weights)}


def _lines(weights: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return one row per output and feature, as tables of the command line show them."""
    return [{"output": output, **row} for output, rows in weights.items() for row in rows]
