// Codes of words with weighted entries, see weighted.cpp.
#pragma once
#include "coding/codes.hpp"

namespace laconic::coding {

// Weights of stored entries g, of rows a and of contexts b.
struct EntryWeights {
    Vec<float> entry, row, context;
};

// Codes of all rows, starting from what `codes` holds; returns the objective of each.
Array<double> solve_weighted(const SparseRows& given, const EntryWeights& weights, Vec<float> table,
                             int stride, const CodeLimits& limits, MutVec<float> codes,
                             int threads);

}  // namespace laconic::coding
