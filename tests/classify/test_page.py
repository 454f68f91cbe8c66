"""The page of a model: complete, escaped, self-contained."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from laconic.classify.model import TextClassifier
from laconic.classify.page import write_report
from laconic.models.save import load, save_compact, save_model
from laconic.text.trees import parse_tree

HOSTILE = '<script>alert("x")</script>&amp;\x00\x1b'
SPACE = [["the", "rocket", HOSTILE], ["it", "flew", "far"]]
HEALTH = [["the", "doctor", "'onload='"], ["it", "hurt", "much"]]
DOCUMENTS = [
    SPACE,
    HEALTH,
    [*SPACE, ["rocket"]],
    [*HEALTH, ["doctor"]],
    [["rocket", "far"]],
    [["doctor", "much"]],
]
LABELS = ["<b>space</b>", "health"] * 3
TREES = [
    parse_tree("(3 (2 (2 the) (2 film)) (3 (2 is) (4 (2 quite) (4 wonderful))))"),
    parse_tree("(1 (2 (2 the) (2 film)) (1 (2 is) (0 (2 quite) (0 dreadful))))"),
]
VOID = {"meta", "br", "wbr"}


class Outline(HTMLParser):
    """Tags, attributes and text of a page; fails on tags that do not nest."""

    def __init__(self, page: str):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def page_of(model: TextClassifier, folder: Path, *given: object) -> tuple[str, Outline]:
    path = folder / "page.html"
    write_report(model, path, *given)  # type: ignore[arg-type]
    page = path.read_text("utf-8")
    return page, Outline(page)


@pytest.fixture(scope="module")
def model() -> TextClassifier:
    kinds = {"n_topics": 2, "n_top": 4, "n_clusters": 4}
    return TextClassifier("sentence+topics+brown", strength=0.02, lasso=0.02, **kinds).fit(
        DOCUMENTS, LABELS
    )  # type: ignore[arg-type]


def test_the_page_says_what_the_model_is(model: TextClassifier, tmp_path: Path) -> None:
    _, outline = page_of(model, tmp_path, DOCUMENTS, LABELS, DOCUMENTS)
    assert "sentence + topics + brown" in outline.text
    assert f"{model.n_features_selected_} of {model.n_features_total_}" in outline.text
    for what in (
        "sentences kept",
        "topics kept",
        "clusters kept",
        "objective",
        "certificate",
        "Strongest words",
        "rocket",
    ):
        assert what in outline.text
    for title in ("Sentences", "Topics", "Clusters"):
        assert f"{title} kept and dropped" in outline.text
    assert (
        outline.text.count("which is right") == 6
        and "6 documents 6 are right (100.0%)" in outline.text
    )


def test_hostile_words_stay_words(model: TextClassifier, tmp_path: Path) -> None:
    page, outline = page_of(model, tmp_path, DOCUMENTS, LABELS, DOCUMENTS)
    assert outline.tags.count("script") == 1 and "b" not in outline.tags
    assert (
        'alert("x")' in outline.text and "<b>space</b>" in outline.text and "&amp;" in outline.text
    )
    assert not any(name.startswith("on") for name, _ in outline.attributes)
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", page)


def test_the_page_needs_nothing_else(model: TextClassifier, tmp_path: Path) -> None:
    page, outline = page_of(model, tmp_path, DOCUMENTS)
    assert outline.tags.count("script") == 1  # its own, which sorts tables
    assert not {"link", "img", "iframe", "object"} & set(outline.tags)
    assert not {"src", "href"} & {name for name, _ in outline.attributes}
    assert not re.search(r"url\(|@import|https?://", page)
    assert (
        "prefers-color-scheme: dark" in page
        and "@media print" in page
        and 'name="viewport"' in page
    )


def test_effects_have_a_colour_and_a_number(model: TextClassifier, tmp_path: Path) -> None:
    page, outline = page_of(model, tmp_path, [SPACE])
    shares = [float(share) for share in re.findall(r"--share:([0-9.]+)", page)]
    assert len(shares) == 2 and max(shares) == 1.0 and min(shares) >= 0
    assert "Document 1: <b>space</b>" in outline.text


def test_trees_are_drawn(tmp_path: Path) -> None:
    model = TextClassifier("tree", strength=0.02, lasso=0.02).fit(TREES, ["good", "bad"])
    page, outline = page_of(model, tmp_path, TREES, ["good", "bad"], TREES)
    assert outline.tags.count("svg") == 2
    assert outline.tags.count("text") == sum(len(tree.label) + len(tree.words) for tree in TREES)
    assert '<text class="word removed"' in page and '<text class="word"' in page
    assert "Phrases kept and dropped" in outline.text


def test_many_documents_become_a_few_right_and_wrong_ones(
    model: TextClassifier, tmp_path: Path
) -> None:
    _, outline = page_of(model, tmp_path, [SPACE, HEALTH] * 20, [LABELS[0]] * 40)
    titles = re.findall(r"Document \d+: \S+ \([0-9.]+%\), (which is right|but it is)", outline.text)
    assert titles == ["which is right"] * 4 + ["but it is"] * 2
    assert "40 documents 20 are right (50.0%)" in outline.text


def test_long_documents_are_cut(model: TextClassifier, tmp_path: Path) -> None:
    page, outline = page_of(model, tmp_path, [SPACE * 500])
    assert "and 960 more sentences" in outline.text and len(page) < 100_000


@pytest.mark.parametrize("weighting", ["count", "tfidf"])
def test_a_model_read_from_a_file_has_a_page(weighting: str, tmp_path: Path) -> None:
    saved = TextClassifier("sentence", strength=0.01, lasso=0.01, weighting=weighting)
    prepared = saved.prepare(DOCUMENTS, LABELS)
    saved.fit_prepared(prepared).describe_groups(prepared)
    save_model(saved, tmp_path / "model")
    loaded = load(tmp_path / "model")
    _, fresh = page_of(saved, tmp_path, DOCUMENTS, LABELS, DOCUMENTS)
    _, outline = page_of(loaded, tmp_path, DOCUMENTS, LABELS)
    assert (
        f"of {loaded.groups_['sentence'].total} " in outline.text and "the rocket" in outline.text
    )
    after = "How it reads documents"
    assert outline.text.split(after)[1] == fresh.text.split(after)[1]


def test_plain_models_and_many_classes_have_pages(tmp_path: Path) -> None:
    many = TextClassifier("lasso", strength=0.1).fit(DOCUMENTS[:4], ["a", "b", "c", "c"])
    _, outline = page_of(many, tmp_path, ["", "rocket doctor"], ["a", "zzz"])
    assert (
        outline.tags.count("section") == 3 + 2
        and "It has no sentence." in outline.text
        and "but it is zzz" in outline.text
    )
    _, nothing = page_of(TextClassifier("lasso", strength=1e6).fit(DOCUMENTS, LABELS), tmp_path)
    assert nothing.text.count("No word speaks for it.") == 2


def test_labels_go_with_documents(model: TextClassifier, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="6 labels but 1 documents"):
        write_report(model, tmp_path / "page.html", DOCUMENTS[:1], LABELS)
    assert not (tmp_path / "page.html").exists()


def test_a_compact_file_has_the_page_of_its_model(tmp_path: Path) -> None:
    model = TextClassifier("lasso", strength=0.1).fit(DOCUMENTS, LABELS)
    save_compact(model, tmp_path / "model")
    write_report(model, tmp_path / "plain.html")
    write_report(load(tmp_path / "model"), tmp_path / "compact.html")
    plain, compact = (
        (tmp_path / f"{name}.html").read_text("utf-8") for name in ("plain", "compact")
    )
    assert plain == compact
