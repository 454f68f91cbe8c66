// Codes of words with weighted entries, see weighted.cpp.
#pragma once
#include "coding/trees.hpp"

namespace laconic::coding {

void solve_weighted(Vec<int64_t> ptr, Vec<int32_t> index, Vec<float> value, Vec<float> weight,
                    Vec<float> of_row, Vec<float> of_context, Vec<float> table, int stride,
                    int most, double tolerance, MutVec<float> codes, MutVec<double> objective,
                    int threads);

}  // namespace laconic::coding
