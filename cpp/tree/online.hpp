// Learning a parser one sentence at a time.
#pragma once
#include "numeric/online.hpp"
#include "tree/training.hpp"

namespace laconic::tree {

// One pass over the sentences of `order`: the sum of the losses before each step, and the number of
// wrong heads. Aggressive steps may look at the k best trees.
std::tuple<double, int64_t> learn(Parser& parser, const TrainingTrees& data, Vec<int32_t> gold,
                                  Vec<int64_t> order, const numeric::OnlineRule& rule, int64_t k);

}  // namespace laconic::tree
