"""The loss of a TextClassifier: by default the log-loss, of labels with one score or several.

Losses are named in their package, which imports each when it is asked for: a model has but one.
"""

from __future__ import annotations

from laconic.classify.multilabel import is_multilabel, names_of
from laconic.core import losses
from laconic.core.arrays import AnyArray
from laconic.core.losses import Loss


def checked_loss(given: Loss | str | None) -> Loss | None:
    """Return a stated loss, or None; a ValueError that says why if it cannot be that of labels."""
    if given is None:
        return None
    loss = losses.as_loss(given)
    if not loss.classifies:
        raise ValueError(
            f"{type(loss).__name__} is a loss of real targets: a TextClassifier takes one of "
            "labels, such as logistic, multinomial and squared_hinge"
        )
    if not loss.knows_probabilities:
        raise ValueError(
            f"a TextClassifier shows probabilities and chooses by them: {type(loss).__name__} must "
            "define log_probabilities(scores)"
        )
    return loss


def used_loss(given: Loss | str | None, n_labels: int, several: bool = False) -> Loss:
    """Return the loss for this number of labels, of which a document may have several.

    Of two labels the multinomial loss is the logistic one of the difference of their scores, with
    one weight per word.
    """
    loss = checked_loss(given)
    one_score = n_labels == 2 or several
    if loss is None:
        return losses.Logistic() if one_score else losses.Multinomial()
    if n_labels == 2 and not several and type(loss) is losses.Multinomial:
        return losses.Logistic()
    return loss


def loss_for(given: Loss | str | None, labels: AnyArray) -> Loss:
    """Return the loss for the labels of training documents."""
    return used_loss(given, len(names_of(labels)), is_multilabel(labels))
