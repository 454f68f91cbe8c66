// log Z and marginals of chains in which every token has its own table of edges; inference.hpp has
// the recursions, scores and padding. The exponentials of each table are taken once, forward, and
// kept for the way back: they cost more than all sums.
#pragma once
#include "chain/inference.hpp"

namespace laconic::chain {

// row[j] = exp(row[j] - top of the rows), padding 0; the top, and how far the smallest finite entry
// lies below it.
template <class Real>
struct ScaledExp {
    Real top = Real(forbidden), low = -Real(forbidden);

    ScaledExp(const Real* from, int n_rows, int n_labels, int stride, Real* to) {
        for (int i = 0; i < n_rows; ++i)
            for (int j = 0; j < n_labels; ++j) {
                const Real x = from[i * stride + j];
                top = std::max(top, x);
                low = x < low && x != Real(forbidden) ? x : low;
            }
        if (top == Real(forbidden)) top = low = Real(0);
        for (int i = 0; i < n_rows; ++i) {
            for (int j = 0; j < n_labels; ++j)
                to[i * stride + j] = std::exp(from[i * stride + j] - top);
            std::fill(to + i * stride + n_labels, to + (i + 1) * stride, Real(0));
        }
    }
    double range() const { return double(top) - double(low); }
};

// As log_forward_backward_at, with probabilities scaled at each token, many times faster; false,
// before any call of add_row, where they may under- or overflow.
template <class Real, class EdgeAt, class AddRow>
bool scaled_forward_backward_at(const Real* unary, int64_t n, EdgeAt edge_at, const Real* start,
                                int n_labels, int stride, Scratch<Real>& scratch, Real* node,
                                AddRow add_row, double& log_z) {
    const int L = n_labels;
    const int64_t size = int64_t{L} * stride;
    const auto& steps = lane_steps<Real>();
    Real* psi = Scratch<Real>::at_least(scratch.rows, n * (stride + size));
    Real *factors = psi + n * stride, *scale = Scratch<Real>::at_least(scratch.scale, n);
    Real* ahead = Scratch<Real>::at_least(scratch.local, 3 * stride);
    Real *beta = ahead + stride, *row = beta + stride;
    log_z = 0;
    for (int64_t t = 0; t < n; ++t) {
        Real *now = psi + t * stride, *alpha = node + t * stride;
        const Real* u = unary + t * stride;
        for (int j = 0; j < L; ++j) row[j] = t == 0 && start ? u[j] + start[j] : u[j];
        const ScaledExp<Real> unaries(row, 1, L, stride, now);
        double range = unaries.range(), top = unaries.top;
        if (t == 0) {
            std::copy(now, now + stride, alpha);
        } else {
            const ScaledExp<Real> edges(edge_at(t), L, L, stride, factors + t * size);
            range += edges.range();
            top += edges.top;
            steps.sum_times(alpha - stride, factors + t * size, L, stride, alpha);
            for (int j = 0; j < stride; ++j) alpha[j] *= now[j];
        }
        Real sum = 0, least = std::numeric_limits<Real>::infinity();
        for (int j = 0; j < L; ++j) {
            sum += alpha[j];
            least = alpha[j] > 0 && alpha[j] < least ? alpha[j] : least;
        }
        if (!(range <= Bounds<Real>::range && sum > 0 && least >= Real(Bounds<Real>::least) * sum))
            return false;
        scale[t] = Real(1) / sum;
        for (int j = 0; j < stride; ++j) alpha[j] *= scale[t];
        log_z += top + std::log(double(sum));
    }
    std::fill(beta, beta + stride, Real(1));
    for (int64_t t = n - 1; t > 0; --t) {
        const Real *now = psi + t * stride, *factor = factors + t * size;
        Real* alpha = node + (t - 1) * stride;
        for (int j = 0; j < stride; ++j) ahead[j] = now[j] * beta[j] * scale[t];
        // p(y_{t-1} = i, y_t = j) = alpha_{t-1}(i) exp(edge_t[i][j]) ahead[j], of which the sum
        // over j is p(y_{t-1} = i) = alpha_{t-1}(i) beta_{t-1}(i)
        for (int i = 0; i < L; ++i) {
            // What nothing reaches has alpha 0 and stays out: its beta could grow without bound.
            Real sum = 0;
            for (int j = 0; j < L; ++j)
                sum += row[j] = alpha[i] * factor[i * stride + j] * ahead[j];
            beta[i] = alpha[i] > 0 ? sum / alpha[i] : Real(0);
            alpha[i] = sum;
            add_row(t, i, row);
        }
    }
    return true;
}

template <class Real, class EdgeAt, class AddRow>
double forward_backward_at(const Real* unary, int64_t n, EdgeAt edge_at, const Real* start,
                           int n_labels, int stride, Scratch<Real>& scratch, Real* node,
                           AddRow add_row) {
    double log_z = 0;
    if (scaled_forward_backward_at(unary, n, edge_at, start, n_labels, stride, scratch, node,
                                   add_row, log_z))
        return log_z;
    return log_forward_backward_at(unary, n, edge_at, start, n_labels, stride, scratch, node,
                                   add_row);
}

}  // namespace laconic::chain
