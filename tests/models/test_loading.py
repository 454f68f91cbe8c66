"""What it costs to open and to save a model, in modules: those of its own task and no others."""

from __future__ import annotations

import json
import os
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
print(json.dumps([loaded, sorted(sys.modules)]), flush=True)
"""
# What other packages import is not counted, so that one process may have it before it divides.
WARM = """
import os, sys
import numpy, safetensors.numpy, scipy.sparse, sklearn.base
folder, target, *names = sys.argv[1:]
for name in names:
    child = os.fork()
    if child == 0:
        sys.argv[1:] = [f"{folder}/{name}.model", f"{target}/{name}"]
        try:
            exec(script)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0, name
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[str]]]:
    """Return, by model, the modules that are imported when it is loaded, and saved after that."""
    if not hasattr(os, "fork"):
        pytest.skip("processes that start alike are made by fork")
    command = [sys.executable, "-c", f"script = {SCRIPT!r}\n{WARM}", str(FOLDER)]
    done = subprocess.run(
        [*command, str(tmp_path_factory.mktemp("saved")), *NAMES],
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(NAMES, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_loaded_by_its_own_task(name: str, opened: dict[str, list[list[str]]]) -> None:
    loaded, saved = opened[name]
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
