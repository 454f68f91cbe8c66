"""`Pipeline`: raw text in, sentences, words, tags, lemmas and trees out.

    text -> units -> tokens -> words -> (upos, xpos, feats) -> lemmas -> heads and relations

Every arrow is a Tagger or a Parser that learned from one treebank, each of them from what the one
before it predicts.
"""

from __future__ import annotations

import time

from sklearn.base import BaseEstimator

from laconic.core.report import Callback, FitReport, in_one_line
from laconic.pipeline.learn import learn_parts
from laconic.pipeline.predict import PipelinePredictor, parts_of
from laconic.text.conllu import Conllu
from laconic.text.conllu_files import read_conllu
from laconic.text.io import PathLike


class Pipeline(PipelinePredictor, BaseEstimator):
    r'''text -> tokens -> words -> (upos, xpos, feats) -> lemmas -> heads and relations.

    Parameters
    ----------
    segment : bool, default=True
        Whether to learn sentences, tokens and multiword tokens.
    tags : bool, default=True
        Whether to learn UPOS, XPOS and FEATS.
    lemmas : bool, default=True
        Whether to learn lemmas.
    parse : bool, default=True
        Whether to learn heads and relations.
    keep : float, default=0.3
        Share of the parser's weights that is kept, the largest ones, rounded to multiples of half
        the smallest of them; its square root of the weights of taggers. 1 keeps all as they are,
        in a file several times as large.
    n_jobs : int, default=None
        Number of threads. None is one, -1 is all processors.

    Attributes
    ----------
    segmenter_ : Segmenter or None
        The model of sentences and tokens.
    splitter_ : Splitter or None
        The model of multiword tokens.
    tags_ : WordTags or None
        The model of tags.
    lemmatizer_ : Lemmatizer or None
        The model of lemmas.
    parser_ : Parser or None
        The model of trees.
    report_ : FitReport
        How the fit went: sums over all taggers, and over the parser.

    Examples
    --------
    >>> from laconic import Pipeline
    >>> from laconic.text.conllu_files import parse_conllu
    >>> rows = """1 We we PRON _ _ 2 nsubj _ _
    ... 2 sing sing VERB _ _ 0 root _ SpaceAfter=No
    ... 3 . . PUNCT _ _ 2 punct _ _
    ...
    ... 1 They they PRON _ _ 2 nsubj _ _
    ... 2 danced dance VERB _ _ 0 root _ SpaceAfter=No
    ... 3 . . PUNCT _ _ 2 punct _ _"""
    >>> treebank = parse_conllu(rows.replace(" ", "\t"))
    >>> nlp = Pipeline().fit(treebank)
    >>> doc = nlp("They sing. We danced.")
    >>> [sentence.text for sentence in doc]
    ['They sing.', 'We danced.']
    >>> [(word.form, word.upos, word.deprel) for word in doc[1]]
    [('We', 'PRON', 'nsubj'), ('danced', 'VERB', 'root'), ('.', 'PUNCT', 'punct')]
    '''

    def fit(
        self, X: Conllu | PathLike, y: None = None, callback: Callback | None = None
    ) -> Pipeline:
        """Learn from a treebank.

        Parameters
        ----------
        X : Conllu, str or Path
            Sentences, or a file in CoNLL-U.
        y : None
            Ignored: everything stands in the treebank.
        callback : callable, optional
            Called with an Event after every pass of every part. True stops that part.

        Returns
        -------
        Pipeline
            The pipeline itself.
        """
        began = time.perf_counter()
        if not 0 < self.keep <= 1:
            raise ValueError(f"keep must be above 0 and at most 1, got {self.keep!r}")
        sentences = X if isinstance(X, Conllu) else read_conllu(X, trees=self.parse)
        if not len(sentences):
            raise ValueError("there are no sentences to learn from")
        learn_parts(self, sentences, callback)
        reports = [part.report_ for _, part in parts_of(self)]
        self.report_ = FitReport(
            in_one_line(self),
            n_iter=sum(report.n_iter for report in reports),
            converged=True,
            interrupted=any(report.interrupted for report in reports),
            features_total=sum(report.features_total for report in reports),
            features_kept=sum(report.features_kept for report in reports),
            groups_total=sum(report.groups_total for report in reports),
            groups_kept=sum(report.groups_kept for report in reports),
            seconds=time.perf_counter() - began,
        )
        return self
