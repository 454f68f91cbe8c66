"""`python -m benchmarks TASK --data DIR [--write] [--quick]`: run benchmarks/TASK.py and print or
write its page.
"""

from __future__ import annotations

import argparse
import fcntl
import importlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from types import ModuleType
from zlib import crc32

from benchmarks.page import header

REPOSITORY = Path(__file__).resolve().parents[1]


def tasks() -> list[str]:
    """Names of the modules of this package that offer `run(data, quick) -> str`.

    Those with SECTIONS have a TITLE too.
    """
    return sorted(
        file.stem
        for file in Path(__file__).parent.glob("*.py")
        if "\ndef run(" in file.read_text("utf-8")
    )


def write_atomically(path: Path, text: str) -> None:
    """Write text to path so that a reader sees the old page or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, suffix=".part", delete=False, encoding="utf-8"
    ) as part:
        part.write(text)
    os.chmod(part.name, 0o644)
    os.replace(part.name, path)


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, run one task, print its page or write it to docs/results/."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure laconic beside its peers."
    )
    parser.add_argument("task", choices=tasks(), help="which page to make")
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument(
        "--write", action="store_true", help="write docs/results/TASK.md instead of printing"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a small version, to see that everything runs"
    )
    parser.add_argument(
        "--section", help="only this section of the page, where a task has sections"
    )
    parser.add_argument(
        "--corpus",
        "--treebank",
        type=Path,
        help="a folder of your own, for sections that compare with peers",
    )
    chosen = parser.parse_args(arguments)
    if not chosen.data.is_dir():
        parser.error(f"--data {chosen.data}: expected a folder of corpora, found none")

    module = importlib.import_module(f"benchmarks.{chosen.task}")
    sections = getattr(module, "SECTIONS", {})
    if chosen.section is not None and chosen.section not in sections:
        parser.error(
            f"--section {chosen.section}: {chosen.task} has {', '.join(sections) or 'no sections'}"
        )
    if chosen.corpus is not None:
        takers = [name for name, make in sections.items() if "corpus" in signature(make).parameters]
        if chosen.section not in takers:
            parser.error(f"--corpus is for --section {' or '.join(takers) or '(none has it)'}")
        if not chosen.corpus.is_dir():
            parser.error(f"--corpus {chosen.corpus}: expected a folder, found none")
        if chosen.write:
            parser.error("--write is for the corpora of the page, without --corpus")
    target = REPOSITORY / "docs" / "results" / f"{chosen.task}.md"
    command = f"python -m benchmarks {chosen.task} --data DIR" + (
        " --quick" if chosen.quick else ""
    )
    if sections:
        made = made_sections(
            module, [chosen.section] if chosen.section else list(sections), chosen, command
        )
    else:
        about = header(command, REPOSITORY)
        page = about + "\n" + module.run(chosen.data, chosen.quick).rstrip("\n") + "\n"
    if not chosen.write:
        print(joined(module, made) if sections else page, end="")
        return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    with alone_with(target):
        write_atomically(
            target,
            joined(module, kept_sections(target, chosen.section) | made) if sections else page,
        )
        for name, figure in getattr(module, "FIGURES", {}).items():
            figure.savefig(target.parent / name, metadata={"Date": None})
    print(f"written: {target.relative_to(REPOSITORY)}", file=sys.stderr)
    return 0


def made_sections(
    module: ModuleType, names: list[str], chosen: argparse.Namespace, command: str
) -> dict[str, str]:
    """Sections that were run, each under the header of what it began with: code that is changed
    beside a long run is not what ran.
    """
    made = {}
    for name in names:
        about = header(f"{command} --section {name}", REPOSITORY)
        own = {} if chosen.corpus is None else {"corpus": chosen.corpus}
        made_now = module.SECTIONS[name](chosen.data, chosen.quick, **own)
        title, _, rest = made_now.strip("\n").partition("\n")
        made[name] = f"{title}\n\n{about}{rest}\n"
    return made


def kept_sections(target: Path, section: str | None) -> dict[str, str]:
    """Return the current page, whose other sections a run of one section leaves as they are.

    To be read after the run, as others may have written meanwhile.
    """
    return split_sections(target.read_text("utf-8")) if section and target.exists() else {}


def joined(module: ModuleType, sections: dict[str, str]) -> str:
    """A page whose sections say by themselves which run they are from."""
    blocks = [
        f"<!-- section {name} -->\n{sections[name].strip()}\n"
        for name in module.SECTIONS
        if name in sections
    ]
    return "\n".join([f"# {module.TITLE}\n", *blocks])


@contextmanager
def alone_with(target: Path) -> Iterator[None]:
    """No other run reads and writes this page meanwhile: of two that did, one would put back what
    the other replaced.
    """
    with open(
        Path(tempfile.gettempdir()) / f"laconic-page-{crc32(bytes(target.resolve())):08x}.lock", "a"
    ) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def split_sections(page: str) -> dict[str, str]:
    """The sections of a page by name."""
    parts = re.split(r"^<!-- section (\w+) -->\n", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


if __name__ == "__main__":
    sys.exit(main())
