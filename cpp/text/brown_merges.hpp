// Brown clustering, see brown.cpp.
#pragma once
#include "door/checks.hpp"

namespace laconic::text {

// The sentences ids[ptr[s]:ptr[s + 1]] clustered merge by merge down to one cluster: (kept, gone,
// average mutual information in nats before any merge and after each). The last n_clusters - 1
// merges are the tree.
std::tuple<Array<int32_t>, Array<int32_t>, Array<double>> brown_merges(
    Vec<int32_t> ids, Vec<int64_t> ptr, int64_t n_words, int64_t n_clusters, int64_t min_count);

}  // namespace laconic::text
