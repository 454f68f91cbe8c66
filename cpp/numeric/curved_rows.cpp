// Choice of the rows, and products over them, see curved_rows.hpp.
#include "numeric/curved_rows.hpp"

#include <array>
#include <cmath>
namespace laconic::numeric {

double least_curvature(const double* h, size_t n, double share) {
    constexpr int lowest = -1080, highest = 1025;
    std::array<double, highest - lowest> held{};  // by exponent
    double total = 0;
    for (size_t i = 0; i < n; ++i) {
        int exponent = lowest;
        if (h[i] > 0 && std::isfinite(h[i])) std::frexp(h[i], &exponent);
        held[exponent - lowest] += h[i];
        total += h[i];
    }
    double below = 0;
    for (int e = lowest; e < highest; ++e) {
        below += held[e - lowest];
        if (!(below <= share * total)) return std::ldexp(0.5, e);
    }
    return 0;
}

// Marks the cells of an output that are not flat with 0. A column that has much of its curvature in
// flat rows keeps all of its own.
void CurvedRows::mark(const Matrix& X, const std::vector<int64_t>& columns, const double* bend,
                      size_t k) {
    const auto n = static_cast<size_t>(X.n_rows);
    const double least = least_curvature(bend, n, FLAT);
    for (size_t i = 0; i < n; ++i)
        if (bend[i] >= least) cell_[k * n + i] = 0;
    for (int64_t j : columns) {
        double whole = 0, lost = 0;
        X.column(j, [&](int64_t i, double x) {
            const double own = x * x * bend[i];
            whole += own;
            lost += bend[i] < least ? own : 0.0;
        });
        if (lost > FLAT_COLUMN * whole)
            X.column(j, [&](int64_t i, double) { cell_[k * n + i] = 0; });
    }
}

bool CurvedRows::load(const Matrix& X, const Weights& weights, const Bends& bends) {
    K_ = weights.columns.size();
    const auto n = static_cast<size_t>(X.n_rows);
    if (X.is_dense() || n * K_ >= INT32_MAX) return false;
    const size_t ones = weights.size - (weights.has_intercept ? K_ : 0);
    cell_.assign(n * K_, -1);
    for (size_t k = 0; k < K_; ++k) mark(X, weights.columns[k], &bends.diagonal[k * n], k);
    row_.clear();
    h_.clear();
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < K_; ++k)
            if (int32_t& cell = cell_[k * n + i]; cell == 0) {
                cell = static_cast<int32_t>(row_.size());
                row_.push_back(static_cast<int32_t>(i));
                h_.push_back(bends.h[k * n + i]);
            }
    ptr_.assign(row_.size() + 1, 0);
    flat_.assign(weights.size, 0.0);
    int64_t n_entries = 0;
    const auto each = [&](auto body) {  // body(cell, number of the weight, value)
        for (size_t k = 0; k < K_; ++k) {
            for (size_t s = 0; s < weights.columns[k].size(); ++s)
                X.column(weights.columns[k][s],
                         [&, slot = weights.slots[k][s]](int64_t i, double x) {
                             body(k * n + i, slot, x);
                         });
            for (size_t i = 0; weights.has_intercept && i < n; ++i)
                body(k * n + i, static_cast<int32_t>(ones + k), 1.0);
        }
    };
    each([&](size_t at, int32_t slot, double x) {
        ++n_entries;
        if (cell_[at] < 0)
            flat_[slot] += x * x * bends.diagonal[at];
        else
            ++ptr_[cell_[at] + 1];
    });
    for (size_t c = 0; c < row_.size(); ++c) ptr_[c + 1] += ptr_[c];
    if (2 * ptr_.back() > n_entries) return false;
    slot_.resize(ptr_.back());
    value_.resize(ptr_.back());
    std::vector<int64_t> next(ptr_.begin(), ptr_.end() - 1);
    each([&](size_t at, int32_t slot, double x) {
        if (cell_[at] < 0) return;
        const int64_t e = next[cell_[at]]++;
        slot_[e] = slot;
        value_[e] = x;
    });
    change_.resize(row_.size());
    coupling_ = bends.coupling;
    return true;
}

void CurvedRows::product(const std::vector<double>& v, std::vector<double>& out) {
    out.resize(v.size());
    for (size_t a = 0; a < v.size(); ++a) out[a] = flat_[a] * v[a];
    for (size_t first = 0, last; first < row_.size(); first = last) {
        double shared = 0;
        for (last = first; last < row_.size() && row_[last] == row_[first]; ++last) {
            double sums[2] = {};
            int64_t e = ptr_[last];
            const int64_t end = ptr_[last + 1];
            for (; e + 2 <= end; e += 2) {
                sums[0] += value_[e] * v[slot_[e]];
                sums[1] += value_[e + 1] * v[slot_[e + 1]];
            }
            if (e < end) sums[0] += value_[e] * v[slot_[e]];
            change_[last] = h_[last] * (sums[0] + sums[1]);
            shared += change_[last];
        }
        if (!coupling_.empty()) shared *= coupling_[row_[first]];
        for (size_t c = first; c < last; ++c) {
            const double by = coupling_.empty() ? change_[c] : change_[c] - shared * h_[c];
            for (int64_t e = ptr_[c]; e < ptr_[c + 1]; ++e) out[slot_[e]] += value_[e] * by;
        }
    }
}

}  // namespace laconic::numeric
