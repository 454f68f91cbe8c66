// Weights of a parser: shrinkage, the end of deferred penalties and of averages, features by the
// values that name them, and the information of templates.
#pragma once
#include "tree/training.hpp"

namespace laconic::tree {

// Weights of template k times factor[k]; a factor of 0 frees the template's memory.
void shrink(Parser& parser, Vec<double> factor);
// Applies all deferred penalties and drops features without weights.
void compact(Parser& parser, bool by_row);
// Weights become their averages over the steps since averaging began, or what dual averages stand
// for; sums go.
void finish_sums(Parser& parser);

// About how many features each template has at all parts of the sentences.
Array<int64_t> count(const Parser& parser, const TrainingTrees& data);

// The features that have weights, template by template: the values that name them, and the weights.
// What a feature is made of is not kept while learning: it is found again at the parts of the
// sentences.
std::vector<std::tuple<Array<int32_t>, Array<float>>> features(const Parser& parser,
                                                               const TrainingTrees& data);
// The weights of template k, in an order that stays while no feature is added and nothing is
// compacted.
Array<float> weights(const Parser& parser, int64_t k);
// The inverse of `weights`.
void set_weights(Parser& parser, int64_t k, Vec<float> weights);
// Adds features of template k with given weights; one that is there already is overwritten.
void add_features(Parser& parser, int64_t k, Matrix32 values, Vec<float> weights);

// Mutual information of each template's features A and the presence of an arc Y, in bits (Martins
// et al. 2011, Eq. 16):
//     I(A, Y) = sum_{a, y} p(a, y) log2 p(a, y) / (p(a) p(y)),
// over all parts of the sentences. Templates of arcs.
Array<double> information(const Parser& parser, const TrainingTrees& data, Vec<int32_t> gold);

}  // namespace laconic::tree
