"""Models in and out of files, whatever their kind."""

from __future__ import annotations

from typing import Any

from laconic.errors import InputError
from laconic.models import file
from laconic.models.kind import COMPACT, Form, all_kinds, form_named, form_of
from laconic.models.loaded import check_fitted
from laconic.text.io import PathLike, name_of


def storable_form(model: object) -> Form:
    """Return the kind and form of a model; ValueError if it has no file."""
    form = form_of(model)
    if form is None or not form.has_file:
        known = [kind.model for kind in all_kinds() if kind.store]
        raise ValueError(
            f"a model of type {type(model).__name__} cannot be saved; expected {_one_of(known)}"
        )
    return form


def _one_of(classes: list[str]) -> str:
    """Return the names of classes given as `module:Class`, for an error message."""
    return " or ".join(path.partition(":")[2] for path in classes)


def save_model(model: Any, path: PathLike) -> None:
    """Write a fitted model to one file, whole or not at all."""
    form = storable_form(model)
    if form.kind.saves_compact and not form.compact:
        return save_compact(model, path)
    arrays, meta = model._contents if form.compact else form.storage().pack(model)
    file.save(path, form.name, arrays, meta)


def save_compact(model: Any, path: PathLike, names: bool = True) -> None:
    """Write a fitted model in as few bits as its weights need.

    Any weights can be stored; few different values (see `quantize` and `discretize`) make the file
    small. `laconic.load` reads it as a model that predicts from these bits.

    Parameters
    ----------
    model : TextClassifier, Tagger or Parser
        A fitted model, or one that was read from a compact file with names.
    path : str or Path
        The file to write; it appears whole or not at all.
    names : bool, default=True
        Whether the file keeps the names of features. With them the model can be inspected and
        turned back into a plain one; without, no string of the training data is in the file.

    Raises
    ------
    ValueError
        If models of this type have no compact form.

    Examples
    --------
    >>> import tempfile, laconic
    >>> texts, labels = ["good plot", "nice cast", "dull plot", "poor cast"] * 5, [1, 1, 0, 0] * 5
    >>> model = laconic.TextClassifier(strength=0.1).fit(texts, labels)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     laconic.save_compact(model, f"{folder}/model", names=False)
    ...     laconic.load(f"{folder}/model").predict(["a good cast"]).tolist()
    [1]
    """
    form = form_of(model)
    if form is None or not form.kind.compact:
        known = [kind.model for kind in all_kinds() if kind.compact]
        raise ValueError(
            f"a model of type {type(model).__name__} cannot be saved compactly; "
            f"expected {_one_of(known)}"
        )
    if form.compact:
        model = model.plain()
    check_fitted(model)
    compact = Form(form.kind, compact=True)
    file.save(path, compact.name, *compact.storage().pack(model, names))


def load(path: PathLike, *, mmap: bool = False) -> Any:
    """Return the model of a file that `model.save` or `save_compact` wrote.

    A model file is data: nothing in it is run.

    Parameters
    ----------
    path : str or Path
        The file to read.
    mmap : bool, default=False
        Whether a compact model predicts from the file itself, mapped into memory, which several
        processes share. Such a file may be replaced, as `save` does, but must never be rewritten
        in place (`cp new model`): the process would die. By default it is read into memory.

    Returns
    -------
    model : estimator
        A fitted model of the class that was saved; from a compact file, one that predicts alike.

    Raises
    ------
    InputError
        For any other file, in one sentence that names the file.

    Examples
    --------
    >>> import tempfile, laconic
    >>> texts, labels = ["good plot", "nice cast", "dull plot", "poor cast"] * 5, [1, 1, 0, 0] * 5
    >>> model = laconic.TextClassifier(strength=0.1).fit(texts, labels)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model")
    ...     laconic.load(f"{folder}/model").predict(["a good cast"]).tolist()
    [1]
    """
    return model_of(file.load(path, mmap), path)


def model_of(found: file.ModelFile, path: PathLike) -> Any:
    """Return the model of the contents of a file; `path` is for messages."""
    name = name_of(path)
    try:
        form = form_named(found.kind)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    if form is None or not form.has_file:
        known = [kind.name for kind in all_kinds() if kind.store]
        known += [kind.name + COMPACT for kind in all_kinds() if kind.compact]
        raise InputError(
            f"{name}: holds a model of the kind {found.kind!r}, this laconic knows "
            f"{', '.join(known)}."
        )
    try:
        storage = form.storage()
    except ImportError as error:
        raise InputError(
            f"{name}: holds a model of the kind {found.kind!r}, whose code cannot be imported "
            f"({_in_one_line(error)})."
        ) from error
    try:
        return storage.unpack(found.arrays, found.meta)
    except MemoryError:
        raise InputError(f"{name}: the model does not fit into memory.") from None
    except (ValueError, ArithmeticError, RecursionError) as error:
        # InputError, and what constructors say of impossible values.
        raise InputError(f"{name}: not a usable model: {_in_one_line(error)}.") from None


def _in_one_line(error: Exception) -> str:
    """Return the message of an error as a part of a sentence."""
    return " ".join(str(error).split()).rstrip(".")


class Saved:
    """A model with a file: `save` writes it."""

    def save(self, path: PathLike) -> None:
        """Write the fitted model to a file that `laconic.load` reads.

        Parameters
        ----------
        path : str or Path
            The file to write; it appears whole or not at all.
        """
        save_model(self, path)
