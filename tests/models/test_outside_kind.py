"""A kind of model of another package: installed beside laconic, it works with every verb."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import laconic

# A whole package of somebody else. A parrot answers every document with the label that it has
# heard most often.
PARROT = {
    "parrot/__init__.py": '''
        """Models that say what they have heard most often."""

        from laconic.models.kind import Kind

        KINDS = (
            Kind(
                name="parrot",
                model="parrot.model:Parrot",
                store="parrot.store",
                cli="parrot.cli",
                page="parrot.page:write_report",
                help="Train a parrot.",
            ),
        )
    ''',
    "parrot/model.py": '''
        """The model."""

        from collections import Counter

        from laconic.core.report import FitReport, Reported
        from laconic.models.save import Saved


        class Parrot(Saved, Reported):
            """Answers every document with the most frequent label of the training data.

            Parameters
            ----------
            loud : bool, default=False
                Whether it shouts. Not everybody likes that.
            """

            def __init__(self, loud=False):
                self.loud = loud

            def fit(self, X, y):
                """Count the labels."""
                self.counts_ = dict(Counter(y).most_common())
                self.report_ = FitReport("Parrot()", n_iter=1, converged=True)
                return self

            def predict(self, X):
                """Say the most frequent label, once per document."""
                said = next(iter(self.counts_))
                return [said.upper() if self.loud else said] * len(X)
    ''',
    "parrot/store.py": '''
        """Parrots in and out of model files."""

        import numpy as np

        from laconic.models.checks import check_names, item, read_report, report_meta, whole
        from parrot.model import Parrot


        def pack(model):
            """Return the arrays and the meta of a fitted parrot."""
            counts = np.array(list(model.counts_.values()), dtype=np.uint32)
            meta = {"labels": list(model.counts_), "loud": model.loud}
            return {"counts": counts}, {**meta, **report_meta(model.report_)}


        def unpack(arrays, meta):
            """Return the parrot of a model file."""
            check_names(arrays, {"counts"})
            counts = whole(arrays, "counts").tolist()
            model = Parrot(item(meta, "loud", bool))
            model.counts_ = dict(zip(item(meta, "labels", list), counts, strict=True))
            model.report_ = read_report(meta)
            return model
    ''',
    "parrot/page.py": '''
        """The page of a parrot."""

        from laconic.report.html import facts, page
        from laconic.text.io import atomic_writer


        def write_report(model, path):
            """Write what the parrot has heard."""
            with atomic_writer(path) as stream:
                heard = ((label, str(n), "times") for label, n in model.counts_.items())
                stream.write(page("A parrot", facts(heard)))
    ''',
    "parrot/cli.py": '''
        """The commands for parrots."""

        from typing import Annotated

        from laconic.cli.options import read_labelled
        from laconic.cli.training import Run, Trained
        from laconic.models.option import Option, Parameters, OptionValues
        from laconic.text.jsonl import read_documents, write_jsonl

        MODEL = Parameters("parrot.model:Parrot", {"Speech": ("loud",)})


        def train(
            path: Annotated[str, Option("Labelled documents.", metavar="TRAIN")],
            run: Run,
            *,
            model: Annotated[OptionValues, MODEL],
        ):
            """Learn what is heard most often."""
            from parrot.model import Parrot

            documents, labels = read_labelled(path, "text", "label")
            parrot = run.fit(lambda callback: Parrot(**model).fit(documents, labels))
            return Trained(parrot, {"labels": len(parrot.counts_)})


        def predict(
            model,
            input_path: Annotated[str, Option("Anything that a parrot hears.")],
            output,
            bar,
            *,
            times: Annotated[int, Option("How often it says it.", minimum=1)] = 1,
        ):
            """Write one JSON object per document."""
            documents = read_documents(input_path, label_field=None).documents
            rows = ({"label": " ".join([label] * times)} for label in model.predict(documents))
            write_jsonl(output, rows)
            return {"documents": len(documents)}


        def evaluate(model, gold, bar):
            """Return the accuracy."""
            from laconic.text.metrics import accuracy

            given = read_documents(gold)
            return {"accuracy": accuracy(given.labels, model.predict(given.documents))}


        def inspect(model, n, as_json):
            """Return the n most frequent labels."""
            return {"heard": dict(list(model.counts_.items())[:n])}
    ''',
    "parrot-1.0.dist-info/METADATA": """
        Metadata-Version: 2.1
        Name: parrot
        Version: 1.0
    """,
    "parrot-1.0.dist-info/entry_points.txt": """
        [laconic.kinds]
        parrot = parrot:KINDS
    """,
}
# Another package, which cannot be imported.
BROKEN = {
    "broken/__init__.py": "import a_package_that_nobody_has\n",
    "broken-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n",
    "broken-1.0.dist-info/entry_points.txt": "[laconic.kinds]\nbroken = broken:KINDS\n",
}
DOCUMENTS = ("polly a cracker", "polly another cracker", "fish a sea")


def install(folder: Path, files: dict[str, str]) -> Path:
    """Write the files of an installed package, as an installer would leave them."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dedent(text).lstrip("\n"), encoding="utf-8")
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the packages of a folder installed beside laconic."""
    paths = [str(folder), str(Path(laconic.__file__).parents[1])]
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return install(tmp_path / "site", PARROT)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    rows = ({"label": label, "text": text} for label, text in (d.split(" ", 1) for d in DOCUMENTS))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


# Runs commands one after the other in a fresh process, and writes what each has printed.
COMMANDS = """
import json, sys
from typer.testing import CliRunner
from laconic.cli.main import app
said = []
for words in json.loads(sys.argv[1]):
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0 and done.stderr == "", (words, done.output, done.exception)
    said.append(done.stdout)
print(json.dumps(said))
"""


@pytest.mark.slow
def test_every_verb_works_for_a_kind_of_another_package(site: Path, gold: Path) -> None:
    model, page = str(gold.with_name("model")), gold.with_name("page.html")
    loud = str(gold.with_name("loud"))
    commands = {
        "list": ["train", "--help"],
        "train": ["train", "parrot", str(gold), "-o", model, "--json"],
        "predict": ["predict", model, str(gold)],
        "twice": ["predict", model, str(gold), "--times", "2"],
        "evaluate": ["evaluate", model, str(gold), "--json"],
        "inspect": ["inspect", model, "-n", "1", "--json"],
        "report": ["report", model, "-o", str(page)],
        "loud": ["train", "parrot", str(gold), "-o", loud, "--loud"],
        "predict loud": ["predict", loud, str(gold)],
        "help": ["train", "parrot", "--help"],
        "help predict": ["predict", "--help"],
    }
    done = run(site, "-c", COMMANDS, json.dumps(list(commands.values())))
    said = dict(zip(commands, json.loads(done.stdout), strict=True))

    def rows(name: str) -> list[dict[str, str]]:
        return [json.loads(line) for line in said[name].splitlines()]

    assert "parrot" in said["list"]
    assert json.loads(said["train"])["labels"] == 2
    assert rows("predict") == [{"label": "polly"}] * 3
    assert rows("twice") == [{"label": "polly polly"}] * 3
    assert json.loads(said["evaluate"])["accuracy"] == pytest.approx(2 / 3)
    assert json.loads(said["inspect"])["heard"] == {"polly": 2}
    assert "<dt>polly</dt>" in page.read_text(encoding="utf-8")
    assert rows("predict loud")[0]["label"] == "POLLY"
    assert "Whether it shouts." in said["help"]
    assert "How often it says it." in said["help predict"]


@pytest.mark.slow
def test_load_and_save_find_a_kind_of_another_package(site: Path, tmp_path: Path) -> None:
    script = """
        import sys, laconic
        from parrot.model import Parrot

        class Macaw(Parrot):
            pass

        Macaw().fit([], ["a", "b", "b"]).save(sys.argv[1])
        model = laconic.load(sys.argv[1])
        print(type(model).__name__, model.predict([0]), model.report_.learner, model.converged_)
    """
    done = run(site, "-c", dedent(script), str(tmp_path / "model"))
    assert done.stdout.split() == ["Parrot", "['b']", "True"]
    assert done.stderr == ""


@pytest.mark.slow
def test_a_package_that_cannot_be_imported_leaves_the_other_kinds(site: Path, gold: Path) -> None:
    install(site, BROKEN)
    model = str(gold.with_name("model"))
    done = run(site, "-m", "laconic", "train", "parrot", str(gold), "-o", model)
    assert done.stderr.count("the package broken cannot be used") == 1
    assert "No module named 'a_package_that_nobody_has'" in done.stderr
    assert "Traceback" not in done.stderr
    assert "classify" in run(site, "-m", "laconic", "train", "--help").stdout


@pytest.mark.slow
def test_verbs_of_a_kind_that_cannot_be_imported_leave_the_others(site: Path) -> None:
    """A kind whose commands fail to import is none of the business of other kinds."""
    (site / "parrot" / "cli.py").write_text("import a_package_that_nobody_has\n")
    done = run(site, "-m", "laconic", "train", "classify", "--help")
    assert "TRAIN" in done.stdout and "Traceback" not in done.stderr
