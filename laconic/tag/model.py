"""`Tagger`: sentences in, one label per token out.

    labels = argmax_y  sum_t ( w_{y_t} . features of t  +  edge[y_{t-1}, y_t] )

Templates make the features of a token from it and its neighbours. A learner selects and weighs
them; a second one may learn again from what the first has kept, without its penalty (debiasing).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from laconic import _core
from laconic.core.report import Callback, FitReport
from laconic.core.solvers.online import Mira, OnlineLearner, Sentences
from laconic.models.features import kept_templates, narrow
from laconic.tag.learn import Learner, OnlineState, TrainingData, as_learner
from laconic.tag.predict import RefitScope, TagPredictor, TokenSentences, flat_labels
from laconic.tag.refit import joined_reports
from laconic.tag.weights import TagWeights, load_kernel, make_kernel
from laconic.text.labels import convert_labels, detect_scheme
from laconic.text.patterns import templates_from
from laconic.text.sequences import SequenceEncoder, TokenColumns
from laconic.text.templates import Templates
from laconic.text.views import WordClusters

REFIT_FEATURES: tuple[str, ...] = get_args(RefitScope)


class Tagger(TagPredictor):
    """labels = argmax_y sum_t (w_{y_t} . features of t + edge[y_{t-1}, y_t]): a label per token.

    Parameters
    ----------
    templates : str, path or Templates, default="chunking"
        Feature templates: the name of a ready set, a file of templates, or Templates. Ready sets
        are "chunking" (96 templates), "chunking72", "ner" (452), "ner_clusters" and "tagging";
        files are in the format of laconic, CRF++ or Wapiti.
    learner : learner, default=None
        What selects and weighs features, such as Mira(10), Sparseptron(budget=30) or Crf(). None
        is Mira().
    refit : learner, default=None
        A second learner, which learns again from what the first has kept.
    refit_features : {"templates", "features"}, default="templates"
        What the second learner learns from: all features of the kept templates, or only the
        features that were kept.
    columns : sequence of str, default=("word", "pos")
        Names of the strings of a token. A token is a string if there is one column, else a tuple.
    scheme : {"IOB1", "IOB2", "BIOES", "plain"}, default=None
        Scheme in which chunk labels are learned. Predictions are in the scheme of the training
        data; None learns in that scheme too.
    clusters : path or WordClusters, default=None
        Brown clusters for templates with cluster views: a file with bits, tab and word per line.
    constrained : bool, default=False
        Whether to predict only sequences that the scheme of the labels allows.
    n_jobs : int, default=None
        Number of threads. None is one, -1 is all processors.

    Attributes
    ----------
    classes_ : array of str
        The labels, in the scheme in which they were learned.
    templates_, templates_given_ : Templates
        The templates that were kept, and all templates.
    weights_ : TagWeights
        The weights of the kept features, and of transitions between labels.
    encoder_ : SequenceEncoder
        From strings to the numbers of the values that kept features mention.
    scheme_, given_scheme_ : str
        Scheme of the labels in learning, and in the training data.
    n_features_first_ : int
        Number of weights that the first learner kept.
    report_ : FitReport
        How the fit went.

    Examples
    --------
    >>> from laconic import Mira, Tagger
    >>> from laconic.text.patterns import parse_templates
    >>> X = [["the", "cat", "sleeps"], ["a", "dog", "barks"]]
    >>> y = [["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"]]
    >>> templates = parse_templates("word[0]", ("word",))
    >>> tagger = Tagger(templates, Mira(3), columns=("word",)).fit(X, y)
    >>> tagger.predict([["the", "dog", "sleeps"]])
    [['DET', 'NOUN', 'VERB']]
    >>> tagger.report_.n_iter
    3
    """

    encoder_: SequenceEncoder
    weights_: TagWeights
    n_features_first_: int
    online_: OnlineState
    _kernel: _core.Tagger

    def fit(
        self, X: TokenSentences, y: Sequence[Sequence[str]], callback: Callback | None = None
    ) -> Tagger:
        """Learn from labelled sentences.

        Parameters
        ----------
        X : list of list of tokens, or TokenColumns
            Sentences; a token is a string, or a tuple with one string per column.
        y : list of list of str
            One label per token.
        callback : callable, optional
            Called with an Event after every pass or step; True stops, and what was learned is kept.

        Returns
        -------
        Tagger
            The tagger itself.
        """
        if self.refit_features not in REFIT_FEATURES:
            raise ValueError(
                f"refit_features must be 'templates' or 'features', got {self.refit_features!r}"
            )
        began = time.perf_counter()
        self.__dict__.pop("online_", None)
        templates = templates_from(self.templates, self.columns)
        encoder = self._new_encoder(templates)
        data = self._encode_training(encoder, X, y)
        training = TrainingData(
            templates, encoder, data, len(self.classes_), self._n_threads(), callback
        )
        weights, report = as_learner(self._learner()).learn(training)
        self.templates_given_ = templates
        self.n_features_first_ = weights.n_nonzero
        templates, weights = kept_templates(templates, weights)
        if self.refit is not None and not report.interrupted:
            start = weights if self.refit_features == "features" else None
            weights, second = as_learner(self.refit).learn(
                training._replace(templates=templates, start=start)
            )
            report = joined_reports(report, second)
            templates, weights = kept_templates(templates, weights)
        report = self._of_all_labels(report, began)
        return self._adopt(templates, *narrow(templates, encoder, weights), report)

    def partial_fit(
        self,
        X: TokenSentences,
        y: Sequence[Sequence[str]],
        labels: Sequence[str] | None = None,
    ) -> Tagger:
        """Make one more pass of an online learner, over new sentences.

        The model can be used between calls. Averages, and the rounds between penalties, count from
        the first call.

        Parameters
        ----------
        X : list of list of tokens, or TokenColumns
            Sentences.
        y : list of list of str
            One label per token.
        labels : sequence of str, optional
            All labels there are, in the learning scheme; needed in the first call.

        Returns
        -------
        Tagger
            The tagger itself.
        """
        began = time.perf_counter()
        learner = self._learner()
        if not isinstance(learner, OnlineLearner):
            raise ValueError(f"partial_fit needs an online learner, got {type(learner).__name__}")
        learner.check()
        if not hasattr(self, "online_"):
            if labels is None:
                raise ValueError("the first call of partial_fit needs labels, the names of all")
            templates = templates_from(self.templates, self.columns)
            self.classes_ = np.array(sorted(set(labels)))
            if len(self.classes_) < 2:
                raise ValueError(
                    f"at least two different labels are needed, got {len(self.classes_)}"
                )
            self.given_scheme_ = "plain"
            self.online_ = OnlineState(templates, self._new_encoder(templates), len(self.classes_))
        state = self.online_
        data = self._encode_training(state.encoder, X, y, grow_labels=False)
        weights, report = state.learn(learner, data, self._n_threads())
        self.templates_given_ = state.templates
        kept, weights = kept_templates(state.templates, weights)
        report = self._of_all_labels(report, began)
        return self._adopt(kept, *narrow(kept, state.encoder, weights), report)

    def _learner(self) -> Learner | str:
        return Mira() if self.learner is None else self.learner

    def _new_encoder(self, templates: Templates) -> SequenceEncoder:
        clusters = self.clusters
        if clusters is not None and not isinstance(clusters, WordClusters):
            clusters = WordClusters.read(clusters)
        return SequenceEncoder(templates.views, tuple(self.columns), clusters)

    def _encode_training(
        self,
        encoder: SequenceEncoder,
        X: TokenSentences,
        y: Sequence[Sequence[str]],
        grow_labels: bool = True,
    ) -> Sentences:
        """Return integer columns and label ids; sets classes_ and the schemes of the labels."""
        tokens = X if isinstance(X, TokenColumns) else TokenColumns.from_sentences(X, self.columns)
        labels = flat_labels(tokens, y)
        if not labels:
            raise ValueError("there are no tokens to learn from")
        # A later batch has the scheme of the first one with chunks.
        if grow_labels or self.given_scheme_ == "plain":
            self.given_scheme_ = detect_scheme(labels, tokens.ptr)
        self.scheme_ = self.given_scheme_
        if self.scheme is not None and self.scheme != "plain" and self.given_scheme_ != "plain":
            self.scheme_ = self.scheme
            labels = convert_labels(labels, tokens.ptr, self.scheme_)
        if grow_labels:
            self.classes_ = np.array(sorted(set(labels)))
            if len(self.classes_) < 2:
                raise ValueError(
                    f"at least two different labels are needed, found {len(self.classes_)}"
                )
        number = {label: k for k, label in enumerate(self.classes_.tolist())}
        unknown = next((label for label in labels if label not in number), None)
        if unknown is not None:
            raise ValueError(
                f"the label {unknown!r} was not named in the first call of partial_fit"
            )
        columns, ptr = encoder.grow(tokens)
        return Sentences(
            columns, ptr, np.fromiter(map(number.__getitem__, labels), np.int32, len(labels))
        )

    def _of_all_labels(self, report: FitReport, began: float) -> FitReport:
        """Return a learner's report as that of the tagger, whose features are pairs with labels."""
        return replace(
            report,
            features_total=report.features_total * len(self.classes_),
            seconds=time.perf_counter() - began,
        )

    def _adopt(
        self, templates: Templates, encoder: SequenceEncoder, found: TagWeights, report: FitReport
    ) -> Tagger:
        """Become the model with these weights."""
        self.templates_ = templates
        self.encoder_ = encoder
        self.weights_ = found
        self.report_ = replace(
            report,
            features_kept=found.n_nonzero,
            groups_total=len(self.templates_given_),
            groups_kept=len(templates),
        )
        self._kernel = load_kernel(make_kernel(templates, encoder, len(self.classes_)), found)
        return self

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_kernel", "online_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "weights_" in state:
            self._kernel = load_kernel(
                make_kernel(self.templates_, self.encoder_, len(self.classes_)), self.weights_
            )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "weights_")

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Return every kept feature as text, in the order of `templates_` and `weights_`."""
        check_is_fitted(self)
        return np.array(
            [name for m in range(len(self.templates_)) for name in self.feature_names(m)],
            dtype=object,
        )
