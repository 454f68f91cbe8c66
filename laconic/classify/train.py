"""`laconic train classify`: labelled documents to a model file."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from laconic.cli.console import guard, print_result, progress
from laconic.cli.interrupt import graceful_interrupt
from laconic.cli.measure import Measured
from laconic.cli.options import (
    INPUT_HELP,
    LABEL_FIELD,
    TEXT_FIELD,
    AsJson,
    LabelField,
    Quiet,
    TextField,
    check_strength,
    read_labelled,
)
from laconic.cli.training import check_model_output, end_interrupted
from laconic.errors import InputError
from laconic.text.io import name_of
from laconic.text.jsonl import Document

if (
    TYPE_CHECKING
):  # numerics are imported when the work begins, so that `--help` and wrong options answer at once
    from laconic.classify.model import TextClassifier
    from laconic.classify.preparation import Prepared
    from laconic.classify.tuning import StrengthTrial

STRUCTURE = "Structure"
FEATURES = "Features"
SOLVER = "Solver"


class Labelled(NamedTuple):
    """Documents of one file, with their labels."""

    documents: Sequence[Any]
    labels: Sequence[str]


class Learned(NamedTuple):
    """A fitted model and the settings that were tried on the way to it."""

    model: TextClassifier
    trials: list[StrengthTrial]


@guard()
def train(
    train: Annotated[
        str, typer.Argument(metavar="TRAIN", help=f"Labelled documents: {INPUT_HELP}")
    ],
    dev: Annotated[
        str | None,
        typer.Option(
            help="Labelled documents to choose the strengths by, and to report scores on."
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ] = None,
    regularizer: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="lasso, ridge, elastic, sentence, tree, topics, brown, or a sum such as sentence+topics.",
        ),
    ] = "lasso",
    strength: Annotated[
        float | None,
        typer.Option(help="Strength of the regularizer; without it, tuned on DEV, or 1."),
    ] = None,
    lasso: Annotated[
        float | None,
        typer.Option(help="Strength of the extra lasso of elastic and structured regularizers."),
    ] = None,
    ridge: Annotated[
        float, typer.Option(help="Strength of an extra ridge of structured regularizers.")
    ] = 0.0,
    refit: Annotated[
        float | None,
        typer.Option(
            help="Give the kept words their final weights by a ridge of this strength alone."
        ),
    ] = None,
    contrast: Annotated[
        float,
        typer.Option(
            help="Words that tell the labels apart cost less, by this power of their log-ratio: try 0.5."
        ),
    ] = 0.0,
    criterion: Annotated[
        str, typer.Option(help="Tune by accuracy or log_loss on DEV.")
    ] = "accuracy",
    tune: Annotated[
        bool,
        typer.Option(
            "--tune", help="Tune on DEV whichever of --strength and --lasso is not given."
        ),
    ] = False,
    weighting: Annotated[
        str,
        typer.Option(
            help="count, binary, tfidf or logtfidf (1 + log count).", rich_help_panel=FEATURES
        ),
    ] = "count",
    ngrams: Annotated[
        int, typer.Option(help="Longest n-gram.", min=1, rich_help_panel=FEATURES)
    ] = 1,
    prefix: Annotated[
        list[int] | None,
        typer.Option(
            help="Also the first so many letters of words; may be given again.",
            min=1,
            rich_help_panel=FEATURES,
        ),
    ] = None,
    min_count: Annotated[
        int, typer.Option(help="Drop features seen less often.", min=1, rich_help_panel=FEATURES)
    ] = 1,
    text_field: TextField = None,
    label_field: LabelField = None,
    boundary: Annotated[
        str,
        typer.Option(
            help="Sentences end by rule (auto), at line or double-space.", rich_help_panel=STRUCTURE
        ),
    ] = "auto",
    neutral_label: Annotated[
        str | None,
        typer.Option(help="tree: only constituents of this label.", rich_help_panel=STRUCTURE),
    ] = None,
    parser: Annotated[
        str | None,
        typer.Option(
            help="tree: parse texts by this model (train parse --own-tags).",
            rich_help_panel=STRUCTURE,
        ),
    ] = None,
    constituents: Annotated[
        float,
        typer.Option(
            help="Weight of labelled phrases of trees as training examples.",
            rich_help_panel=STRUCTURE,
        ),
    ] = 0.0,
    topics: Annotated[
        int, typer.Option(help="topics: how many.", min=1, rich_help_panel=STRUCTURE)
    ] = 1000,
    top: Annotated[
        int, typer.Option(help="topics: words a topic.", min=1, rich_help_panel=STRUCTURE)
    ] = 10,
    clusters: Annotated[
        int,
        typer.Option(help="brown: how many clusters to learn.", min=1, rich_help_panel=STRUCTURE),
    ] = 5000,
    clusters_file: Annotated[
        str | None,
        typer.Option(
            help="brown: a `paths` file (bits, tab, word) instead.", rich_help_panel=STRUCTURE
        ),
    ] = None,
    tol: Annotated[
        float, typer.Option(help="Certificate to reach.", rich_help_panel=SOLVER)
    ] = 1e-3,
    max_iter: Annotated[
        int | None, typer.Option(help="Steps at most.", min=1, rich_help_panel=SOLVER)
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the topics.", rich_help_panel=SOLVER)] = 0,
    jobs: Annotated[
        int | None, typer.Option(help="Threads; -1 for all cores.", rich_help_panel=SOLVER)
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn a text classifier.

    Ctrl-C stops the training and keeps the best model so far.
    """
    check_strength("--strength", strength)
    check_strength("--lasso", lasso)
    check_strength("--ridge", ridge)
    if refit is not None and not 0 < refit < math.inf:
        raise InputError(f"--refit must be a number above 0, not {refit}.")
    check_strength("--contrast", contrast)
    check_strength("--constituents", constituents)
    check_strength("--tol", tol)
    if parser is not None and "tree" not in regularizer:
        raise InputError(
            "--parser makes trees for the regularizer tree; give it with --regularizer tree."
        )
    if criterion not in ("accuracy", "log_loss"):
        raise InputError(f"--criterion must be accuracy or log_loss, not {criterion}.")
    if tune and dev is None:
        raise InputError("--tune chooses strengths on development data: give it with --dev.")
    check_model_output(output)
    with Measured() as cost:
        with progress("reading", quiet=quiet) as bar:
            fields = text_field or TEXT_FIELD, label_field or LABEL_FIELD
            data = _training_data(train, *fields)
            dev_data = None if dev is None else _dev_data(dev, *fields, data)
            bar.describe("importing")
            from laconic.classify.model import TextClassifier
            from laconic.models.checks import check_storable

            model = TextClassifier(
                regularizer,
                1.0 if strength is None else strength,
                1.0 if lasso is None else lasso,
                weighting,
                ngrams,
                min_count,
                ridge=ridge,
                refit=refit,
                contrast=contrast,
                constituents=constituents,
                prefixes=tuple(dict.fromkeys(prefix or ())),
                boundary=boundary,
                neutral_label=neutral_label,
                n_topics=topics,
                n_top=top,
                n_clusters=clusters,
                clusters=clusters_file,
                tol=tol,
                max_iter=max_iter,
                n_jobs=jobs,
                random_state=seed,
            )
            model.parts()
            if parser is not None:
                bar.describe("parsing the documents")
                data = data._replace(documents=_dependency_trees(data.documents, parser, boundary))
            bar.describe(
                "encoding the documents"
                if regularizer == "lasso"
                else f"encoding the documents, building {regularizer} groups"
            )
            prepared = model.prepare(*data)
            if output is not None:
                check_storable([*prepared.encoder.vocab.words, *data.labels])
        if dev_data is not None and (tune or strength is None):
            learned = _tuned(model, prepared, (data, dev_data), (strength, lasso), criterion, quiet)
        else:
            learned = _fitted(model, prepared, quiet)
        if output is not None:
            learned.model.save(output)
        scores = {} if dev_data is None else {"dev": _scores(learned.model, dev_data)}
    report = {
        "model": output,
        **cost.report(),
        "documents": len(data.documents),
        **_account(learned.model),
        **scores,
    }
    if learned.trials:
        report["trials"] = (
            [trial.as_dict() for trial in learned.trials] if as_json else len(learned.trials)
        )
    print_result(report, as_json)
    if learned.model.n_features_selected_ == 0:
        print(
            "laconic: no word was kept; try a lower --strength, or --dev to tune it.",
            file=sys.stderr,
        )
    if learned.model.interrupted_:
        end_interrupted(output)


def _dependency_trees(
    documents: Sequence[Document], parser_path: str, boundary: Any
) -> Sequence[Document]:
    """Return training documents as trees, by the parser of a file.

    Others stay texts, since words are all that a model looks up in them.
    """
    from laconic.models.kind import form_of
    from laconic.models.save import load

    texts = [document for document in documents if isinstance(document, str)]
    if len(texts) < len(documents):
        raise InputError("--parser is for documents that are strings.")
    parser = load(parser_path)
    form = form_of(parser)
    if form is None or form.kind.name != "parse" or parser.tagger_ is None:
        raise InputError(
            f"{parser_path}: expected a parser that was learned with `laconic train parse --own-tags`."
        )
    return list(parser.text_trees(texts, boundary))


def _training_data(path: str, text_field: str, label_field: str) -> Labelled:
    data = Labelled(*read_labelled(path, text_field, label_field))
    if len(set(data.labels)) == 1:
        raise InputError(
            f"{name_of(path)}: all documents have the label {data.labels[0]!r}; expected at least two labels."
        )
    return data


def _dev_data(path: str, text_field: str, label_field: str, train: Labelled) -> Labelled:
    data = Labelled(*read_labelled(path, text_field, label_field))
    unknown = sorted(set(data.labels) - set(train.labels))
    if unknown:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        raise InputError(
            f"{name_of(path)}: the label {', '.join(map(repr, unknown[:3]))}{more} is not in the training data."
        )
    return data


def _fitted(model: TextClassifier, prepared: Prepared, quiet: bool) -> Learned:
    """One fit at the given strengths; Ctrl-C keeps the point reached."""
    from sklearn.exceptions import ConvergenceWarning

    with (
        warnings.catch_warnings(),
        graceful_interrupt() as interrupt,
        progress("fitting", quiet=quiet) as bar,
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)  # the report says whether it converged

        best = math.inf  # not every step measures its certificate

        def on_step(step: Any) -> bool:
            nonlocal best
            best = min(best, step.certificate)
            certificate = f", certificate {best:.1e}" if math.isfinite(best) else ""
            bar.describe(f"fitting: step {step.done}, objective {step.value:.6g}{certificate}")
            return interrupt.requested

        model.fit_prepared(prepared, callback=on_step).describe_groups(prepared)
    return Learned(model, [])


def _tuned(
    model: TextClassifier,
    prepared: Prepared,
    data: tuple[Labelled, Labelled],
    given: tuple[float | None, float | None],
    criterion: str,
    quiet: bool,
) -> Learned:
    """The best of a grid on the development data; what was given is fixed. Ctrl-C keeps the best trial so far."""
    from laconic.classify.tuning import StrengthTrial, grid, tune

    strengths, lassos = grid(model, *(None if value is None else (value,) for value in given))
    n_trials = len(strengths) * len(lassos)
    best = 0.0
    with graceful_interrupt() as interrupt, progress("tuning", n_trials, quiet=quiet) as bar:

        def on_event(event: Any) -> bool:
            nonlocal best
            if isinstance(event, StrengthTrial):
                best = max(best, event.accuracy)
                bar.advance()
            else:
                bar.describe(f"tuning, best accuracy {best:.4f}: step {event.done}")
            return interrupt.requested

        return Learned(*tune(model, *data, strengths, lassos, on_event, prepared, criterion))


def _scores(model: TextClassifier, data: Labelled) -> dict[str, Any]:
    from laconic.text import metrics

    predicted = model.predict(data.documents)
    return {
        "documents": len(data.documents),
        "accuracy": metrics.accuracy(data.labels, predicted),
        "macro_f1": metrics.macro_f1(data.labels, predicted),
    }


def _account(model: TextClassifier) -> dict[str, Any]:
    """What was learned and how good a solution it is."""
    account = {
        "labels": len(model.classes_),
        "penalty": model.penalty,
        "strength": model.strength,
        "lasso": model.lasso,
        "objective": model.objective_,
        "certificate": model.certificate_,
        "converged": model.converged_,
        "interrupted": model.interrupted_,
        "steps": model.n_iter_,
        "features_total": model.n_features_total_,
        "features_nonzero": model.n_features_selected_,
        "groups_total": sum(summary.total for summary in model.groups_.values()),
        "groups_selected": sum(summary.selected for summary in model.groups_.values()),
    }
    if len(model.groups_) > 1:
        account["groups"] = {
            name: {"total": s.total, "selected": s.selected} for name, s in model.groups_.items()
        }
    return account
