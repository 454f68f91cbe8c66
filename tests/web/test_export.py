"""Models inside web pages and modules: they answer as in Python, without a network."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from commands import result_of, run
from javascript import WEB, node, played, run_js
from small_models import MODELS, classifier, language_model, parser, tagger, vectors

from laconic import TextClassifier
from laconic.models.kind import built_in
from laconic.web.bundle import bundled

pytestmark = pytest.mark.filterwarnings("ignore:the text has too few n-grams")
HOSTILE = '</script><img src=x onerror=alert(1)> \u202e & "quotes" \x00'
TYPE = """
  const input = page.getElementById("input");
  input.value = TEXT;
  input.dispatchEvent(new Event("input"));
  await wait(50);
"""


def exported(kind: str, folder: Path, *options: str) -> Path:
    """Return the page of a small model of a kind."""
    MODELS[kind]().save(folder / "small.laconic")
    page = folder / "page.html"
    found = result_of("export", str(folder / "small.laconic"), "-o", str(page), *options)
    assert found["bytes"] == page.stat().st_size
    return page


@pytest.mark.parametrize("entry", sorted(path.name for path in (WEB / "page").glob("*.js")))
def test_every_bundle_is_one_valid_script(entry: str, tmp_path: Path) -> None:
    path = tmp_path / "bundle.mjs"
    path.write_text(bundled(f"page/{entry}"), "utf-8")
    done = subprocess.run([node(), "--check", str(path)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_kinds_name_a_reader_and_a_page() -> None:
    for kind in filter(lambda kind: kind.web, built_in()):
        module, name = kind.web.split(":")
        assert f"export class {name} " in (WEB / module).read_text("utf-8")
        assert (WEB / module.replace("lib/", "page/")).exists()


@pytest.mark.parametrize("kind", MODELS)
def test_a_page_is_closed_and_escapes_its_title(kind: str, tmp_path: Path) -> None:
    page = exported(kind, tmp_path, "--title", HOSTILE).read_text("utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy and policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy[1] and "http" not in policy[1]
    assert page.count("<script") == page.count("</script>") == 2 and "<img" not in page


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 1400])
def test_a_classifier_answers_as_one_types(width: int, tmp_path: Path) -> None:
    page = exported("classify", tmp_path, "--title", HOSTILE)
    script = (
        TYPE.replace("TEXT", '"Ice <b>on</b> ice, and sun"')
        + """
      const all = (selector) => [...page.querySelectorAll(selector)].map((e) => e.textContent);
      return { label: all(".found")[0], lit: all("mark"), text: all(".lit")[0],
        bold: all("b").length, named: [...page.querySelectorAll("textarea, table")].every(
          (e) => e.getAttribute("aria-label")), title: all("h1")[0] };
    """
    )
    found = played(page, script, width)
    assert found["label"] == classifier().predict(["Ice <b>on</b> ice, and sun"])[0]
    assert found["lit"] == ["Ice", "ice", "sun"] and found["text"] == "Ice <b>on</b> ice, and sun"
    assert found["bold"] == 0 and found["named"] and found["title"].startswith("</script><img")


@pytest.mark.slow
def test_a_tagger_shows_chunks_and_why(tmp_path: Path) -> None:
    script = (
        TYPE.replace("TEXT", '"the cat <i> sat"')
        + """
      const tokens = () => [...page.querySelectorAll(".token")];
      tokens()[1].click();
      await wait(50);
      return { tokens: tokens().map((e) => [e.firstChild.textContent, e.title]),
        why: page.querySelector("h2").textContent, rows: page.querySelectorAll("tr").length };
    """
    )
    found = played(exported("tag", tmp_path), script, 400)
    tokens = ["the", "cat", "<", "i", ">", "sat"]
    assert found["tokens"] == list(
        map(list, zip(tokens, tagger().predict([tokens])[0], strict=True))
    )
    assert found["why"].startswith("Why cat is") and found["rows"] > 1


@pytest.mark.slow
def test_next_words_and_neighbours(tmp_path: Path) -> None:
    script = """
      const names = () => [...page.querySelectorAll("th")].map((e) => e.textContent);
      const before = names();
      page.querySelector("th button").click();
      await wait(50);
      return { before, after: names(), input: page.getElementById("input").value };
    """
    typed = TYPE.replace("TEXT", '"the s"') + script
    found = played(exported("lm", tmp_path), typed, 400)
    assert found["before"] == [word for word, _ in language_model().complete("the", 12, "s")]
    assert found["input"] == "the sun " and found["after"][0] == "and"
    typed = TYPE.replace("TEXT", '"Music"') + script
    found = played(exported("embed", tmp_path), typed, 400)
    assert found["before"] == [word for word, _ in vectors().most_similar("music")]
    assert found["input"] == found["before"][0]


@pytest.mark.slow
def test_a_tree_is_drawn(tmp_path: Path) -> None:
    script = (
        TYPE.replace("TEXT", '"The <dog> ran home."')
        + """
      return [...page.querySelectorAll("svg")].map((svg) => [
        [...svg.querySelectorAll("text.word")].map((e) => e.textContent),
        svg.querySelector("title").textContent, svg.querySelectorAll("path.tip").length]);
    """
    )
    [[words, title, tips]] = played(exported("parse", tmp_path), script, 400)
    assert words == ["The", "<", "dog", ">", "ran", "home", "."] and tips == len(words) - 1
    tree = parser().predict([words])[0]
    assert tree.labels is not None
    assert title.split(", ") == [
        f"{word} ← {words[head - 1] if head else 'root'} ({label})"
        for word, head, label in zip(words, tree.heads, tree.labels, strict=True)
    ]


@pytest.mark.parametrize("kind", ["classify", "tag"])
def test_a_module_holds_the_model(kind: str, tmp_path: Path) -> None:
    model: Any = MODELS[kind]()
    model.save(tmp_path / "model")
    outcome = run("export", str(tmp_path / "model"), "-o", str(tmp_path / "model.js"))
    assert outcome.exit_code == 0 and "laconic compress gives it few values" in outcome.stderr
    (tmp_path / "package.json").write_text('{"type": "module"}')
    given: Any = "sun and ice" if kind == "classify" else ["a", "cat", "sat"]
    script = f"const model = (await import({(tmp_path / 'model.js').as_uri()!r})).default;"
    found = run_js(f"{script} say(model.predict(given));", given)
    expected = model.predict([given])[0]
    assert (found["label"] if kind == "classify" else found) == expected


def test_what_does_not_go_into_a_page_is_said(tmp_path: Path) -> None:
    page = str(tmp_path / "page.html")
    rows = [{"text": "sun", "size": 1.0}, {"text": "ice", "size": 2.0}] * 6
    model = TextClassifier("lasso", strength=0.1, text="text", numbers=["size"])
    model.fit(rows, ["w", "c"] * 6).save(tmp_path / "model")
    refused("columns beside the text", "export", str(tmp_path / "model"), "-o", page)
    refused("--binary does not go", "export", str(tmp_path / "model"), "-o", page, "--binary")
    refused("--title is for web pages", "export", "model", "-o", "x.arpa", "--title", "x")
    assert not Path(page).exists()


def refused(sentence: str, *arguments: str) -> None:
    outcome = run(*arguments)
    assert outcome.exit_code == 2 and sentence in outcome.stderr
    assert outcome.stderr.count("\n") == 1 and outcome.stdout == ""
