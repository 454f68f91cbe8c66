// Tree inference over dense tables of scores: best trees, k best trees, log Z and marginals, of
// projective trees and of trees that may cross. Word 0 is the root of a sentence of n - 1 words;
// heads[0] is -1.
#pragma once
#include <vector>

#include "door/checks.hpp"
#include "tree/shape.hpp"

namespace laconic::tree {

// The tables that a model has: arc (n, n), sibling (n, n, n), grandchild (n, n, n), grand_sibling
// and tri_sibling (n, n, n, n).
using DenseScores = std::vector<Vec<double>>;

std::tuple<Array<int32_t>, double> projective_best(TreeModel model, int n,
                                                   const DenseScores& scores, bool single_root);
std::tuple<Array<int32_t>, Array<double>> projective_k_best(TreeModel model, int n,
                                                            const DenseScores& scores,
                                                            bool single_root, int64_t k);
// log Z and the probabilities of arcs, siblings and grandchildren; models of orders 1 and 2.
std::tuple<double, Array<double>, Array<double>, Array<double>> projective_marginals(
    TreeModel model, int n, const DenseScores& scores, bool single_root);

std::tuple<Array<int32_t>, double> crossing_best(int n, Vec<double> arc, bool single_root);
std::tuple<Array<int32_t>, Array<double>> crossing_k_best(int n, Vec<double> arc, bool single_root,
                                                          int64_t k);
std::tuple<double, Array<double>> crossing_marginals(int n, Vec<double> arc, bool single_root);

}  // namespace laconic::tree
