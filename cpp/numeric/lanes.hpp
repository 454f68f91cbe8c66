// Inner steps of chains over rows of labels, compiled for several instruction sets and chosen once
// by what the processor has. Rows have `stride` entries, a multiple of 8; entries from n_labels on
// are computed along and mean nothing.
#pragma once
#include <cstdint>

namespace laconic::numeric {

template <class Real>
struct LaneSteps {
    // out[j] = max_i a[i] + table[i * stride + j]
    void (*max_plus)(const Real* a, const Real* table, int n_labels, int stride, Real* out);
    // out[j] = sum_i a[i] * table[i * stride + j]
    void (*sum_times)(const Real* a, const Real* table, int n_labels, int stride, Real* out);
    // table[i * stride + j] += a[i] * b[j]
    void (*add_outer)(const Real* a, const Real* b, int n_labels, int stride, Real* table);
    // out[j] += sum_k table[index[k] * stride + j]
    void (*add_rows)(const Real* table, const int32_t* index, int64_t n, int stride, Real* out);
    // out[j] += sum_k scale[k] * row[k][j]
    void (*add_scaled)(const Real* const* row, const Real* scale, int64_t n, int stride, Real* out);
    // table[index[k] * stride + j] += b[j]
    void (*spread_rows)(const Real* b, const int32_t* index, int64_t n, int stride, Real* table);
};

template <class Real>
const LaneSteps<Real>& lane_steps();
template <>
const LaneSteps<float>& lane_steps<float>();
template <>
const LaneSteps<double>& lane_steps<double>();

constexpr int lane_stride(int n_labels) { return (n_labels + 7) / 8 * 8; }

}  // namespace laconic::numeric
