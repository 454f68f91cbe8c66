"""Kinds: how models, files and packages of other people are matched with them."""

from __future__ import annotations

import importlib.metadata
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import laconic
from laconic.errors import InputError
from laconic.models import file as files
from laconic.models import kind as kinds
from laconic.models.kind import Form, Kind, form_named, form_of, kind_named
from laconic.models.save import save_compact, save_model

Install = Callable[..., None]


class Bird:
    """A model of another package."""


class Duck(Bird):
    """A subclass, without or with a kind of its own."""


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install packages, each with what its entry point names."""
    points: list[importlib.metadata.EntryPoint] = []

    def added(package: str, value: Any) -> None:
        module = ModuleType(package)
        module.KINDS = value  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, package, module)
        group = kinds.ENTRY_POINTS
        points.append(importlib.metadata.EntryPoint(package, f"{package}:KINDS", group))

    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points)
    kinds.outside.cache_clear()
    yield added
    kinds.outside.cache_clear()


def bird(name: str = "bird", **parts: str) -> Kind:
    return Kind(name, model=f"{__name__}:Bird", **parts)


@pytest.mark.parametrize("declared", [bird(), (bird(),), [bird()]])
def test_an_entry_point_names_a_kind_or_several(install: Install, declared: Any) -> None:
    install("aviary", declared)
    assert kind_named("bird") == bird()
    assert list(kinds.all_kinds())[-1] == bird()
    assert form_of(Duck()) == Form(bird(), compact=False)


def test_the_nearest_class_decides(install: Install) -> None:
    duck = Kind("duck", model=f"{__name__}:Duck")
    install("aviary", (bird(), duck))
    assert form_of(Duck()) == Form(duck, compact=False)
    assert form_of(Bird()) == Form(bird(), compact=False)
    assert form_of(3) is None


def test_a_class_may_be_named_where_it_is_imported(install: Install) -> None:
    """Kinds often name a class by the package that has it, not by its own module."""
    package = __name__.partition(".")[0]
    module = f"{package}.doves"
    install(module, Kind("dove", model=f"{module}:Dove"))
    sys.modules[module].Dove = Bird  # type: ignore[attr-defined]
    found = form_of(Bird())
    assert found is not None and found.name == "dove"


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (3, "TypeError: 'int' object is not iterable"),
        (("bird",), "holds 'bird', expected laconic.models.kind.Kind"),
        (bird("classify"), "laconic itself has a kind 'classify'"),
        (bird("tag.compact"), "letters, digits, '_' and '-' only, not 'tag.compact'"),
        (bird(""), "letters, digits, '_' and '-' only, not ''"),
    ],
)
def test_a_declaration_that_cannot_be_used(install: Install, declared: Any, said: str) -> None:
    """One sentence names the package, and the kinds of others are there."""
    install("cuckoo", declared)
    install("aviary", bird())
    with pytest.warns(UserWarning) as caught:
        assert kind_named("bird") == bird()
    (sentence,) = (str(warning.message) for warning in caught)
    assert sentence.startswith("the kinds of models of the package cuckoo cannot be used (")
    assert said in sentence and "\n" not in sentence
    assert kind_named("classify") in kinds.built_in()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(kinds.all_kinds())  # said once


def test_a_name_that_two_packages_claim(install: Install, tmp_path: Path) -> None:
    install("aviary", (bird(), bird("owl")))
    install("cuckoo", bird())
    with pytest.raises(InputError, match="the packages aviary and cuckoo both have a kind 'bird'"):
        kind_named("bird")
    assert kind_named("owl") == bird("owl")
    files.save(tmp_path / "model", "bird", {}, {})
    with pytest.raises(InputError, match=f"^{tmp_path / 'model'}: the packages"):
        laconic.load(tmp_path / "model")


def test_code_that_cannot_be_imported(install: Install, tmp_path: Path) -> None:
    install("aviary", bird(store="a_package_that_nobody_has"))
    files.save(tmp_path / "model", "bird", {}, {})
    with pytest.raises(InputError, match=r"kind 'bird', whose code cannot be imported \(No module"):
        laconic.load(tmp_path / "model")


def test_a_kind_without_files(install: Install, tmp_path: Path) -> None:
    install("aviary", bird())
    with pytest.raises(ValueError, match="a model of type Bird cannot be saved; expected"):
        save_model(Bird(), tmp_path / "model")
    with pytest.raises(ValueError, match="cannot be saved compactly; expected TextClassifier or"):
        save_compact(Bird(), tmp_path / "model")
    for name in ("bird", "bird.compact", "embed.compact", "sparrow", "sparrow.compact"):
        files.save(tmp_path / "model", name, {}, {})
        with pytest.raises(InputError, match=f"of the kind '{name}', this laconic knows"):
            laconic.load(tmp_path / "model")


def test_forms_by_the_names_in_files() -> None:
    for kind in kinds.built_in():
        assert form_named(kind.name) == Form(kind, compact=False)
        assert form_named(f"{kind.name}.compact") == Form(kind, compact=True)


def test_what_kinds_name_is_there() -> None:
    """Import strings are checked by nobody else before they are used."""
    for kind in kinds.built_in():
        assert kinds.NAME.fullmatch(kind.name)
        for name, path in kind._asdict().items():
            assert (
                name in ("name", "help", "saves_compact", "web")
                or not path
                or kinds.find(path) is not None
            )
        if kind.store:
            assert callable(Form(kind, compact=False).storage().pack)
        if kind.compact:
            assert callable(Form(kind, compact=True).storage().unpack)
