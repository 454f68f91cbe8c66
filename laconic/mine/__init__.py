"""Mining of kernel spaces: which products of features are worth a weight (Qian and Liu 2015).

It has a room `model` alone and no kind: a miner makes columns for a learner of the user's choice,
or features for a reranker, and their weights are stored there.
"""

PUBLIC = {
    "KernelMiner": "laconic.mine.model",
    "Polynomial": "laconic.mine.polynomial",
    "SubTrees": "laconic.mine.sub_trees",
}
