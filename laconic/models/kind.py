"""Kinds of models: what a task declares so that files, commands, pages and public names find it.

A task declares its kinds in its package's `__init__`, by import strings, so that declaring one
imports nothing::

    KINDS = (
        Kind(
            name="classify",
            model="laconic.classify.model:TextClassifier",
            store="laconic.classify.store",
            cli="laconic.classify.cli",
            page="laconic.classify.page:write_report",
            compact="laconic.classify.compact:CompactClassifier",
        ),
    )

A package outside laconic names such a tuple, or a single `Kind`, under the entry-point group
`laconic.kinds` of its own metadata; in pyproject.toml::

    [project.entry-points."laconic.kinds"]
    parrot = "parrot:KINDS"

From then on `laconic.load`, `save_model` and every verb of the command line work for it. A package
that cannot be used is one warning, and every other kind works as before.

The module `cli` of a kind has one function per verb of the command line; a verb that is absent
does not apply. Such a module is imported for `--help` too, so it imports no numerics at its top::

    train(path, run, *, ...) -> Trained                 laconic train NAME PATH
    predict(model, input_path, output, bar, *, ...)     laconic predict MODEL [INPUT]
    evaluate(model, gold, bar, *, ...)                  laconic evaluate MODEL GOLD
    inspect(model, n, as_json, *, ...)                  laconic inspect MODEL
    explain(model, document, output, n, as_json, *, ..) laconic explain MODEL [DOCUMENT]
    report(model, output, *, ...)                       laconic report MODEL -o PAGE
    compress(model, output, settings, bar, *, ...)      laconic compress MODEL -o OUT
    export(model, output, *, ...)                       laconic export MODEL -o FILE

    answer(model, given) -> JSON                        laconic serve MODEL, one input

`train` returns a `laconic.cli.training.Trained` and fits through `run.fit` (see
`laconic.cli.training.Run`), which draws the progress bar and minds Ctrl-C. `evaluate` gets a list
of files if `gold` is annotated as one. `compress` passes everything on to
`laconic.cli.compression.compress_model`. `report` returns nothing, the others a dict: what the
command prints. The first paragraph of each docstring is shown by `laconic VERB --help`.

Keyword-only parameters are options of the command, declared with `laconic.models.option`; of
`path`, `input_path` and `gold` an `Option` gives the help. Nothing else has to know them.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from laconic.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "laconic.kinds"
COMPACT = ".compact"
# The packages of laconic itself that declare kinds or public names.
TASKS = ("classify", "tag", "parse", "rerank", "pipeline", "mine", "lm", "embed", "time", "linear")
# No dot: what follows one in a model file is the form, as in `tag.compact`.
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


class Kind(NamedTuple):
    """One kind of model, declared by import strings: a module, or `module:attribute`.

    Parameters
    ----------
    name : str
        What model files and `laconic train NAME` call it: letters, digits, `_` and `-`.
    model : str
        The class of fitted models, `module:Class`; instances of subclasses are of this kind too.
    store : str, default=""
        A module with `pack(model) -> (arrays, meta)` and `unpack(arrays, meta) -> model`, which
        raises ValueError for contents that make no model. Empty if this kind has no file.
    cli : str, default=""
        A module with the verbs of the command line for this kind: functions `train`, `predict`,
        `evaluate`, `inspect`, `explain`, `report`, `compress`, `export`; a verb that is
        absent does not apply.
    page : str, default=""
        A function `write(model, path)`, `module:function`, which `laconic report` calls where
        `cli` has no `report` of its own, one that takes options.
    compact : str, default=""
        The class of models in compact files, `module:Class`. Its module has
        `pack(model, names) -> (arrays, meta)` and `unpack(arrays, meta) -> model`; its instances
        keep that pair as `_contents`, and `plain()` returns the model that was packed.
    saves_compact : bool, default=False
        Whether `save` writes compact files, with names: for kinds whose plain files are large.
    discrete : str, default=""
        A module that registers how models of this kind take few weight values.
    reader : str, default=""
        A module with `recognizes(path) -> bool` and `read(path) -> model` for files of other
        programs that hold models of this kind.
    web : str, default=""
        The reader of this kind in JavaScript, `lib/module.js:Class` in the folder `laconic/web`:
        models go into web pages, which `page/module.js` shows. The module of the compact form (or
        `store`, without one) may have `for_web(arrays, meta)`, which returns the contents that a
        page needs.
    demo : str, default=""
        A function `demo(seed, bar) -> Demonstration`, `module:function`, for `laconic demo NAME`
        (see `laconic.models.demonstration`).
    help : str
        One line for `laconic train --help`; empty if the command line does not train this kind.
    """

    name: str
    model: str
    store: str = ""
    cli: str = ""
    page: str = ""
    compact: str = ""
    saves_compact: bool = False
    discrete: str = ""
    reader: str = ""
    web: str = ""
    demo: str = ""
    help: str = ""


class Form(NamedTuple):
    """A kind, and whether the model at hand is a compact one."""

    kind: Kind
    compact: bool

    @property
    def name(self) -> str:
        """Name of the kind and form in model files."""
        return self.kind.name + (COMPACT if self.compact else "")

    @property
    def has_file(self) -> bool:
        """Whether models of this kind and form can be stored."""
        return bool(self.kind.compact if self.compact else self.kind.store)

    def storage(self) -> ModuleType:
        """Import the module with `pack` and `unpack` of this kind and form."""
        return import_module((self.kind.compact if self.compact else self.kind.store).split(":")[0])


class Outside(NamedTuple):
    """The kinds of other installed packages by name, and the names that two of them claim."""

    kinds: MappingProxyType[str, Kind]
    claimed_twice: MappingProxyType[str, str]


def find(path: str) -> Any:
    """Import `module` or `module:attribute`."""
    module, _, attribute = path.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def declared_by(task: str) -> tuple[Kind, ...]:
    """Return the kinds that a package of laconic declares."""
    kinds: tuple[Kind, ...] = getattr(import_module(f"laconic.{task}"), "KINDS", ())
    return kinds


def built_in() -> Iterator[Kind]:
    """Yield the kinds of laconic itself, importing the packages that declare them one by one."""
    for task in TASKS:
        yield from declared_by(task)


@cache
def outside() -> Outside:
    """Return the kinds of other installed packages.

    A declaration that cannot be used is left out with a warning: one sentence that names the
    package. Of a name that two packages claim neither is taken, since the order in which packages
    are found means nothing.
    """
    # Imported late: it takes longer than the rest of `import laconic`.
    from importlib.metadata import entry_points

    owners: dict[str, dict[str, Kind]] = {}
    for point in entry_points(group=ENTRY_POINTS):
        package = _package_of(point)
        try:
            declared = _declared(point)
        except Exception as error:  # whatever another package does must not break ours
            said = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".")
            warnings.warn(
                f"the kinds of models of the package {package} cannot be used ({said}).",
                stacklevel=2,
            )
            continue
        for kind in declared:
            owners.setdefault(kind.name, {})[package] = kind
    found = {name: next(iter(of.values())) for name, of in owners.items() if len(of) == 1}
    twice = {name: " and ".join(sorted(of)) for name, of in owners.items() if len(of) > 1}
    return Outside(MappingProxyType(found), MappingProxyType(twice))


def _package_of(point: EntryPoint) -> str:
    """Return the name of the package that declares an entry point."""
    return point.value.partition(":")[0] if point.dist is None else point.dist.name


def _declared(point: EntryPoint) -> tuple[Kind, ...]:
    """Return the kinds that an entry point names; ValueError if they are none."""
    value = point.load()
    kinds = (value,) if isinstance(value, Kind) else tuple(value)
    for kind in kinds:
        if not isinstance(kind, Kind):
            raise ValueError(f"{point.value} holds {kind!r}, expected laconic.models.kind.Kind")
        if not NAME.fullmatch(kind.name):
            raise ValueError(
                f"the name of a kind has letters, digits, '_' and '-' only, not {kind.name!r}"
            )
        if any(kind.name == ours.name for ours in built_in()):
            raise ValueError(f"laconic itself has a kind {kind.name!r}")
    return kinds


def all_kinds() -> Iterator[Kind]:
    """Yield every kind there is, those of laconic first."""
    yield from built_in()
    yield from outside().kinds.values()


def kind_named(name: str) -> Kind | None:
    """Return the kind of this name; other packages are asked only if laconic has none."""
    for kind in built_in():
        if kind.name == name:
            return kind
    if name in outside().claimed_twice:
        raise InputError(
            f"the packages {outside().claimed_twice[name]} both have a kind {name!r}: keep one of "
            "them installed."
        )
    return outside().kinds.get(name)


def form_named(name: str) -> Form | None:
    """Return the kind and form that a model file names: `tag`, or `tag.compact`."""
    kind = kind_named(name.removesuffix(COMPACT))
    return None if kind is None else Form(kind, compact=name.endswith(COMPACT))


def form_of(model: object) -> Form | None:
    """Return the kind and form of a model by its class, without importing other kinds.

    The class nearest to the model's own counts: a subclass may have a kind of its own.
    """
    for cls in type(model).__mro__[:-1]:
        package, _, rest = cls.__module__.partition(".")
        task = rest.partition(".")[0] if package == "laconic" else ""
        for kind in declared_by(task) if task else all_kinds():
            for path in (kind.model, kind.compact):
                if path and _is_class(path, cls):
                    return Form(kind, compact=path == kind.compact)
    return None


def _is_class(path: str, cls: type) -> bool:
    """Return whether `module:Class` is this class, perhaps imported there from its own module."""
    module, _, name = path.partition(":")
    if (module, name) == (cls.__module__, cls.__qualname__):
        return True
    if module.partition(".")[0] != cls.__module__.partition(".")[0] or module.startswith(
        "laconic."
    ):
        return False
    return getattr(sys.modules.get(module) or import_module(module), name, None) is cls
