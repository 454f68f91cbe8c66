// Learning a tagger one sentence at a time.
#pragma once
#include "chain/tagger.hpp"
#include "numeric/online.hpp"

namespace laconic::chain {

// One pass over the sentences of `order`: the sum of the losses before each step, and the number of
// wrong tokens.
std::tuple<double, int64_t> learn(Tagger& tagger, const Occurrences& seen, Vec<int32_t> gold,
                                  Vec<int64_t> order, const numeric::OnlineRule& rule);

}  // namespace laconic::chain
