"""Laws of parsers: constructors only store, fits repeat, inputs stay, and trees are trees."""

from __future__ import annotations

from copy import deepcopy

from sklearn.base import clone

from laconic.core.checks.law import near, require
from laconic.parse.model import Parser
from laconic.parse.trees import GivenTree
from laconic.tag.checks import check_parameters
from laconic.text.token_columns import Token
from laconic.text.treebanks import first_on_cycle


def check_parser(parser: Parser, X: list[list[Token]], y: list[GivenTree]) -> None:
    """Check every law of a parser on a few sentences.

    The parser itself is not fitted, only clones of it.

    Parameters
    ----------
    parser : Parser
        The parser, with the parameters to check.
    X : list of list of tokens
        Sentences; a token is a tuple with one string per column, or a string if there is one.
    y : list of trees
        For each sentence a DependencyTree, or a list of heads.

    Raises
    ------
    AssertionError
        If a law is broken; the message names it.

    Examples
    --------
    >>> from laconic import Mira, Parser
    >>> from laconic.parse.checks import check_parser
    >>> from laconic.parse.templates import parse_part_templates
    >>> templates = parse_part_templates(["m.word|dir"], columns=("word",))
    >>> X, y = [["we", "eat"], ["they", "eat"]], [[2, 0], [2, 0]]
    >>> check_parser(Parser(templates=templates, learner=Mira(2), columns=("word",)), X, y)
    """
    check_parameters(parser, deepcopy(X))
    given, trees = deepcopy(X), deepcopy(y)
    fitted = clone(parser).fit(X, y)
    found = fitted.predict(X)
    require((X, y) == (given, trees), "fit and predict do not change their input")
    require(
        repr(fitted.get_params()) == repr(parser.get_params()), "fit does not change parameters"
    )
    check_predicted_trees(fitted, X)
    require(
        clone(parser).fit(X, y).predict(X) == found, "the same input gives the same predictions"
    )
    require(fitted.fit(X, y).predict(X) == found, "a second fit starts anew")
    require(deepcopy(fitted).predict(X) == found, "a copy predicts the same")
    require(
        [fitted.predict([sentence])[0] for sentence in X] == found,
        "sentences are parsed one by one as all together",
    )
    require(0 <= fitted.score(X, y) <= 1, "a score lies between 0 and 1")


def check_predicted_trees(fitted: Parser, X: list[list[Token]]) -> None:
    """Check that predictions are trees, and that several trees are different and come best first.

    Parameters
    ----------
    fitted : Parser
        A fitted parser.
    X : list of list of tokens
        Sentences to predict.
    """
    for sentence, best, ranked in zip(
        X, fitted.predict(X), fitted.predict_k_best(X, 5), strict=True
    ):
        require(len(best.heads) == len(sentence), "one head per token")
        for tree in (best, *(tree for tree, _ in ranked)):
            require(
                all(0 <= head <= len(sentence) for head in tree.heads),
                "heads are tokens of the sentence, or the root",
            )
            require(first_on_cycle(tree.heads) is None, "every token leads to the root")
            require(
                not sentence or not fitted.shape_.single_root or tree.heads.count(0) == 1,
                "one root where there is exactly one",
            )
            require(
                tree.labels is None or len(tree.labels) == len(sentence),
                "one label per token, or none at all",
            )
        scores = [score for _, score in ranked]
        require(scores == sorted(scores, reverse=True), "several trees come best first")
        if sentence:
            require(
                ranked[0][0] == best or near(scores[0], scores[min(1, len(scores) - 1)], 1e-5),
                "the first is the prediction",
            )
