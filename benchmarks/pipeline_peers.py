"""UDPipe 1 from raw text to trees, trained by its own trainer with all of its defaults.

Training takes from minutes to hours: the model and what was measured are kept in build/peers/,
named after treebank, version and options, and are used again until that file is removed.
"""

from __future__ import annotations

import datetime
import json
import time
import zlib
from pathlib import Path
from typing import Any

from benchmarks.timing import measure_in_subprocess
from laconic.pipeline.doc import Doc
from laconic.pipeline.shared_task import shared_task_scores
from laconic.text.conllu import DEPREL, FEATS, HEAD, LEMMA, UPOS, XPOS, Conllu
from laconic.text.conllu_files import parse_conllu

CACHE = Path(__file__).resolve().parents[1] / "build" / "peers"
# "" is the trainer's default: 100 epochs of the tokenizer, 20 of the tagger, 10 of the parser.
OPTIONS = {"tokenizer": "", "tagger": "", "parser": ""}
QUICK = {"tokenizer": "epochs=1", "tagger": "iterations=1", "parser": "iterations=1"}

# UDPipe 1.2 as published with its models of Universal Dependencies 2.5 (README of the models,
# http://hdl.handle.net/11234/1-3131), F1 in percent, tuned settings per treebank.
# words, sentences, upos, xpos, ufeats, alltags, lemmas, uas, las, mlas, blex; None: not given.
Row = tuple[float | None, ...]
PUBLISHED_RAW: dict[str, Row] = {
    "English-EWT": (98.9, 77.4, 93.3, 92.8, 94.2, 91.3, 95.5, 80.2, 77.0, 67.7, 69.5),
    "French-Sequoia": (99.1, 87.5, 96.1, None, 95.0, 94.1, 96.9, 84.8, 82.1, 72.5, 75.1),
    "Italian-ParTUT": (99.7, 100.0, 97.0, 96.4, 96.3, 95.2, 96.5, 87.5, 84.3, 73.2, 72.4),
    "Tamil-TTB": (94.5, 97.5, 81.3, 76.3, 80.5, 75.6, 84.1, 58.9, 52.0, 42.3, 43.4),
    "Turkish-IMST": (98.3, 97.0, 91.6, 90.7, 88.5, 86.1, 90.0, 62.2, 55.1, 45.2, 46.7),
    "Uyghur-UDT": (99.5, 81.9, 87.7, 89.8, 84.0, 76.1, 91.7, 70.6, 56.7, 37.4, 44.2),
    "Vietnamese-VTB": (85.4, 93.5, 76.4, 74.3, 85.0, 74.3, 84.5, 45.8, 40.6, 34.6, 36.7),
}
# upos, xpos, ufeats, alltags, lemmas, uas, las, mlas, blex
PUBLISHED_GOLD: dict[str, Row] = {
    "English-EWT": (94.4, 93.9, 95.4, 92.5, 96.4, 84.4, 81.1, 71.6, 73.6),
    "French-Sequoia": (97.1, None, 95.9, 95.0, 97.8, 86.8, 84.1, 74.5, 76.8),
    "Italian-ParTUT": (97.1, 96.6, 96.5, 95.3, 96.7, 87.4, 84.3, 73.1, 72.3),
    "Tamil-TTB": (85.7, 80.1, 84.7, 79.3, 88.3, 65.0, 56.9, 46.7, 47.9),
    "Turkish-IMST": (93.0, 92.1, 89.9, 87.4, 91.4, 64.5, 57.1, 46.3, 47.9),
    "Uyghur-UDT": (88.2, 90.3, 84.4, 76.6, 92.2, 72.0, 57.9, 38.0, 44.9),
    "Vietnamese-VTB": (87.6, 85.0, 99.5, 84.9, 98.9, 62.6, 54.5, 48.2, 50.8),
}


def trained_udpipe(name: str, train: str, dev: str, options: dict[str, str]) -> dict[str, Any]:
    """Figures of UDPipe trained on texts in CoNLL-U, and where its model is.

    treebank, options, version, date, seconds (CPU), megabytes (memory), model (path); trained
    anew where build/peers/ has no file for these texts, version and options.
    """
    report = _report_path(name, train, dev, options)
    if report.exists():
        return dict(json.loads(report.read_text("utf-8")))
    report.parent.mkdir(parents=True, exist_ok=True)
    model = report.with_suffix(".udpipe")
    measured = measure_in_subprocess(_train, train, dev, options, str(model))
    figures = {
        "treebank": name,
        "options": options,
        "version": version(),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "seconds": measured.value,
        "megabytes": measured.peak_megabytes,
        "model": model.name,
    }
    report.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    return figures


def udpipe_scores(figures: dict[str, Any], gold: Conllu) -> dict[str, Any]:
    """Scores of a trained UDPipe from raw text and from gold words, words per CPU second, MB."""
    model = CACHE / Path(figures["model"]).name
    blank = dict.fromkeys((LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL), ["_"] * len(gold.word_rows))
    inputs = {"raw": Doc(gold).text, "gold": gold.with_words(blank).to_text()}
    answers = measure_in_subprocess(_answers, str(model), inputs).value
    found = {
        form: shared_task_scores(gold, parse_conllu(answers[form], trees=False)) for form in inputs
    }
    n_words = len(parse_conllu(answers["raw"], trees=False).word_rows)
    return {**found, "rate": n_words / answers["seconds"], "size": model.stat().st_size / 2**20}


def version() -> str:
    """The version of UDPipe that is installed."""
    from ufal import udpipe as peer

    found = peer.Version.current()
    return f"{found.major}.{found.minor}.{found.patch}"


def _report_path(name: str, train: str, dev: str, options: dict[str, str]) -> Path:
    learned_from = zlib.crc32(train.encode() + dev.encode())
    settings = json.dumps([options, version(), learned_from], sort_keys=True)
    return CACHE / f"{name}-{zlib.crc32(settings.encode()):08x}.json"


def _train(train: str, dev: str, options: dict[str, str], model: str) -> float:
    """In a process of its own: train, write the model, return the CPU seconds."""
    from ufal import udpipe as peer

    problem = peer.ProcessingError()
    parts = [_sentences(text) for text in (train, dev)]
    start = time.process_time()
    found = peer.Trainer.train("morphodita_parsito", *parts, *options.values(), problem)
    if problem.occurred():
        raise RuntimeError(f"UDPipe: {problem.message}")
    Path(model).write_bytes(found)
    return time.process_time() - start


def _answers(path: str, inputs: dict[str, str]) -> dict[str, Any]:
    """In a process of its own: CoNLL-U for raw text and for gold words, seconds of raw text."""
    from ufal import udpipe as peer

    model, default = peer.Model.load(path), peer.Pipeline.DEFAULT
    answers: dict[str, Any] = {}
    for form, reader in (("gold", "conllu"), ("raw", "tokenize")):
        pipeline, problem = (
            peer.Pipeline(model, reader, default, default, "conllu"),
            peer.ProcessingError(),
        )
        start = time.process_time()
        answers[form] = pipeline.process(inputs[form], problem)
        answers["seconds"] = time.process_time() - start
        if problem.occurred():
            raise RuntimeError(f"UDPipe: {problem.message}")
    return answers


def _sentences(text: str) -> Any:
    from ufal import udpipe as peer

    reader = peer.InputFormat.newConlluInputFormat()
    reader.setText(text)
    found, problem, sentence = peer.Sentences(), peer.ProcessingError(), peer.Sentence()
    while reader.nextSentence(sentence, problem):
        found.append(sentence)
        sentence = peer.Sentence()
    if problem.occurred():
        raise RuntimeError(f"UDPipe: {problem.message}")
    return found
