"""Relation labels of dependency trees, as a second stage: the tree is known, its tokens are tagged.

labels = argmax_y  sum_t ( w_{y_t} . features of token t in its tree  +  edge[y_{t-1}, y_t] )
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from laconic.core.parameters import HasParameters
from laconic.core.ragged import cut
from laconic.core.report import Callback
from laconic.core.solvers.online import Mira
from laconic.models.loaded import check_fitted
from laconic.parse.relation_columns import RELATION_COLUMNS, relation_columns
from laconic.tag.compact import CompactTagger
from laconic.text.io import PathLike
from laconic.text.patterns import parse_template
from laconic.text.templates import Templates
from laconic.text.token_columns import TokenColumns

if TYPE_CHECKING:
    from laconic.tag.learn import Learner
    from laconic.tag.model import Tagger

# One template per line; a view without an offset is of the token itself.
TEMPLATES = """
bias
word
lemma
fine
coarse
coarse morph
suffix3
shape
side
distance
coarse distance
fine distance
coarse[-1] coarse side
coarse coarse[1] side
coarse[-1] coarse coarse[1] side
coarse[-2] coarse[-1] coarse side
coarse coarse[1] coarse[2] side
lemma[-1] coarse side
coarse lemma[1] side
lemma side
word side
lemma coarse distance
head.word side
head.lemma side
head.fine side
head.coarse side
head.coarse head.morph side
head.coarse distance
head.coarse coarse side
head.coarse coarse distance
head.fine fine side
head.fine fine distance
head.coarse head.morph coarse morph side
head.coarse head.morph coarse side
head.coarse coarse morph side
head.fine lemma side
head.coarse lemma side
head.coarse lemma distance
head.lemma fine side
head.lemma coarse side
head.lemma coarse rank side
head.lemma lemma side
head.word word
head.suffix3 coarse side
suffix3 head.coarse side
head.before head.coarse coarse side
head.coarse head.after coarse side
head.before head.coarse head.after coarse side
head.coarse coarse[-1] coarse side
head.coarse coarse coarse[1] side
head.coarse coarse[-1] coarse coarse[1] side
head.before head.coarse coarse[-1] coarse side
head.coarse head.after coarse coarse[1] side
head.coarse lemma[-1] coarse side
head.coarse coarse lemma[1] side
grand.coarse head.coarse coarse side grand.side
grand.lemma head.coarse coarse side
grand.coarse head.lemma coarse side
grand.coarse head.coarse lemma side
grand.coarse head.lemma lemma
left.coarse coarse side
left.coarse coarse head.coarse side
left.lemma coarse side
left.lemma coarse head.coarse side
left.lemma coarse head.lemma side
left.lemma lemma side
left.lemma fine head.fine side
inner.coarse coarse head.coarse side
inner.lemma coarse head.coarse side
left.lemma inner.lemma coarse head.coarse side
right.coarse coarse side
right.coarse coarse head.coarse side
right.lemma coarse head.coarse side
left.coarse right.coarse coarse head.coarse side
left.lemma right.coarse coarse head.coarse side
children coarse side
children coarse head.coarse side
children fine head.coarse side
children lemma side
children head.lemma coarse side
head.children coarse side
head.children head.coarse coarse side
head.children head.fine fine side
head.children head.coarse coarse rank side
head.children head.lemma coarse side
head.children head.coarse lemma side
head.children children head.coarse coarse side
previous.coarse coarse side
next.coarse coarse side
previous.coarse coarse next.coarse side
previous.coarse coarse head.coarse side
next.coarse coarse head.coarse side
previous.coarse coarse next.coarse head.coarse side
previous.coarse coarse next.coarse head.lemma side
previous.lemma coarse head.coarse side
next.lemma coarse head.coarse side
previous.coarse head.lemma coarse side
next.coarse head.lemma coarse side
previous.lemma lemma head.coarse side
rank coarse side
rank head.coarse coarse side
rank head.fine fine side
rank head.lemma coarse left.lemma side
"""


def relation_templates() -> Templates:
    """Return the templates of relation labels."""
    return Templates(
        parse_template(_at_the_token(line), RELATION_COLUMNS)
        for line in TEMPLATES.split("\n")
        if line
    )


def _at_the_token(line: str) -> str:
    """Return a line of TEMPLATES with an offset for every view."""
    views = (
        view if view.endswith("]") or view == "bias" else f"{view}[0]" for view in line.split()
    )
    return " ".join(view.replace("head.suffix3", "suffix3(head.word)") for view in views)


LEARNER = Mira(8)  # unless another one is given


class RelationLabeler(HasParameters):
    """labels = argmax_y sum_t (w_{y_t} . features of t in its tree + edge[y_{t-1}, y_t]).

    Parameters
    ----------
    templates : str, path or Templates, default=None
        Feature templates over RELATION_COLUMNS. None is `relation_templates()`.
    learner : learner, default=None
        What selects and weighs features. None is Mira(8).
    refit : learner, default=None
        A second learner, which learns again from what the first has kept.
    n_jobs : int, default=None
        Number of threads. None is one, -1 is all processors.

    Attributes
    ----------
    tagger_ : Tagger
        The tagger of relations.
    """

    tagger_: Tagger | CompactTagger

    def __init__(
        self,
        templates: PathLike | Templates | None = None,
        learner: Learner | str | None = None,
        refit: Learner | str | None = None,
        n_jobs: int | None = None,
    ):
        self.templates = templates
        self.learner = learner
        self.refit = refit
        self.n_jobs = n_jobs

    def fit(
        self,
        tokens: TokenColumns,
        heads: ArrayLike,
        labels: list[str],
        callback: Callback | None = None,
    ) -> RelationLabeler:
        """Learn from the tokens of a treebank.

        Parameters
        ----------
        tokens : TokenColumns
            The sentences.
        heads : array-like of int
            One head per token, of all sentences one after the other: places in the sentence counted
            from 1, 0 is the root.
        labels : list of str
            One relation label per token.
        callback : callable, optional
            Called with an Event after every pass; True stops.
        """
        from laconic.tag.model import Tagger  # not needed to predict

        templates = relation_templates() if self.templates is None else self.templates
        learner = LEARNER if self.learner is None else self.learner
        tagger = Tagger(
            templates, learner, self.refit, columns=RELATION_COLUMNS, n_jobs=self.n_jobs
        )
        columns = relation_columns(tokens, heads)
        self.tagger_ = tagger.fit(columns, list(cut(labels, tokens.ptr)), callback)
        return self

    def predict(self, tokens: TokenColumns, heads: ArrayLike) -> list[str]:
        """Return the best labels of trees, of all tokens one after the other."""
        check_fitted(self)
        return self.tagger_.predict_flat(relation_columns(tokens, heads))


def labeler_of(tagger: Tagger | CompactTagger) -> RelationLabeler:
    """Return the fitted labeler with this tagger of relations."""
    model = RelationLabeler(tagger.templates, tagger.learner, tagger.refit, tagger.n_jobs)
    model.tagger_ = tagger
    return model


def plain_tagger(tagger: Tagger | CompactTagger) -> Tagger:
    """Return a tagger that may come from a compact file as an ordinary one."""
    return tagger.plain() if isinstance(tagger, CompactTagger) else tagger
