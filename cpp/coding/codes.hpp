// Codes of words under a fixed dictionary, see codes.cpp.
#pragma once
#include "coding/trees.hpp"

namespace laconic::coding {

// Codes of n words from products b_v and squares |x_v|^2, starting from what `codes` holds;
// objective and duality gap of each.
void solve_codes(const CodeTrees& trees, Vec<double> gram, Vec<double> curvature,
                 Vec<float> products, Vec<double> squares, double strength, bool positive,
                 double tolerance, int most_sweeps, MutVec<float> codes, MutVec<double> objective,
                 MutVec<double> gap, int threads);

// The proximal step of the rows of w, dimension by dimension, into out: what the kernels of codes
// do to one word.
void prox_codes(const CodeTrees& trees, Vec<double> w, double scale, bool positive,
                MutVec<double> out);

// Omega of the rows of `codes`, `stride` floats each.
void norm_codes(const CodeTrees& trees, Vec<float> codes, int stride, MutVec<double> out);

}  // namespace laconic::coding
