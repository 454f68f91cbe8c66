"""Mining of kernel spaces: which products of features are worth a weight (Qian and Liu 2015)."""

PUBLIC = {
    "KernelMiner": "laconic.mine.model",
    "Polynomial": "laconic.mine.polynomial",
    "SubTrees": "laconic.mine.sub_trees",
}
