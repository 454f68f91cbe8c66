"""What it costs to open and to save a model, in modules: those of its own task and no others."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from test_imports import ALLOWED, TASKS

FOLDER = Path(__file__).parents[1] / "data" / "models-0.1"
# The package of the kind that each file holds.
TASK_OF = {"temporal": "time", "forecast": "time", "sage": "time"}
NAMES = sorted(path.name.removesuffix(".model") for path in FOLDER.glob("*.model"))
MOST_MODULES = {"classify": 60, "classify.compact": 64}  # of laconic, to open a model

SCRIPT = """
import json, sys
import laconic
model = laconic.load(sys.argv[1])
loaded = sorted(sys.modules)
model.save(sys.argv[2])
print(json.dumps([loaded, sorted(sys.modules)]))
"""


def modules_of(*arguments: str) -> tuple[list[str], list[str]]:
    """Return the modules that are imported when a model is loaded, and when it is saved after."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=True
    )
    loaded, saved = json.loads(done.stdout)
    return loaded, saved


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_loaded_by_its_own_task(name: str, tmp_path: Path) -> None:
    loaded, saved = modules_of(str(FOLDER / f"{name}.model"), str(tmp_path / "model"))
    kind = name.split(".")[0]
    task = TASK_OF.get(kind, kind)
    ours = [module.split(".") for module in saved if module.startswith("laconic.")]
    # The packages of other tasks may be imported for what they declare, but nothing in them.
    tasks = {parts[1] for parts in ours if len(parts) > 2} & TASKS
    assert tasks <= ALLOWED[task] | {task}
    rooms = {part for parts in ours for part in parts[2:]}
    assert not rooms & {"cli", "page", "train", "demo"}, "commands and pages are for commands"
    n_loaded = sum(module.split(".")[0] == "laconic" for module in loaded)
    assert n_loaded <= MOST_MODULES.get(name, n_loaded)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["classify", "tag.compact", "temporal"])
def test_files_need_no_metadata_of_packages(name: str, tmp_path: Path) -> None:
    """The version is our own, and kinds of other packages are asked only for what is not ours."""
    refuse = "import importlib.metadata\nimportlib.metadata.entry_points = None\n"
    refuse += "importlib.metadata.version = importlib.metadata.distribution = None\n"
    script = f"import numpy, sklearn, safetensors.numpy\n{refuse}{SCRIPT}"
    paths = str(FOLDER / f"{name}.model"), str(tmp_path / "model")
    done = subprocess.run(
        [sys.executable, "-c", script, *paths],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
