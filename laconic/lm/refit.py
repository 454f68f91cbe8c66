"""The weights of given n-grams learned anew: what remains of a model that was pruned.

    min_w  -log-likelihood(w) + penalty(w),    w >= 0,  w = 0 for all n-grams that are not kept

Pruning chooses n-grams one by one, as if all others stayed; those that stay take over what the
others did.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from laconic.core.arrays import Array, Bools
from laconic.lm.any_penalty import nested_penalty
from laconic.lm.context_model import ContextModel
from laconic.lm.contexts import Contexts, Text
from laconic.lm.log_linear import LogLinear, nested_weights
from laconic.lm.matching import pairs_in
from laconic.lm.nested import NestedTerms, WrappedTerms
from laconic.lm.problem import NestedProblem
from laconic.lm.pruning import condensed, weights_of_pairs
from laconic.lm.scaled import ScaledFista


class KeptTerms(WrappedTerms):
    """A penalty of the weights that are kept; all others are zero."""

    def __init__(self, terms: NestedTerms, kept: Bools) -> None:
        super().__init__(terms)
        self.kept = kept

    def prox(self, w: Array, curvature: Array) -> Array:
        """See NestedTerms."""
        return np.where(self.kept, self.terms.prox(np.where(self.kept, w, 0), curvature), 0.0)

    def bound(self, slope: Array, w: Array, most: float) -> float:
        """See NestedTerms."""
        return self.terms.bound(np.where(self.kept, slope, 0), w, most)


def refitted(learner: LogLinear, model: ContextModel, text: Text) -> ContextModel:
    """Return a log-linear model of the same n-grams, with weights learned from the text.

    N-grams that the text lacks are left out.
    """
    penalty = nested_penalty(learner.penalty, learner.strength)
    contexts = Contexts.build(text, model.order)
    pairs = pairs_in(contexts, model)
    if model.borrowed is not None:
        pairs[model.borrowed == 1] = -1
    kept = np.zeros(len(contexts.target), bool)
    kept[: contexts.n_words] = True
    kept[pairs[pairs >= 0]] = True
    start = np.zeros(len(kept))
    start[pairs[pairs >= 0]] = np.maximum(weights_of_pairs(model), 0)[pairs >= 0]
    terms = KeptTerms(penalty.on(nested_weights(contexts)), kept)
    with threadpool_limits(limits=1, user_api="blas"):
        result = ScaledFista(learner.tol, learner.max_iter).run(
            NestedProblem(contexts.kernel, terms, learner.n_jobs), start
        )
    if not result.converged:
        warnings.warn(
            f"the weights of the n-grams that are kept have a certificate of {result.error:.1e} "
            f"after {result.n_iter} passes: raise max_iter or tol",
            ConvergenceWarning,
            stacklevel=2,
        )
    score, log_z = np.empty(len(kept)), np.empty(len(contexts.parent))
    contexts.kernel.scores(result.x, score, log_z)
    return condensed(
        ContextModel(contexts.parent, contexts.word, contexts.ptr, contexts.target, score, -log_z)
    )
