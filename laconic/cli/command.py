"""Commands built from the options that functions declare (laconic/models/option.py).

A verb is a function of its own options; where it has `**options`, it also takes those that kinds
of models declare for it, and gets those of them that were given::

    def predict(model_path: ModelPath, *, output: Output = "-", **options: object) -> None: ...

    command("predict", predict, {"tag": tag_cli.predict, "parse": parse_cli.predict})

Commands are built when they are asked for: help of `laconic` and of `laconic train` imports no
kind of model, and help of a command no numerics.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple, TypeAlias

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command as built

from laconic.cli.console import guard
from laconic.cli.slots import EMPTY, Slot, bind, slots_of

Verb: TypeAlias = Callable[..., Any]
Click: TypeAlias = Any  # typer keeps its click in other places from version to version
CONTEXT = "_context"


class Shown(NamedTuple):
    """One option as the command shows it: merged from all functions that declare it."""

    slot: Slot
    panel: str
    help: str


def command(name: str, verb: Verb, kinds: Mapping[str, Verb], help: str = "") -> TyperCommand:
    """Return the command that calls `verb` with its own options, and with those of kinds."""
    own = slots_of(verb)
    shown = {slot.key: Shown(slot, slot.option.panel, slot.option.help) for slot in own}
    shown |= _merged({kind: slots_of(function) for kind, function in kinds.items()}, shown)

    @guard()
    def run(**values: object) -> None:
        context = values.pop(CONTEXT)
        given = {key: values[key] for key in shown if _was_given(context, key)}
        others = {key: given[key] for key in shown if key in given and shown[key].slot not in own}
        verb(**bind(verb, given), **others)

    parameters = [
        inspect.Parameter(CONTEXT, inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    ]
    parameters += [_parameter(key, *one) for key, one in shown.items()]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name, help=_escaped(help or inspect.getdoc(verb) or ""))(run)
    found = built(app)
    assert isinstance(found, TyperCommand)
    return found


def _was_given(context: Click, key: str) -> bool:
    source = context.get_parameter_source(key)
    return source is not None and source.name not in ("DEFAULT", "DEFAULT_MAP")


def _merged(kinds: Mapping[str, list[Slot]], own: Mapping[str, Shown]) -> dict[str, Shown]:
    """Return the options of all kinds by key; the panel says which kinds take them.

    Where kinds describe what the verb itself declares, such as its input, they add to its help.
    """
    by_key: dict[str, dict[str, Slot]] = {}
    for kind, slots in kinds.items():
        for slot in slots:
            by_key.setdefault(slot.key, {})[kind] = slot
    merged = {}
    for key, found in by_key.items():
        slot = next(iter(found.values()))
        helps = [one.option.help for one in found.values()]
        help = helps[0] if len(set(helps)) == 1 else " ".join(_by_kind(found))
        if key in own:
            merged[key] = own[key]._replace(help=" ".join(filter(None, [own[key].help, help])))
            continue
        panel = slot.option.panel if len(found) == len(kinds) else f"Only for {', '.join(found)}"
        defaults = {repr(one.default) for one in found.values()}
        if len(defaults) > 1:  # each kind has its own
            slot = slot._replace(default=None)
        merged[key] = Shown(slot, panel, help)
    return merged


def _by_kind(found: Mapping[str, Slot]) -> Iterator[str]:
    """Yield `kinds: help` for each different help."""
    for help in dict.fromkeys(slot.option.help for slot in found.values()):
        names = [kind for kind, slot in found.items() if slot.option.help == help]
        yield f"{', '.join(names)}: {help}"


def _parameter(key: str, slot: Slot, panel: str, help: str) -> inspect.Parameter:
    """Return an option as typer wants it: a parameter of a function, with an annotation."""
    default = EMPTY if slot.default is EMPTY else _as_text(slot.default)
    shared: dict[str, Any] = {
        "help": _escaped(help),
        "metavar": slot.option.metavar or None,
        "rich_help_panel": panel or None,
        "show_default": default not in (None, "", False, EMPTY),
    }
    hint = slot.type if slot.default is not None else slot.type | None
    if slot.argument:
        declared: Any = typer.Argument(**shared)
    else:
        flags = list(slot.flags)
        if slot.type is bool and default is not False and "/" not in flags[0]:
            flags[0] += f"/--no-{flags[0].removeprefix('--')}"
        declared = typer.Option(*flags, **shared)
    return inspect.Parameter(
        key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[hint, declared]
    )


def _as_text(default: object) -> object:
    """Return a default as the command line would give it."""
    return ",".join(map(str, default)) if isinstance(default, tuple) else default


def _escaped(text: str) -> str:
    return text.replace("[", "\\[")  # typer reads brackets as markup of rich


class LazyCommand(TyperCommand):
    """A command that is known by name and one line, and built when it is run."""

    def __init__(self, name: str, help: str, build: Callable[[], TyperCommand]):
        super().__init__(name, help=help)
        self.build = build

    def make_context(self, *arguments: Click, **named: Click) -> Click:
        """Return the context of the command itself."""
        return self.build().make_context(*arguments, **named)


class LazyGroup(TyperGroup):
    """A group whose commands are built when they are asked for."""

    def entries(self) -> Mapping[str, Click]:
        """Return the commands by name."""
        return {}

    def list_commands(self, ctx: Click) -> list[str]:
        """Return the names of the commands, in the order of the table."""
        return list(self.entries())

    def get_command(self, ctx: Click, cmd_name: str) -> Click:
        """Return the command of this name."""
        return self.entries().get(cmd_name)
