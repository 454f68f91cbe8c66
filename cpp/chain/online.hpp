// Learning a tagger one sentence at a time.
#pragma once
#include <nanobind/stl/optional.h>

#include <optional>

#include "chain/tagger.hpp"
#include "numeric/online.hpp"

namespace laconic::chain {

// One pass over the sentences of `order`: the sum of the losses before each step, and the number of
// wrong tokens. `weight` (one per sentence, or none) multiplies steps. `cost` (one per token, or
// none) is that of a wrong label where outputs are decoded with a cost; of other losses its mean
// over the sentence multiplies the step.
std::tuple<double, int64_t> learn(Tagger& tagger, const Occurrences& seen, Vec<int32_t> gold,
                                  Vec<int64_t> order, const numeric::OnlineRule& rule,
                                  std::optional<Vec<float>> weight, std::optional<Vec<float>> cost);

}  // namespace laconic::chain
