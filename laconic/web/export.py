"""A model inside a web page, or inside a module of JavaScript: one file, which needs no network."""

from __future__ import annotations

import base64
import hashlib
import zlib
from typing import Any, NamedTuple

from laconic.errors import InputError
from laconic.models import file
from laconic.models.checks import Contents
from laconic.models.kind import Form
from laconic.models.save import storable_form
from laconic.report.html import text
from laconic.text.io import PathLike, atomic_writer
from laconic.version import __version__
from laconic.web.bundle import FOLDER, bundled

SUFFIXES = (".html", ".js")
NOTE = "Type or paste a text: the answer follows as you type, and nothing leaves this page."


class Exported(NamedTuple):
    """What was written: bytes of the file and of the model in it; whether it had to be packed."""

    n_bytes: int
    model_bytes: int
    packed: bool


def export_page(model: Any, path: PathLike, title: str, example: str = "") -> Exported:
    """Write a page that reads text and shows what the model says of it as one types.

    `example` is the text that stands there at first; without one it is that of the kind of model.
    """
    form, content, packed = model_content(model)
    return _written(path, _page(form, content, title, example), content, packed)


def page_with(model: Any, title: str) -> str:
    """Return the page that `export_page` writes."""
    form, content, _ = model_content(model)
    return _page(form, content, title)


def _page(form: Form, content: bytes, title: str, example: str = "") -> str:
    module, _ = form.kind.web.split(":")
    return page_of(title, bundled(module.replace("lib/", "page/")), content, example)


def export_module(model: Any, path: PathLike) -> Exported:
    """Write a module of JavaScript whose default export is the model."""
    form, content, packed = model_content(model)
    module, name = form.kind.web.split(":")
    script = (
        f"// Written by laconic {__version__}.\n{bundled(module)}"
        f"const unpacked = await inflate(Uint8Array.from(atob({_packed(content)!r}), "
        "(c) => c.charCodeAt(0)));\n"
        f"export default await {name}.read(readFile(unpacked));\n"
    )
    return _written(path, script, content, packed)


def model_content(model: Any) -> tuple[Form, bytes, bool]:
    """Return the form of a model, its file for pages, and whether it was packed."""
    form = storable_form(model)
    if not form.kind.web:
        raise InputError(f"models of the kind {form.kind.name!r} do not go into web pages.")
    stored = Form(form.kind, compact=bool(form.kind.compact))
    head, body = file.content_of(stored.name, *_contents(model, form, stored))
    return form, head + bytes(body), stored.compact and not form.compact


def _contents(model: Any, form: Form, stored: Form) -> Contents:
    """Return the arrays and the JSON that a page needs: no names of features."""
    storage = stored.storage()
    if form.compact and not model._contents[1].get("names"):
        contents: Contents = model._contents
    else:
        plain = model.plain() if form.compact else model
        contents = storage.pack(plain, False) if stored.compact else storage.pack(plain)
    return storage.for_web(*contents) if hasattr(storage, "for_web") else contents


def page_of(title: str, script: str, content: bytes, example: str = "") -> str:
    """Return a page whose policy allows its own style and scripts, and nothing from anywhere."""
    style = (FOLDER / "page" / "page.css").read_text("utf-8")
    boot, parts = bundled("page/boot.js"), [style.encode(), script.encode()]
    scripts = f"{_hash(boot)} {_hash(script)}"
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {scripts}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{text(title)}</title>\n</head>\n<body>\n<main>\n"
        f'<h1>{text(title)}</h1>\n<p class="note">{NOTE}</p>\n'
        '<textarea id="input" aria-label="text" spellcheck="false">'
        f"\n{text(example)}</textarea>\n"
        '<div id="answer" role="status"></div>\n'
        f"<footer>Written by laconic {__version__}.</footer>\n</main>\n"
        f'<script id="packed" type="text/plain" data-sizes="{len(parts[0])} {len(parts[1])}">'
        f"{_packed(b''.join([*parts, content]))}</script>\n"
        f'<script type="module">{boot}</script>\n</body>\n</html>\n'
    )


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()


def _hash(source: str) -> str:
    """Return what a content security policy calls a script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def _written(path: PathLike, source: str, content: bytes, packed: bool) -> Exported:
    encoded = source.encode()
    with atomic_writer(path, binary=True) as stream:
        stream.write(encoded)
    return Exported(len(encoded), len(content), packed)
