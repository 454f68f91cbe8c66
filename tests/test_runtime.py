"""Predicting from compact files needs NumPy and the kernels, and answers as plain models do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pipeline_treebanks import treebank

import laconic
from laconic import runtime
from laconic.core.penalties import L1
from laconic.errors import InputError

# What a light installation does not have.
ABSENT = [
    "sklearn",
    "scipy",
    "pandas",
    "joblib",
    "threadpoolctl",
    "safetensors",
    "rich",
    "typer",
    "matplotlib",
]
SCRIPT = """
import json, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
from laconic import runtime
answers = {{}}
for name, given in json.load(open(sys.argv[1])).items():
    model = runtime.load(f"{{sys.argv[2]}}/{{name}}")
    answers[name] = {read}
print(json.dumps(answers))
"""
READ = {
    "classify": "model.predict_proba(given).tolist()",
    "sums": "model.predict_proba(given).tolist()",
    "tag": "[model.predict(given), model.predict_marginals(given)[0].tolist()]",
    "parse": "model.predict(given)",
    "text": "str(model.predict(given))",
    "lm": "[model.perplexity(given), model.complete('the', k=2)]",
}
DOCUMENTS = ["sun and sand", "snow and ice", "sun and heat", "ice and frost"] * 5
SEASONS = ["warm", "cold", "warm", "cold"] * 5
SENTENCES = [["the", "cat", "sleeps"], ["a", "dog", "barks"]] * 3
TAGS = [["DET", "NOUN", "VERB"]] * 6


def given_to(name: str) -> Any:
    """Return what the model of this name is asked."""
    if name in ("classify", "sums"):
        return [*DOCUMENTS[:3], "", "of nothing known"]
    if name == "parse":
        return [[("the", "the", "DET", "DET", "_"), ("cat", "cat", "NOUN", "NOUN", "_")]]
    return {"tag": SENTENCES[:2], "text": ["We eat fish."], "lm": ["the cat sleeps", "no cat"]}[
        name
    ]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Return a folder with a compact file of every kind that has one, and the plain models."""
    folder = tmp_path_factory.mktemp("compact")
    bank = treebank(30)
    plain: dict[str, Any] = {
        "classify": laconic.TextClassifier("lasso", strength=0.1, weighting="tfidf").fit(
            DOCUMENTS, SEASONS
        ),
        "sums": laconic.TextClassifier(L1(0.1), weighting="log").fit(DOCUMENTS, SEASONS),
        "tag": laconic.Tagger(learner=laconic.Mira(2)).fit(SENTENCES, TAGS),
        "parse": laconic.Parser(learner=laconic.Mira(2)).fit(bank.treebank()),
        "text": laconic.Pipeline().fit(bank),
        "lm": laconic.LanguageModel(order=2).fit([" ".join(words) for words in SENTENCES]),
    }
    for name, model in plain.items():
        laconic.save_compact(model, folder / name)
    return folder, plain


def test_every_compact_kind_predicts_without_other_packages(
    models: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    folder, plain = models
    given = {name: given_to(name) for name in plain}
    (tmp_path / "given.json").write_text(json.dumps(given))
    reads = (
        "{" + ", ".join(f"{name!r}: lambda: {code}" for name, code in READ.items()) + "}[name]()"
    )
    script = SCRIPT.format(absent=set(ABSENT), read=reads)
    command = [sys.executable, "-c", script, str(tmp_path / "given.json"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for name in plain:
        model = runtime.load(folder / name)
        expected = eval(READ[name], {"model": model, "given": given[name]})
        assert found[name] == json.loads(json.dumps(expected)), name
    assert set(found) == set(READ)
    probabilities = plain["classify"].predict_proba(given["classify"])
    assert found["classify"] == [pytest.approx(row, rel=1e-12) for row in probabilities.tolist()]
    assert found["tag"][0] == plain["tag"].predict(given["tag"])


def test_all_kinds_with_a_compact_form_are_tried() -> None:
    from laconic.models.kind import built_in

    assert {kind.name for kind in built_in() if kind.compact} == READ.keys() - {"sums"}


def test_plain_files_are_refused(models: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    models[1]["tag"].save(tmp_path / "plain")
    with pytest.raises(InputError, match="is no compact file but a plain tag model: make one with"):
        runtime.load(tmp_path / "plain")


def test_a_tagger_opens_with_few_modules(models: tuple[Path, dict[str, Any]]) -> None:
    script = (
        "import sys; from laconic import runtime\n"
        "runtime.load(sys.argv[1]).predict([['the', 'cat']])\n"
        "print(sum(name.startswith('laconic') for name in sys.modules), 'sklearn' in sys.modules)"
    )
    command = [sys.executable, "-c", script, str(models[0] / "tag")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    n_modules, heavy = done.stdout.split()
    assert int(n_modules) <= 60
    assert heavy == "False"
