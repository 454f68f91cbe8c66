"""What is shipped: the source distribution has what git has, and the package needs what it says."""

from __future__ import annotations

import re
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LEFT_OUT = (".github/", ".gitignore")


@pytest.mark.slow
def test_the_source_distribution_has_what_git_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = pytest.importorskip("scikit_build_core.build")
    if not (ROOT / ".git").exists():
        pytest.skip("there is no list of files without git")
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    monkeypatch.chdir(ROOT)
    name = build.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as archive:
        found = {one.partition("/")[2] for one in archive.getnames()} - {"PKG-INFO"}
    expected = {one for one in listed if one and not one.startswith(LEFT_OUT)}
    assert expected <= found | {one for one in expected if not (ROOT / one).exists()}
    assert {one for one in found if one.startswith(("build/", ".venv", "dist/"))} == set()


def test_python_imports_what_is_declared() -> None:
    """Every package that laconic imports at all is a dependency or in an extra."""
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    declared = set(re.findall(r'"([A-Za-z0-9_.-]+?)(?:\[.*?\])?(?:[<>=~; ].*?)?"', pyproject))
    needed = re.compile(
        r"^\s*(?:from|import) (numpy|scipy|sklearn|joblib|threadpoolctl|safetensors"
        r"|rich|typer|matplotlib|tomotopy|pyarrow|spacy|zstandard)\b",
        re.MULTILINE,
    )
    used = {m[1] for p in (ROOT / "laconic").rglob("*.py") for m in needed.finditer(p.read_text())}
    names = {"sklearn": "scikit-learn"}
    assert {names.get(one, one) for one in used} <= declared
