"""Compact files of parsers: the same trees and labels as from the plain model."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from parsers import LINES, MODELS, MORE, SENTENCES, TREES, UNSEEN
from parsers import fitted as fitted_parser

import laconic
from laconic import Mira, Parser, _core, quantize, save_compact, value_set
from laconic.models.compact.rows import Cells, Codebook
from laconic.models.compact.strings import join_maps
from laconic.parse.compact import CompactParser, places_of
from laconic.parse.explain import (
    dropped_templates,
    families,
    feature_names,
    kept_templates,
    parts,
    top_features,
)
from laconic.parse.templates import parse_part_templates
from laconic.parse.weights import TreeShape, features_of, kernel_shape
from laconic.text.treebanks import Treebank, read_treebank

FAR = [
    "m.word[-2]|h.word[+3]|dist",
    "h.fine|s.fine|m.fine|dist",
    "g.coarse[-1]|h.coarse|m.coarse|dist",
    "h.word|between.word",
]
WIDE = "|".join(
    f"{role}.{view}[{step:+d}]"
    for role in "hm"
    for view in ("word", "lemma", "fine")
    for step in range(-6, 7)
    if step
)
TEMPLATES = parse_part_templates([*LINES, *MORE, *FAR, WIDE])


def fitted(**parameters: Any) -> Parser:
    return fitted_parser(**{"templates": TEMPLATES, **parameters})


def reloaded(model: Any, path: Path, names: bool = True) -> CompactParser:
    save_compact(model, path / "m.compact", names)
    return laconic.load(path / "m.compact")


@pytest.mark.slow
@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("zeta", [None, 1, 4])
@pytest.mark.parametrize("name", MODELS)
def test_a_compact_parser_predicts_what_the_plain_one_does(
    tmp_path: Path, name: str, zeta: int | None, names: bool
) -> None:
    model = fitted(**MODELS[name])
    if zeta is not None:
        model = quantize(model, value_set(0.02, zeta))
    compact = reloaded(model, tmp_path, names)
    for sentences in (SENTENCES, UNSEEN):
        assert compact.predict(sentences) == model.predict(sentences)
        assert compact.predict_k_best(sentences, 3) == model.predict_k_best(sentences, 3)
    if model.model in ("arcs", "carreras"):
        heads = np.concatenate([tree.heads for tree in TREES])
        assert np.array_equal(
            compact.arc_probabilities(SENTENCES, heads), model.arc_probabilities(SENTENCES, heads)
        )
    assert compact.score(SENTENCES, TREES) == model.score(SENTENCES, TREES)
    assert compact.weights_.n_nonzero == model.weights_.n_nonzero == compact.n_features_selected_
    assert compact.weights_.n_distinct == model.weights_.n_distinct


def test_parsers_are_saved_compactly_and_lose_nothing(tmp_path: Path) -> None:
    model = fitted(model="carreras")
    model.save(tmp_path / "m")
    saved = laconic.load(tmp_path / "m")
    assert isinstance(saved, CompactParser) and saved.trace_ == model.trace_ != ()
    plain = saved.plain()
    assert isinstance(plain, Parser) and plain.trace_ == model.trace_
    halves = (quantize(one, value_set(0.02, 1)) for one in (saved, model))
    assert len({str(half.predict(SENTENCES)) for half in halves}) == 1
    with pytest.raises(ValueError, match="predicts and does not learn"):
        saved.fit(SENTENCES, TREES)


def test_the_same_scores_to_the_last_bit(tmp_path: Path) -> None:
    model = fitted(model="tri siblings", prune=0.0)
    compact = reloaded(model, tmp_path, names=False)
    everything = np.zeros(0, np.int64), np.zeros(0, np.int32)
    for sentences in (SENTENCES, UNSEEN):
        found = [
            p.scorer_.kernel.k_best(*p.scorer_.encoder.encode(sentences), *everything, 50)
            for p in (model, compact)
        ]
        assert all(np.array_equal(a, b) for a, b in zip(*found, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_names_make_a_compact_parser_readable(tmp_path: Path, name: str) -> None:
    model = fitted(**MODELS[name])
    compact = reloaded(model, tmp_path)
    assert {row[:3] for row in kept_templates(compact)} == {
        row[:3] for row in kept_templates(model)
    }
    assert families(compact) == families(model) and dropped_templates(compact) == dropped_templates(
        model
    )
    assert [row[:4] for row in parts(compact)] == [row[:4] for row in parts(model)]
    for m in range(len(model.scorer_.templates)):
        named = [
            dict(zip(feature_names(p, m), p.weights_.weights[m][:, 0], strict=True))
            for p in (model, compact)
        ]
        assert named[0] == named[1]
    for kind, rows in top_features(model, 10**6).items():
        assert sorted(rows) == sorted(top_features(compact, 10**6)[kind])
    plain = compact.plain()
    assert plain.predict(SENTENCES) == model.predict(SENTENCES)
    plain.save(tmp_path / "plain")
    assert laconic.load(tmp_path / "plain").predict(SENTENCES) == model.predict(SENTENCES)
    assert reloaded(compact, tmp_path, names=False).predict(SENTENCES) == model.predict(SENTENCES)


def test_without_names_no_string_is_left_and_nothing_to_read(tmp_path: Path) -> None:
    compact = reloaded(fitted(model="carreras"), tmp_path, names=False)
    content = (tmp_path / "m.compact").read_bytes()
    words = {
        string
        for sentence in SENTENCES
        for token in sentence
        for string in token
        if len(string) > 3
    }
    assert not any(word.encode() in content for word in words)
    for ask in (lambda: top_features(compact, 3), compact.plain, lambda: compact.weights_.atoms):
        with pytest.raises(ValueError, match="without names"):
            ask()
    with pytest.raises(ValueError, match="without names"):
        save_compact(compact, tmp_path / "again")


def test_manners_of_a_compact_parser(tmp_path: Path) -> None:
    compact = reloaded(fitted(), tmp_path)
    with pytest.raises(ValueError, match="does not learn"):
        compact.fit(SENTENCES, TREES)
    assert pickle.loads(pickle.dumps(compact)).predict(SENTENCES) == compact.predict(SENTENCES)
    content = (tmp_path / "m.compact").read_bytes()
    compact.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == content


def test_every_feature_of_a_sentence_has_a_place(tmp_path: Path) -> None:
    """All values that the kernel gives to features of parts are possible at their place."""
    model = fitted(model="tri siblings", prune=0.0)
    encoder, kernel = model.scorer_.encoder, model.scorer_.kernel
    columns, ptr = encoder.encode(SENTENCES)
    seen = kernel.number(columns, ptr, np.zeros(0, np.int64), np.zeros(0, np.int32))
    found = features_of(kernel, seen, model.scorer_.templates)
    for template, atoms in zip(model.scorer_.templates, found.atoms, strict=True):
        for place, column in zip(places_of(template), atoms.T, strict=True):
            n = 0 if place.view is None else int(encoder.n_values[encoder.view_index[place.view]])
            assert {*column.tolist()} <= {*range(n), *place.others}


def test_the_kernel_checks_what_it_is_given(tmp_path: Path) -> None:
    scorer = reloaded(fitted(), tmp_path).scorer_
    columns, ptr = scorer.encoder.encode(SENTENCES)
    everything = np.zeros(0, np.int64), np.zeros(0, np.int32)
    too_large = columns.copy()
    too_large[0, 0] = scorer.encoder.n_values[0]
    with pytest.raises(ValueError, match="a value that no view has"):
        scorer.kernel.parse(too_large, ptr, *everything)
    with pytest.raises(ValueError, match="a row for every view"):
        scorer.kernel.parse(columns[1:], ptr, *everything)
    with pytest.raises(ValueError, match="outside its sentence"):
        scorer.kernel.parse(
            columns, ptr, np.arange(columns.shape[1] + 1), np.full(columns.shape[1], 99, np.int32)
        )
    for ask in (scorer.kernel.exact, scorer.kernel.feature_rows, scorer.kernel.feature_values):
        with pytest.raises(ValueError, match="no such template"):
            ask(len(scorer.templates))


def test_a_feature_has_one_weight() -> None:
    templates = _core.PartTemplates(*parse_part_templates(["bias"]).arrays({}))
    *maps, _ = _core.pack_features(
        np.zeros((1, 0), np.int64), np.zeros(0, np.int64), np.zeros(1, np.uint32), 0, 0, 64
    )
    kernels = []
    for n in (1, 2):
        cells = Cells(np.array([0, n]), np.zeros(n, np.int64), np.ones(n, np.float32))
        rows = _core.FloatRows(*_with_count(Codebook.of(cells.value).pack(cells, 1), n), 1, False)
        shape = kernel_shape(TreeShape())
        given = templates, shape, np.zeros(0, np.int64), join_maps([tuple(maps)]), rows
        if n == 1:
            kernels.append(_core.CompactParser(*given, 1))
            with pytest.raises(ValueError, match="shared rows"):
                _core.CompactParser(*given, 2)
        else:
            with pytest.raises(ValueError, match="one weight"):
                _core.CompactParser(*given, 1)
    assert kernels[0].sizes.tolist() == [1] and kernels[0].exact(0)


def _with_count(packed: tuple[Any, Any], n: int) -> tuple[Any, int, Any]:
    return packed[0], n, packed[1]


@pytest.mark.slow
def test_english(data: Path, tmp_path: Path) -> None:
    """The web treebank: sentences that the model has not seen, with all kinds of unknown words."""
    folder = data / "ud" / "English-EWT"
    dev = read_treebank(folder / "dev.conllu.gz")
    train, test = first(dev, 300), first(read_treebank(folder / "test.conllu.gz"), 250)
    model = quantize(Parser("carreras", learner=Mira(2)).fit(train), value_set(0.01, 4))
    plain = model.parse(test)
    for names in (True, False):
        compact = reloaded(model, tmp_path, names)
        heads, labels = compact.parse(test)
        assert np.array_equal(heads, plain[0]) and labels == plain[1]


def first(bank: Treebank, n: int) -> Treebank:
    end = int(bank.ptr[n])
    tokens = bank.tokens
    part = type(tokens)(
        tokens.names, [column[:end] for column in tokens.values], tokens.ptr[: n + 1]
    )
    return Treebank(part, bank.heads[:end], bank.labels[:end])
