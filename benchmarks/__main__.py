"""`python -m benchmarks TASK --data DIR [--write] [--quick]`: run benchmarks/TASK.py and print or write its page."""

from __future__ import annotations

import argparse
import importlib
import os
import re
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from benchmarks.page import header

REPOSITORY = Path(__file__).resolve().parents[1]


def tasks() -> list[str]:
    """Names of the modules of this package that offer `run(data, quick) -> str`; those with SECTIONS have a TITLE too."""
    return sorted(file.stem for file in Path(__file__).parent.glob("*.py") if "\ndef run(" in file.read_text("utf-8"))


def write_atomically(path: Path, text: str) -> None:
    """Write text to path so that a reader sees the old page or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".part", delete=False, encoding="utf-8") as part:
        part.write(text)
    os.chmod(part.name, 0o644)
    os.replace(part.name, path)


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, run one task, print its page or write it to docs/results/."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure laconic beside its peers.")
    parser.add_argument("task", choices=tasks(), help="which page to make")
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--write", action="store_true", help="write docs/results/TASK.md instead of printing")
    parser.add_argument("--quick", action="store_true", help="a small version, to see that everything runs")
    parser.add_argument("--section", help="only this section of the page, where a task has sections")
    chosen = parser.parse_args(arguments)
    if not chosen.data.is_dir():
        parser.error(f"--data {chosen.data}: expected a folder of corpora, found none")

    module = importlib.import_module(f"benchmarks.{chosen.task}")
    sections = getattr(module, "SECTIONS", {})
    if chosen.section is not None and chosen.section not in sections:
        parser.error(f"--section {chosen.section}: {chosen.task} has {', '.join(sections) or 'no sections'}")
    target = REPOSITORY / "docs" / "results" / f"{chosen.task}.md"
    command = f"python -m benchmarks {chosen.task} --data DIR" + (" --quick" if chosen.quick else "")
    if sections:
        page = sectioned(module, chosen, target, command)
    else:
        page = header(command, REPOSITORY) + "\n" + module.run(chosen.data, chosen.quick).rstrip("\n") + "\n"
    if chosen.write:
        write_atomically(target, page)
        for name, figure in getattr(module, "FIGURES", {}).items():
            figure.savefig(target.parent / name, metadata={"Date": None})
        print(f"written: {target.relative_to(REPOSITORY)}", file=sys.stderr)
    else:
        print(page, end="")
    return 0


def sectioned(module: ModuleType, chosen: argparse.Namespace, target: Path, command: str) -> str:
    """A page whose sections say by themselves which run they are from: one that is rerun alone leaves the others as they are."""
    kept = split_sections(target.read_text("utf-8")) if chosen.section and chosen.write and target.exists() else {}
    names = list(module.SECTIONS) if chosen.section is None else [chosen.section]
    made = {name: module.SECTIONS[name](chosen.data, chosen.quick).strip("\n") for name in names}
    for name, body in made.items():
        title, _, rest = body.partition("\n")
        about = header(f"{command} --section {name}", REPOSITORY)
        kept[name] = f"{title}\n\n{about}{rest}\n"
    blocks = [f"<!-- section {name} -->\n{kept[name].strip()}\n" for name in module.SECTIONS if name in kept]
    return "\n".join([f"# {module.TITLE}\n", *blocks])


def split_sections(page: str) -> dict[str, str]:
    """The sections of a page by name."""
    parts = re.split(r"^<!-- section (\w+) -->\n", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


if __name__ == "__main__":
    sys.exit(main())
