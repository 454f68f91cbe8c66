"""Pages of documentation that run: their Python and console blocks, and the output they show.

A block of output (```text) after a block of Python (```python) is what that block prints; a block
of commands (```console) has both, commands after `$`. Before a block or a page may stand

    <!-- data: conll2000, sst -->      the page runs where ../shared/data has these corpora
    <!-- tolerance: 0.3 -->            numbers of the next block may differ by this share
    <!-- not run: why -->              the next block is shown only

Numbers may differ by two per cent or in their last digit, those of seconds, memory and file sizes
as much as they like; a line `..` stands for any number of lines. `python tests/pages.py FILE..`
writes what the blocks print now into the pages.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from typer.testing import CliRunner

REPOSITORY = Path(__file__).parents[1]
DATA = REPOSITORY.parent / "shared" / "data"
TOLERANCE = 0.02
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"<!-- (data|tolerance|not run): (.*?) -->")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")
COSTS = ("seconds", "peak_memory_mb", "bytes", "bytes_before")
PIPED = re.compile(r"[|<>;&*]")


@dataclass
class Block:
    """One block of a page, its place there, and the tolerance for its numbers."""

    language: str
    text: str
    start: int
    end: int
    tolerance: float = TOLERANCE
    skipped: bool = False


@dataclass
class Page:
    """The blocks of a page, the corpora that it needs, and what it has defined so far."""

    path: Path
    text: str
    blocks: list[Block]
    data: list[str]
    names: dict[str, object] = field(default_factory=lambda: {"__name__": "page"})

    @property
    def missing(self) -> list[str]:
        """Return the corpora that are not there."""
        return [name for name in self.data if not (DATA / name).exists()]


def read_page(path: Path) -> Page:
    """Return the blocks of a page."""
    text = path.read_text("utf-8")
    data = [name for _, names in _directives(text, "data") for name in names.split(", ")]
    blocks = []
    before = 0
    for match in FENCE.finditer(text):
        block = Block(match[1], match[2], match.start(2), match.end(2))
        said = dict(DIRECTIVE.findall(text[before : match.start()]))
        block.tolerance = float(said.get("tolerance", TOLERANCE))
        block.skipped = "not run" in said
        before = match.end()
        blocks.append(block)
    return Page(path, text, blocks, data)


def _directives(text: str, name: str) -> list[tuple[str, str]]:
    return [found for found in DIRECTIVE.findall(text) if found[0] == name]


def outputs(page: Page) -> Iterator[tuple[Block, str]]:
    """Run a page in the current folder; yield blocks with output, and what they print now."""
    for name in page.data:
        os.symlink(DATA / name, name)
    following = [*page.blocks[1:], None]
    for block, after in zip(page.blocks, following, strict=True):
        if block.skipped:
            continue
        if block.language == "console":
            yield block, "".join(_console(block.text))
        elif block.language == "python":
            printed = _python(block, page)
            if after is not None and after.language == "text" and _adjacent(page, block, after):
                yield after, printed
            else:
                assert printed == "", f"{page.path.name}: a block prints what is not shown"


def _adjacent(page: Page, block: Block, after: Block) -> bool:
    between = page.text[block.end : after.start]
    return DIRECTIVE.sub("", between).split() == ["```", "```text"]


def _python(block: Block, page: Page) -> str:
    line = page.text.count("\n", 0, block.start)
    code = compile("\n" * line + block.text, str(page.path), "exec")
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        exec(code, page.names)
    return stream.getvalue()


def _console(text: str) -> Iterator[str]:
    """Yield the commands of a block, each followed by its output."""
    for command in re.findall(r"^\$ (?:.*\\\n)*.*\n", text, re.MULTILINE):
        yield command
        yield _run(command.removeprefix("$ ").replace("\\\n", " ").strip())


def _run(command: str) -> str:
    """Return what a command prints; those of laconic alone run in this process."""
    words = shlex.split(command, comments=True)
    if words[0] != "laconic" or PIPED.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", command)):
        shell = f'laconic() {{ "{sys.executable}" -m laconic "$@"; }}; {command}'
        paths = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            ["bash", "-c", shell],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONPATH": paths},
        )
        return done.stdout
    from laconic.cli.main import app

    outcome = CliRunner().invoke(app, words[1:])
    return outcome.output


def differences(block: Block, printed: str) -> list[str]:
    """Return the lines that are not as the page shows them."""
    shown, found = block.text.splitlines(), printed.splitlines()
    wrong = []
    skipping, place = False, 0
    for line in shown:
        if line.strip() == "..":
            skipping = True
            continue
        while (
            skipping and place < len(found) and not same_line(line, found[place], block.tolerance)
        ):
            place += 1
        skipping = False
        actual = found[place] if place < len(found) else None
        if actual is None or not _same(block, line, actual):
            wrong.append(f"shown:   {line}\nprinted: {actual}")
        place += 1
    if place < len(found) and not skipping:
        wrong.append(f"printed, not shown: {found[place]}")
    return wrong


def _same(block: Block, shown: str, printed: str) -> bool:
    return same_line(shown, printed, block.tolerance)


def same_line(shown: str, printed: str, tolerance: float) -> bool:
    """Return whether two lines are the same but for small differences of numbers and blanks."""
    if shown.split()[:1] == printed.split()[:1] and shown.split()[:1] in [[c] for c in COSTS]:
        return True
    texts = [" ".join(NUMBER.sub(" # ", line).split()) for line in (shown, printed)]
    if texts[0] != texts[1]:
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=True)
    return all(_close(*pair, tolerance) for pair in pairs)


def _close(shown: str, printed: str, tolerance: float) -> bool:
    decimals = len(shown.partition("e")[0].partition(".")[2])
    a, b = (float(text.replace(",", "")) for text in (shown, printed))
    last = 1.01 * 10.0**-decimals if "e" not in shown else 0.0
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=last if decimals else 0)


def rewrite(path: Path) -> None:
    """Write what the blocks of a page print now into the page."""
    page = read_page(path)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        changes = list(outputs(page))
        os.chdir(REPOSITORY)
    text = page.text
    for block, printed in reversed(changes):
        if not (".." in block.text.split("\n") and not differences(block, printed)):
            text = text[: block.start] + printed.rstrip("\n") + "\n" + text[block.end :]
    path.write_text(text, "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        rewrite(Path(name).resolve())
