"""The commands for pipelines from raw text to trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from laconic.cli.compression import Compression
from laconic.cli.console import Bar
from laconic.cli.options import ANY_FILE, Jobs
from laconic.cli.training import Run, Trained, fit_facts
from laconic.errors import InputError
from laconic.models.option import Option, OptionValues, Parameters
from laconic.pipeline.inputs import InputForm, annotated
from laconic.pipeline.scores import scores
from laconic.text.conllu import Conllu
from laconic.text.conllu_files import conllu_writer, read_conllu
from laconic.text.io import name_of, open_text

if TYPE_CHECKING:
    from laconic.pipeline.compact import CompactPipeline
    from laconic.pipeline.model import Pipeline
    from laconic.pipeline.predict import PipelinePredictor

TREEBANK = "A treebank in CoNLL-U, with SpaceAfter=No where no blank follows a token."
PARTS = ("segment", "tags", "lemmas", "parse")
MODEL = Parameters(
    "laconic.pipeline.model:Pipeline",
    {"Parts": PARTS, "": ("keep", "n_jobs")},
    {"keep": Option(above=0)},
)


def train(
    path: Annotated[str, Option(f"{TREEBANK} {ANY_FILE}", metavar="TREEBANK")],
    run: Run,
    *,
    dev: Annotated[
        str | None, Option("A treebank to report scores on, from raw text.", metavar="DEV")
    ] = None,
    model: Annotated[OptionValues, MODEL],
) -> Trained:
    """Train a pipeline from raw text to trees.

    Ctrl-C ends the training without a model: its parts learn from one another.
    """
    if not any(model.get(part, True) for part in PARTS):
        raise InputError("nothing is left to learn: leave out at most three of the parts.")
    trees = bool(model.get("parse", True))
    data = read_conllu(path, trees)
    dev_data = None if dev is None else read_conllu(dev, trees)
    run.bar.describe("importing")
    from laconic.pipeline.model import Pipeline

    pipeline = Pipeline(**model)
    run.fit(lambda callback: pipeline.fit(data, callback=callback), at_once=True)
    facts = {"sentences": len(data), "words": len(data.word_rows), **_parts(pipeline)}
    if dev_data is None:
        return Trained(pipeline, facts)
    raw = pipeline.segmenter_ is not None
    return Trained(pipeline, facts, lambda: scores(pipeline, dev_data, raw))


def predict(
    model: PipelinePredictor,
    input_path: Annotated[str, Option("Raw text, or CoNLL-U whose columns are filled in.")],
    output: str,
    bar: Bar,
    *,
    sentences: Annotated[bool, Option("The input has one sentence per line.")] = False,
    tokens: Annotated[
        bool, Option("The input has one token per line, a blank line after each sentence.")
    ] = False,
    jobs: Jobs = None,
) -> dict[str, Any]:
    """Write sentences in CoNLL-U with words, tags, lemmas, heads and relations."""
    if sentences and tokens:
        raise InputError("--sentences and --tokens both say what the input is: give one of them.")
    form: InputForm | None = "sentences" if sentences else "tokens" if tokens else None
    if jobs is not None:
        model.n_jobs = jobs
    n_sentences = n_words = 0
    with open_text(input_path) as stream, conllu_writer(output) as writer:
        for found in annotated(model, stream, name_of(input_path), form):
            writer.write(found)
            n_sentences, n_words = n_sentences + len(found), n_words + len(found.word_rows)
            bar.describe(f"annotating: {n_sentences:,} sentences, {n_words:,} words")
    return {"sentences": n_sentences, "words": n_words}


def evaluate(
    model: PipelinePredictor,
    gold: Annotated[str, Option(TREEBANK)],
    bar: Bar,
    *,
    raw: Annotated[
        bool, Option("Begin with the text of the sentences instead of their words.")
    ] = False,
    jobs: Jobs = None,
) -> dict[str, Any]:
    """Return the scores of the CoNLL 2018 shared task: F1 from tokens to trees."""
    if raw and model.segmenter_ is None:
        raise InputError("--raw needs a pipeline with segmentation, which this one is without.")
    if jobs is not None:
        model.n_jobs = jobs
    bar.describe("reading")
    data: Conllu = read_conllu(gold)
    bar.describe("annotating")
    return scores(model, data, raw)


def compress(
    model: Pipeline | CompactPipeline, output: str, settings: Compression, bar: Bar
) -> dict[str, Any]:
    """Round the weights of every part to a few values; --dev reports scores from raw text."""
    if settings.data is not None or settings.eta is not None:
        raise InputError(
            "the weights of a pipeline are rounded, each part to values of its own: "
            "--data and --eta do not go with it."
        )
    bar.describe("importing")
    from laconic.models.save import save_compact
    from laconic.pipeline.predict import parts_of
    from laconic.pipeline.rounding import rounded_parts

    dev = None if settings.dev is None else read_conllu(settings.dev)
    bar.describe("rounding")
    found = rounded_parts(model, settings.n_values)
    save_compact(found, output, settings.names)
    facts: dict[str, Any] = {
        "method": "rounded",
        "values": settings.n_values,
        "interrupted": False,
        "parts": [
            {"part": name, "weights": part.weights_.n_nonzero, "distinct": part.weights_.n_distinct}
            for name, part in parts_of(found)
        ],
    }
    if dev is None:
        return facts
    raw = found.segmenter_ is not None
    return {**facts, "dev_before": scores(model, dev, raw), "dev": scores(found, dev, raw)}


def inspect(model: Pipeline, n: int, as_json: bool) -> dict[str, Any]:
    """Show the parts of a pipeline: what each learned from and kept."""
    from laconic.pipeline.predict import parts_of

    rows = [
        {
            "part": name,
            "labels": len(part.classes_) if hasattr(part, "classes_") else None,
            "templates": part.report_.groups_kept,
            "weights": part.report_.features_kept,
            "of": part.report_.features_total,
        }
        for name, part in parts_of(model)
    ]
    return {**_parts(model), **fit_facts(model), "parts": rows}


def _parts(model: PipelinePredictor) -> dict[str, Any]:
    """Return which parts a pipeline has."""
    lemmas = model.lemmatizer_
    return {
        "segmentation": model.segmenter_ is not None,
        "multiword_tokens": model.splitter_ is not None and model.splitter_.tagger_ is not None,
        "tags": model.tags_ is not None,
        "lemmas": 0 if lemmas is None else len({form for form, _ in lemmas.known_}),
        "trees": model.parser_ is not None,
    }
