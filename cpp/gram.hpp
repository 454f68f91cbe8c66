// The quadratic model of one output on few coordinates, through its Gram matrix G = X'HX.
//
// With m working coordinates a pass by columns costs their entries, often hundreds a column in text, and strongly correlated
// columns need hundreds of passes. Once G is there a step costs m contiguous additions, so passes are nearly free.
#pragma once
#include <cmath>
#include <vector>

#include "blocks.hpp"

class GramModel {
  public:
    // Rows of the working columns (local numbers), `ones` adds a last column of ones for the intercept.
    template <class ColumnOf>
    void load(int64_t n_rows, int64_t m, bool ones, ColumnOf column_of) {
        size_ = m + (ones ? 1 : 0);
        ptr_.assign(n_rows + 1, 0);
        for (int64_t c = 0; c < m; ++c) column_of(c, [&](int64_t i, double) { ++ptr_[i + 1]; });
        if (ones)
            for (int64_t i = 0; i < n_rows; ++i) ++ptr_[i + 1];
        for (int64_t i = 0; i < n_rows; ++i) ptr_[i + 1] += ptr_[i];
        local_.resize(ptr_[n_rows]);
        value_.resize(ptr_[n_rows]);
        std::vector<int64_t> next(ptr_.begin(), ptr_.end() - 1);
        auto put = [&](int64_t i, int64_t c, double x) {
            local_[next[i]] = static_cast<int32_t>(c);
            value_[next[i]++] = x;
        };
        for (int64_t c = 0; c < m; ++c) column_of(c, [&](int64_t i, double x) { put(i, c, x); });
        if (ones)
            for (int64_t i = 0; i < n_rows; ++i) put(i, m, 1.0);
    }
    // Multiplications one Gram matrix takes.
    double cost() const {
        double total = 0;
        for (size_t i = 0; i + 1 < ptr_.size(); ++i) total += 0.5 * double(ptr_[i + 1] - ptr_[i]) * double(ptr_[i + 1] - ptr_[i]);
        return total;
    }
    int64_t size() const { return size_; }

    // Gradient X'R and G = X'HX at the current residuals and curvatures.
    void refresh(const std::vector<double>& R, const std::vector<double>& H) {
        gradient.assign(size_, 0.0);
        gram_.assign(size_ * size_, 0.0);
        for (size_t i = 0; i + 1 < ptr_.size(); ++i) {
            const int64_t first = ptr_[i], last = ptr_[i + 1];
            for (int64_t e = first; e < last; ++e) {
                gradient[local_[e]] += value_[e] * R[i];
                const double hx = H[i] * value_[e];
                if (hx == 0) continue;
                double* row = &gram_[local_[e] * size_];
                for (int64_t f = first; f <= e; ++f) row[local_[f]] += hx * value_[f];
            }
        }
        for (int64_t a = 0; a < size_; ++a)
            for (int64_t b = 0; b < a; ++b) gram_[b * size_ + a] = gram_[a * size_ + b];
    }
    double curvature(int64_t c) const { return gram_[c * size_ + c]; }
    void move(int64_t c, double delta) {
        const double* row = &gram_[c * size_];
        double* g = gradient.data();
        for (int64_t a = 0; a < size_; ++a) g[a] += delta * row[a];
    }
    // D = X d.
    void scores(const std::vector<double>& d, std::vector<double>& D) const {
        for (size_t i = 0; i + 1 < ptr_.size(); ++i) {
            double total = 0;
            for (int64_t e = ptr_[i]; e < ptr_[i + 1]; ++e) total += value_[e] * d[local_[e]];
            D[i] = total;
        }
    }

    std::vector<double> gradient;  // of the model at the current step

  private:
    int64_t size_ = 0;
    std::vector<int64_t> ptr_;
    std::vector<int32_t> local_;
    std::vector<double> value_, gram_;
};
