// Codes of words under a fixed dictionary, see codes.cpp.
#pragma once
#include "coding/trees.hpp"

namespace laconic::coding {

// The dictionary as codes see it: its Gram matrix by rows and, for trees of several nodes, a bound
// of the largest eigenvalue of the tree's part of it; and the penalty of codes.
struct CodeTerms {
    Vec<double> gram, curvature;
    double strength = 0;
    bool positive = false;
};

// When the descent of one word ends.
struct CodeLimits {
    double tolerance = 0;
    int most_steps = 1;
};

// Codes of n words from products b_v and squares |x_v|^2, starting from what `codes` holds;
// objective and duality gap of each.
std::tuple<Array<double>, Array<double>> solve_codes(const CodeTrees& trees, const CodeTerms& terms,
                                                     Vec<float> products, Vec<double> squares,
                                                     const CodeLimits& limits, MutVec<float> codes,
                                                     int threads);

// The proximal step of the rows of w, dimension by dimension, into out: what the kernels of codes
// do to one word.
void prox_codes(const CodeTrees& trees, Vec<double> w, double scale, bool positive,
                MutVec<double> out);

// Omega of the rows of `codes`, `stride` floats each.
void norm_codes(const CodeTrees& trees, Vec<float> codes, int stride, MutVec<double> out);

}  // namespace laconic::coding
