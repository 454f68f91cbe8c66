"""Linear models predict and are evaluated on files of matrices, as in Python."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from commands import refused, result_of, run
from sklearn.datasets import dump_svmlight_file

from laconic import L1, Poisson, SparseClassifier, SparseRegressor, StrengthCV

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(40, 5)) * (RNG.random((40, 5)) < 0.7), 3)
X[0, 0] = X[0, 4] = 1.0  # svmlight sees the first feature and the last
Y = X[:, 0] - X[:, 3] + 0.1 * RNG.normal(size=40)
WORDS = np.array(["low", "mid", "high"])[np.digitize(Y, [-0.7, 0.7])]
NAMES = [f"x{k}" for k in range(5)]


def _write(path: Path, X: Any, y: Any) -> None:
    """Write a matrix and its targets in the format that the name of the file says."""
    if path.suffix == ".npz":
        np.savez(path, X=X, y=y)
    elif path.suffix in (".csv", ".gz"):
        text = io.StringIO()
        csv.writer(text).writerows([[*NAMES, "target"], *np.column_stack([X, y]).tolist()])
        data = text.getvalue().encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    else:
        dump_svmlight_file(X, y, str(path), zero_based=False)


def _predicted(model: Path, rows: Path, *options: str) -> list[dict[str, Any]]:
    outcome = run("predict", str(model), str(rows), *options)
    assert outcome.exit_code == 0, outcome.output
    return [json.loads(line) for line in outcome.stdout.splitlines()]


@pytest.mark.parametrize("name", ["a.npz", "a.csv", "a.csv.gz", "a.svmlight"])
def test_files_of_every_format_give_what_python_gives(tmp_path: Path, name: str) -> None:
    model = SparseRegressor(L1(1.0)).fit(X, Y)
    model.save(tmp_path / "m")
    _write(tmp_path / name, X, Y)
    found = [row["value"] for row in _predicted(tmp_path / "m", tmp_path / name)]
    np.testing.assert_allclose(found, model.predict(X), atol=1e-12)
    scores = result_of("evaluate", str(tmp_path / "m"), str(tmp_path / name))
    assert scores["rows"] == 40
    assert scores["r2"] == pytest.approx(model.score(X, Y))
    assert scores["mse"] == pytest.approx(2 * scores["mean_loss"])


@pytest.mark.parametrize("classes", ["words", "numbers", "truth"])
def test_labels_are_those_of_the_model(tmp_path: Path, classes: str) -> None:
    y = {"words": WORDS, "numbers": np.digitize(Y, [0.0]) + 3, "truth": Y > 0}[classes]
    model = StrengthCV(SparseClassifier(), n_strengths=4, cv=3).fit(X, y)
    model.save(tmp_path / "m")
    sp.save_npz(tmp_path / "a.npz", sp.csc_matrix(X))
    np.save(tmp_path / "y.npy", y)
    (tmp_path / "y.txt").write_text("".join(f"{one}\n" for one in y.tolist()))
    rows = _predicted(tmp_path / "m", tmp_path / "a.npz", "--proba")
    assert [row["label"] for row in rows] == model.predict(X).tolist()
    chances = [list(row["probabilities"].values()) for row in rows]
    np.testing.assert_allclose(chances, model.predict_proba(X))
    for file in ("y.npy", "y.txt"):
        scores = result_of(
            *("evaluate", str(tmp_path / "m"), str(tmp_path / "a.npz")),
            *("--target", str(tmp_path / file)),
        )
        assert scores["accuracy"] == pytest.approx(model.score(X, y))
        assert scores["mean_loss"] == pytest.approx(model.best_estimator_.mean_loss(X, y))


def test_columns_go_by_name_where_the_model_has_names(tmp_path: Path) -> None:
    model = SparseRegressor(L1(1.0)).fit(X, Y)
    expected, r2 = model.predict(X), model.score(X, Y)
    model.feature_names_in_ = np.array(NAMES, dtype=object)
    model.save(tmp_path / "m")
    turned = np.column_stack([Y, X[:, ::-1], Y])
    head = ["price", *NAMES[::-1], "other"]
    lines = [";".join(map(str, row)) for row in [head, *turned.tolist()]]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    found = [row["value"] for row in _predicted(tmp_path / "m", tmp_path / "a.csv")]
    np.testing.assert_allclose(found, expected)
    scores = result_of(
        "evaluate", str(tmp_path / "m"), str(tmp_path / "a.csv"), "--target", "price"
    )
    assert scores["r2"] == pytest.approx(r2)


def test_several_targets_and_labels_survival_and_counts(tmp_path: Path) -> None:
    def scored(model: Any, y: Any) -> dict[str, Any]:
        model.fit(X, y).save(tmp_path / "m")
        np.savez(tmp_path / "a.npz", X=X, y=y)
        return result_of("evaluate", str(tmp_path / "m"), str(tmp_path / "a.npz"))

    two = np.column_stack([Y, 1 - Y])
    assert scored(SparseRegressor(L1(0.1)), two)["r2"] > 0.5
    assert len(_predicted(tmp_path / "m", tmp_path / "a.npz")[0]["values"]) == 2
    many = SparseClassifier(L1(0.1))
    found = scored(many, (two > 0).astype(int))
    assert found["accuracy"] == pytest.approx(many.score(X, two > 0))
    rows = _predicted(tmp_path / "m", tmp_path / "a.npz")
    indicator = [[int(k in row["labels"]) for k in range(2)] for row in rows]
    np.testing.assert_array_equal(indicator, many.predict(X))
    lived = np.column_stack([np.exp(-Y), np.arange(40) % 3 > 0])
    assert scored(SparseRegressor(L1(0.1), loss="cox"), lived)["concordance"] > 0.7
    assert scored(SparseRegressor(L1(0.1), loss=Poisson()), np.round(np.exp(Y)))["mae"] < 1


def test_standard_input_may_be_a_table_or_svmlight(tmp_path: Path) -> None:
    SparseRegressor(L1(1.0)).fit(X, Y).save(tmp_path / "m")
    for name in ("a.csv", "a.svmlight"):
        _write(tmp_path / name, X, Y)
        outcome = run("predict", str(tmp_path / "m"), text=(tmp_path / name).read_text())
        assert outcome.exit_code == 0 and outcome.stdout.count("\n") == 40


BAD: dict[str, tuple[str | bytes, str]] = {
    "narrow.csv": ("a,b\n1,2\n", "there are 2 columns of features, but the model has 5"),
    "ragged.csv": ("1,2,3,4,5\n1,2,3\n", "ragged.csv:2: expected 5 cells"),
    "words.csv": ("a,b,c,d,e\n1,2,3,4,oops\n", "words.csv:2: expected a number, found 'oops'"),
    "gaps.csv": ("a,b,c,d,e\n1,2,,4,5\n", "gaps.csv:2: expected a number, found ''"),
    "nan.csv": ("1,2,nan,4,5\n", "row 1, column 3 is no finite number"),
    "twice.csv": ("a,a,c,d,e\n1,2,3,4,5\n", "the column 'a' occurs twice"),
    "head.csv": ("a,b,c,d,e\n", "a header, but no rows"),
    "empty.csv": ("", "the file is empty"),
    "wide.svmlight": ("1 1:2 9:3\n", "there are 9 columns of features"),
    "wrong.svmlight": ("1 1:2\n0 one:3\n", "wrong.svmlight:2: expected svmlight"),
    "order.svmlight": ("1 3:2 1:1\n", "should be sorted and unique"),
    "damaged.npz": (b"PK\x03\x04 nothing", "expected arrays of numbers or text of NumPy"),
    "text.npy": ("1 2 3", "expected arrays of numbers or text of NumPy"),
    "bytes.csv": (b"1,2,\xff,4,5\n", "bytes.csv:1: expected UTF-8 text"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_get_one_sentence(tmp_path: Path, name: str) -> None:
    SparseRegressor(L1(1.0)).fit(X, Y).save(tmp_path / "m")
    content, sentence = BAD[name]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(
        SimpleNamespace(folder=tmp_path),
        sentence,
        *("predict", str(tmp_path / "m"), str(tmp_path / name)),
        *("-o", str(tmp_path / "out")),
    )


def test_bad_arrays_targets_and_options_get_one_sentence(tmp_path: Path) -> None:
    here = SimpleNamespace(folder=tmp_path)
    SparseRegressor(L1(1.0)).fit(X, Y).save(tmp_path / "m")
    SparseClassifier(L1(1.0)).fit(X, WORDS).save(tmp_path / "c")
    SparseRegressor(loss=Poisson()).fit(X, np.round(np.exp(Y))).save(tmp_path / "p")
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object))
    np.save(tmp_path / "row.npy", X[0])
    np.savez(tmp_path / "names.npz", Z=X)
    np.savez(tmp_path / "a.npz", X=X)
    np.savez(tmp_path / "words.npz", X=X, y=WORDS)
    np.savez(tmp_path / "negative.npz", X=X, y=-np.ones(40))
    (tmp_path / "y.txt").write_text("1\n2\n")
    cases = [
        ("m", "objects.npy", (), "without Python objects"),
        ("m", "row.npy", (), "expected a matrix of numbers, found float64 of shape (5,)"),
        ("m", "names.npz", (), "an array 'X' and perhaps 'y', found Z"),
        ("m", "a.npz", (), "there are no targets and no file 'target'"),
        ("m", "a.npz", ("--target", str(tmp_path / "y.txt")), "there are 40 rows, but 2 targets"),
        ("m", "words.npz", (), f"row 1 has the target {str(WORDS[0])!r}, expected"),
        ("p", "negative.npz", (), "negative"),
    ]
    for model, name, options, sentence in cases:
        arguments = ("evaluate", str(tmp_path / model), str(tmp_path / name), *options)
        refused(here, sentence, *arguments)
    refused(
        here, "--proba is for", "predict", str(tmp_path / "m"), str(tmp_path / "a.npz"), "--proba"
    )
    missed = result_of("evaluate", str(tmp_path / "c"), str(tmp_path / "negative.npz"))
    assert missed["accuracy"] == 0 and missed["mean_loss"] is None
