// The quadratic model of the loss on few coordinates, through its Gram matrix
//
//     G_ab = sum_i x_ia x_ib H_i,k(a),k(b),    gradient <- gradient + G d
//
// With m working coordinates a pass by columns costs their entries, often hundreds per column in
// text, and strongly correlated columns need hundreds of passes. Once G is there a step costs m
// contiguous additions, so passes are nearly free.
#pragma once
#include <cmath>
#include <vector>

#include "numeric/blocks.hpp"
#include "numeric/curved_rows.hpp"

namespace laconic::numeric {

class GramModel {
  public:
    static constexpr double FLAT = 0.01;  // share of the curvature that may count so, see `bend`

    // Rows of the working coordinates (local numbers); `ones` adds one coordinate per output at
    // the end, for the intercepts.
    template <class ColumnOf>
    void load(int64_t n_rows, const std::vector<int32_t>& output, int K, bool ones,
              ColumnOf column_of) {
        const int64_t m = static_cast<int64_t>(output.size());
        output_ = output;
        if (ones)
            for (int k = 0; k < K; ++k) output_.push_back(k);
        size_ = static_cast<int64_t>(output_.size());
        ptr_.assign(n_rows + 1, 0);
        for (int64_t c = 0; c < m; ++c) column_of(c, [&](int64_t i, double) { ++ptr_[i + 1]; });
        for (int64_t i = 0; i < n_rows; ++i) ptr_[i + 1] += ptr_[i] + (size_ - m);
        local_.resize(ptr_[n_rows]);
        value_.resize(ptr_[n_rows]);
        std::vector<int64_t> next(ptr_.begin(), ptr_.end() - 1);
        auto put = [&](int64_t i, int64_t c, double x) {
            local_[next[i]] = static_cast<int32_t>(c);
            value_[next[i]++] = x;
        };
        for (int64_t c = 0; c < m; ++c) column_of(c, [&](int64_t i, double x) { put(i, c, x); });
        for (int64_t c = m; c < size_; ++c)
            for (int64_t i = 0; i < n_rows; ++i) put(i, c, 1.0);
    }
    // Multiplications one Gram matrix takes.
    double cost() const {
        double total = 0;
        for (size_t i = 0; i + 1 < ptr_.size(); ++i)
            total += 0.5 * double(ptr_[i + 1] - ptr_[i]) * double(ptr_[i + 1] - ptr_[i]);
        return total;
    }
    int64_t size() const { return size_; }

    // The gradient X'R at the residuals of the rows.
    void pull(const double* R, int64_t K) {
        gradient.assign(size_, 0.0);
        for (size_t i = 0; i + 1 < ptr_.size(); ++i)
            for (int64_t e = ptr_[i]; e < ptr_[i + 1]; ++e)
                gradient[local_[e]] += value_[e] * R[i * K + output_[local_[e]]];
    }
    // G at the curvatures of the rows, with H_i = diag(h) - coupling_i h h'. Of one output, rows
    // that hold at most `flat` of the curvature count by the diagonal alone.
    void bend(const double* H, const double* coupling, int64_t K, double flat) {
        gram_.assign(size_ * size_, 0.0);
        if (K == 1 && !coupling)
            bend_one(H, flat);
        else
            bend_outputs(H, coupling, K);
        for (int64_t a = 0; a < size_; ++a)
            for (int64_t b = 0; b < a; ++b) gram_[b * size_ + a] = gram_[a * size_ + b];
    }
    const std::vector<double>& matrix() const { return gram_; }  // G by rows
    double curvature(int64_t c) const { return gram_[c * size_ + c]; }
    void move(int64_t c, double delta) {
        const double* row = &gram_[c * size_];
        double* g = gradient.data();
        for (int64_t a = 0; a < size_; ++a) g[a] += delta * row[a];
    }
    // D = X d, (n, K) by rows.
    void scores(const std::vector<double>& d, double* D, int64_t K) const {
        for (size_t i = 0; i + 1 < ptr_.size(); ++i) {
            double* out = D + i * K;
            for (int64_t k = 0; k < K; ++k) out[k] = 0;
            for (int64_t e = ptr_[i]; e < ptr_[i + 1]; ++e)
                out[output_[local_[e]]] += value_[e] * d[local_[e]];
        }
    }

    std::vector<double> gradient;  // of the model at the current step

  private:
    // The lower triangle of G.
    void bend_one(const double* h, double flat) {
        const size_t n_rows = ptr_.size() - 1;
        const double least = flat > 0 ? least_curvature(h, n_rows, flat) : 0;
        const std::vector<char> thin = least > 0 ? thin_columns(h, least) : std::vector<char>();
        for (size_t i = 0; i < n_rows; ++i) {
            const int64_t first = ptr_[i], last = ptr_[i + 1];
            if (h[i] == 0) continue;
            bool alone = h[i] < least;
            for (int64_t e = first; alone && e < last; ++e) alone = !thin[local_[e]];
            for (int64_t e = first; e < last; ++e) {
                const double own = h[i] * value_[e];
                double* row = &gram_[local_[e] * size_];
                for (int64_t f = alone ? e : first; f <= e; ++f) row[local_[f]] += own * value_[f];
            }
        }
    }
    // Whether coordinates have much of their curvature in rows of less than `least`.
    std::vector<char> thin_columns(const double* h, double least) const {
        std::vector<double> whole(size_, 0.0), lost(size_, 0.0);
        for (size_t i = 0; i + 1 < ptr_.size(); ++i)
            for (int64_t e = ptr_[i]; e < ptr_[i + 1]; ++e) {
                const double own = h[i] * value_[e] * value_[e];
                whole[local_[e]] += own;
                if (h[i] < least) lost[local_[e]] += own;
            }
        std::vector<char> thin(size_);
        for (int64_t c = 0; c < size_; ++c) thin[c] = lost[c] > FLAT_COLUMN * whole[c];
        return thin;
    }
    void bend_outputs(const double* H, const double* coupling, int64_t K) {
        for (size_t i = 0; i + 1 < ptr_.size(); ++i) {
            const int64_t first = ptr_[i], last = ptr_[i + 1];
            const double* h = H + i * K;
            for (int64_t e = first; e < last; ++e) {
                const int32_t a = local_[e], k = output_[a];
                const double own = h[k] * value_[e], shared = coupling ? coupling[i] * own : 0.0;
                if (own == 0) continue;
                double* row = &gram_[a * size_];
                for (int64_t f = first; f <= e; ++f) {
                    const int32_t l = output_[local_[f]];
                    row[local_[f]] += value_[f] * ((l == k ? own : 0.0) - shared * h[l]);
                }
            }
        }
    }

    int64_t size_ = 0;
    std::vector<int64_t> ptr_;
    std::vector<int32_t> local_, output_;
    std::vector<double> value_, gram_;
};

}  // namespace laconic::numeric
