"""Kinds of models: what a task declares so that files, commands, pages and public names find it.

A task declares its kinds in its package's `__init__`, by import strings, so that declaring one
imports nothing::

    KINDS = (
        Kind(
            name="classify",
            model="laconic.classify.model:TextClassifier",
            store="laconic.classify.store",
            cli="laconic.classify.cli",
            page="laconic.classify.page",
            compact="laconic.classify.compact:CompactClassifier",
        ),
    )

Packages of other people name such a tuple, or a single `Kind`, under the entry-point group
`laconic.kinds`. From then on `laconic.load`, `save_model` and every verb of the command line work
for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

ENTRY_POINTS = "laconic.kinds"
COMPACT = ".compact"
# The packages of laconic itself that declare kinds or public names.
TASKS = ("linear", "classify", "tag", "parse", "rerank", "mine", "lm", "embed", "time")


class Kind(NamedTuple):
    """One kind of model, declared by import strings: a module, or `module:attribute`.

    Parameters
    ----------
    name : str
        What model files and `laconic train NAME` call it.
    model : str
        The class of fitted models, `module:Class`; instances of subclasses are of this kind too.
    store : str
        A module with `pack(model) -> (arrays, meta)` and `unpack(arrays, meta) -> model`. Empty if
        models of this kind have no file.
    cli : str
        A module with the verbs of the command line for this kind: functions `train`, `predict`,
        `evaluate`, `inspect`, `report`, `compress`, `export`; a verb that is absent does not apply.
    page : str
        A module with `write_report(model, path, ...)`, the page of `laconic report`.
    compact : str
        The class of models in compact files, `module:Class`; its module has
        `pack(model, names) -> (arrays, meta)` and `unpack(arrays, meta) -> model`.
    discrete : str
        A module that registers how models of this kind take few weight values.
    reader : str
        A module with `recognizes(path) -> bool` and `read(path) -> model` for files of other
        programs that hold models of this kind.
    demo : str
        A function `demo(seed, bar, as_json) -> dict`, `module:function`, for `laconic demo NAME`.
    """

    name: str
    model: str
    store: str = ""
    cli: str = ""
    page: str = ""
    compact: str = ""
    discrete: str = ""
    reader: str = ""
    demo: str = ""


class Form(NamedTuple):
    """A kind, and whether the model at hand is a compact one."""

    kind: Kind
    compact: bool

    @property
    def name(self) -> str:
        """What the model file calls it."""
        return self.kind.name + (COMPACT if self.compact else "")


def find(path: str) -> Any:
    """Import `module` or `module:attribute`."""
    module, _, attribute = path.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


@cache
def built_in() -> MappingProxyType[str, Kind]:
    """Return the kinds of laconic itself, by name."""
    packages = (import_module(f"laconic.{task}") for task in TASKS)
    found = (kind for package in packages for kind in getattr(package, "KINDS", ()))
    return MappingProxyType({kind.name: kind for kind in found})


@cache
def installed() -> MappingProxyType[str, Kind]:
    """Return the kinds of other installed packages, by name; those of laconic cannot be replaced."""
    from importlib.metadata import (
        entry_points,
    )  # imported late: it takes longer than all of laconic

    found: dict[str, Kind] = {}
    for point in entry_points(group=ENTRY_POINTS):
        declared = point.load()
        for kind in (declared,) if isinstance(declared, Kind) else declared:
            if kind.name not in built_in():
                found.setdefault(kind.name, kind)
    return MappingProxyType(found)


def all_kinds() -> Iterator[Kind]:
    """Yield every kind there is, those of laconic first."""
    yield from built_in().values()
    yield from installed().values()


def kind_named(name: str) -> Kind | None:
    """Return the kind of this name; other packages are asked only if laconic has none."""
    return built_in().get(name) or installed().get(name)


def form_named(name: str) -> Form | None:
    """Return the kind and form that a model file names: `tag`, or `tag.compact`."""
    kind = kind_named(name)
    if kind is not None:
        return Form(kind, compact=False)
    kind = kind_named(name.removesuffix(COMPACT)) if name.endswith(COMPACT) else None
    return Form(kind, compact=True) if kind is not None and kind.compact else None


def form_of(model: Any) -> Form | None:
    """Return the kind and form of a model, told by its class without importing any other."""
    for cls in type(model).__mro__:
        path = f"{cls.__module__}:{cls.__qualname__}"
        for kind in all_kinds():
            if path in (kind.model, kind.compact):
                return Form(kind, compact=path == kind.compact)
    return None


def compact_module(kind: Kind) -> ModuleType:
    """Return the module with the compact form of a kind."""
    return import_module(kind.compact.partition(":")[0])
