// Steps over long rows of scores of words, compiled for several instruction sets and chosen once by
// what the processor has.
#pragma once
#include <cstdint>

namespace laconic::numeric {

struct SoftmaxSteps {
    // out[j] = base[j] + sum_k scale[k] * row[k][j]
    void (*add)(const double* base, const double* const* row, const double* scale, int64_t n,
                int64_t length, double* out);
    // scores[j] = exp(scores[j] - top), top the largest score; the sum of them and top. Below
    // exp(-708) times the largest is zero.
    void (*exponentiate)(double* scores, int64_t length, double* total, double* top);
    // row[k][j] += scale[k] * from[j]
    void (*spread)(const double* from, double* const* row, const double* scale, int64_t n,
                   int64_t length);
};

const SoftmaxSteps& softmax_steps();

}  // namespace laconic::numeric
