// Inference in first-order chains of labels: best path, log Z and marginals.
//
//     score(y) = start[y_0] + sum_t unary[t][y_t] + sum_{t >= 1} edge_t[y_{t-1}][y_t]
//
//     best path   delta_t(j) = unary[t][j] + max_i delta_{t-1}(i) + edge_t[i][j]    (Viterbi 1967)
//     forward     alpha_t(j) = exp(unary[t][j]) sum_i alpha_{t-1}(i) exp(edge_t[i][j])
//     backward    beta_{t-1}(i) = sum_j exp(edge_t[i][j] + unary[t][j]) beta_t(j)
//     marginals   p(y_t = j) = alpha_t(j) beta_t(j) / Z,    Z = sum_j alpha_{n-1}(j)
//                 p(y_{t-1} = i, y_t = j)
//                     = alpha_{t-1}(i) exp(edge_t[i][j] + unary[t][j]) beta_t(j) / Z
//
// alpha_0(j) = exp(start[j] + unary[0][j]) and beta_{n-1} = 1. Probabilities scaled at every token
// (Rabiner 1989, section V.A) take one exponential per score, log sums one per pair of labels and
// token. Scaled ones are used while no digit is lost, which is checked on the way, and logarithms
// otherwise. The inner steps run over whole rows of labels as vectors (numeric/lanes.hpp).
//
// unary is (n, stride) and every edge table (n_labels, stride) by rows, stride =
// lane_stride(n_labels); entries of a row from n_labels on are padding: read, never used, so they
// may hold anything. start has n_labels entries or is null (all zero). Scores are finite or
// -infinity (forbidden). Costs, masks and fixed labels are additions that the caller makes to the
// scores. Where nothing is allowed the score or log Z is -infinity, and the path or marginals mean
// nothing. An empty sentence has score 0 and log Z 0. Nothing recurses; memory is O(n n_labels).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "numeric/lanes.hpp"

namespace laconic::chain {

using numeric::lane_steps;
using numeric::lane_stride;

constexpr double forbidden = -std::numeric_limits<double>::infinity();

// Memory that sentence after sentence is worked in; one per thread.
template <class Real>
struct Scratch {
    std::vector<Real> rows, local, scale;
    std::vector<double> exact;
    static Real* at_least(std::vector<Real>& memory, int64_t size) {
        if (static_cast<int64_t>(memory.size()) < size) memory.resize(size);
        return memory.data();
    }
};

// The best path into best[0..n) and its score; ties go to the smaller label, the last token's
// first. edge_at(t), t = 1 .. n - 1, is the table between t - 1 and t, and step(t, before, row)
// sets row[j] = max_i before[i] + edge_t[i][j]. Only the best scores are kept on the way: one path
// is followed back by looking again, at O(n_labels) per token, which costs less than remembering
// where each of all labels came from.
template <class Real, class EdgeAt, class Step>
double viterbi_by(const Real* unary, int64_t n, EdgeAt edge_at, Step step, const Real* start,
                  int n_labels, int stride, Scratch<Real>& scratch, int32_t* best) {
    if (n == 0) return 0;
    Real* rows = Scratch<Real>::at_least(scratch.rows, n * stride);
    for (int j = 0; j < n_labels; ++j) rows[j] = unary[j] + (start ? start[j] : Real(0));
    std::fill(rows + n_labels, rows + stride, Real(0));
    // delta_t(j) = unary[t][j] + max_i delta_{t-1}(i) + edge_t[i][j]
    for (int64_t t = 1; t < n; ++t) {
        Real* row = rows + t * stride;
        step(t, row - stride, row);
        const Real* now = unary + t * stride;
        for (int j = 0; j < stride; ++j) row[j] += now[j];
    }
    const Real* last = rows + (n - 1) * stride;
    int32_t label = static_cast<int32_t>(std::max_element(last, last + n_labels) - last);
    const double score = last[label];
    best[n - 1] = label;
    for (int64_t t = n - 1; t > 0; --t) {
        const Real *before = rows + (t - 1) * stride, *column = edge_at(t) + label;
        const Real reached = rows[t * stride + label], here = unary[t * stride + label];
        // These sums are those of the way forward: one of them is equal to the last bit.
        label = 0;
        while (label + 1 < n_labels &&
               before[label] + column[static_cast<int64_t>(label) * stride] + here != reached)
            ++label;
        best[t - 1] = label;
    }
    return score;
}

template <class Real, class EdgeAt>
double viterbi_at(const Real* unary, int64_t n, EdgeAt edge_at, const Real* start, int n_labels,
                  int stride, Scratch<Real>& scratch, int32_t* best) {
    const auto max_plus = lane_steps<Real>().max_plus;
    const auto step = [=](int64_t t, const Real* before, Real* row) {
        max_plus(before, edge_at(t), n_labels, stride, row);
    };
    return viterbi_by(unary, n, edge_at, step, start, n_labels, stride, scratch, best);
}

constexpr int many_labels = 48;
constexpr int64_t many_tokens = 4;

// With many labels most of them are so far behind that no transition brings them to the front:
//
//     delta(i) + max_j edge[i][j]  <  max_k delta(k) + min_j edge[k][j]
//
// Such rows of the table are left out of the maximum. Rounded sums keep the order of exact ones, so
// that path and score are the same to the last bit.
template <class Real>
double viterbi(const Real* unary, int64_t n, const Real* edge, const Real* start, int n_labels,
               int stride, Scratch<Real>& scratch, int32_t* best) {
    const auto edge_at = [edge](int64_t) { return edge; };
    if (n_labels < many_labels || n < many_tokens)
        return viterbi_at(unary, n, edge_at, start, n_labels, stride, scratch, best);
    const int L = n_labels;
    Real* most = Scratch<Real>::at_least(scratch.local, 3 * int64_t{L});
    Real *least = most + L, *ahead = least + L;
    for (int i = 0; i < L; ++i) {
        // Eight running extremes side by side: the compiler makes vectors of them.
        const Real* row = edge + static_cast<int64_t>(i) * stride;
        Real low[8], high[8];
        for (int k = 0; k < 8; ++k) low[k] = high[k] = row[k];
        for (int j = 8; j + 8 <= L; j += 8)
            for (int k = 0; k < 8; ++k) {
                low[k] = row[j + k] < low[k] ? row[j + k] : low[k];
                high[k] = high[k] < row[j + k] ? row[j + k] : high[k];
            }
        least[i] =
            std::min(*std::min_element(low, low + 8), *std::min_element(row + L - 8, row + L));
        most[i] =
            std::max(*std::max_element(high, high + 8), *std::max_element(row + L - 8, row + L));
    }
    Real* table = Scratch<Real>::at_least(scratch.scale, static_cast<int64_t>(L) * stride);
    const auto max_plus = lane_steps<Real>().max_plus;
    const auto step = [=](int64_t, const Real* before, Real* row) {
        Real bound = before[0] + least[0];
        for (int k = 1; k < L; ++k) bound = std::max(bound, before[k] + least[k]);
        int n_ahead = 0;
        for (int i = 0; i < L && n_ahead <= L / 2; ++i) {
            if (before[i] + most[i] < bound) continue;
            ahead[n_ahead] = before[i];
            std::copy_n(edge + static_cast<int64_t>(i) * stride, stride,
                        table + static_cast<int64_t>(n_ahead++) * stride);
        }
        if (n_ahead == 0 || n_ahead > L / 2)  // nothing is allowed, or there is little to save
            max_plus(before, edge, L, stride, row);
        else
            max_plus(ahead, table, n_ahead, stride, row);
    };
    return viterbi_by(unary, n, edge_at, step, start, L, stride, scratch, best);
}

// log Z and node marginals (n, stride; padding 0) in the log domain, for tables that change with t
// and for scores of any size. add_row(t, i, p): p[j] is the probability of labels i, j at t - 1, t.
// Sums are doubles and scaled at each token, so that long sentences lose nothing.
template <class Real, class EdgeAt, class AddRow>
double log_forward_backward_at(const Real* unary, int64_t n, EdgeAt edge_at, const Real* start,
                               int n_labels, int stride, Scratch<Real>& scratch, Real* node,
                               AddRow add_row) {
    const int L = n_labels;
    auto& memory = scratch.exact;
    if (static_cast<int64_t>(memory.size()) < n * L + n + 3 * L) memory.resize(n * L + n + 3 * L);
    double *alpha = memory.data(), *scale = alpha + n * L, *ahead = scale + n, *beta = ahead + L,
           *row = beta + L;
    const auto log_sum = [L](const double* x) {
        const double top = *std::max_element(x, x + L);
        if (top == forbidden) return top;
        double sum = 0;
        for (int i = 0; i < L; ++i) sum += std::exp(x[i] - top);
        return top + std::log(sum);
    };
    double log_z = 0;
    // log alpha_t(j) = unary[t][j] + log sum_i exp(log alpha_{t-1}(i) + edge_t[i][j]), less
    // scale_t = log sum_j alpha_t(j), so that log Z = sum_t scale_t
    for (int64_t t = 0; t < n; ++t) {
        double* now = alpha + t * L;
        const Real* u = unary + t * stride;
        for (int j = 0; j < L; ++j) {
            if (t == 0) {
                now[j] = double(u[j]) + (start ? start[j] : Real(0));
            } else {
                const Real* column = edge_at(t) + j;
                for (int i = 0; i < L; ++i)
                    row[i] = now[i - L] + column[static_cast<int64_t>(i) * stride];
                now[j] = u[j] + log_sum(row);
            }
        }
        scale[t] = log_sum(now);
        if (scale[t] == forbidden) return forbidden;
        log_z += scale[t];
        for (int j = 0; j < L; ++j) now[j] -= scale[t];
    }
    std::fill(beta, beta + L, 0.0);
    for (int64_t t = n - 1; t >= 0; --t) {
        const double* now = alpha + t * L;
        Real* out = node + t * stride;
        for (int j = 0; j < L; ++j) {
            // Else what nothing reaches could grow without bound.
            if (now[j] == forbidden) beta[j] = forbidden;
            out[j] = static_cast<Real>(std::exp(now[j] + beta[j]));
        }
        std::fill(out + L, out + stride, Real(0));
        if (t == 0) break;
        // log beta_{t-1}(i) = log sum_j exp(edge_t[i][j] + ahead[j]); add_row gets
        // exp(log alpha_{t-1}(i) + edge_t[i][j] + ahead[j])
        for (int j = 0; j < L; ++j) ahead[j] = unary[t * stride + j] + beta[j] - scale[t];
        const Real* edge = edge_at(t);
        for (int i = 0; i < L; ++i) {
            for (int j = 0; j < L; ++j)
                row[j] = edge[static_cast<int64_t>(i) * stride + j] + ahead[j];
            beta[i] = log_sum(row);
            const double before = now[i - L];
            for (int j = 0; j < L; ++j)
                row[j] = before == forbidden ? 0.0 : std::exp(before + row[j]);
            add_row(t, i, row);
        }
    }
    return log_z;
}

// One table of edges and its exponentials, prepared once for many sentences.
template <class Real>
struct Potentials {
    int n_labels, stride;
    const Real *edge, *start;
    std::vector<Real> factor, turned;  // exp(edge - shift) and its transpose, padding 0
    // Largest finite edge, and how far the smallest finite one lies below.
    double shift = 0, range = 0;

    Potentials(const Real* edge_, const Real* start_, int n_labels_, int stride_)
        : n_labels(n_labels_), stride(stride_), edge(edge_), start(start_) {
        double top = forbidden, low = -forbidden;
        each([&](int i, int j) {
            const double e = edge[i * stride + j];
            top = std::max(top, e);
            if (e != forbidden) low = std::min(low, e);
        });
        if (top != forbidden) shift = top, range = top - low;
        factor.assign(static_cast<size_t>(n_labels) * stride, Real(0));
        turned = factor;
        each([&](int i, int j) {
            factor[i * stride + j] = turned[j * stride + i] =
                static_cast<Real>(std::exp(edge[i * stride + j] - shift));
        });
    }

  private:
    template <class Body>
    void each(Body body) const {
        for (int i = 0; i < n_labels; ++i)
            for (int j = 0; j < n_labels; ++j) body(i, j);
    }
};

// How far scores may lie apart, and how small a scaled forward sum may be, for products of both to
// keep their digits.
template <class Real>
struct Bounds;
template <>
struct Bounds<float> {
    static constexpr double range = 40, least = 1e-20;
};
template <>
struct Bounds<double> {
    static constexpr double range = 300, least = 1e-170;
};

// The same with probabilities scaled at each token, a few times faster; false where they may under-
// or overflow. edge_sum (n_labels, stride) gains weight times the summed edge marginals; null where
// nobody asks.
template <class Real, class Sum>
bool scaled_forward_backward(const Real* unary, int64_t n, const Potentials<Real>& potentials,
                             Scratch<Real>& scratch, Real* node, Sum* edge_sum, double weight,
                             double& log_z) {
    const int L = potentials.n_labels, stride = potentials.stride;
    const auto& steps = lane_steps<Real>();
    const Real* factor = potentials.factor.data();
    Real* psi = Scratch<Real>::at_least(scratch.rows, n * stride);
    Real* scale = Scratch<Real>::at_least(scratch.scale, n);
    log_z = potentials.shift * double(n - 1);
    for (int64_t t = 0; t < n; ++t) {
        Real *now = psi + t * stride, *alpha = node + t * stride;
        const Real* u = unary + t * stride;
        Real top = u[0], low = std::numeric_limits<Real>::infinity();
        for (int j = 0; j < L; ++j) {
            now[j] = t == 0 && potentials.start ? u[j] + potentials.start[j] : u[j];
            top = j == 0 || now[j] > top ? now[j] : top;
            low = now[j] < low && now[j] != Real(forbidden) ? now[j] : low;
        }
        if (!(top - low + potentials.range <= Bounds<Real>::range)) return false;
        for (int j = 0; j < L; ++j) now[j] = std::exp(now[j] - top);
        std::fill(now + L, now + stride, Real(0));
        if (t == 0) {
            std::copy(now, now + stride, alpha);
        } else {
            // alpha_t = psi_t * (alpha_{t-1} exp(edge)), psi_t = exp(unary[t] - top)
            steps.sum_times(alpha - stride, factor, L, stride, alpha);
            for (int j = 0; j < stride; ++j) alpha[j] *= now[j];
        }
        Real sum = 0, least = std::numeric_limits<Real>::infinity();
        for (int j = 0; j < L; ++j) {
            sum += alpha[j];
            least = alpha[j] > 0 && alpha[j] < least ? alpha[j] : least;
        }
        if (!(sum > 0 && least >= Real(Bounds<Real>::least) * sum)) return false;
        const Real inverse = Real(1) / sum;
        for (int j = 0; j < stride; ++j) alpha[j] *= inverse;
        scale[t] = inverse;
        log_z += double(top) + std::log(double(sum));
    }
    Real* ahead = Scratch<Real>::at_least(scratch.local, (L + 2) * stride);
    Real *beta = ahead + stride, *local = beta + stride;
    std::fill(ahead, local, Real(1));
    if (edge_sum) std::fill(local, local + L * stride, Real(0));
    for (int64_t t = n - 1; t > 0; --t) {
        Real *now = psi + t * stride, *alpha = node + (t - 1) * stride;
        // beta_{t-1} = exp(edge) (psi_t * beta_t) / sum alpha_t; the edge marginals are
        // alpha_{t-1}(i) exp(edge[i][j]) ahead[j], of which the exponential is multiplied last
        for (int j = 0; j < stride; ++j) ahead[j] = now[j] * beta[j] * scale[t];
        if (edge_sum) steps.add_outer(alpha, ahead, L, stride, local);
        steps.sum_times(ahead, potentials.turned.data(), L, stride, beta);
        for (int j = 0; j < stride; ++j) {
            // Else what nothing reaches could grow without bound.
            beta[j] = alpha[j] > 0 ? beta[j] : Real(0);
            alpha[j] *= beta[j];
        }
    }
    if (edge_sum)
        for (int i = 0; i < L * stride; ++i)
            edge_sum[i] += static_cast<Sum>(weight * local[i] * factor[i]);
    return true;
}

template <class Real, class Sum>
double forward_backward(const Real* unary, int64_t n, const Potentials<Real>& potentials,
                        Scratch<Real>& scratch, Real* node, Sum* edge_sum, double weight = 1) {
    if (n == 0) return 0;
    double log_z = 0;
    if (scaled_forward_backward(unary, n, potentials, scratch, node, edge_sum, weight, log_z))
        return log_z;
    const int L = potentials.n_labels, stride = potentials.stride;
    return log_forward_backward_at(
        unary, n, [&](int64_t) { return potentials.edge; }, potentials.start, L, stride, scratch,
        node,
        [&](int64_t, int i, const double* p) {
            if (!edge_sum) return;
            for (int j = 0; j < L; ++j) edge_sum[i * stride + j] += static_cast<Sum>(weight * p[j]);
        });
}

}  // namespace laconic::chain
