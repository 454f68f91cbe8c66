"""Models in and out of files, whatever their kind."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sklearn.utils.validation import check_is_fitted

from laconic.errors import InputError
from laconic.models import file
from laconic.models.kind import COMPACT, Form, all_kinds, compact_module, form_named, form_of
from laconic.text.io import PathLike, name_of


def storable_form(model: Any) -> Form:
    """Return the kind and form of a model; ValueError if it has no file."""
    form = form_of(model)
    if form is None or not form.kind.store:
        known = " or ".join(kind.model.partition(":")[2] for kind in all_kinds() if kind.store)
        raise ValueError(
            f"a model of type {type(model).__name__} cannot be saved; expected {known}"
        )
    return form


def save_model(model: Any, path: PathLike) -> None:
    """Write a fitted model to one file, whole or not at all."""
    form = storable_form(model)
    if form.compact:
        contents = model._contents
    else:
        contents = import_module(form.kind.store).pack(model)
    file.save(path, form.name, *contents)


def save_compact(model: Any, path: PathLike, names: bool = True) -> None:
    """Write a fitted model in as few bits as its weights need.

    Any weights can be stored; few different values make the file small.

    Parameters
    ----------
    model : TextClassifier, Tagger or Parser
        A fitted model, or one that was read from a compact file with names.
    path : str or Path
        The file to write.
    names : bool, default=True
        Whether the file keeps the names of features. With them the model can be inspected and
        turned back into a plain one; without, no string of the training data is in the file.
    """
    form = form_of(model)
    if form is None or not form.kind.compact:
        known = [kind.model.partition(":")[2] for kind in all_kinds() if kind.compact]
        raise ValueError(
            f"a model of type {type(model).__name__} cannot be saved compactly; expected {', '.join(known[:-1])} or {known[-1]}"
        )
    if form.compact:
        model = model.plain()
    check_is_fitted(model)
    contents = compact_module(form.kind).pack(model, names)
    file.save(path, form.kind.name + COMPACT, *contents)


def load(path: PathLike) -> Any:
    """Return the model of a file that `save_model` or `save_compact` wrote.

    Any other file is an InputError of one sentence. A model file is data: nothing in it is run.
    """
    found = file.load(path, lambda kind: kind.endswith(COMPACT))
    form = form_named(found.kind)
    if form is None or not form.kind.store:
        known = [kind.name for kind in all_kinds() if kind.store]
        known += [kind.name + COMPACT for kind in all_kinds() if kind.compact]
        raise InputError(
            f"{name_of(path)}: holds a model of the kind {found.kind!r}, this laconic knows {', '.join(known)}."
        )
    room = compact_module(form.kind) if form.compact else import_module(form.kind.store)
    try:
        return room.unpack(found.arrays, found.meta)
    except MemoryError:
        raise InputError(f"{name_of(path)}: the model does not fit into memory.") from None
    except (ValueError, ArithmeticError, RecursionError) as error:
        # InputError, and what constructors say of impossible values.
        said = " ".join(str(error).split()).rstrip(".")
        raise InputError(f"{name_of(path)}: not a usable model: {said}.") from None


class Saved:
    """A model with a file: `save` writes it."""

    def save(self, path: PathLike) -> None:
        """Write the fitted model to a file that `laconic.load` reads."""
        save_model(self, path)
